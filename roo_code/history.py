"""The conversation as the model sees it, folded from events.

Whatever the last event is, `messages` can be sent to any provider: roles in order, each tool
call answered exactly once. What still has to be done stands in `pending`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from msgspec import Struct

from roo_code.condensed_messages import add_user, condensed
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    CondenseRequested,
    ContextCondensed,
    EnvironmentTold,
    Event,
    MentionsRead,
    MessageAdded,
    ModeSwitched,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SpecChanged,
    SubtaskEnded,
    SubtaskStarted,
    TaskCreated,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    Waiting,
)
from roo_code.messages import Message, ToolResult, ToolUseContent
from roo_code.policy.given import GivenApprovals
from roo_code.todo_list import TODO_TOOL, TodoItem, todos_in_call
from roo_code.tool_aliases import canonical_name

_NOTHING_SAID = "(continue)"
"""Stands in for a user's turn where a log has none, since no service takes two replies in a row."""


class PendingCall(Struct):
    """A call of the last reply and how far it has come."""

    call: ToolUseContent
    asked: bool = False
    decision: ApprovalDecided | None = None
    started: bool = False
    questions: int = 0
    """What it has asked while it ran."""
    deferred: QuestionAsked | SubtaskStarted | None = None
    answer: QuestionAnswered | SubtaskEnded | None = None
    result: ToolResult | None = None

    @property
    def is_undecided(self) -> bool:
        return not (self.decision or self.asked or self.started or self.result)

    @property
    def sets_todos(self) -> bool:
        went_well = self.result is not None and not self.result.is_error
        return went_well and canonical_name(self.call.name) == TODO_TOOL

    @property
    def waiting_for(self) -> Waiting | None:
        """What only a command can bring, or None if the call can be worked on now."""
        if self.result is not None:
            return None
        if self.deferred is not None and self.answer is None:
            kind = "question" if isinstance(self.deferred, QuestionAsked) else "subtask"
            return Waiting(kind=kind, tool_use_id=self.call.id)
        if self.asked and self.decision is None:
            return Waiting(kind="approval", tool_use_id=self.call.id)
        return None


