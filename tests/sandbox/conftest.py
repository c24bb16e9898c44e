from collections.abc import Iterator

import pytest

from tests.sandbox.box import Box, Driver, bystander, opened, uid_of, users, works_here
from tests.sandbox.docker_daemon import daemon


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


@pytest.fixture(scope="session")
def docker_address() -> Iterator[str]:
    with daemon() as address:
        yield address


@pytest.fixture(params=users())
def docker_box(
    request: pytest.FixtureRequest, drivers: dict[str, Driver], docker_address: str
) -> Iterator[Box]:
    user: str = request.param
    if (key := f"docker {user}") not in drivers:
        drivers[key] = Driver(uid_of(user), DOCKER_HOST=docker_address)
    with opened(drivers[key], uid_of(user), "docker") as box:
        yield box


@pytest.fixture
def docker_victim(docker_box: Box) -> Iterator[dict[str, str]]:
    with bystander(docker_box) as known:
        yield known
