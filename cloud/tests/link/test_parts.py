"""Pure and small parts: ranges, CONNECT, gaps, clean-up, bounds, settings."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.db import Database
from cloud.link import Link
from cloud.link.broker_connection import MAX_UNACKNOWLEDGED, MAX_UNACKNOWLEDGED_BYTES, Incoming, InFlight
from cloud.link.brokers.connect_packet import ConnectError, ConnectPacket, parse, with_clean_session
from cloud.link.brokers.embedded import EmbeddedBroker
from cloud.link.brokers.packets import MAX_PACKET_BYTES
from cloud.link.gap_detection import ASK_EVERY_S, GapDetector
from cloud.link.gap_store import GapStore
from cloud.link.ingest import BatchMessage, Ingest
from cloud.link.ingest_buffer import IngestBuffer
from cloud.link.metrics import INVALID
from cloud.link.rate_limits import StreamAdmission
from cloud.link.retention import BETWEEN_CHUNKS_S, KEEP_MS, BufferRetention
from cloud.link.streams import MAX_RANGES, Received
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.payloads import ControlMessage, Pulse, Resend
from edge_contract.ranges import join
from edge_contract.topics import Message, topic

from .equipment import STREAM, T0, BrokerUnderTest, Domain, authenticator, batch, to_store
from .system import Settings

GW = "gw-alpha"


@given(st.lists(st.sets(st.integers(1, 60)), max_size=6), st.integers(1, 30), st.integers(0, 70))
def test_received_is_a_set(parts: list[set[int]], first: int, last: int) -> None:
    received, reference = Received(), set[int]()
    for part in parts:
        received, reference = received.add(part), reference | part
    assert {seq for seq in range(1, 70) if seq in received} == reference
    assert received.highest == max(reference, default=0)
    gaps = {seq for low, high in received.missing(first, last) for seq in range(low, high + 1)}
    assert gaps == set(range(first, last + 1)) - reference
    assert list(received.above) == join(received.above)
    assert not received.above or received.above[0][0] > received.contiguous + 1


def test_too_many_holes_forget_the_lowest() -> None:
    received = Received().add(range(2, 2 * MAX_RANGES + 10, 2))
    assert len(received.above) == MAX_RANGES
    assert 2 not in received
    assert received.highest == 2 * MAX_RANGES + 8


def connect(
    client_id: str,
    *,
    username: str | None = None,
    will: str | None = None,
    level: int = 4,
    keepalive: int = 30,
) -> bytes:
    def text(value: str) -> bytes:
        return struct.pack(">H", len(value.encode())) + value.encode()

    flags = (0x80 | 0x40 if username is not None else 0) | (0x04 | 0x20 if will is not None else 0)
    packet = text("MQTT") + bytes([level, flags]) + struct.pack(">H", keepalive) + text(client_id)
    packet += (text(will) + text("bye")) if will is not None else b""
    return packet + ((text(username) + text("pass")) if username is not None else b"")


def test_connect_is_read() -> None:
    body = connect("gw-1", username="名", will="v1/gw-1/state")
    packet = parse(body)
    assert packet == ConnectPacket("gw-1", "名", "pass", "v1/gw-1/state", True, 30, packet.flags_at)
    changed = with_clean_session(body, packet)
    assert [i for i, (a, b) in enumerate(zip(body, changed, strict=True)) if a != b] == [packet.flags_at]
    assert changed[packet.flags_at] == body[packet.flags_at] | 2


def test_connect_that_is_cut_or_lengthened_is_refused() -> None:
    body = connect("gw-1", username="name", will="t")
    for size in range(len(body)):
        with pytest.raises(ConnectError):
            parse(body[:size])
    with pytest.raises(ConnectError, match="must end"):
        parse(body + b"x")
    with pytest.raises(ConnectError, match="level") as caught:
        parse(connect("gw-1", level=5))
    assert caught.value.level


@given(st.binary(max_size=80))
def test_any_bytes_are_a_connect_or_an_error(data: bytes) -> None:
    with contextlib.suppress(ConnectError):
        parse(data)


def raw(port: int, data: bytes) -> bytes:
    """Everything that comes back until the connection ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(data)
        answer = b""
        while part := connection.recv(100):
            answer += part
        return answer


