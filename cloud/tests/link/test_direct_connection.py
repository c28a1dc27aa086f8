"""The cloud's own reading of the broker's stream: packets, bounds, back-pressure, ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.link import direct_connection, packets
from cloud.link.broker_connection import BrokerAddress, Incoming, InFlight
from cloud.link.direct_connection import DirectConnection
from cloud.link.errors import LinkDown

from .equipment import eventually

ACCEPTED = b"\x20\x02\x00\x00"
GRANTED = b"\x90\x03\xff\xff\x01"


def publication(name: str, payload: bytes, packet_id: int, *, first: int = 0x32) -> bytes:
    """A PUBLISH, made here: topic, packet id when the QoS is not 0, payload."""
    head = len(name.encode()).to_bytes(2, "big") + name.encode()
    body = head + (packet_id.to_bytes(2, "big") if first & 6 else b"") + payload
    size, length = len(body), bytearray()
    while True:
        size, low = size >> 7, size & 0x7F
        length.append(low | (0x80 if size else 0))
        if not size:
            return bytes((first,)) + bytes(length) + body


class Script:
    """A broker that answers what it is told to, on a port of its own."""

    def __init__(self) -> None:
        self.heard = bytearray()
        self.writers: list[asyncio.StreamWriter] = []
        self.connack = ACCEPTED
        self.suback = GRANTED

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = int(self.server.sockets[0].getsockname()[1])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(65536):
                if not self.heard:
                    writer.write(self.connack)
                elif data[:1] == b"\x82":
                    writer.write(self.suback)
                self.heard += data

    async def say(self, data: bytes, step: int = 0) -> None:
        for start in range(0, len(data), step or len(data)):
            self.writers[-1].write(data[start : start + (step or len(data))])
            await asyncio.sleep(0)
        await self.writers[-1].drain()

    def pubacks(self) -> list[int]:
        """Packet ids that were acknowledged to this broker."""
        found, data = [], bytes(self.heard)
        at = 0
        while at < len(data):
            start, size = packets.header(data, at, len(data))
            if data[at] >> 4 == packets.PUBACK:
                found.append(int.from_bytes(data[start : start + 2], "big"))
            at = start + size
        return found


@pytest.fixture
async def script() -> AsyncIterator[Script]:
    made = Script()
    await made.start()
    yield made
    for writer in made.writers:
        writer.close()
    made.server.close()


class Caught:
    """A connection to the script, and what it delivered."""

    def __init__(self, script: Script, held: InFlight | None = None) -> None:
        self.taken: list[Incoming] = []
        address = BrokerAddress("127.0.0.1", script.port, "edge-cloud", "word")
        self.connection = DirectConnection(address, ("v1/+/up/+",), self.taken.append, held or InFlight())


async def test_connect_subscribe_publish(script: Script) -> None:
    caught = Caught(script)
    await caught.connection.open()
    assert script.heard.startswith(packets.connect("edge-cloud", "edge-cloud", "word", 30))
    assert packets.subscribe(65_535, ("v1/+/up/+",)) in bytes(script.heard)
    publishing = asyncio.create_task(caught.connection.publish("v1/gw-1/down/ack", b"{}"))
    await eventually(lambda: packets.publish("v1/gw-1/down/ack", 1, b"{}") in bytes(script.heard))
    assert not publishing.done()
    await script.say(packets.puback(1))
    await publishing
    assert caught.connection.post("v1/gw-1/down/ack", b"{}")
    await caught.connection.close()
    await eventually(lambda: script.heard.endswith(packets.DISCONNECT))  # behind what was posted
    assert packets.publish("v1/gw-1/down/ack", 2, b"{}") in bytes(script.heard)
    assert not caught.connection.post("v1/gw-1/down/ack", b"{}")
    with pytest.raises(LinkDown, match="not connected"):
        await caught.connection.publish("t", b"")


@pytest.mark.parametrize("step", [0, 1, 7])
async def test_messages_whole_and_in_pieces(script: Script, step: int) -> None:
    caught = Caught(script)
    await caught.connection.open()
    wanted = [(f"v1/gw-{n}/up/live", b"x" * (n * 40), n) for n in range(1, 8)]
    stream = b"".join(publication(*item) for item in wanted)
    stream += publication("v1/gw-1/state", b"old", 0, first=0x31)  # retained, QoS 0
    await script.say(stream, step)
    await eventually(lambda: len(caught.taken) == 8)
    assert [(m.topic, m.payload, m.retained) for m in caught.taken] == [
        *((name, payload, False) for name, payload, _ in wanted), ("v1/gw-1/state", b"old", True),
    ]  # fmt: skip
    assert script.pubacks() == []
    for message in caught.taken:
        message.acknowledge()
    await eventually(lambda: script.pubacks() == [1, 2, 3, 4, 5, 6, 7])
    await caught.connection.close()


async def test_without_room_nothing_is_read_and_nothing_dropped(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.link.broker_connection.MAX_UNACKNOWLEDGED", 10)
    held = InFlight()
    caught = Caught(script, held)
    await caught.connection.open()
    await script.say(b"".join(publication("v1/gw-1/up/live", b"%d" % n, n) for n in range(1, 101)))
    await eventually(lambda: len(caught.taken) == 10)
    await asyncio.sleep(0.1)
    assert len(caught.taken) == 10
    done = 0
    while done < 100:
        await eventually(lambda: len(caught.taken) > done)  # noqa: B023
        assert len(caught.taken) - done <= 10
        caught.taken[done].acknowledge()
        done += 1
    assert [m.payload for m in caught.taken] == [b"%d" % n for n in range(1, 101)]
    await eventually(lambda: script.pubacks() == list(range(1, 101)))
    await caught.connection.close()


async def test_a_message_that_is_too_long_is_passed_over(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct_connection, "MAX_MESSAGE_BYTES", 1000)
    caught = Caught(script)
    await caught.connection.open()
    stream = publication("t", b"a", 1) + publication("t", b"x" * 300_000, 2) + publication("t", b"b", 3)
    await script.say(stream, 1111)
    await eventually(lambda: len(caught.taken) == 2)
    assert [m.payload for m in caught.taken] == [b"a", b"b"]
    await eventually(lambda: script.pubacks() == [2])
    await caught.connection.close()


@pytest.mark.parametrize(
    ("connack", "suback", "rule"),
    [
        (b"\x20\x02\x00\x05", GRANTED, "not authorised"),
        (b"\x20\x02\x00\x63", GRANTED, "code 99"),
        (b"\x20\x00", GRANTED, "code 255"),
        (ACCEPTED, b"\x90\x03\xff\xff\x80", "subscription refused"),
        (b"\x20\xff\xff\xff\xff\x01", GRANTED, "broken packet: remaining length"),
        (b"\x32\x03\x00\x01t", GRANTED, "broken packet: packet id"),
    ],
)
async def test_a_refusal_is_told(script: Script, connack: bytes, suback: bytes, rule: str) -> None:
    script.connack, script.suback = connack, suback
    caught = Caught(script)
    with pytest.raises(LinkDown, match=rule):
        await caught.connection.open()
    await caught.connection.close()


async def test_nobody_listens() -> None:
    address = BrokerAddress("127.0.0.1", 1, "edge-cloud", "word")
    connection = DirectConnection(address, (), lambda message: None, InFlight())
    with pytest.raises(LinkDown):
        await connection.open()
    await connection.close()


async def test_the_end_of_a_connection_ends_what_waits(script: Script) -> None:
    caught = Caught(script)
    await caught.connection.open()
    publishing = asyncio.create_task(caught.connection.publish("t", b""))
    await asyncio.sleep(0)
    script.writers[-1].close()
    await asyncio.wait_for(asyncio.shield(caught.connection.closed), 5)
    with pytest.raises(LinkDown, match="connection lost"):
        await publishing
    await caught.connection.close()


async def test_a_broker_that_falls_silent_is_left(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_connection, "PING_S", 0.2)
    caught = Caught(script)
    await caught.connection.open()
    assert await asyncio.wait_for(asyncio.shield(caught.connection.closed), 5) == "silent for 0.2 s"
    assert packets.PINGREQ in bytes(script.heard)
    await caught.connection.close()


async def test_posts_are_bounded(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_connection, "MAX_OUTSTANDING", 5)
    caught = Caught(script)
    await caught.connection.open()
    assert [caught.connection.post("t", b"") for _ in range(7)] == [True] * 5 + [False] * 2
    await script.say(packets.puback(1))
    await eventually(lambda: caught.connection.post("t", b""))
    with pytest.raises(LinkDown, match="too much"):
        await caught.connection.publish("t", b"")
    await caught.connection.close()


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_an_end(data: bytes) -> None:
    async def feed() -> None:
        connection = DirectConnection(
            BrokerAddress("h", 1, "n", "p"), (), lambda message: message.acknowledge(), InFlight()
        )
        connection.data_received(data)
        await connection.close()

    asyncio.run(feed())
