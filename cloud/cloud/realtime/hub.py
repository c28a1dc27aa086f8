"""Who subscribed to what, and the bounded queue of each client. No socket here."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

from cloud.errors import CloudError

MOST_MESSAGES = 200
MOST_SUBSCRIPTIONS = 5000
MOST_CLIENTS = 2000

Row = tuple[int, int, Any, int]
"""dsid, t_ms, value, quality."""


class HubFull(CloudError):
    """Too many clients."""

    status = 503


class Client:
    """One browser. `take` waits for something to send."""

    def __init__(self) -> None:
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
            self._values.setdefault(device, {}).update((row[0], row) for row in mine)
            self._news.set()

    def message(self, message: dict[str, Any]) -> None:
        if len(self._messages) >= MOST_MESSAGES:
            self.overflowed = True
        else:
            self._messages.append(message)
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

    def join(self) -> Client:
        if len(self._clients) >= MOST_CLIENTS:
            raise HubFull("too many clients")
        client = Client()
        self._clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        self._clients.discard(client)

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
