local Shelf = {}

function Shelf.new(count)
  local function inner()
    return 1
  end
  return inner()
end

function Shelf:open()
end

local fill = function(book)
  return book
end

Shelf.close = function()
end
