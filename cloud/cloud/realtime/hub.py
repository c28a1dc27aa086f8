"""Who subscribed to what, and the bounded queue of each client. No socket here."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from prometheus_client import Counter, Gauge

from cloud.domains.devices.visibility import Audience
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import CloudError

CLIENTS = Gauge("edge_ws_clients", "Browsers that listen")
REPLACED = Counter("edge_ws_values_replaced", "Unsent values replaced by newer ones, for slow clients")
OVERFLOWED = Counter("edge_ws_overflowed", "Clients closed because their queue was full")

MOST_MESSAGES = 200
MOST_SUBSCRIPTIONS = 5000
MOST_CLIENTS = 2000

Row = tuple[int, int, Any, int]
"""dsid, t_ms, value, quality."""

Message = dict[str, Any]
"""JSON object as the browser gets it."""


def _nobody() -> None:
    """For a hub whose listeners nobody else has to know."""


class HubFull(CloudError):
    """Too many clients."""

    status = 503


class Client:
    """One browser. `take` waits for something to send. user: who listens, as he was when last checked.

    What is subscribed was checked before; sees() decides on what nobody subscribes to.
    """

    def __init__(self, user: CurrentUser, changed: Callable[[], None] = _nobody) -> None:
        self.user = user
        self._changed = changed
        self.ended = False
        self.devices: set[int] = set()
        self.dsids: set[int] = set()
        self.overflowed = False
        self._values: dict[int, dict[int, Row]] = {}
        self._messages: deque[dict[str, Any]] = deque()
        self._news = asyncio.Event()

    def subscribe(self, devices: Iterable[int], dsids: Iterable[int]) -> bool:
        """False when that would be too much; then nothing changes."""
        wanted_devices, wanted_dsids = self.devices | set(devices), self.dsids | set(dsids)
        if len(wanted_devices) + len(wanted_dsids) > MOST_SUBSCRIPTIONS:
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
            self._news.set()

    def message(self, message: dict[str, Any]) -> None:
        if len(self._messages) < MOST_MESSAGES:
            self._messages.append(message)
        elif not self.overflowed:
            self.overflowed = True
            OVERFLOWED.inc()
        self._news.set()

    def end(self) -> None:
        """The session has ended: nothing more may be sent."""
        self.ended = True
        self._news.set()

    async def take(self) -> list[dict[str, Any]]:
        """Everything that is to be sent now; waits until there is something."""
        await self._news.wait()
        self._news.clear()
        found = list(self._messages)
        self._messages.clear()
        values, self._values = self._values, {}
        found += [{"type": "dp", "did": did, "rows": list(rows.values())} for did, rows in values.items()]
        return found


class Elsewhere(Protocol):
    """The cloud's other processes, as the hub of one speaks to them."""

    @property
    def listened(self) -> bool:
        """Has one of them a browser?"""

    def values(self, device: int, rows: list[Row]) -> None: ...
    def subscribed(self, device: int, message: Message) -> None: ...
    def seen(self, audience: Audience, permission: str, message: Message) -> None: ...
    def user(self, user_id: int, message: Message) -> None: ...
    def ended(self, sign_in: str) -> None: ...


class Nowhere:
    """There is no other process."""

    listened = False

    def values(self, device: int, rows: list[Row]) -> None: ...
    def subscribed(self, device: int, message: Message) -> None: ...
    def seen(self, audience: Audience, permission: str, message: Message) -> None: ...
    def user(self, user_id: int, message: Message) -> None: ...
    def ended(self, sign_in: str) -> None: ...


class Hub:
    """Pushes to whoever may have it, here and elsewhere; never waits. deliver_...: here only.

    changed: called when who listens here, or to what, is another.
    """

    def __init__(self) -> None:
        self._clients: set[Client] = set()
        self.elsewhere: Elsewhere = Nowhere()
        self.changed: Callable[[], None] = _nobody

    def __len__(self) -> int:
        return len(self._clients)

    @property
    def listened(self) -> bool:
        """Is there a browser, here or at another process? Without one nothing has to be pushed."""
        return bool(self._clients) or self.elsewhere.listened

    def join(self, user: CurrentUser) -> Client:
        if len(self._clients) >= MOST_CLIENTS:
            raise HubFull("too many clients")
        client = Client(user, self._listens)
        self._clients.add(client)
        CLIENTS.set(len(self._clients))
        self.changed()
        return client

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
        self.elsewhere.ended(sign_in)

    def push_to(self, audience: Audience, permission: str, message: Message) -> None:
        """To who sees a gateway and has the permission, subscribed or not. message: {"type", "did", ...}."""
        self.deliver_to(audience, permission, message)
        self.elsewhere.seen(audience, permission, message)

    def push_user(self, user_id: int, message: Message) -> None:
        """To every socket of one user."""
        self.deliver_user(user_id, message)
        self.elsewhere.user(user_id, message)

    def push_values(self, device: int, rows: list[Row]) -> None:
        """To everybody who watches one of the points."""
        self.deliver_values(device, rows)
        self.elsewhere.values(device, rows)

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

    def end_here(self, sign_in: str) -> None:
        for client in self._clients:
            if client.user.sign_in == sign_in:
                client.end()

    def deliver_to(self, audience: Audience, permission: str, message: Message) -> None:
        for client in self._clients:
            if client.user.may(permission) and client.sees(audience):
                client.message(message)

    def deliver_user(self, user_id: int, message: Message) -> None:
        for client in self._clients:
            if client.user.id == user_id:
                client.message(message)

    def deliver_values(self, device: int, rows: list[Row]) -> None:
        for client in self._clients:
            client.values(device, rows)

    def deliver_subscribed(self, device: int, message: Message) -> None:
        for client in self._clients:
            if device in client.devices:
                client.message(message)

    def _push(self, device: int, message: Message) -> None:
        self.deliver_subscribed(device, message)
        self.elsewhere.subscribed(device, message)

    def _listens(self) -> None:
        self.changed()
