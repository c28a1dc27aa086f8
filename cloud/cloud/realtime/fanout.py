"""What is pushed here reaches the browsers of the cloud's other processes, and the other way round.

All processes speak on one topic of the broker (C-110 to C-113). No broker here: bytes go out by `post`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from prometheus_client import Counter

from cloud.realtime.audience import Audience
from cloud.realtime.clients import ClientRegistry, Message, Row
from edge_contract.errors import PayloadError
from edge_contract.payloads import decode, encode
from edge_contract.push import (
    MAX_NOTICE_POINTS,
    MAX_PUSH_ROWS,
    NOTICE_EXPIRES_S,
    NOTICE_S,
    Push,
    PushKind,
)

log = logging.getLogger(__name__)

SENT = Counter("edge_push_sent", "Messages for other processes of the cloud", ["kind"])
TAKEN = Counter("edge_push_taken", "Messages from other processes of the cloud", ["kind"])
INVALID = Counter("edge_push_invalid", "Messages from other processes that could not be read")

NOTICE_DELAY_S = 0.1
"""A page subscribes in several steps: one notice names them all."""

MAX_PROCESSES = 100
"""Notices that are remembered."""


@dataclass(frozen=True)
class Notice:
    """What another process' browsers listen to. points: None for more than a notice can name."""

    heard_s: float
    clients: int
    points: frozenset[int] | None


class FanOut:
    """The hub's ClusterPeers. post: takes bytes for the broker without waiting, and may drop them."""

    def __init__(
        self,
        clients: ClientRegistry,
        post: Callable[[bytes], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clients = clients
        self._post = post
        self._clock = clock
        self._process = secrets.token_hex(8)
        self._notices: dict[str, Notice] = {}
        self._notified_clients = 0
        self.changes = 0

    @property
    def listened(self) -> bool:
        return any(notice.clients for notice in self._counting())

    def points(self) -> set[int]:
        """What other processes watch, without one that watches more than it can tell."""
        return set[int]().union(*(notice.points for notice in self._counting() if notice.points is not None))

    def values(self, device: int, rows: list[Row]) -> None:
        """Only points that browsers of other processes watch."""
        watched = [notice.points for notice in self._counting() if notice.clients]
        if not watched:
            return
        if None not in watched:
            wanted = frozenset[int]().union(*(points for points in watched if points is not None))
            rows = [row for row in rows if row[0] in wanted]
        for start in range(0, len(rows), MAX_PUSH_ROWS):
            self._send(PushKind.VALUES, device=device, rows=rows[start : start + MAX_PUSH_ROWS])

    def subscribed(self, device: int, message: Message) -> None:
        if self.listened:
            self._send(PushKind.SUBSCRIBED, device=device, message=message)

    def seen(self, audience: Audience, permission: str, message: Message) -> None:
        if self.listened:
            self._send(
                PushKind.SEEN,
                permission=permission,
                owner_path=audience.owner_path,
                shared_with=sorted(audience.shared_with),
                message=message,
            )

    def user(self, user_id: int, message: Message) -> None:
        if self.listened:
            self._send(PushKind.USER, user=user_id, message=message)

    def ended(self, sign_in: str) -> None:
        if self.listened and sign_in:
            self._send(PushKind.ENDED, sign_in=sign_in)

    def invalidated(self, device: int | None, user_id: int | None) -> None:
        if self.listened:
            self._send(PushKind.INVALIDATED, device=device, user=user_id)

    def connected(self) -> None:
        """The broker is there, for the first time or again: ask who listens, and say who listens here."""
        self._send(PushKind.ASK)
        self.notify()

    def notify(self) -> None:
        """Say what the browsers of this process listen to, or that the last one has gone."""
        clients = len(self._clients)
        if clients or self._notified_clients:
            points = sorted(self._clients.points())
            many = len(points) > MAX_NOTICE_POINTS
            self._send(PushKind.NOTICE, clients=clients, points=[] if many else points, every_point=many)
        self._notified_clients = clients

    async def notify_for_ever(self) -> None:
        """A notice every NOTICE_S and at every change."""
        while True:
            try:
                async with asyncio.timeout(NOTICE_S):
                    await self._clients.changed.wait()
                await asyncio.sleep(NOTICE_DELAY_S)
            except TimeoutError:
                pass  # nothing has changed: said again, because notices expire
            self._clients.changed.clear()
            self.notify()

    def take(self, payload: bytes) -> None:
        """A message of any process; its own are ignored, what cannot be read is counted."""
        try:
            push = decode(Push, payload)
        except PayloadError as error:
            INVALID.inc()
            log.debug("push: field %s: %s", error.field, error.rule)
            return
        if push.process == self._process:
            return
        TAKEN.labels(push.kind.value).inc()
        match push.kind:
            case PushKind.ASK:
                self.notify()
            case PushKind.NOTICE:
                self._remember(push)
            case PushKind.VALUES if push.device is not None:
                self._clients.deliver_values(push.device, push.rows)
            case PushKind.SUBSCRIBED if push.device is not None:
                self._clients.deliver_subscribed(push.device, push.message)
            case PushKind.SEEN:
                audience = Audience(push.owner_path, frozenset(push.shared_with))
                self._clients.deliver_to(audience, push.permission, push.message)
            case PushKind.USER if push.user is not None:
                self._clients.deliver_user(push.user, push.message)
            case PushKind.ENDED:
                self._clients.end(push.sign_in)
            case PushKind.INVALIDATED:
                self._clients.invalidate(push.device, push.user)

    def _remember(self, push: Push) -> None:
        points = None if push.every_point else frozenset(push.points)
        if push.process in self._notices or len(self._notices) < MAX_PROCESSES:
            known = self._notices.get(push.process)
            self.changes += known is None or known.points != points
            self._notices[push.process] = Notice(self._clock(), push.clients, points)

    def _counting(self) -> list[Notice]:
        """Notices that have not expired; the others are forgotten."""
        oldest = self._clock() - NOTICE_EXPIRES_S
        for process in [name for name, notice in self._notices.items() if notice.heard_s < oldest]:
            del self._notices[process]
        return list(self._notices.values())

    def _send(self, kind: PushKind, **fields: object) -> None:
        SENT.labels(kind.value).inc()
        self._post(encode(Push(process=self._process, kind=kind, **fields)))  # type: ignore[arg-type]
