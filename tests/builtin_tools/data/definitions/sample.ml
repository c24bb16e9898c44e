module Shelf = struct
  type t = { count : int }

  let open_shelf s =
    let inner x = x in
    inner s.count
end

module type OPEN = sig
  val open_it : int -> int
end

let fill x = x + 1
