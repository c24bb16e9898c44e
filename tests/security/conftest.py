"""The `roo` command, as the tests of the command line start it."""

from tests.cli.conftest import roo

__all__ = ["roo"]
