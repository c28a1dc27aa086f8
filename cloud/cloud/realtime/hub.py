"""Pushes to the browsers of every process of the cloud."""

from __future__ import annotations

from typing import Protocol

from cloud.realtime.audience import Audience
from cloud.realtime.clients import ClientRegistry, Message, Row


class ClusterPeers(Protocol):
    """The cloud's other processes, as the hub of one speaks to them."""

    @property
    def listened(self) -> bool:
        """Has one of them a browser?"""

    @property
    def changes(self) -> int:
        """How often one of them told that something else is watched there."""

    def points(self) -> set[int]:
        """What is watched there, without those of a process that watches more than it can tell."""

    def values(self, device: int, rows: list[Row]) -> None: ...
    def subscribed(self, device: int, message: Message) -> None: ...
    def seen(self, audience: Audience, permission: str, message: Message) -> None: ...
    def user(self, user_id: int, message: Message) -> None: ...
    def ended(self, sign_in: str) -> None: ...
    def invalidated(self, device: int | None, user_id: int | None) -> None: ...


class NoPeers:
    """There is no other process."""

    listened = False
    changes = 0

    def points(self) -> set[int]:
        return set()

    def values(self, device: int, rows: list[Row]) -> None: ...
    def subscribed(self, device: int, message: Message) -> None: ...
    def seen(self, audience: Audience, permission: str, message: Message) -> None: ...
    def user(self, user_id: int, message: Message) -> None: ...
    def ended(self, sign_in: str) -> None: ...
    def invalidated(self, device: int | None, user_id: int | None) -> None: ...


class Hub:
    """Pushes to whoever may have it, in this process (clients) and in the others (peers); never waits."""

    def __init__(self, clients: ClientRegistry, peers: ClusterPeers) -> None:
        self.clients = clients
        self._peers = peers

    @property
    def listened(self) -> bool:
        """Is there a browser, here or at another process? Without one nothing has to be pushed."""
        return bool(self.clients) or self._peers.listened

    @property
    def changes(self) -> int:
        """Another number when watched() may give something else."""
        return self.clients.changes + self._peers.changes

    def watched(self) -> set[int]:
        """Data points that somebody watches, here or at another process."""
        return self.clients.points() | self._peers.points()

    def end(self, sign_in: str) -> None:
        """Close every socket of a sign-in that has ended."""
        self.clients.end(sign_in)
        self._peers.ended(sign_in)

    def push_to(self, audience: Audience, permission: str, message: Message) -> None:
        """To who sees a gateway and has the permission, subscribed or not. message: {"type", "did", ...}."""
        self.clients.deliver_to(audience, permission, message)
        self._peers.seen(audience, permission, message)

    def push_user(self, user_id: int, message: Message) -> None:
        """To every socket of one user."""
        self.clients.deliver_user(user_id, message)
        self._peers.user(user_id, message)

    def push_values(self, device: int, rows: list[Row]) -> None:
        """To everybody who watches one of the points."""
        self.clients.deliver_values(device, rows)
        self._peers.values(device, rows)

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
        self.clients.invalidate(device, user_id)
        self._peers.invalidated(device, user_id)

    def _push(self, device: int, message: Message) -> None:
        self.clients.deliver_subscribed(device, message)
        self._peers.subscribed(device, message)
