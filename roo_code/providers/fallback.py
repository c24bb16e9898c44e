"""FallbackProvider: when one provider fails for good, the next one answers."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from roo_code.config.schema import ProviderSettings
from roo_code.errors import (
    AuthenticationFailed,
    ConfigError,
    Overloaded,
    QuotaExceeded,
    RateLimited,
    RooCodeError,
    ServerFailed,
    TransportError,
)
from roo_code.json_text import JsonValue
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.providers.retry import RetryPolicy, with_remark, with_retry
from roo_code.stream import StreamChunk, StreamSwitch

KINDS: Mapping[str, type[RooCodeError]] = {
    "quota": QuotaExceeded,
    "auth": AuthenticationFailed,
    "rate_limited": RateLimited,
    "overloaded": Overloaded,
    "server": ServerFailed,
    "network": TransportError,
}
"""What another provider may mend. A request that is wrong or too long is so everywhere."""

_SECONDS = 300.0


class Member(NamedTuple):
    name: str
    """As the user is told of it."""
    provider: BaseProvider
    retry: RetryPolicy


@dataclass(frozen=True, kw_only=True)
class FallbackPolicy:
    kinds: tuple[type[RooCodeError], ...] = tuple(KINDS.values())
    """Errors after which the next one is asked; those that may pass, only after all repeats."""
    seconds: float = _SECONDS
    """How long one that failed is left alone."""
    resting: dict[str, float] = field(default_factory=dict[str, float])
    """Until when, by name; shared by all tasks that are to learn of it."""
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def read(
        cls, options: Mapping[str, JsonValue], resting: dict[str, float] | None = None
    ) -> FallbackPolicy:
        """From the settings `fallbackOn` and `fallbackSeconds`."""
        seconds = options.get("fallbackSeconds", _SECONDS)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
            raise ConfigError("fallbackSeconds must be a number of seconds.")
        named = options.get("fallbackOn", list(KINDS))
        if not isinstance(named, list):
            raise ConfigError("fallbackOn must be a list.", hint=_known())
        return cls(
            kinds=tuple(map(_kind, named)),
            seconds=seconds,
            resting={} if resting is None else resting,
        )


def _kind(name: Any) -> type[RooCodeError]:
    if name not in KINDS:
        raise ConfigError(f"fallbackOn: there is no error {name!r}.", hint=_known())
    return KINDS[name]


def _known() -> str:
    return f"There are: {', '.join(KINDS)}."


class FallbackProvider(BaseProvider):
    """Asks the first, and the others in order while those before them are left alone."""

    retries = True

    def __init__(self, members: Sequence[Member], policy: FallbackPolicy) -> None:
        self._members = members
        self._policy = policy
        self._active = members[0]

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        failed: dict[str, RooCodeError] = {}
        while True:
            member = self._next(failed)
            if member is not self._active:
                yield self._switch(member, failed.get(self._active.name))
            try:
                async with aclosing(with_retry(member.provider, request, member.retry)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except self._policy.kinds as error:
                failed[member.name] = error
                self._policy.resting[member.name] = self._policy.clock() + self._policy.seconds
                if len(failed) == len(self._members):
                    others = ", ".join(name for name in failed if name != member.name)
                    if not others:
                        raise
                    raise with_remark(failed[member.name], f"{others} failed before") from error

    def _next(self, failed: Iterable[str]) -> Member:
        left = [member for member in self._members if member.name not in failed]
        now, resting = self._policy.clock(), self._policy.resting
        rested = [member for member in left if resting.get(member.name, now) <= now]
        return (rested or left)[0]  # rather one that may fail again than none

    def _switch(self, member: Member, error: RooCodeError | None) -> StreamSwitch:
        left_alone = self._policy.resting.get(self._active.name, 0) - self._policy.clock()
        switch = StreamSwitch(self._active.name, member.name, error, max(0.0, left_alone))
        self._active = member
        return switch

    def model_info(self) -> ModelInfo:
        """Of the one that answered last."""
        return self._active.provider.model_info()

    def count_tokens(self, text: str) -> int:
        return self._active.provider.count_tokens(text)

    async def aclose(self) -> None:
        for member in self._members:
            await member.provider.aclose()


def fallback_provider(
    members: Mapping[str, ProviderSettings],
    create: Callable[[ProviderSettings], BaseProvider],
    resting: dict[str, float],
) -> FallbackProvider:
    """By name, in order; the settings of the first say when the next one is asked."""
    policy = FallbackPolicy.read(next(iter(members.values())).options, resting)
    return FallbackProvider(
        [
            Member(name, create(settings), RetryPolicy(max_attempts=settings.max_attempts))
            for name, settings in members.items()
        ],
        policy,
    )
