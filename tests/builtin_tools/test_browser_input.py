import pytest

from roo_code.builtin_tools.browser_input import BrowserActionInput, key, place, read_size
from roo_code.builtin_tools.browser_session import Size
from roo_code.errors import ToolError

PAGE = Size(900, 600)


@pytest.mark.parametrize(
    ("coordinate", "found"),
    [
        ("450,300", (450, 300)),
        ("450, 300@900x600", (450, 300)),
        ("225,150@450x300", (450, 300)),
        ("(10, 20)", (10, 20)),
        ("1800,1200@1800,1200", (900, 600)),
        ("1,1@3x3", (300, 200)),
        ("10.5,20.25", (10.5, 20.2)),
    ],
)
def test_a_place_in_the_picture_is_one_in_the_page(
    coordinate: str, found: tuple[float, float]
) -> None:
    assert place(coordinate, PAGE) == found


@pytest.mark.parametrize(
    "coordinate", ["", "here", "1;2", "1,2@3", "901,1", "-1,5", "1,601", "5,5@0x9", "700,1@600x400"]
)
def test_what_is_no_place_in_the_page_is_refused(coordinate: str) -> None:
    with pytest.raises(ToolError, match=r"coordinate|outside the page|shows nothing"):
        place(coordinate, PAGE)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Enter", "Enter"),
        ("enter", "Enter"),
        ("esc", "Escape"),
        ("page_down", "PageDown"),
        ("ctrl+a", "Control+a"),
        ("Ctrl + Shift + Tab", "Control+Shift+Tab"),
        ("cmd+k", "Meta+k"),
        ("a", "a"),
        ("+", "+"),
        ("shift++", "Shift++"),
        (" ", "Space"),
        ("F5", "F5"),
    ],
)
def test_keys_go_by_many_names(text: str, name: str) -> None:
    assert key(text) == name


def test_sizes_are_read_and_bounded() -> None:
    assert read_size("1280x800") == read_size("1280, 800") == Size(1280, 800)
    for text in ("big", "1280", "99x100", "100x5000"):
        with pytest.raises(ToolError, match=r"size|Width and height"):
            read_size(text)


def test_names_that_models_use_are_understood() -> None:
    given = BrowserActionInput.model_validate(
        {"action": "goto", "selector": "#x", "coordinate": [3, 4], "size": None}
    )
    assert (given.action, given.element, given.coordinate) == ("navigate", "#x", "3,4")
