"""Leases that live, and who holds what. In memory: a lease ends with the process that holds its listener."""

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
class Lease:
    """One that lives. over: set, with why, to end it."""

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


class Leases:
    """At most one of a thing."""

    def __init__(self) -> None:
        self._held: dict[Held, Lease | str] = {}

    @contextmanager
    def claim(self, held: Held, user: str) -> Iterator[None]:
        """Keep others off while a lease is being opened; Conflict names who holds it."""
        if (holder := self._held.get(held)) is not None:
            name = holder.user_name if isinstance(holder, Lease) else holder
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

    def add(self, lease: Lease) -> None:
        self._held[lease.held] = lease

    def remove(self, lease: Lease) -> None:
        if self._held.get(lease.held) is lease:
            del self._held[lease.held]

    def of(self, held: Held) -> Lease | None:
        lease = self._held.get(held)
        return lease if isinstance(lease, Lease) else None

    def all(self) -> list[Lease]:
        return [lease for lease in self._held.values() if isinstance(lease, Lease)]
