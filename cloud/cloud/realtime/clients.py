"""The browsers of this process: who subscribed to what, and the bounded queue of each. No socket here."""

from __future__ import annotations

import asyncio
from collections import Counter as Numbers
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client import Counter, Gauge

from cloud.errors import CloudError
from cloud.realtime.audience import Audience, Listener

CLIENTS = Gauge("edge_ws_clients", "Browsers that listen")
REPLACED = Counter("edge_ws_values_replaced", "Unsent values replaced by newer ones, for slow clients")
OVERFLOWED = Counter("edge_ws_overflowed", "Clients closed because their queue was full")

MAX_MESSAGES = 200
MAX_SUBSCRIPTIONS = 5000
MAX_CLIENTS = 2000
MAX_CLIENTS_OF_USER = 100
"""Browser tabs of one user, whom a whole control room may share: he must not take what others need."""

MAX_CLIENTS_OF_SIGN_IN = 20
MAX_ARRIVING = 200
"""Sockets that have not identified; each has a few seconds to do so."""

MAX_ARRIVING_OF_ADDRESS = 50
"""A site behind one address comes back at once after an interruption."""

MAX_CHECKS = 4
"""Questions to the database on behalf of sockets that run at the same time: requests must find room too."""

Row = tuple[int, int, Any, int]
"""dsid, t_ms, value, quality."""

Message = dict[str, Any]
"""JSON object as the browser gets it."""

May = Callable[["Client"], bool]
"""May a client have a message? Asked when it is queued and again when it is taken to be sent."""


def _nobody() -> None:
    """For a hub whose listeners nobody else has to know."""


class HubFull(CloudError):
    """Too many clients."""

    status = 503


