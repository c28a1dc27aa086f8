"""One simulated gateway: what it made, what is on its way, what the cloud has acknowledged.

It keeps the contract as an agent does: session, live and history, window, repetition, acknowledgement by the
cloud. Its store is memory: a fleet measures the cloud, not a thousand disks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from edge_contract.limits import RESEND_AFTER_S, WINDOW
from edge_contract.payloads import (
    Ack,
    Catalog,
    Command,
    CommandAction,
    CommandResult,
    Hello,
    Pulse,
    Resend,
    SlaveHealth,
    State,
    Welcome,
    encode,
)
from edge_contract.topics import Message, topic
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade
from firmware_sim.gateways.signals import SLAVE, Signals, catalog
from firmware_sim.gateways.snapshot import Snapshots

MAX_HISTORY_IN_FLIGHT = WINDOW * 3 // 4
MAX_HISTORY_BESIDE_LIVE = WINDOW // 2
RESULTS = 100
"""Results of commands remembered, so that a repeated command is answered and not executed again."""

AGENT = "simulated"


class BoardLink(Protocol):
    """The firmware of a gateway, as its link to the cloud sees it."""

    def state(self) -> FirmwareState | None:
        """For a hello."""

    def take(self, order: Upgrade) -> None:
        """An order; must not block."""

    def acknowledged(self, upgrades: Sequence[str]) -> None:
        """The cloud holds how these ended; must not block."""

    def welcomed(self) -> None:
        """The cloud takes reports from now on; must not block."""

    @property
    def loses_points(self) -> bool:
        """Whether slaves are not read as before."""


@dataclass
class Counts:
    """What became of the batches. acknowledged_ms: their times; live_ms: from when each was due until it
    was acknowledged; history_ms: from when the connection began."""

    made: int = 0
    sent: int = 0
    repeated: int = 0
    unreadable: int = 0
    acknowledged_ms: list[int] = field(default_factory=list)
    live_ms: list[float] = field(default_factory=list)
    history_ms: list[float] = field(default_factory=list)


class Gateway:
    """publish sends to the broker; clock_s gives seconds of any rising clock, now_ms UTC milliseconds."""

    def __init__(
        self,
        name: str,
        signals: Signals,
        stream: str,
        *,
        period_ms: int,
        clock_s: Callable[[], float],
        now_ms: Callable[[], int],
    ) -> None:
        self.name = name
        self.signals = signals
        self.stream = stream
        self.counts = Counts()
        self.served = False
        self.board: BoardLink | None = None  # a gateway without one takes no firmware
        self._clock_s = clock_s
        self._now_ms = now_ms
        self._catalog: Catalog = catalog(signals.points, period_ms, 0)
        self._snapshots = Snapshots(stream, self._catalog.hash, signals.points)
        self._topics = {message: topic(name, message).encode() for message in Message}
        self._kinds = {text: message for message, text in self._topics.items()}
        self._publish: Callable[[bytes, bytes], None] = lambda topic, payload: None
        self._store: dict[int, bytes] = {}  # number -> batch, until the cloud has acknowledged it
        self._due: dict[int, tuple[float, int]] = {}  # number -> when, in both clocks
        self._in_flight: dict[int, float] = {}
        self._live: list[int] = []
        self._history: list[int] = []  # the next one is at the end
        self._history_in_flight = 0
        self._live_from = 1
        self._next_seq = 1
        self._boot = stream[::-1]
        self._results: dict[str, CommandResult] = {}
        self._unheard: set[str] = set()  # commands whose result the cloud has not acknowledged
        self._prepared: deque[tuple[int, bytes]] = deque()
        self._flooding = False

    def will(self) -> bytes:
        """What the broker says when the connection breaks."""
        return encode(State(online=False, boot=self._boot, t_ms=self._now_ms(), reason="link_lost"))

    def begin(self, publish: Callable[[bytes, bytes], None]) -> None:
        """A connection is up: everything stored becomes history, hello is said."""
        self._publish = publish
        self._live_from = self._next_seq
        self._in_flight.clear()
        self._live.clear()
        self._history_in_flight = 0
        self._history = sorted(self._store, reverse=True)
        now = self._clock_s()
        self._due = {seq: (now, t_ms) for seq, (_, t_ms) in self._due.items()}
        self.hello()

    def end(self) -> None:
        """The connection is gone."""
        self.served = False
        self._publish = lambda topic, payload: None

    def online(self, boot_ms: int) -> bytes:
        """The retained state of a connection that begins."""
        return encode(State(online=True, boot=self._boot, t_ms=boot_ms))

    def hello(self) -> None:
        """Say who is there; said again until a welcome has accepted it."""
        self._send(
            Message.HELLO,
            Hello(
                version_min=1,
                version_max=1,
                agent=AGENT,
                boot=self._boot,
                stream=self.stream,
                first_seq=min(self._store, default=self._next_seq),
                next_seq=self._next_seq,
                catalog=self._catalog.hash,
                clock_set=True,
                t_ms=self._now_ms(),
                firmware=self.board.state() if self.board is not None else None,
            ),
        )

    def report(self, report: FirmwareReport) -> None:
        """Say how an upgrade stands."""
        self._send(Message.FIRMWARE, report)

    def pulse(self) -> None:
        """Proof of life; repeats what was not acknowledged in time."""
        is_read = self.board is None or not self.board.loses_points
        health = SlaveHealth(name=SLAVE, online=is_read, last_good_ms=self._now_ms() if is_read else 0)
        self._send(
            Message.PULSE,
            Pulse(
                t_ms=self._now_ms(),
                boot=self._boot,
                stream=self.stream,
                next_seq=self._next_seq,
                outbox_batches=len(self._store),
                outbox_bytes=sum(map(len, self._store.values())),
                hours_left=None,
                evicted_batches=0,
                slaves=[health],
            ),
        )
        for command in self._unheard:
            self._send(Message.RESULT, self._results[command])

    def prepare(self, times_ms: Iterable[int]) -> None:
        """Write the next batches in advance, one for each time, so that a flood is not slowed by it."""
        first = self._next_seq + len(self._prepared)
        for seq, t_ms in enumerate(times_ms, first):
            self._prepared.append((t_ms, self._snapshots.write(seq, t_ms, self.signals.raw(t_ms))))

    def make(self, t_ms: int, due_s: float) -> None:
        """A batch of every point at t_ms, which was due at due_s; sent as soon as the window allows."""
        self._keep(t_ms, self._snapshots.write(self._next_seq, t_ms, self.signals.raw(t_ms)), due_s)

    def flood(self) -> None:
        """From now on make what was prepared whenever the window has space."""
        self._flooding = True
        self.push()

    @property
    def idle(self) -> bool:
        """Nothing is prepared and nothing waits for the cloud."""
        return not (self._prepared or self._store)

    def _keep(self, t_ms: int, batch: bytes, due_s: float) -> None:
        seq = self._next_seq
        self._next_seq += 1
        self.counts.made += 1
        self._store[seq] = batch
        self._due[seq] = (due_s, t_ms)
        if seq >= self._live_from:
            self._live.append(seq)

    def push(self) -> None:
        """Send what the window allows: live ones first, the newest first; history beside them."""
        if not self.served:
            return
        if self._flooding:
            now = self._clock_s()
            while self._prepared and len(self._in_flight) + len(self._live) < WINDOW:
                self._keep(*self._prepared.popleft(), now)
        while self._live and len(self._in_flight) < WINDOW:
            seq = self._live.pop()
            if seq in self._store:
                self._transmit(seq, Message.LIVE)
        max_history = MAX_HISTORY_BESIDE_LIVE if self._live else MAX_HISTORY_IN_FLIGHT
        while self._history and len(self._in_flight) < WINDOW and self._history_in_flight < max_history:
            seq = self._history.pop()
            if seq in self._store and seq not in self._in_flight:
                self._history_in_flight += 1
                self._transmit(seq, Message.HISTORY)

    def repeat(self) -> None:
        """Send again what was not acknowledged in time."""
        now = self._clock_s()
        for seq in [seq for seq, at in self._in_flight.items() if now - at > RESEND_AFTER_S]:
            self.counts.repeated += 1
            self._transmit(seq, self._kind(seq))

    def take(self, name: bytes, payload: bytes) -> None:
        """A message of the cloud. What this gateway cannot do it does not answer: configurations, tunnels."""
        message = self._kinds.get(name)
        try:
            if message is Message.ACK:
                self._acknowledged(msgspec.json.decode(payload, type=Ack))
            elif message is Message.WELCOME:
                self._welcomed(msgspec.json.decode(payload, type=Welcome))
            elif message is Message.RESEND:
                self._resend(msgspec.json.decode(payload, type=Resend))
            elif message is Message.COMMAND:
                self._obey(msgspec.json.decode(payload, type=Command))
            elif message is Message.UPGRADE and self.board is not None:
                self.board.take(msgspec.json.decode(payload, type=Upgrade))
        except msgspec.MsgspecError:
            self.counts.unreadable += 1

    def _welcomed(self, welcome: Welcome) -> None:
        if welcome.accepted and not self.served:
            self.served = True
            if welcome.firmware and self.board is not None:
                self.board.welcomed()
            if welcome.need_catalog:
                self._send(Message.CATALOG, self._catalog)
            self.push()

    def _acknowledged(self, ack: Ack) -> None:
        self._unheard.difference_update(ack.commands)
        if ack.upgrades and self.board is not None:
            self.board.acknowledged(ack.upgrades)
        if ack.stream != self.stream:
            return
        now, counts = self._clock_s(), self.counts
        for first, last in ack.ranges:
            for seq in range(first, min(last, self._next_seq - 1) + 1):
                if self._store.pop(seq, None) is None:
                    continue
                history = seq < self._live_from
                if self._in_flight.pop(seq, None) is not None and history:
                    self._history_in_flight -= 1
                due_s, t_ms = self._due.pop(seq)
                counts.acknowledged_ms.append(t_ms)
                late = counts.history_ms if history else counts.live_ms
                late.append(1000 * (now - due_s))
        self.push()

    def _resend(self, resend: Resend) -> None:
        if resend.catalog == self._catalog.hash:
            self._send(Message.CATALOG, self._catalog)
        if resend.stream == self.stream:
            for first, last in resend.ranges:
                for seq in range(first, min(last, self._next_seq - 1) + 1):
                    if seq in self._store and seq in self._in_flight:
                        self._transmit(seq, self._kind(seq))

    def _obey(self, command: Command) -> None:
        """Write and read answer with the value; the rest is not available here."""
        known = self._results.get(command.id)
        if known is None:
            known = self._execute(command)
            self._results[command.id] = known
            self._unheard.add(command.id)
            while len(self._results) > RESULTS:
                oldest = next(iter(self._results))
                self._unheard.discard(oldest)
                del self._results[oldest]
        self._send(Message.RESULT, known)

    def _execute(self, command: Command) -> CommandResult:
        now = self._now_ms()
        if command.expires_ms < now:
            return CommandResult(id=command.id, state="error", t_ms=now, code="expired")
        if command.action is CommandAction.WRITE:
            return CommandResult(id=command.id, state="resp", t_ms=now, value=command.value)
        names = {entry.name: entry.id for entry in self._catalog.points}
        if command.action is not CommandAction.READ:
            return CommandResult(id=command.id, state="error", t_ms=now, code="not_available")
        if command.point not in names:
            return CommandResult(id=command.id, state="error", t_ms=now, code="no_such_point")
        value = self.signals.value(names[command.point], now)
        return CommandResult(id=command.id, state="resp", t_ms=now, value=value)

    def _kind(self, seq: int) -> Message:
        return Message.LIVE if seq >= self._live_from else Message.HISTORY

    def _transmit(self, seq: int, kind: Message) -> None:
        self._in_flight[seq] = self._clock_s()
        self.counts.sent += 1
        self._publish(self._topics[kind], self._store[seq])

    def _send(self, message: Message, content: msgspec.Struct) -> None:
        self._publish(self._topics[message], msgspec.json.encode(content))
