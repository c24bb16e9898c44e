"""How a run ended, in a few lines beside its output."""

from __future__ import annotations

from roo_code.cli.conversation import Pause
from roo_code.cli.report import RunReport
from roo_code.cli.screen import Screen
from roo_code.cli.task_view import ask_lines
from roo_code.events import RunCancelled, RunCompleted, RunFailed, RunParked
from roo_code.task.asks import open_asks
from roo_code.task.store import TaskStore

_MORE_RIGHTS = (
    "More may run unasked with --approve LEVEL or --allow-command WORDS; "
    "roo policy explain 'COMMAND' says what would."
)


class Ending:
    def __init__(self, screen: Screen, *, kept: bool, summary: bool) -> None:
        self._screen = screen
        self._kept = kept
        """False where nothing is left to resume."""
        self._summary = summary
        """Whether to say what the run used and what was refused."""

    async def tell(self, pause: Pause, report: RunReport, store: TaskStore) -> None:
        style = self._screen.error_style
        if self._summary:
            self._tell_refusals(report)
        match pause:
            case RunFailed(error=error, hint=hint):
                self._screen.notice(style.bad("Error: ") + error)
                if hint:
                    self._screen.notice(f"  {hint}")
                self.tell_resume("", report.task_id)
            case RunCancelled(reason=reason):
                why = f" {reason.rstrip('.')}." if reason else ""
                self.tell_resume(f"Cancelled.{why}", report.task_id)
            case RunParked():
                for ask in await open_asks(store, report.task_id):
                    self._screen.notice(style.ask("? ") + ask_lines(ask, report.task_id, style))
            case RunCompleted():
                pass
        if self._summary:
            self._screen.notice(style.dim(report.closing(report.seconds)))

    def tell_resume(self, what: str, task_id: str) -> None:
        how = f"Resume with: roo --session-id {task_id}" if self._kept and task_id else ""
        if shown := f"{what} {how}".strip():
            self._screen.notice(shown)

    def _tell_refusals(self, report: RunReport) -> None:
        style = self._screen.error_style
        for refusal in report.refusals:
            shown = style.cut(f"Refused: {refusal.call}: {refusal.reason}", lines=2)
            self._screen.notice(style.ask(shown))
        if any(refusal.by == "policy" for refusal in report.refusals):
            self._screen.notice(_MORE_RIGHTS)
