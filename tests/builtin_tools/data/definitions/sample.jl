module Shelves

abstract type Base end

struct Shelf <: Base
    count::Int
end

function open_shelf(s::Shelf)
    function inner(x)
        x
    end
    inner(s.count)
end

macro fill(x)
    x
end

end
