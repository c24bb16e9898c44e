"""The agent loop: look at the history, do the next thing it calls for, repeat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Protocol, TypeAlias, TypeVar

from msgspec.structs import replace

from roo_code.builtin_tools.registry import create_registry, experimental_tools
from roo_code.call_running import CallLine, CallRunning
from roo_code.client import RooClient
from roo_code.errors import (
    ContextTooLong,
    EmptyReply,
    MistakeLimitReached,
    ToolError,
    TurnLimitReached,
)
from roo_code.events import (
    ApprovalDecided,
    BaseEvent,
    Event,
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    RunCompleted,
    RunParked,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from roo_code.history import History, PendingCall, interrupted
from roo_code.messages import Message, ToolDefinition, ToolResult, ToolUseContent, Usage
from roo_code.policy.approval import ApproveAll, Approver, CallFacts, Verdict
from roo_code.providers.base import PLACE, RELAYED, ReplyDeferred
from roo_code.reply_view import ReplyView
from roo_code.side_request import SideRequests
from roo_code.tools import AnyTool, Deferred, ToolContext, failed, parse_input

E = TypeVar("E", bound=BaseEvent)
Preparation: TypeAlias = Callable[[], AsyncGenerator[Event]]
"""What is to happen before the model is asked, as events; none once all of it has happened."""


class ShortensHistory(Protocol):
    """Keeps the history within the model's window; asked last of all, and of what was refused."""

    def prepare(self) -> AsyncGenerator[Event]: ...

    def shorten(self, error: ContextTooLong) -> AsyncGenerator[Event]:
        """At least one event that makes the history shorter, or an error."""
        ...


DEFAULT_SYSTEM_PROMPT = (
    "You are Roo, a careful software engineer who works in the user's workspace with tools.\n"
    "Look before you change anything; make the smallest change that does the whole job; run the "
    "project's own tests or checks and read their output before you say that it works.\n"
    "Paths are relative to the workspace. Independent calls may be made in one reply. A failed "
    "call tells you why: correct it, do not repeat it.\n"
    "When the task is done, call attempt_completion with the result; do not end with a question."
)


