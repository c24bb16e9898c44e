export default class Shelf {
  static #count = 0;
  size = () => {
    return 1;
  };

  add(book) {
    function inner() {
      return book;
    }
    return inner();
  }
}

export const fill = async (shelf) => {
  return shelf;
};

function* titles() {
  yield 1;
}

module.exports.open = function () {
  return new Shelf();
};

const table = {
  close: () => {
    return 1;
  },
};
const LIMIT = 3;
