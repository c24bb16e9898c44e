"""What edit, search_replace and edit_file have in common: one text in place of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roo_code.builtin_tools.editing.document import LineCounts
from roo_code.builtin_tools.editing.excerpts import excerpt
from roo_code.builtin_tools.editing.matching import Haystack, Window
from roo_code.builtin_tools.editing.opened_file import open_for_edit
from roo_code.builtin_tools.editing.plain_text import PlainText, Span
from roo_code.builtin_tools.editing.reporting import edit_note
from roo_code.errors import ToolError
from roo_code.tools import ToolContext, ToolOutcome
from roo_code.workspace.text import with_newlines


def replace_string(
    context: ToolContext,
    path: str,
    old: str,
    new: str,
    find: Callable[[PlainText, str, str], Sequence[Span]],
) -> ToolOutcome:
    """Replace what `find` finds, given the text, what to look for and the path to show."""
    old, new = with_newlines(old, "\n"), with_newlines(new, "\n")
    if old == new:
        raise ToolError("old_string and new_string are the same, so nothing would change.")
    file = open_for_edit(context, path)
    text = PlainText(file.text)
    spans = find(text, old, file.shown)
    changed = text.replaced(spans, new)
    if changed == file.text:
        return ToolOutcome(f"No changes needed: {file.shown} is already like this.")
    digest = file.save(changed)
    removed = sum(_line_count(text.text[span.start : span.end]) for span in spans)
    counts = LineCounts(_line_count(new) * len(spans), removed)
    where = [f"{len(spans)} places changed."] if len(spans) > 1 else []
    note = edit_note(file.shown, "modified", size=counts, remarks=where)
    return ToolOutcome(note, seen_files={file.shown: digest})


def _line_count(text: str) -> int:
    return len(text.split("\n")) - text.endswith("\n") if text else 0


def only_one(text: PlainText, old: str, shown: str) -> Sequence[Span]:
    """The one place of the text, or an error."""
    spans = text.find(old)
    if not spans:
        raise not_found(text, old, shown)
    if len(spans) > 1:
        raise several(text, spans, shown)
    return spans


def not_found(text: PlainText, old: str, shown: str) -> ToolError:
    """With the nearest text, so that the next try can be right."""
    lines, wanted = text.text.split("\n"), old.strip("\n").split("\n")
    nearest = Haystack(lines).nearest(wanted, Window(0, len(lines) - len(wanted) + 1))
    problem = (
        f"old_string is not in {shown!r}; nothing was changed. It must be the text to the blank."
    )
    if nearest is None:
        return ToolError(f"{problem} Nothing similar is there; read the file again.")
    end = nearest.start + len(wanted)
    pairs = zip(range(nearest.start, end), wanted, strict=True)
    focus = next((number for number, line in pairs if lines[number] != line), nearest.start)
    return ToolError(
        f"{problem} Nearest text ({int(nearest.likeness * 100)}% alike apart from blanks):\n"
        f"{excerpt(lines, nearest.start, end, focus)}"
    )


def several(text: PlainText, spans: Sequence[Span], shown: str, also: str = "") -> ToolError:
    numbers = ", ".join(str(text.line_of(span)) for span in spans[:8])
    more = ", ..." if len(spans) > 8 else ""
    return ToolError(
        f"old_string is in {shown!r} {len(spans)} times (lines {numbers}{more}); nothing was "
        f"changed. Add lines around it so that it is there only once{also}."
    )
