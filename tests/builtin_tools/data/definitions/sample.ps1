function Open-Shelf {
    param([int]$Count)
    function Inner {
        1
    }
}

class Shelf {
    [int]$Count

    [int] Open() {
        return 1
    }
}

enum Kind {
    Paper
}