class Client:
    """One browser. `take` waits for something to send. user: who listens, as he was when last checked.

    What is subscribed was checked before; sees() decides on what nobody subscribes to. While the client is
    invalid nothing is taken: what waits is filtered by what its user may see after the check.
    """

    def __init__(self, user: Listener, changed: Callable[[], None] = _nobody) -> None:
        self.user = user
        self._changed = changed
        self.ended = False
        self.devices: set[int] = set()
        self.dsids: set[int] = set()
        self.overflowed = False
        self._values: dict[int, dict[int, Row]] = {}
        self._messages: deque[tuple[Message, May]] = deque()
        self._wakeup = asyncio.Event()
        self._invalidations = 0
        self._invalidated = asyncio.Event()
        self._is_valid = asyncio.Event()
        self._is_valid.set()

    def become(self, user: Listener) -> None:
        """Another user listens, or the same as he is now."""
        self.user = user

    def subscribe(self, devices: Iterable[int], dsids: Iterable[int]) -> bool:
        """False when that would be too much; then nothing changes."""
        wanted_devices, wanted_dsids = self.devices | set(devices), self.dsids | set(dsids)
        if len(wanted_devices) + len(wanted_dsids) > MAX_SUBSCRIPTIONS:
            return False
        self.devices, self.dsids = wanted_devices, wanted_dsids
        self._changed()
        return True

    def sees(self, audience: Audience) -> bool:
        """Is its user one of them?"""
        return audience.includes(self.user.scope)

    def unsubscribe(self, devices: Iterable[int], dsids: Iterable[int]) -> None:
        """Nothing more of these gateways and data points."""
        self.devices -= set(devices)
        self.dsids -= set(dsids)
        self._changed()

    def values(self, device: int, rows: Iterable[Row]) -> None:
        """Newest value of each subscribed point; an unsent older one is replaced."""
        mine = [row for row in rows if row[0] in self.dsids]
        if mine:
            waiting = self._values.setdefault(device, {})
            before = len(waiting)
            waiting.update((row[0], row) for row in mine)
            REPLACED.inc(before + len(mine) - len(waiting))
            self._wakeup.set()

    def message(self, message: Message, may: May) -> None:
        """Queue it if the client may have it; a full queue ends the client."""
        if not may(self):
            return
        if len(self._messages) < MAX_MESSAGES:
            self._messages.append((message, may))
        elif not self.overflowed:
            self.overflowed = True
            OVERFLOWED.inc()
        self._wakeup.set()

    def end(self) -> None:
        """The session has ended: nothing more may be sent."""
        self.ended = True
        self._wakeup.set()
        self._is_valid.set()

    def invalidate(self) -> None:
        """Its user may have lost something: hold everything until revalidated()."""
        self._invalidations += 1
        self._invalidated.set()
        if not self.ended:
            self._is_valid.clear()

    async def invalidated(self, timeout_s: float) -> int:
        """Wait for invalidate(), but not longer than this; the number for revalidated()."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._invalidated.wait()
        except TimeoutError:
            pass  # looked at anyway
        self._invalidated.clear()
        return self._invalidations

    def revalidated(self, invalidations: int) -> None:
        """A check that began at this number has ended; one that is invalidated later stays so."""
        if invalidations == self._invalidations:
            self._is_valid.set()

    async def take(self, limit: int = MAX_MESSAGES) -> list[Message]:
        """So much of what is to be sent now; waits until there is something and the client is valid."""
        while True:
            await self._wakeup.wait()
            await self._is_valid.wait()
            messages: list[Message] = []
            while self._messages and len(messages) < limit:
                message, may = self._messages.popleft()
                if may(self):
                    messages.append(message)
            while self._values and len(messages) < limit:
                did = next(iter(self._values))
                rows = [row for dsid, row in self._values.pop(did).items() if dsid in self.dsids]
                if rows:
                    messages.append({"type": "dp", "did": did, "rows": rows})
            if not self._messages and not self._values:
                self._wakeup.clear()
            if messages or self.ended or self.overflowed:
                return messages


class ClientRegistry:
    """The browsers of this process; never waits.

    forget: called before sockets are checked anew, because what is remembered of their users' permissions may
    be old. checks: held by whoever asks the database for a socket. invalidations: how often access has
    changed; who asked before a change asks again. changed: set when who listens, or to what, is another;
    changes: how often that was so.
    """

    def __init__(self, forget: Callable[[], None] = _nobody) -> None:
        self._clients: set[Client] = set()
        self._forget = forget
        self.changed = asyncio.Event()
        self.changes = 0
        self.invalidations = 0
        self.checks = asyncio.Semaphore(MAX_CHECKS)
        self._arriving: Numbers[str] = Numbers()

    def __len__(self) -> int:
        return len(self._clients)

    @contextmanager
    def arriving(self, address: str) -> Iterator[None]:
        """A socket from this address that has not identified. Raises HubFull when there are too many."""
        if self._arriving.total() >= MAX_ARRIVING or self._arriving[address] >= MAX_ARRIVING_OF_ADDRESS:
            raise HubFull("too many clients that have not identified")
        self._arriving[address] += 1
        try:
            yield
        finally:
            self._arriving[address] -= 1
            if not self._arriving[address]:
                del self._arriving[address]

    def join(self, user: Listener) -> Client:
        """Raises HubFull when there are too many, of all, of this user or of this sign-in."""
        if len(self._clients) >= MAX_CLIENTS:
            raise HubFull("too many clients")
        self._check_limits(user)
        client = Client(user, self._note_change)
        self._clients.add(client)
        CLIENTS.set(len(self._clients))
        self._note_change()
        return client

    def become(self, client: Client, user: Listener) -> None:
        """A client belongs to another user now, or to the same as he is now. Raises HubFull as join does."""
        if (user.id, user.sign_in) != (client.user.id, client.user.sign_in):
            self._check_limits(user)
        client.become(user)

    def _check_limits(self, user: Listener) -> None:
        mine = [client.user.sign_in for client in self._clients if client.user.id == user.id]
        if len(mine) >= MAX_CLIENTS_OF_USER or mine.count(user.sign_in) >= MAX_CLIENTS_OF_SIGN_IN:
            raise HubFull("too many clients of this user")

    def leave(self, client: Client) -> None:
        """Its socket has ended."""
        self._clients.discard(client)
        CLIENTS.set(len(self._clients))
        self._note_change()

    def _note_change(self) -> None:
        self.changes += 1
        self.changed.set()

    def points(self) -> set[int]:
        """Data points that somebody here watches."""
        return set[int]().union(*(client.dsids for client in self._clients))

    def invalidate(self, device: int | None, user_id: int | None) -> None:
        """Check these sockets before they get anything more. None: of every gateway, of every user."""
        self.invalidations += 1
        self._forget()
        for client in self._clients:
            concerned = user_id is None or client.user.id == user_id
            # To which gateway a data point belongs a client does not know.
            if concerned and (device is None or device in client.devices or client.dsids):
                client.invalidate()

    def end(self, sign_in: str) -> None:
        """Close every socket of a sign-in that has ended."""
        for client in self._clients:
            if client.user.sign_in == sign_in:
                client.end()

    def deliver_to(self, audience: Audience, permission: str, message: Message) -> None:
        """To who sees a gateway and has the permission."""
        for client in self._clients:
            client.message(message, lambda one: one.user.may(permission) and one.sees(audience))

    def deliver_user(self, user_id: int, message: Message) -> None:
        """To every socket of one user."""
        for client in self._clients:
            client.message(message, lambda one: one.user.id == user_id)

    def deliver_values(self, device: int, rows: list[Row]) -> None:
        """To who watches one of the points."""
        for client in self._clients:
            client.values(device, rows)

    def deliver_subscribed(self, device: int, message: Message) -> None:
        """To who watches the device."""
        for client in self._clients:
            client.message(message, lambda one: device in one.devices)