class Agent:
    """Ask the model, run its tools, repeat. `ModeAgent` changes its answers, never the loop."""

    def __init__(
        self,
        client: RooClient,
        tools: Sequence[AnyTool] = (),
        *,
        system_prompt: str | None = None,
        context: ToolContext | None = None,
        approver: Approver | None = None,
        history: History | None = None,
        max_iterations: int | None = 10,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        self.client = client
        known = client.model_info
        self.context = context or ToolContext()
        self.tools = create_registry(
            *tools,
            included=(*known.preferred_tools, *experimental_tools(self.context.settings)),
            excluded=known.avoided_tools,
        )
        self.approver = approver or ApproveAll()
        self.history = history or History()
        self.max_iterations = max_iterations
        self.consecutive_mistake_limit = 0
        """Failed calls in a row after which the run ends; 0 is no limit."""
        self.preparations: list[Preparation] = []
        """Asked in order before each request: what the user's words point at, what has changed
        around the task."""
        self.condenser: ShortensHistory | None = None
        self.is_attended = False
        """Whether calls may ask while they run: somebody sees the events, and will `hear`."""
        self._calls = CallRunning(self._execute)
        self.metadata = dict(metadata or {})
        self._system_prompt = system_prompt

    async def run(self, task: str) -> str:
        """Run to the end and return the answer."""
        answer = ""
        async for event in self.iter(task):
            if isinstance(event, RunCompleted):
                answer = event.result
        return answer

    def run_sync(self, task: str) -> str:
        return asyncio.run(self.run(task))

    def add_tool(self, tool: AnyTool) -> None:
        self.tools.register(tool)

    def hear(self, answer: QuestionAnswered) -> bool:
        """Whether a running call waits for this answer; then it is the next of its events."""
        return self._calls.hear(answer)

    async def iter(self, prompt: str | None = None) -> AsyncGenerator[Event]:
        """The loop. Whoever drives the agent drives it through here.

        It has no memory but the history, so starting, going on after an approval, after a
        crash or after a new message are one path. What follows an event happens only when the
        caller asks for the next one: a caller that stores events first has intent before effect.
        """
        if prompt is not None:
            yield self._note(MessageAdded(message=Message.from_user(prompt)))
        while True:
            if self.history.pending:
                async with aclosing(self._work_off(self.history.pending)) as events:
                    async for event in events:
                        yield event
            elif (answer := self.history.final_answer) is not None:
                yield self._note(RunCompleted(result=answer))
                return
            elif self.history.relay is None or self.history.relayed is not None:
                async with aclosing(self._next_reply()) as events:
                    async for event in events:
                        yield event
            if waiting := self.history.waiting_for:
                yield self._note(RunParked(waiting_for=waiting))
                return

    async def condense(self) -> AsyncGenerator[Event]:
        """Make the history shorter, if that was asked for, and do nothing else."""
        if self.condenser is not None:
            async with aclosing(self.condenser.prepare()) as events:
                async for event in events:
                    yield self._note(event)

    async def _next_reply(self) -> AsyncGenerator[Event]:
        """Ask the model, once nothing is left to prepare: a message may come meanwhile."""
        is_prepared = True
        last = () if self.condenser is None else (self.condenser.prepare,)
        for prepare in (*self.preparations, *last) if self.history.relay is None else ():
            async with aclosing(prepare()) as events:
                async for event in events:
                    is_prepared = False
                    yield self._note(event)
        if is_prepared:
            async with aclosing(self._ask_model()) as events:
                async for event in events:
                    yield event

    async def _ask_model(self) -> AsyncGenerator[Event]:
        metadata, relayed = self._metadata(), self.history.relayed
        if relayed is None:
            self._check_limits()
            yield self._note(TurnStarted(turn=self.history.turns + 1))
        else:  # the turn goes on that brought the prompt
            metadata = {**metadata, RELAYED: relayed}
        stream = self.client.create_message(
            self.system_prompt(), self.history.messages, self.available_tools(), metadata
        )
        view = ReplyView()
        try:
            async for chunk in stream.stream():
                for event in view.show(chunk):
                    yield event
            reply = self.client.priced(await stream.get_final_message())
        except ContextTooLong as error:
            if self.condenser is None:
                raise
            async with aclosing(self.condenser.shorten(error)) as events:
                async for event in events:
                    yield self._note(event)
            return
        except ReplyDeferred as deferred:
            id = f"relay_{len(self.history.messages)}"
            yield self._note(QuestionAsked(tool_use_id=id, question=deferred.prompt, is_relay=True))
            return
        finally:
            await stream.aclose()
        if not reply.content:
            raise EmptyReply("The model's reply was empty.")
        yield self._note(MessageAdded(message=self.history.with_fresh_ids(reply)))

    def _metadata(self) -> Mapping[str, str]:
        shown = sum(message.role == "assistant" for message in self.history.messages)
        if shown == self.history.replies:
            return self.metadata
        return {**self.metadata, PLACE: str(self.history.replies)}

    def _check_limits(self) -> None:
        if self.max_iterations is not None and self.history.turns >= self.max_iterations:
            raise TurnLimitReached(self.max_iterations)
        if 0 < self.consecutive_mistake_limit <= self.history.mistakes:
            raise MistakeLimitReached(self.consecutive_mistake_limit)

    async def _work_off(self, calls: dict[str, PendingCall]) -> AsyncGenerator[Event]:
        """Authorise what is undecided, then perform all that stands before the first open ask."""
        for pending in list(calls.values()):
            if pending.is_undecided and (verdict := await self.authorize(pending.call)):
                yield self._note(verdict)
        ready: list[PendingCall] = []
        for pending in list(calls.values()):
            if pending.waiting_for is not None:
                break
            if pending.result is None:
                ready.append(pending)
        for batch in self._batches(ready):
            async with aclosing(self._perform(batch)) as events:
                async for event in events:
                    yield event

    def _batches(self, ready: Iterable[PendingCall]) -> list[list[PendingCall]]:
        """Neighbours that change nothing run side by side; anything else runs alone, in order."""
        batches: list[list[PendingCall]] = []
        side_by_side = False
        for pending in ready:
            mixes = self._is_repeatable(pending.call) and not self._ends_run(pending.call)
            if side_by_side and mixes:
                batches[-1].append(pending)
            else:
                batches.append([pending])
            side_by_side = mixes
        return batches

    async def _perform(self, batch: list[PendingCall]) -> AsyncGenerator[Event]:
        running: list[ToolUseContent] = []
        for pending in batch:
            if settled := self._settle(pending):
                yield self._note(ToolFinished(result=settled))
            else:
                repeatable = self._is_repeatable(pending.call)
                yield self._note(ToolStarted(call=pending.call, repeatable=repeatable))
                running.append(pending.call)
        asked = {pending.call.id: pending.questions for pending in batch}
        async with aclosing(self._calls.run(running, asked)) as events:
            async for event in events:
                yield self._note(event)

    def _settle(self, pending: PendingCall) -> ToolResult | None:
        """The result of a call that need not run: refused, answered by event, or cut short."""
        call = pending.call
        if pending.decision is not None and not pending.decision.approved:
            return failed(call.id, _refusal(pending.decision))
        if pending.answer is not None:
            if isinstance(pending.answer, QuestionAnswered):
                text = f"<user_message>\n{pending.answer.answer}\n</user_message>"
                return ToolResult(tool_use_id=call.id, content=text, images=pending.answer.images)
            return ToolResult(
                tool_use_id=call.id,
                content=pending.answer.result,
                is_error=pending.answer.is_error,
            )
        if pending.started and not self._is_repeatable(call):
            return interrupted(pending, "The program stopped before this call was done.")
        refusal = self.refusal(call)  # what was allowed when it was asked may not be any more
        return None if refusal is None else failed(call.id, refusal)

    async def _execute(self, call: ToolUseContent, line: CallLine) -> Event:
        """Run the call; the event that it ends with, for now or for good."""
        decision = self._decision(call)
        aside = SideRequests(self.client, self._metadata(), line.record)
        context = replace(
            self.context,
            emit=line.emit,
            ask=line.ask if self.is_attended else None,
            sample=aside.sample,
            confined=decision is not None and decision.confined,
            failed_calls=self._failed_calls(),
            seen_files=self.history.seen_files,
            todos=self.history.todos,
        )
        try:
            result = await self.tools.execute(call, context)
        except Deferred as deferred:
            return deferred.event
        return ToolFinished(result=self._with_approval(call, result))

    def _with_approval(self, call: ToolUseContent, result: ToolResult) -> ToolResult:
        """What the person said when approving is for the model to read."""
        decision = self._decision(call)
        if decision is None or decision.by != "user" or not decision.reason:
            return result
        note = f"The user approved this call and said: {decision.reason}\n\n"
        return result.replace(content=note + result.content)

    def _decision(self, call: ToolUseContent) -> ApprovalDecided | None:
        pending = self.history.pending.get(call.id)
        return pending.decision if pending else None

    def _failed_calls(self) -> tuple[str, ...]:
        pending = self.history.pending.values()
        return tuple(p.call.name for p in pending if p.result is not None and p.result.is_error)

    def _is_repeatable(self, call: ToolUseContent) -> bool:
        tool = self.tools.get(call.name)
        return tool is None or tool.repeatable

    def _ends_run(self, call: ToolUseContent) -> bool:
        tool = self.tools.get(call.name)
        return tool is not None and tool.ends_run

    def _note(self, event: E) -> E:
        self.history.apply(event)  # pyright: ignore[reportArgumentType] - every event is an Event
        return event

    def _extract_tool_use(self, reply: Message) -> tuple[ToolUseContent, ...]:
        """The calls of a reply, in order."""
        return reply.tool_uses

    def estimate(self) -> Usage:
        """An upper guess of the next model call, for budgets to reserve."""
        return self.client.estimate(self.system_prompt(), self.history.messages)

    # What ModeAgent changes: these answers, never the loop.

    def system_prompt(self) -> str:
        if self._system_prompt is not None:
            return self._system_prompt
        return f"{DEFAULT_SYSTEM_PROMPT}\n\nWorkspace: {self.context.workspace.root}"

    def available_tools(self) -> Sequence[ToolDefinition]:
        return self.tools.definitions()

    def refusal(self, call: ToolUseContent) -> str | None:
        """Why this call cannot run here, whoever approves it; asked again just before it runs."""
        return None

    async def authorize(self, call: ToolUseContent) -> Verdict | None:
        """Whether this call may run; None if there is nothing to decide."""
        if (refusal := self.refusal(call)) is not None:
            return ApprovalDecided(tool_use_id=call.id, approved=False, by="mode", reason=refusal)
        tool = self.tools.get(call.name)
        if tool is None or not tool.needs_approval:
            return None
        try:
            arguments = parse_input(tool, call.input)
        except ToolError:
            return None  # it will not run: the registry answers with what is wrong with it
        server, servers_tool = tool.server(arguments)
        mcp = self.context.mcp
        facts = CallFacts(
            call=call,
            group=tool.group,
            read_only=tool.repeatable,
            paths=tool.paths(arguments),
            command=getattr(arguments, "command", None),
            in_sandbox=tool.in_sandbox,
            server=server,
            tool=servers_tool,
            allowed_by_server=mcp is not None and tool.is_allowed_by(mcp, arguments),
        )
        return await self.approver.decide(facts)


def _refusal(decision: ApprovalDecided) -> str:
    if decision.by == "mode":
        return f"{decision.reason}\nThe call was not run."
    who = "The user" if decision.by == "user" else "The approval policy"
    why = f": {decision.reason}" if decision.reason else "."
    return f"{who} refused this call{why}\nIt was not run. Do not try the same call again."