async def test_the_door_of_the_embedded_broker(embedded: BrokerUnderTest) -> None:
    refused = [
        (b"\xc0\x00", b""),  # no CONNECT
        (b"\x10\xff\xff\xff\x7f", b""),  # 256 MB announced
        (b"\x10\x04\x00\x04MQ", b""),  # nonsense
        (packet(connect("gw-1", level=5)), b"\x20\x02\x00\x01"),
        (packet(connect("gw-1")), b"\x20\x02\x00\x05"),
        (packet(connect("gw-1", username="gw-1")), b"\x20\x02\x00\x05"),
    ]
    for data, wanted in refused:
        assert await asyncio.to_thread(raw, embedded.port, data) == wanted


async def test_silence_and_size_end_a_connection(embedded: BrokerUnderTest) -> None:
    await embedded.put("gw-1", "pass")
    accepted = b"\x20\x02\x00\x00"
    silent = packet(connect("gw-1", username="gw-1", keepalive=1))
    assert await asyncio.to_thread(raw, embedded.port, silent) == accepted  # returns: it was ended
    large = silent + b"\x32" + length(MAX_PACKET_BYTES + 1)
    assert await asyncio.to_thread(raw, embedded.port, large) == accepted


def packet(body: bytes) -> bytes:
    return b"\x10" + length(len(body)) + body


def length(size: int) -> bytes:
    out = bytearray()
    while True:
        size, low = size >> 7, size & 0x7F
        out.append(low | (0x80 if size else 0))
        if not size:
            return bytes(out)


@pytest.mark.clause("C-084")
@pytest.mark.parametrize("host", ["0.0.0.0", "10.1.2.3", "::", "example.org"])
def test_the_embedded_broker_stays_on_loopback(host: str) -> None:
    with pytest.raises(ValueError, match="broker_host"):
        EmbeddedBroker(host, 0, authenticator({}))


