"""Which gateways the cloud listens to, and ending the sessions of those that it no longer does.

Taken is what comes from who is claimed and enabled, on every broker; hello of anybody, as its answer says
why a gateway is refused. A session that must not go on (disabled, deleted, another secret) is ended on the
embedded broker and EMQX, tried again while the broker is away, and not listened to until then or until the
new secret was proved. The broker learns a new secret before the row and once more after it: one that asks
the cloud lets the old one in until then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.metrics import TO_END
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.session_memory import SessionMemory
from cloud.link import LinkError
from edge_contract.topics import Message

log = logging.getLogger(__name__)

CHECK_S = 5.0
"""Interval of the look at every credential: another process may have changed one."""

MAX_ENDED = 200
"""Sessions ended in one round; each takes the broker some ten milliseconds."""

EndSession = Callable[[str], Awaitable[None]]
"""Of a gateway; LinkError when it may go on."""

Revoked = Callable[[str], Awaitable[None]]

Credential = tuple[str, bool]
"""Hash of the secret, and whether the gateway is disabled."""


UNENDED = "unended"
"""In the memory: of a session that has to be ended."""


class Admissions:
    """Of the process that takes in. Before the first look() it admits nobody.

    ends: the broker asks the cloud who may connect, so this ends sessions; with another broker the broker
    does. revoked: called with a gateway that may not connect any more, or only with another secret. memory:
    file that remembers over a restart whose session has to be ended.
    """

    def __init__(self, database: Database, ends: bool, revoked: Revoked, memory: Path | None = None) -> None:
        self._database = database
        self._memory = SessionMemory(memory)
        self._is_new = True
        self._ends = ends
        self._revoked = revoked
        self._known: dict[str, Credential] = {}
        self._entered: set[str] = set()
        self._to_end: dict[str, None] = {}
        self._is_away = False

    def admits(self, gateway: str, message: Message) -> bool:
        """Hello of anybody, because its answer says why a gateway is refused; the rest of who may be here.

        A gateway whose session has to be ended is not listened to until that is done, or until it has proved
        its new secret.
        """
        if gateway in self._to_end:
            return False
        if message is Message.HELLO or not self._known.get(gateway, ("", True))[1]:
            return True
        if message is not Message.STATE:  # which the broker may have retained from a session that is over
            self._remember((gateway,))
        return False

    def entered(self, gateway: str, secret_hash: str) -> None:
        """It has just proved this secret; the broker ends the session that had its client id before."""
        self._known[gateway] = secret_hash, False
        self._entered.add(gateway)
        self._forget(gateway)

    async def welcomed(self, gateway: str) -> None:
        """Its hello was accepted; it may have been added or enabled a moment ago, by another process."""
        if not self._known.get(gateway, ("", True))[1]:
            return
        async with self._database.reading() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(gateway)
        if device is not None:
            self._known[gateway] = device.secret_hash, device.disabled
            self._entered.add(gateway)

    def deleted(self, gateway: str) -> None:
        """A gateway is no more."""
        self._known.pop(gateway, None)
        self._remember((gateway,))

    async def refresh(self, end: EndSession) -> None:
        """Periodic: whose secret is another one, who was disabled, who is gone; then their sessions end."""
        await self.look()
        if self._ends:
            await self._end_sessions(end)
        proved = {gateway: _mark(had) for gateway, had in self._known.items()}
        proved |= dict.fromkeys(self._to_end, UNENDED)
        await asyncio.to_thread(self._memory.save, proved)

    async def look(self) -> None:
        """The first half, for the start: a broker that asks this cloud ends no session before it answers."""
        self._entered.clear()
        async with self._database.reading() as session:
            credentials = await DeviceRepository(session, Scope.system()).credentials()
        for gateway in self._entered:  # while that was read
            if gateway in self._known:
                credentials[gateway] = self._known[gateway]
        before, self._known = self._known, credentials
        changed = [
            gateway
            for gateway, had in before.items()
            if not had[1] and credentials.get(gateway, ("", True)) != had  # a disabled one has none any more
        ]
        if self._is_new:
            changed = await self._of_before(credentials)
        self._is_new = False
        self._remember(changed)
        for gateway in changed:
            await self._revoked(gateway)

    async def _of_before(self, credentials: Mapping[str, Credential]) -> list[str]:
        """Who had something else to prove when this cloud ran last."""
        marks = await asyncio.to_thread(self._memory.load)
        return [
            gateway for gateway, mark in marks.items() if mark != _mark(credentials.get(gateway, ("", True)))
        ]

    async def _end_sessions(self, end: EndSession) -> None:
        """A broker that is away is tried again in the next round."""
        for gateway in list(self._to_end)[:MAX_ENDED]:
            try:
                await end(gateway)
            except LinkError as error:
                if not self._is_away:
                    text = "%d sessions of revoked gateways are not ended yet, nothing of them is taken: %s"
                    log.warning(text, len(self._to_end), error)
                self._is_away = True
                return
            self._forget(gateway)
        if self._is_away:
            log.info("the sessions of revoked gateways are ended")
        self._is_away = False

    def _remember(self, gateways: Iterable[str]) -> None:
        if not self._ends:
            return
        self._to_end.update(dict.fromkeys(gateways))  # at most all gateways: nobody else gets a session
        TO_END.set(len(self._to_end))

    def _forget(self, gateway: str) -> None:
        if self._to_end.pop(gateway, self) is None:
            TO_END.set(len(self._to_end))


def _mark(credential: Credential) -> str:
    """Tells a credential from others; the hash is of 256 random bits."""
    secret_hash, disabled = credential
    return "disabled" if disabled else secret_hash[:16]
