@Injectable()
export class Shelf<T> {
  @Input()
  add(book: T): void {
    const inner = (x: T) => {
      return x;
    };
    inner(book);
  }
}

export abstract class Base {
  abstract open(): void;
}

export interface Book {
  title: string;
  read(): void;
}

export type Title = string;

export enum Kind {
  Paper,
}

namespace Rooms {
  export function enter(): void {}
}

declare function outside(a: number): void;
