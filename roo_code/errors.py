"""Every error we raise on purpose, in four layers.

* RooCodeError
  + TransportError            bytes did not arrive
    - ConnectionFailed        no connection could be made
    - ConnectionCut           the other side hung up before it was done
    - TimedOut                nothing came for too long
  + ProtocolError             bytes arrived that are not what the format says
  + ApplicationError          it was understood, and the answer is no
    - ConfigError             the user's settings are wrong
    - ProviderError           the model service refused
      . RateLimited           try again after `retry_after`
      . Overloaded            the service is up and too busy
      . ServerFailed          the service broke
      . AuthenticationFailed  the key is missing or wrong
      . QuotaExceeded         the account has nothing left
      . BadRequest            the service did not accept the request
      . ContextTooLong        the history does not fit the model's window
      . EmptyReply            the model said nothing at all
    - ToolError               a tool failed in a way the model should see
      . UnknownTool
      . NotAllowed            the mode, the policy or the user refused
        FileRestrictionError  the mode may not change this file
    - WorkflowFailed          a phase of a workflow did not do what it must
    - ReplayDiverged          a replay asked what was not recorded, and may not
    - LimitReached            the run used up what it was given
      . TurnLimitReached
      . MistakeLimitReached
      . BudgetExceeded
    - StoreError              the task store cannot do it
      . TaskNotFound
      . TaskExists
      . LeaseLost             another process drives the task now
      . StoreUnavailable      read-only, full, damaged or of a newer version
  + UserFacingError           what a front end shows; the lower error is its `__cause__`
"""

from __future__ import annotations

from typing import ClassVar

from roo_code.redaction import redact


class RooCodeError(Exception):
    """Catch this to catch everything we raise on purpose."""

    retryable: ClassVar[bool] = False
    """True where the same request may succeed later."""

    hint: str = ""
    """What the user can do about it."""

    @property
    def kind(self) -> str:
        """A stable name for logs, events and scripts."""
        return type(self).__name__


class TransportError(RooCodeError):
    """Bytes did not arrive."""

    retryable = True
    hint = "Check the network, the proxy and the address of the service, then resume the task."


class ConnectionFailed(TransportError):
    """No connection could be made."""


class ConnectionCut(TransportError):
    """The other side hung up before it was done."""


class TimedOut(TransportError):
    """Nothing came for too long."""


class ProtocolError(RooCodeError):
    """Bytes arrived that are not what the wire format says."""

    retryable = True
    hint = "The address may not be a model service of this kind; check provider and base URL."


class ApplicationError(RooCodeError):
    """It was understood, and the answer is no."""


class ConfigError(ApplicationError):
    """The user's settings are wrong; the message says which and how to mend them."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ProviderError(ApplicationError):
    """The model service refused; `status` is its HTTP status where there is one."""

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class RateLimited(ProviderError):
    """Too many requests; `retry_after` says when to come back, if the service does."""

    retryable = True
    hint = "Wait a little, or use another model or account, then resume the task."


class Overloaded(ProviderError):
    """The service is up and too busy."""

    retryable = True
    hint = "Resume the task later, or choose another model."


class ServerFailed(ProviderError):
    """The service broke."""

    retryable = True
    hint = "The fault is on the service's side; resume the task later."


class AuthenticationFailed(ProviderError):
    """The key is missing or wrong."""

    hint = "Give a valid key with --api-key or the provider's environment variable."


class QuotaExceeded(ProviderError):
    """The account has nothing left."""

    hint = "Add credit to the account or use another key, then resume the task."


class BadRequest(ProviderError):
    """The service did not accept the request."""

    hint = "Check the model name and the options; the message is the service's own."


class ContextTooLong(ProviderError):
    """The history does not fit the model's window."""

    hint = "Continue with a model that has a larger window, or start a new task."


class EmptyReply(ProviderError):
    """The model said nothing at all."""

    retryable = True
    hint = "Resume the task; if it happens again, try another model."


class ToolError(ApplicationError):
    """Raise in a tool to tell the model what went wrong; anything else is a bug in the tool."""


class UnknownTool(ToolError):
    """The model asked for a tool that does not exist."""

    def __init__(self, name: str, known: tuple[str, ...] = ()) -> None:
        available = f" Available tools: {', '.join(known)}." if known else ""
        super().__init__(f"There is no tool named {name!r}.{available}")


class NotAllowed(ToolError):
    """The mode, the policy or the user refused."""


class FileRestrictionError(NotAllowed):
    """The mode may not change this file."""


class WorkflowFailed(ApplicationError):
    """A phase of a workflow did not do what it must; later ones were not begun."""

    hint = "Mend the cause, then go on with: roo workflow resume ID"

    def __init__(self, phase: str, error: str) -> None:
        super().__init__(f"Phase {phase!r} failed. {error}".rstrip())
        self.phase = phase


class ReplayDiverged(ApplicationError):
    """A replay asked what was not recorded, and the user wants none that does."""

    hint = "Record the task again if it is meant to go another way now."


class LimitReached(ApplicationError):
    """The run used up what it was given."""


class TurnLimitReached(LimitReached):
    """The model was asked as often as allowed and has not finished."""

    hint = "Continue the task with a higher --max-turns, or send it a message."

    def __init__(self, limit: int) -> None:
        super().__init__(f"Stopped after {limit} model calls without a final answer.")
        self.limit = limit


class MistakeLimitReached(LimitReached):
    """Tool call after tool call failed."""

    hint = "Send the task a message with guidance to let it go on."

    def __init__(self, limit: int) -> None:
        super().__init__(f"Stopped after {limit} failed tool calls in a row.")
        self.limit = limit


class BudgetExceeded(LimitReached):
    """A budget of the task, or of a task above it, is used up."""

    hint = "Continue the task with a higher limit."


class StoreError(ApplicationError):
    """The task store cannot do it."""


class TaskNotFound(StoreError):
    """No task has this id."""

    hint = "`roo tasks list` shows the tasks there are."

    def __init__(self, task_id: str) -> None:
        super().__init__(f"There is no task {task_id!r}.")


class TaskExists(StoreError):
    """A task with this id was started before, with other words."""

    hint = "Choose another id, or resume the task with --session-id."

    def __init__(self, task_id: str) -> None:
        super().__init__(f"A task {task_id!r} exists already.")


class LeaseLost(StoreError):
    """Another process drives the task now; this one must stop touching it."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"Task {task_id!r} is driven by another process.")


class StoreUnavailable(StoreError):
    """The store is read-only, full, damaged or of a newer version."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UserFacingError(RooCodeError):
    """What a front end shows: one sentence, and what to do. The lower error is its cause."""

    def __init__(self, message: str, *, hint: str = "", kind: str = "UserFacingError") -> None:
        super().__init__(message)
        self.hint = hint
        self._kind = kind

    @property
    def kind(self) -> str:
        return self._kind


def explain(error: BaseException) -> UserFacingError:
    """Turn any error into what a person should read, and may: without keys.

    The original stays as the cause.
    """
    if isinstance(error, UserFacingError):
        return error
    if isinstance(error, RooCodeError):
        facing = UserFacingError(redact(str(error)), hint=redact(error.hint), kind=error.kind)
    else:
        facing = UserFacingError(
            redact(f"Internal error: {type(error).__name__}: {error}"),
            hint="This is a bug in Roo Code; please report it with the log of the task.",
            kind="InternalError",
        )
    facing.__cause__ = error
    return facing
