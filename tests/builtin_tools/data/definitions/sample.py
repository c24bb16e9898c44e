import functools


@functools.total_ordering
class Shelf:
    """Holds books."""

    @property
    def size(self) -> int:
        def count():
            return 1

        return count()

    async def fill(self):
        pass


type Title = str


@functools.cache
@staticmethod
def cached(
    a,
    b,
): ...


LIMIT = 3
