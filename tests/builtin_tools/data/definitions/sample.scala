package shelf

@deprecated("old")
class Shelf[T](count: Int) extends Base {
  def open(): Int = {
    def inner(): Int = 1
    inner()
  }
}

object Shelf {
  type Title = String
}

trait Open {
  def open(): Int
}

case class Book(title: String)

enum Kind {
  case Paper
}
