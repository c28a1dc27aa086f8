"""Who subscribed to what, and the bounded queue of each client. No socket here."""

from __future__ import annotations

import asyncio
from collections import Counter as Numbers
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

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

    async def take(self, most: int = MAX_MESSAGES) -> list[Message]:
        """So much of what is to be sent now; waits until there is something and the client is valid."""
        while True:
            await self._wakeup.wait()
            await self._is_valid.wait()
            found: list[Message] = []
            while self._messages and len(found) < most:
                message, may = self._messages.popleft()
                if may(self):
                    found.append(message)
            while self._values and len(found) < most:
                did = next(iter(self._values))
                rows = [row for dsid, row in self._values.pop(did).items() if dsid in self.dsids]
                if rows:
                    found.append({"type": "dp", "did": did, "rows": rows})
            if not self._messages and not self._values:
                self._wakeup.clear()
            if found or self.ended or self.overflowed:
                return found


class ClusterPeers(Protocol):
    """The cloud's other processes, as the hub of one speaks to them."""

    @property
    def listened(self) -> bool:
        """Has one of them a browser?"""

    def values(self, device: int, rows: list[Row]) -> None: ...
    def subscribed(self, device: int, message: Message) -> None: ...
    def seen(self, audience: Audience, permission: str, message: Message) -> None: ...
    def user(self, user_id: int, message: Message) -> None: ...
    def ended(self, sign_in: str) -> None: ...
    def invalidated(self, device: int | None, user_id: int | None) -> None: ...


class NoPeers:
    """There is no other process."""

    listened = False

    def values(self, device: int, rows: list[Row]) -> None: ...
    def subscribed(self, device: int, message: Message) -> None: ...
    def seen(self, audience: Audience, permission: str, message: Message) -> None: ...
    def user(self, user_id: int, message: Message) -> None: ...
    def ended(self, sign_in: str) -> None: ...
    def invalidated(self, device: int | None, user_id: int | None) -> None: ...


class Hub:
    """Pushes to whoever may have it, here and elsewhere; never waits. deliver_...: here only.

    changed: called when who listens here, or to what, is another. forget: called before sockets are checked
    anew, because what is remembered of their users' permissions may be old. checks: held by whoever asks the
    database for a socket. invalidations: how often access has changed; who asked before a change asks again.
    """

    def __init__(self, forget: Callable[[], None] = _nobody) -> None:
        self._clients: set[Client] = set()
        self.peers: ClusterPeers = NoPeers()
        self.changed: Callable[[], None] = _nobody
        self._forget = forget
        self.invalidations = 0
        self.checks = asyncio.Semaphore(MAX_CHECKS)
        self._arriving: Numbers[str] = Numbers()

    def __len__(self) -> int:
        return len(self._clients)

    @property
    def listened(self) -> bool:
        """Is there a browser, here or at another process? Without one nothing has to be pushed."""
        return bool(self._clients) or self.peers.listened

    @contextmanager
    def arriving(self, address: str) -> Iterator[None]:
        """A socket from this address that has not identified; HubFull when there are too many."""
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
        """HubFull when there are too many, of all, of this user or of this sign-in."""
        if len(self._clients) >= MAX_CLIENTS:
            raise HubFull("too many clients")
        self._check_room(user)
        client = Client(user, self._listens)
        self._clients.add(client)
        CLIENTS.set(len(self._clients))
        self.changed()
        return client

    def become(self, client: Client, user: Listener) -> None:
        """A client belongs to another user now, or to the same as he is now; HubFull as for join."""
        if (user.id, user.sign_in) != (client.user.id, client.user.sign_in):
            self._check_room(user)
        client.user = user

    def _check_room(self, user: Listener) -> None:
        mine = [client.user.sign_in for client in self._clients if client.user.id == user.id]
        if len(mine) >= MAX_CLIENTS_OF_USER or mine.count(user.sign_in) >= MAX_CLIENTS_OF_SIGN_IN:
            raise HubFull("too many clients of this user")

    def leave(self, client: Client) -> None:
        self._clients.discard(client)
        CLIENTS.set(len(self._clients))
        self.changed()

    def points(self) -> set[int]:
        """Data points that somebody here watches."""
        return set[int]().union(*(client.dsids for client in self._clients))

    def end(self, sign_in: str) -> None:
        """Close every socket of a sign-in that has ended."""
        self.end_here(sign_in)
        self.peers.ended(sign_in)

    def push_to(self, audience: Audience, permission: str, message: Message) -> None:
        """To who sees a gateway and has the permission, subscribed or not. message: {"type", "did", ...}."""
        self.deliver_to(audience, permission, message)
        self.peers.seen(audience, permission, message)

    def push_user(self, user_id: int, message: Message) -> None:
        """To every socket of one user."""
        self.deliver_user(user_id, message)
        self.peers.user(user_id, message)

    def push_values(self, device: int, rows: list[Row]) -> None:
        """To everybody who watches one of the points."""
        self.deliver_values(device, rows)
        self.peers.values(device, rows)

    def push_device(self, device: int, row: Message) -> None:
        """A changed row of the device list goes to everybody who watches the device."""
        self._push(device, {"type": "device", "did": device, **row})

    def push_command(self, device: int, command: Message) -> None:
        self._push(device, {"type": "cmd", "did": device, **command})

    def push_deployment(self, device: int, deployment: Message) -> None:
        self._push(device, {"type": "deploy", "did": device, **deployment})

    def push_configuration(self, device: int) -> None:
        """What runs, the draft or a local edit has changed: ask for it again."""
        self._push(device, {"type": "configuration", "did": device})

    def invalidate(self, device: int | None = None, user_id: int | None = None) -> None:
        """Access was taken or given: check the sockets that it concerns before they get anything more.

        None: of every gateway, of every user.
        """
        self.invalidate_here(device, user_id)
        self.peers.invalidated(device, user_id)

    def invalidate_here(self, device: int | None, user_id: int | None) -> None:
        self.invalidations += 1
        self._forget()
        for client in self._clients:
            concerned = user_id is None or client.user.id == user_id
            # To which gateway a data point belongs a client does not know.
            if concerned and (device is None or device in client.devices or client.dsids):
                client.invalidate()

    def end_here(self, sign_in: str) -> None:
        for client in self._clients:
            if client.user.sign_in == sign_in:
                client.end()

    def deliver_to(self, audience: Audience, permission: str, message: Message) -> None:
        for client in self._clients:
            client.message(message, lambda one: one.user.may(permission) and one.sees(audience))

    def deliver_user(self, user_id: int, message: Message) -> None:
        for client in self._clients:
            client.message(message, lambda one: one.user.id == user_id)

    def deliver_values(self, device: int, rows: list[Row]) -> None:
        for client in self._clients:
            client.values(device, rows)

    def deliver_subscribed(self, device: int, message: Message) -> None:
        for client in self._clients:
            client.message(message, lambda one: device in one.devices)

    def _push(self, device: int, message: Message) -> None:
        self.deliver_subscribed(device, message)
        self.peers.subscribed(device, message)

    def _listens(self) -> None:
        self.changed()
