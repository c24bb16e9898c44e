"""Refuses a requirement that is not in the manifest, so that a typing error cannot count."""

from collections.abc import Generator
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

from tests.spec.manifest import load_requirements

# How long an example takes is the machine's affair; no test may fail of that.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

Collected = pytest.Item | pytest.Collector | list[pytest.Item | pytest.Collector] | None


@cache
def known_ids() -> frozenset[str]:
    return frozenset(requirement.id for requirement in load_requirements())


# Here, not once all is collected: an error there ends a parallel run with a page of traceback.
@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Collected, Collected]:
    collected = yield
    for item in collected if isinstance(collected, list) else [collected]:
        if isinstance(item, pytest.Item):
            refuse_unknown_requirements(item, collector)
    return collected


def refuse_unknown_requirements(item: pytest.Item, collector: pytest.Collector) -> None:
    for mark in item.iter_markers("requirement"):
        for id in mark.args or ("",):
            if id not in known_ids():
                raise collector.CollectError(
                    f"{item.name}: requirement {id!r} is not in tests/spec/requirements.toml"
                )