@pytest.mark.parametrize("url", [None, "", "http://broker", "mqtt://", "broker:1883"])
def test_a_wrong_broker_url_is_named(url: str | None, tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/cloud.db")
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    with pytest.raises(ValueError, match="broker_url"):
        Link(Settings("mosquitto", broker_url=url), database, Domain().hooks(), authenticator({}), store)


def incoming(payload: bytes, done: list[bytes]) -> Incoming:
    return Incoming(topic(GW, Message.LIVE), payload, False, lambda: done.append(payload))


def make(
    buffer: IngestBuffer,
    post: Callable[[str, ControlMessage], None] = lambda *_: None,
    now_ms: Callable[[], int] = lambda: T0,
) -> Ingest:
    return Ingest(buffer, post, lambda _: None, StreamAdmission(), now_ms=now_ms)


class Later:
    """A clock and a sleep that take no time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def now_ms(self) -> int:
        return T0 + int(self.now * 1000)


def test_unacknowledged_messages_are_bounded() -> None:
    held = InFlight()
    assert [held.take(10) for _ in range(MAX_UNACKNOWLEDGED + 1)] == [True] * MAX_UNACKNOWLEDGED + [False]
    held.give_back(10)
    assert held.take(10)
    big = InFlight()
    assert big.take(MAX_UNACKNOWLEDGED_BYTES)
    assert not big.take(1)


async def test_a_full_queue_drops_and_acknowledges_to_the_broker_only(database: Database) -> None:
    done: list[bytes] = []
    posted: list[tuple[str, ControlMessage]] = []
    ingest = Ingest(
        IngestBuffer(database),
        lambda *m: posted.append(m),
        lambda _: None,
        StreamAdmission(),
        now_ms=lambda: T0,
    )
    for i in range(MAX_UNACKNOWLEDGED + 3):
        ingest.put(BatchMessage(f"gw-{i}", Message.LIVE, incoming(b"%d" % i, done)))
    assert len(done) == 3
    assert posted == []


async def test_what_waits_of_a_deleted_gateway_is_not_buffered(database: Database) -> None:
    posted: list[tuple[str, object]] = []
    buffer = IngestBuffer(database)
    ingest = Ingest(buffer, lambda *m: posted.append(m), lambda _: None, StreamAdmission(), now_ms=lambda: T0)
    done: list[bytes] = []
    for gateway in ("gw-gone", "gw-other"):
        ingest.put(BatchMessage(gateway, Message.LIVE, incoming(batch(1), done)))
    ingest.forget("gw-gone")
    assert len(done) == 1
    await ingest.take(ingest._group())
    assert [gateway for gateway, _ in posted] == [row.gateway for row in await to_store(buffer, 9)]
    assert (posted[0][0], len(done)) == ("gw-other", 2)


@pytest.mark.clause("C-009")
async def test_broken_batches_are_reported_once(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    ingest = Ingest(
        IngestBuffer(database), lambda *_: None, lambda _: None, StreamAdmission(), now_ms=lambda: T0
    )
    broken = [BatchMessage(GW, Message.LIVE, incoming(f"EB{number}".encode(), [])) for number in range(50)]
    before = INVALID.labels("up/live")._value.get()
    await ingest.take(broken)
    assert INVALID.labels("up/live")._value.get() == before + 50
    assert caplog.text.count("broken batch from") == 1


async def test_a_database_that_is_away_acknowledges_nothing(tmp_path: Path) -> None:
    """The broker is answered, the gateway is not: it sends again."""
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/without-tables.db")
    done: list[bytes] = []
    posted: list[tuple[str, ControlMessage]] = []
    later = Later()
    ingest = Ingest(
        IngestBuffer(database),
        lambda *m: posted.append(m),
        lambda _: None,
        StreamAdmission(),
        now_ms=later.now_ms,
        sleep=later.sleep,
    )
    await ingest.take([BatchMessage(GW, Message.LIVE, incoming(batch(1), done))])
    assert (len(done), posted, later.slept) == (1, [], [1.0])
    await database.close()


@pytest.mark.clause("C-028")
async def test_old_batches_go_and_are_still_recognised(database: Database) -> None:
    done: list[bytes] = []
    posted: list[ControlMessage] = []
    later = Later()
    buffer = IngestBuffer(database)
    ingest = Ingest(
        buffer, lambda _, m: posted.append(m), lambda _: None, StreamAdmission(), now_ms=later.now_ms
    )
    booked: list[int] = []

    async def book() -> None:
        booked.append(await buffer.backlog())

    retention = BufferRetention(buffer, before=book, sleep=later.sleep)
    group = [BatchMessage(GW, Message.LIVE, incoming(batch(seq), done)) for seq in (1, 2, 3, 5)]
    await ingest.take(group)
    buffered = await to_store(buffer, 10)
    assert [(b.gateway, b.lane) for b in buffered] == [(GW, "live")] * 4
    await buffer.mark_stored([b.id for b in buffered[:3]], later.now_ms())
    due = later.now_ms() + KEEP_MS
    assert await retention.clean(due) == 0
    assert await retention.clean(due + 1) == 3
    assert len(booked) == 2
    assert later.slept == [BETWEEN_CHUNKS_S]
    assert await buffer.backlog() == 1  # what is not stored is never deleted
    await ingest.take(group)
    assert await buffer.backlog() == 1
    (state,) = await buffer.streams(GW)
    assert (state.received, state.duplicates, state.max_seq, state.missing) == (4, 4, 5, [(4, 4)])
    assert len(posted) == 2


@pytest.mark.clause("C-029")
async def test_gaps_are_asked_for_at_most_every_five_minutes(database: Database) -> None:
    buffer = IngestBuffer(database)
    ingest = make(buffer)
    done: list[bytes] = []
    seqs = [1, 2, *range(5, 200)]
    await ingest.take([BatchMessage(GW, Message.LIVE, incoming(batch(seq), done)) for seq in seqs])
    later = Later()
    posted: list[ControlMessage] = []
    post, now_ms = (lambda _, m: posted.append(m)), (lambda: T0)
    gaps = GapDetector(GapStore(database), post, now_ms=now_ms, clock=lambda: later.now)
    pulse = Pulse(
        t_ms=T0, boot=STREAM, stream=STREAM, next_seq=200, outbox_batches=2, outbox_bytes=1,
        hours_left=None, evicted_batches=0, slaves=[],
    )  # fmt: skip
    for _ in range(3):
        gaps.pulse(GW, pulse)
        await gaps.check()
    assert posted == [Resend(stream=STREAM, ranges=[(3, 4)])]
    later.now = ASK_EVERY_S + 1
    gaps.pulse(GW, pulse)
    await gaps.check()
    assert len(posted) == 2


async def test_a_cancelled_caller_leaves_no_lock_behind(database: Database) -> None:
    """aiosqlite alone keeps the database locked when a transaction is cancelled in its middle."""
    buffer = IngestBuffer(database)
    ingest = make(buffer)
    chance = random.Random(7)
    done: list[bytes] = []
    seqs = itertools.count(1)

    async def write_for_ever() -> None:
        while True:
            await ingest.take([BatchMessage(GW, Message.LIVE, incoming(batch(next(seqs)), done))])

    for _ in range(40):
        task = asyncio.create_task(write_for_ever())
        await asyncio.sleep(chance.random() * 0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(20):
            await buffer.mark_stored([1], T0)
