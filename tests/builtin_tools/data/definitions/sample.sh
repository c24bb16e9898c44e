#!/bin/bash
LIMIT=3

open_shelf() {
  inner() {
    echo 1
  }
  inner
}

function close_shelf {
  echo "$1"
}
