"""Roo's settings of condensing."""

import pytest

from roo_code.context.condensing_settings import CondenseSettings, read_condense_settings
from roo_code.json_text import JsonValue


def test_without_settings_it_happens_when_the_window_is_full() -> None:
    assert read_condense_settings({}) == CondenseSettings(is_automatic=True, threshold=100)


@pytest.mark.parametrize(
    ("general", "own", "threshold"),
    [
        (70, None, 70),
        (70, 40, 40),
        (70, -1, 70),
        (70, 4, 70),
        (70, 101, 70),
        (70, 5, 5),
        (0, None, 100),
        ("70", True, 100),
    ],
)
def test_a_profile_may_have_a_threshold_of_its_own(
    general: JsonValue, own: JsonValue, threshold: float
) -> None:
    values: dict[str, JsonValue] = {
        "autoCondenseContextPercent": general,
        "profileThresholds": {"mine": own},
    }
    assert read_condense_settings(values, "mine").threshold == threshold
    assert read_condense_settings({**values, "profileThresholds": []}).threshold in (general, 100)


def test_it_can_be_switched_off() -> None:
    assert not read_condense_settings({"autoCondenseContext": False}).is_automatic


def test_the_prompt_may_be_the_users() -> None:
    old: dict[str, JsonValue] = {"customCondensingPrompt": "Sum up."}
    assert read_condense_settings(old).instructions == "Sum up."
    new: dict[str, JsonValue] = {**old, "customSupportPrompts": {"CONDENSE": "In verse."}}
    assert read_condense_settings(new).instructions == "In verse."
    assert read_condense_settings({"customCondensingPrompt": "  "}).instructions == ""
