"""One tree in four layers; what a person reads comes from the top one."""

import inspect
from pathlib import Path

import pytest

from roo_code import errors
from roo_code.errors import (
    ApplicationError,
    ConnectionCut,
    ProtocolError,
    RateLimited,
    RooCodeError,
    TransportError,
    UserFacingError,
    explain,
)

ALL = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, RooCodeError) and kind is not RooCodeError
]
LAYERS = (TransportError, ProtocolError, ApplicationError, UserFacingError)


@pytest.mark.requirement("agent:errors:layers")
def test_every_error_belongs_to_exactly_one_layer() -> None:
    for kind in ALL:
        assert sum(issubclass(kind, layer) for layer in LAYERS) == 1, kind


def test_the_drawn_tree_names_every_error() -> None:
    drawn = errors.__doc__ or ""
    assert [kind.__name__ for kind in ALL if kind.__name__ not in drawn] == []


@pytest.mark.requirement("agent:errors:layers", "agent:errors:context")
def test_an_explanation_keeps_the_lower_error_as_its_cause() -> None:
    lower = RateLimited("anthropic (api.example): too many requests.", status=429, retry_after=3)
    shown = explain(lower)
    assert isinstance(shown, UserFacingError)
    assert shown.__cause__ is lower
    assert str(shown) == str(lower)
    assert shown.hint == lower.hint
    assert shown.kind == "RateLimited"
    assert explain(shown) is shown


def test_a_bug_is_called_one_and_keeps_its_cause() -> None:
    bug = ZeroDivisionError("division by zero")
    shown = explain(bug)
    assert "Internal error: ZeroDivisionError" in str(shown)
    assert shown.kind == "InternalError"
    assert shown.__cause__ is bug


def test_only_what_a_repeat_may_mend_is_retried() -> None:
    assert {kind.__name__ for kind in ALL if kind.retryable} == {
        "ConnectionCut",
        "ConnectionFailed",
        "EmptyReply",
        "Overloaded",
        "ProtocolError",
        "RateLimited",
        "ServerFailed",
        "TimedOut",
        "TransportError",
    }


def test_what_a_user_can_meet_says_what_to_do(tmp_path: Path) -> None:
    silent = {"RooCodeError", "ApplicationError", "ProviderError", "StoreError", "LimitReached"}
    for_the_model = {"ToolError", "UnknownTool", "NotAllowed", "FileRestrictionError"}
    said_by_the_raiser = {"ConfigError", "StoreUnavailable", "UserFacingError", "LeaseLost"}
    for kind in ALL:
        if kind.__name__ not in silent | for_the_model | said_by_the_raiser:
            assert kind.hint, kind
    assert ConnectionCut("x").hint
