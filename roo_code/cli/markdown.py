"""A final result as Markdown on a terminal."""

from __future__ import annotations

import io

from roo_code.cli.style import Style


def formatted(text: str, style: Style) -> str:
    from rich.console import Console  # noqa: PLC0415 - 60 ms, and only a terminal's last words
    from rich.markdown import Markdown  # noqa: PLC0415

    shown = io.StringIO()
    console = Console(
        file=shown, force_terminal=True, no_color=not style.colour, width=min(style.width, 100)
    )
    console.print(Markdown(text))
    return "\n".join(line.rstrip() for line in shown.getvalue().splitlines())
