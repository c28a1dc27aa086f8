"""Who subscribed to what, and the bounded queue of each client. No socket here."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

from prometheus_client import Counter, Gauge

from cloud.errors import CloudError

CLIENTS = Gauge("edge_ws_clients", "Browsers that listen")
REPLACED = Counter("edge_ws_values_replaced", "Unsent values replaced by newer ones, for slow clients")
OVERFLOWED = Counter("edge_ws_overflowed", "Clients closed because their queue was full")

MOST_MESSAGES = 200
MOST_SUBSCRIPTIONS = 5000
MOST_CLIENTS = 2000

Row = tuple[int, int, Any, int]
"""dsid, t_ms, value, quality."""


class HubFull(CloudError):
    """Too many clients."""

    status = 503


class Client:
    """One browser. `take` waits for something to send. sign_in: what its session came from."""

    def __init__(self, sign_in: str) -> None:
        self.sign_in = sign_in
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
        return True

    def unsubscribe(self, devices: Iterable[int], dsids: Iterable[int]) -> None:
        self.devices -= set(devices)
        self.dsids -= set(dsids)

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


class Hub:
    """Pushes to whoever subscribed; never waits."""

    def __init__(self) -> None:
        self._clients: set[Client] = set()

    def __len__(self) -> int:
        return len(self._clients)

    def join(self, sign_in: str = "") -> Client:
        if len(self._clients) >= MOST_CLIENTS:
            raise HubFull("too many clients")
        client = Client(sign_in)
        self._clients.add(client)
        CLIENTS.set(len(self._clients))
        return client

    def leave(self, client: Client) -> None:
        self._clients.discard(client)
        CLIENTS.set(len(self._clients))

    def end(self, sign_in: str) -> None:
        """Close every socket of a sign-in that has ended."""
        for client in self._clients:
            if client.sign_in == sign_in:
                client.end()

    def push_values(self, device: int, rows: list[Row]) -> None:
        for client in self._clients:
            client.values(device, rows)

    def push_device(self, device: int, row: dict[str, Any]) -> None:
        """A changed row of the device list goes to everybody who watches the device."""
        for client in self._clients:
            if device in client.devices:
                client.message({"type": "device", "did": device, **row})

    def push_command(self, device: int, command: dict[str, Any]) -> None:
        for client in self._clients:
            if device in client.devices:
                client.message({"type": "cmd", "did": device, **command})

    def push_deployment(self, device: int, deployment: dict[str, Any]) -> None:
        for client in self._clients:
            if device in client.devices:
                client.message({"type": "deploy", "did": device, **deployment})

    def push_configuration(self, device: int) -> None:
        """What runs, the draft or a local edit has changed: ask for it again."""
        for client in self._clients:
            if device in client.devices:
                client.message({"type": "configuration", "did": device})
