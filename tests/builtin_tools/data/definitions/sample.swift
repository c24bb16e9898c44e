import Foundation

@objc
public class Shelf: Base {
    init(count: Int) {
        self.count = count
    }

    deinit {
    }

    @discardableResult
    func open() -> Int {
        func inner() -> Int {
            return 1
        }
        return inner()
    }

    struct Inner {
        var x: Int
    }
}

protocol Open {
    func open() -> Int
}

enum Kind {
    case paper
}

extension Shelf: Open {
    func close() {}
}

typealias Title = String
