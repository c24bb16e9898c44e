module Shelf where

data Kind = Paper | Cloth

newtype Title = Title String

type Shelf = [Title]

class Open a where
  open :: a -> Int

instance Open Kind where
  open _ = 1

fill :: Int -> Int
fill n = inner n
  where
    inner x = x
