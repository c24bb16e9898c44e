open_shelf <- function(n) {
  inner = function(x) {
    x
  }
  inner(n)
}

limit <- 3
