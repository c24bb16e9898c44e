const std = @import("std");

pub const Shelf = struct {
    count: u32,

    pub fn open(self: *Shelf) u32 {
        return self.count;
    }

    const Kind = enum { paper };
};

pub fn main() !void {
    const limit = 3;
    _ = limit;
}

test "opens" {
    try std.testing.expect(true);
}
