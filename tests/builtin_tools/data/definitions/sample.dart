@immutable
class Shelf extends Base {
  final int count;

  Shelf(this.count);

  @override
  int open() {
    int inner() => 1;
    return inner();
  }
}

mixin Counts {
}

enum Kind { paper }

extension Titles on String {
  String shout() => toUpperCase();
}

void main() {
}