class History:
    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.messages: list[Message] = []
        self.pending: dict[str, PendingCall] = {}
        self.turns = 0
        """Model calls since the user last said something."""
        self.mistakes = 0
        """Failed tool calls since one succeeded."""
        self.ended: RunCompleted | RunFailed | RunCancelled | None = None
        self.relay: QuestionAsked | None = None
        """The prompt that a person carries to a model elsewhere."""
        self.relayed: str | None = None
        """What that model replied."""
        self.live_questions: dict[str, QuestionAsked] = {}
        """What running calls wait to hear, while the run goes on."""
        self.seen_files: dict[str, str] = {}
        """Files the model has seen, each with the digest of what it saw last."""
        self.todos: tuple[TodoItem, ...] = ()
        self.mode = ""
        """The slug of the mode the task is in."""
        self._ordered_mode = ""
        """The one its spec names; it may have switched since."""
        self.is_environment_told = False
        """Whether the model, when asked next, knows its surroundings as they are."""
        self.condense_requested = False
        self.condenses = 0
        """How often the history was made shorter since anything new was said."""
        self.refused = 0
        """Tokens of the shortest request that was too long for the model; 0 if none was."""
        self.replies = 0
        """All there were, those that the model is not shown any more counted in."""
        self.request = ""
        """What the user asked for first."""
        self.approvals = GivenApprovals()
        self.unread: list[str] = []
        """What the user has said since the last turn, where it may point at files and the like."""
        self._used_ids: set[str] = set()
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        if isinstance(event, MessageAdded):
            self.relay = self.relayed = None
        self.approvals.apply(event)
        self._note_words(event)
        self._note_surroundings(event)
        self._note_room(event)
        match event:
            case TaskCreated(spec=spec):
                add_user(self.messages, Message.from_user(spec.prompt, spec.images))
            case MessageAdded(message=message) if message.role == "user":
                self.close("The user went on before this call was answered.")
                add_user(self.messages, message)
                self.turns = self.mistakes = 0
                self.ended = None
            case MessageAdded(message=message):
                self.close("The model went on before this call was answered.")
                if not self.messages or self.messages[-1].role == "assistant":
                    add_user(self.messages, Message.from_user(_NOTHING_SAID))
                self.messages.append(message)
                self.replies += 1
                self.pending = {call.id: PendingCall(call) for call in message.tool_uses}
                self._used_ids.update(self.pending)
            case TurnStarted():
                self.turns += 1
                self.ended = None
            case RunParked():
                self.ended = None
            case ToolFinished(result=result):
                self.seen_files |= result.seen_files
                self._finish(result)
            case RunCompleted() | RunFailed() | RunCancelled():
                self.ended = event
                self.live_questions = {}
            case _:
                self._note_progress(event)

    def _note_words(self, event: Event) -> None:
        """Keep what the user says until it is read what it points at, or the model is asked."""
        match event:
            case TaskCreated(spec=spec):
                self.request = spec.prompt
                if spec.parent is None:  # else the words are a model's
                    self.unread.append(spec.prompt)
            case MessageAdded(message=message) if message.role == "user":
                self.request = self.request or message.text
                self.unread.append(message.text)
            case QuestionAnswered() if pending := self.pending.get(event.tool_use_id):
                asked = pending.deferred
                if not (isinstance(asked, QuestionAsked) and asked.suggests(event.answer)):
                    self.unread.append(event.answer)  # else the words are a model's
            case MentionsRead(content=content, seen_files=seen_files):
                self.close("The user went on before this call was answered.")
                add_user(self.messages, Message(role="user", content=content))
                self.seen_files |= seen_files
                self.unread.clear()
            case TurnStarted():
                self.unread.clear()
            case _:
                pass

    def _note_surroundings(self, event: Event) -> None:
        match event:
            case TaskCreated(spec=spec) | SpecChanged(spec=spec):
                if spec.mode != self._ordered_mode:  # else other settings changed, not the mode
                    self.mode = self._ordered_mode = spec.mode
            case ModeSwitched(mode=mode):
                self.mode = mode
            case EnvironmentTold(text=text, seen_files=seen_files):
                self.close("The task went on before this call was answered.")
                add_user(self.messages, Message.from_user(text))
                self.seen_files |= seen_files
                self.is_environment_told = True
            case MessageAdded(message=message) if message.role == "assistant":
                self.is_environment_told = False
            case _:
                pass

    def _note_room(self, event: Event) -> None:
        match event:
            case MessageAdded() | MentionsRead():
                self.condenses = 0
            case SpecChanged():  # perhaps another model, with another window
                self.condenses = self.refused = 0
            case CondenseRequested():
                self.condense_requested = not self.condenses and len(self.messages) > 1
            case ContextCondensed(refused=refused):
                self.close("The task went on before this call was answered.")
                self.messages = condensed(self.messages, event)
                self.condense_requested = False
                self.condenses += 1
                self.refused = min(refused or self.refused, self.refused or refused)
            case _:
                pass

    def _note_progress(self, event: Event) -> None:
        match event:
            case QuestionAsked() | QuestionAnswered() if self._note_question(event):
                pass
            case ApprovalRequested(call=call) if pending := self.pending.get(call.id):
                pending.asked = True
            case ApprovalDecided() if pending := self.pending.get(event.tool_use_id):
                pending.decision = event
            case ToolStarted(call=call) if pending := self.pending.get(call.id):
                pending.started = True
                self._forget_live(call.id)
            case QuestionAsked() | SubtaskStarted():
                if pending := self.pending.get(event.tool_use_id):
                    pending.deferred = event
            case QuestionAnswered() | SubtaskEnded():
                if pending := self.pending.get(event.tool_use_id):
                    pending.answer = event
            case _:
                pass

    def _note_question(self, event: QuestionAsked | QuestionAnswered) -> bool:
        """Whether the answer is for a running call or for the loop itself: no call parks for it."""
        match event:
            case QuestionAsked(is_relay=True):
                self.relay = event
            case QuestionAsked(running_call=call_id) if event.is_live:
                if pending := self.pending.get(call_id):
                    pending.questions += 1
                    self.live_questions[event.tool_use_id] = event
            case QuestionAnswered() if self.relay and self.relay.tool_use_id == event.tool_use_id:
                self.relayed = event.answer if event.answer.strip() else None
            case QuestionAnswered():
                return self.live_questions.pop(event.tool_use_id, None) is not None
            case _:
                return False
        return True

    @property
    def waiting_for(self) -> tuple[Waiting, ...]:
        waits = (pending.waiting_for for pending in self.pending.values())
        found = tuple(wait for wait in waits if wait is not None) + self.approvals.waiting_for
        if self.relay is not None and self.relayed is None:
            return (*found, Waiting(kind="relay", tool_use_id=self.relay.tool_use_id))
        return found

    @property
    def final_answer(self) -> str | None:
        """What the run came to, once nothing is left to do."""
        if self.pending or not self.messages:
            return None
        last = self.messages[-1]
        if last.role == "assistant":
            return last.text
        if isinstance(last.content[-1], ToolResult):
            ends = [b for b in last.content if isinstance(b, ToolResult) and b.ends_run]
            return ends[-1].content if ends else None
        return None

    def close(self, reason: str) -> None:
        """Answer every open call, so that the conversation can go on without them."""
        for pending in list(self.pending.values()):
            if pending.result is None:
                self._finish(interrupted(pending, reason))

    def with_fresh_ids(self, reply: Message) -> Message:
        """The reply with an id of its own for every call: some services repeat or omit them."""
        seen: set[str] = set()
        if all(
            c.id and c.id not in self._used_ids and not _seen(c.id, seen) for c in reply.tool_uses
        ):
            return reply
        taken = set(self._used_ids)
        blocks: list[object] = []
        for block in reply.content:
            if isinstance(block, ToolUseContent):
                block = block.replace(id=_free_id(block.id or "call", taken))
                taken.add(block.id)
            blocks.append(block)
        return reply.replace(content=tuple(blocks))

    def _forget_live(self, call_id: str) -> None:
        """The call waits for nothing any more: it has ended, or begins anew."""
        live = self.live_questions.items()
        self.live_questions = {id: asked for id, asked in live if asked.running_call != call_id}

    def _finish(self, result: ToolResult) -> None:
        pending = self.pending.get(result.tool_use_id)
        if pending is None or pending.result is not None:
            return
        pending.result = result
        self._forget_live(result.tool_use_id)
        if not result.interrupted:
            self.mistakes = self.mistakes + 1 if result.is_error else 0
        for done in self.pending.values():  # in the order of the calls, however they ended
            if done.sets_todos:
                self.todos = todos_in_call(done.call.input)
        results = [p.result for p in self.pending.values()]
        if all(result is not None for result in results):
            self.messages.append(Message.from_tools(r for r in results if r is not None))
            self.pending = {}


def interrupted(pending: PendingCall, reason: str) -> ToolResult:
    """The answer to a call that nobody saw the end of: never a guess, never a second run."""
    if pending.started and pending.deferred is None:
        text = (
            f"{reason} The call was interrupted while it ran: it may have had none, some or all "
            "of its effect. It was not repeated. Check the current state before you go on."
        )
    else:
        text = f"{reason} The call was not run."
    return ToolResult(tool_use_id=pending.call.id, content=text, is_error=True, interrupted=True)


def closed_messages(events: Iterable[Event]) -> list[Message]:
    """The history of a log that may end anywhere, as a provider would accept it."""
    history = History(events)
    history.close("The task was interrupted.")
    return history.messages


def _seen(id: str, seen: set[str]) -> bool:
    found = id in seen
    seen.add(id)
    return found


def _free_id(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    return next(id for number in count(2) if (id := f"{wanted}_{number}") not in taken)
