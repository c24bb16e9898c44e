"""A network for commands in which there is nothing but a proxy to listed hosts."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from roo_code.sandbox.host_list import HostList
from roo_code.sandbox.host_proxy import HostProxy
from roo_code.sandbox.network_namespace import NetworkNamespace

_TO_END = 5
_DIRECT = "localhost,127.0.0.1,::1"
"""Servers that commands of the task have started."""


class ListedHosts:
    """The proxy runs in a thread of ours; commands are started with the words of `entering`."""

    def __init__(self, listed: Iterable[str], bwrap: str, nsenter: str | None) -> None:
        """Raises NoNamespace where this machine does not give us one, ConfigError for no host."""
        hosts = HostList(listed)
        self._services = {port: host for host, port in hosts.of_this_machine}
        self._namespace = NetworkNamespace(bwrap, nsenter, [0, *self._services])
        self.entering = self._namespace.entering
        self._proxy = HostProxy(hosts)
        port: int = self._namespace.listeners[0].getsockname()[1]
        self.environment = _variables(f"http://127.0.0.1:{port}")
        self._started = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="sandbox proxy", daemon=True
        )
        self._thread.start()
        self._started.wait()  # what connects before it serves waits in the kernel

    @property
    def refusals(self) -> tuple[str, ...]:
        return tuple(self._proxy.refusals)

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # it has ended before
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(_TO_END)
        self._namespace.close()

    async def _serve(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._started.set()
        door, *others = self._namespace.listeners
        serving = [asyncio.create_task(self._proxy.listen(door))]
        for listener, (port, host) in zip(others, self._services.items(), strict=True):
            serving.append(asyncio.create_task(self._proxy.stand_for(listener, host, port)))
        await self._ended.wait()  # they end with the loop


def _variables(proxy: str) -> Mapping[str, str]:
    """For the many programs that read them; Node does only if it is told to."""
    named = {"http_proxy": proxy, "https_proxy": proxy, "all_proxy": proxy, "no_proxy": _DIRECT}
    upper = {name.upper(): value for name, value in named.items()}
    return MappingProxyType({**named, **upper, "NODE_USE_ENV_PROXY": "1"})
