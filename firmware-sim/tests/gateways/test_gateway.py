"""One simulated gateway against the contract, on a simulated clock and without a broker."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from edge_contract import batch
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
    Welcome,
    decode,
    encode,
)
from edge_contract.topics import Message, parse, topic
from firmware_sim.gateways.gateway import MAX_HISTORY_BESIDE_LIVE, MAX_HISTORY_IN_FLIGHT, Gateway
from firmware_sim.gateways.signals import SLAVE, Signals

NAME, STREAM = "gw-1", "00000000000000aa"
T0 = 1_790_000_000_000


class Air:
    """A gateway, what it has published, and its clock."""

    def __init__(self, *, backlog: int = 0) -> None:
        self.now = 0.0
        self.sent: list[tuple[Message, bytes]] = []
        self.gateway = Gateway(
            NAME, Signals(1, NAME, 5), STREAM, period_ms=1000,
            clock_s=lambda: self.now, now_ms=lambda: T0 + int(1000 * self.now),
        )  # fmt: skip
        for number in range(backlog):
            self.gateway.make(T0 - 1000 * (backlog - number), 0.0)
        self.connect()

    def connect(self) -> None:
        self.gateway.begin(lambda name, payload: self.sent.append((parse(name.decode())[1], payload)))

    def deliver(self, message: Message, content: msgspec.Struct) -> None:
        self.gateway.take(topic(NAME, message).encode(), encode(content))  # type: ignore[arg-type]

    def welcome(self, *, need_catalog: bool = False) -> None:
        self.deliver(Message.WELCOME, Welcome(accepted=True, version=1, t_ms=T0, need_catalog=need_catalog))

    def of(self, kind: Message) -> list[bytes]:
        return [payload for message, payload in self.sent if message is kind]

    def seqs(self, kind: Message) -> list[int]:
        return [batch.read_header(payload).seq for payload in self.of(kind)]

    def ack(self, *ranges: tuple[int, int], **changes: Any) -> None:
        self.deliver(Message.ACK, Ack(stream=changes.get("stream", STREAM), ranges=list(ranges)))


def test_nothing_but_hello_before_the_welcome() -> None:
    air = Air()
    air.gateway.make(T0, 0.0)
    air.gateway.push()
    assert [message for message, _ in air.sent] == [Message.HELLO]
    hello = decode(Hello, air.of(Message.HELLO)[0])
    assert (hello.stream, hello.first_seq, hello.next_seq) == (STREAM, 1, 1)
    air.deliver(Message.WELCOME, Welcome(accepted=False, version=1, t_ms=T0))
    assert air.seqs(Message.LIVE) == []
    air.welcome(need_catalog=True)
    assert decode(Catalog, air.of(Message.CATALOG)[0]).hash == hello.catalog
    assert air.seqs(Message.LIVE) == [1]


def test_the_window_and_the_repetition() -> None:
    air = Air()
    air.welcome()
    for _ in range(WINDOW + 10):
        air.gateway.make(T0, air.now)
        air.gateway.push()
    assert air.seqs(Message.LIVE) == list(range(1, WINDOW + 1))
    air.ack((1, 2), (2, 4))
    assert air.seqs(Message.LIVE)[WINDOW:] == [42, 41, 40, 39]  # the newest first
    air.now = RESEND_AFTER_S + 1
    before = len(air.seqs(Message.LIVE))
    air.gateway.repeat()
    assert set(air.seqs(Message.LIVE)[before:]) == {*range(5, WINDOW + 1), 39, 40, 41, 42}
    assert air.of(Message.LIVE)[before] == air.of(Message.LIVE)[4]  # the same bytes
    assert air.gateway.counts.repeated == WINDOW
    air.ack((1, 10**9), stream="00000000000000bb")
    assert not air.gateway.idle
    air.ack((1, 10**15))
    assert air.gateway.idle
    assert len(air.gateway.counts.acknowledged_ms) == WINDOW + 10


def test_history_beside_live() -> None:
    air = Air(backlog=100)
    air.welcome()
    assert air.seqs(Message.HISTORY) == list(range(1, MAX_HISTORY_IN_FLIGHT + 1))  # the oldest first
    for _ in range(WINDOW):
        air.gateway.make(T0, air.now)
    air.gateway.push()
    assert len(air.seqs(Message.LIVE)) == WINDOW - MAX_HISTORY_IN_FLIGHT
    air.ack((1, MAX_HISTORY_IN_FLIGHT))
    assert len(air.seqs(Message.LIVE)) == WINDOW
    assert len(air.seqs(Message.HISTORY)) <= MAX_HISTORY_IN_FLIGHT + MAX_HISTORY_BESIDE_LIVE
    while not air.gateway.idle:
        air.ack(*((seq, seq) for kind in (Message.LIVE, Message.HISTORY) for seq in air.seqs(kind)))
    assert sorted(air.seqs(Message.HISTORY)) == list(range(1, 101))


def test_a_broken_connection_makes_history_of_what_was_live() -> None:
    air = Air()
    air.welcome()
    air.gateway.make(T0, 0.0)
    air.gateway.push()
    air.gateway.end()
    air.gateway.make(T0 + 1000, 0.0)
    air.connect()
    air.welcome()
    assert air.seqs(Message.LIVE) == [1]
    assert air.seqs(Message.HISTORY) == [1, 2]
    assert air.of(Message.HISTORY)[0] == air.of(Message.LIVE)[0]


def test_a_flood_keeps_the_window_full() -> None:
    air = Air()
    air.gateway.prepare(range(T0, T0 + 100_000, 1000))
    air.welcome()
    air.gateway.flood()
    acknowledged = 0
    while not air.gateway.idle:
        assert len(air.seqs(Message.LIVE)) == min(100, acknowledged + WINDOW)
        acknowledged += 7
        air.ack((1, acknowledged))
    assert air.gateway.counts.acknowledged_ms == list(range(T0, T0 + 100_000, 1000))


def test_a_message_that_cannot_be_read_is_counted() -> None:
    air = Air()
    air.gateway.take(topic(NAME, Message.WELCOME).encode(), b"{")
    air.gateway.take(topic("gw-2", Message.WELCOME).encode(), b"{")
    assert (air.gateway.counts.unreadable, air.gateway.served) == (1, False)


def test_resend_is_answered() -> None:
    air = Air()
    air.welcome()
    for _ in range(3):
        air.gateway.make(T0, 0.0)
    air.gateway.push()
    air.ack((2, 2))
    air.deliver(Message.RESEND, Resend(stream=STREAM, ranges=[(1, 50)]))
    assert sorted(air.seqs(Message.LIVE)) == [1, 1, 2, 3, 3]
    air.deliver(Message.RESEND, Resend(catalog=decode(Hello, air.of(Message.HELLO)[0]).catalog))
    assert len(air.of(Message.CATALOG)) == 1


@pytest.mark.parametrize(
    ("action", "point", "expires_ms", "state", "code", "value"),
    [
        (CommandAction.WRITE, "p5", T0 + 1, "resp", "", 7.5),
        (CommandAction.READ, "p2", T0 + 1, "resp", "", Signals(1, NAME, 5).value(2, T0)),
        (CommandAction.READ, "px", T0 + 1, "error", "no_such_point", None),
        (CommandAction.WRITE, "p5", T0 - 1, "error", "expired", None),
        (CommandAction.REBOOT, None, T0 + 1, "error", "not_available", None),
    ],
)
def test_commands(
    action: CommandAction, point: str | None, expires_ms: int, state: str, code: str, value: object
) -> None:
    air = Air()
    air.welcome()
    slave = SLAVE if point else None
    command = Command(
        id="c-00000001", action=action, expires_ms=expires_ms, slave=slave, point=point, value=7.5
    )
    for _ in range(2):
        air.deliver(Message.COMMAND, command)
    first, second = (decode(CommandResult, payload) for payload in air.of(Message.RESULT))
    assert first == second
    assert (first.state, first.code, first.value) == (state, code, value)
    air.gateway.pulse()
    assert len(air.of(Message.RESULT)) == 3  # repeated until it is acknowledged
    air.deliver(Message.ACK, Ack(commands=[command.id]))
    air.gateway.pulse()
    assert len(air.of(Message.RESULT)) == 3
    assert decode(Pulse, air.of(Message.PULSE)[0]).stream == STREAM
