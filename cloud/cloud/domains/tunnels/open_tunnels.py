"""Open tunnels, and who holds what. In memory: a tunnel ends with the process that holds its listener."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cloud.errors import Conflict
from cloud.tunnels.page_listener import PageListener
from cloud.tunnels.page_pool import PagePool
from edge_contract.tunnel import Close

Held = tuple[int, str, str]
"""Gateway, kind and port."""


@dataclass
class OpenTunnel:
    """One that is open. over: set, with why, to end it."""

    id: str
    held: Held
    user_id: int
    user_name: str
    expires_ms: int
    over: asyncio.Event = field(default_factory=asyncio.Event)
    why: Close | None = None
    task: asyncio.Task[None] | None = None
    listener: PageListener | None = None
    pool: PagePool | None = None
    port: int = 0

    def end(self, why: Close) -> None:
        """The first reason counts."""
        if self.why is None:
            self.why = why
        self.over.set()


class OpenTunnels:
    """At most one of a thing."""

    def __init__(self) -> None:
        self._held: dict[Held, OpenTunnel | str] = {}

    @contextmanager
    def claim(self, held: Held, user: str) -> Iterator[None]:
        """Keep others off while a tunnel is being opened; Conflict names who holds it."""
        if (holder := self._held.get(held)) is not None:
            name = holder.user_name if isinstance(holder, OpenTunnel) else holder
            raise Conflict(
                f"busy: held by {name}",
                field="port" if held[2] else "device_id",
                rule="busy",
                reason="tunnel.held",
                arguments={"user": name},
            )
        self._held[held] = user
        try:
            yield
        finally:
            if self._held.get(held) == user:
                del self._held[held]

    def add(self, tunnel: OpenTunnel) -> None:
        self._held[tunnel.held] = tunnel

    def remove(self, tunnel: OpenTunnel) -> None:
        if self._held.get(tunnel.held) is tunnel:
            del self._held[tunnel.held]

    def of(self, held: Held) -> OpenTunnel | None:
        tunnel = self._held.get(held)
        return tunnel if isinstance(tunnel, OpenTunnel) else None

    def all(self) -> list[OpenTunnel]:
        return [tunnel for tunnel in self._held.values() if isinstance(tunnel, OpenTunnel)]
