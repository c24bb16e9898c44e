"""What a project brings along runs and is read only as the user has consented to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from roo_code.config.paths import roo_home
from roo_code.errors import ToolError
from roo_code.workspace.files import digest

if TYPE_CHECKING:  # few workspaces have what needs consent, and every start would wait for it
    from roo_code.config.trust import TrustedContent


def trusts_tools(home: Path) -> Callable[[Path, str], bool]:
    """For `UserTools`: whether the code with this digest is that of a folder consented to.

    The whole folder counts, for a tool may load its neighbours.
    """

    def is_trusted(path: Path, code: str) -> bool:
        from roo_code.config.trust_contents import tools_in  # noqa: PLC0415 - few have any

        content, files = tools_in(path.parent.parent.parent)
        is_same = path.name in files and digest(files[path.name].data) == code
        return content is not None and is_same and _is_trusted(home, content)

    return is_trusted


def check_command(workspace: Path, path: Path, text: str) -> None:
    """ToolError for a project's slash command with shell in it that nobody has consented to."""
    from roo_code.config.trust_contents import command_content  # noqa: PLC0415

    _check(command_content(workspace, path, text), "has shell commands in it")


def check_skill(workspace: Path, folder: Path) -> None:
    """ToolError for a project's skill with scripts that nobody has consented to."""
    from roo_code.config.trust_contents import skill_content  # noqa: PLC0415

    _check(skill_content(workspace, folder), "has scripts in its folder")


def _is_trusted(home: Path, content: TrustedContent) -> bool:
    from roo_code.config.trust import TrustStore  # noqa: PLC0415

    return TrustStore(home).is_trusted(content)


def _check(content: TrustedContent | None, why: str) -> None:
    if content is not None and not _is_trusted(roo_home(), content):
        raise ToolError(
            f"{content.name} is not available: it {why}, and the user has not consented to them "
            "as they are now. Go on without it, or ask the user to look at them and run: "
            f"roo trust grant {content.name}"
        )
