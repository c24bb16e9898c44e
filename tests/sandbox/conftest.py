from collections.abc import Iterator

import pytest

from tests.sandbox.box import Box, Driver, opened, uid_of, users, works_here


@pytest.fixture(scope="session")
def drivers() -> Iterator[dict[str, Driver]]:
    started: dict[str, Driver] = {}
    yield started
    for driver in started.values():
        driver.close()


@pytest.fixture(params=users())
def box(request: pytest.FixtureRequest, drivers: dict[str, Driver]) -> Iterator[Box]:
    if not works_here():
        pytest.skip("bubblewrap does not work here")
    user: str = request.param
    if user not in drivers:
        drivers[user] = Driver(uid_of(user))
    with opened(drivers[user], uid_of(user)) as box:
        yield box
