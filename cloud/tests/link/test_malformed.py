"""Packets that MQTT forbids end the connection to the embedded broker at once and fill no log."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import struct
from collections.abc import AsyncIterator

import pytest

from cloud.link.brokers.embedded import EmbeddedBroker
from cloud.link.brokers.packets import MAX_PACKET_BYTES

from .test_unidentified import Ends, authenticate, connect_packet

GATEWAY = "gw-alpha"
TOPIC = f"v1/{GATEWAY}/up/live"


def text(word: str | bytes) -> bytes:
    raw = word.encode() if isinstance(word, str) else word
    return struct.pack(">H", len(raw)) + raw


def framed(first: int, body: bytes) -> bytes:
    assert len(body) < 128
    return bytes([first, len(body)]) + body


PING = b"\xc0\x00"
MALFORMED = {
    "quality of service 3": framed(0x36, text(TOPIC) + b"\0\1abc"),
    "repeated without identifier": framed(0x38, text(TOPIC) + b"abc"),
    "identifier 0": framed(0x32, text(TOPIC) + b"\0\0abc"),
    "no identifier": framed(0x32, text(TOPIC)),
    "topic longer than packet": framed(0x30, b"\xff\xffabc"),
    "empty topic": framed(0x30, text("") + b"abc"),
    "wildcard": framed(0x30, text("v1/+/up/live") + b"abc"),
    "not UTF-8": framed(0x30, text(b"\xff\xfe") + b"abc"),
    "NUL": framed(0x30, text("a\0b") + b"abc"),
    "size of five bytes": b"\x32\xff\xff\xff\xff\x7f",
    "too large": b"\x32\xff\xff\xff\x7f",
    "reserved kind 0": b"\x00\x00",
    "reserved kind 15": b"\xf0\x00",
    "second CONNECT": connect_packet(GATEWAY),
    "CONNACK": b"\x20\x02\0\0",
    "flags of SUBSCRIBE": framed(0x80, b"\0\1" + text("a") + b"\1"),
    "SUBSCRIBE of nothing": framed(0x82, b"\0\1"),
    "SUBSCRIBE with 3": framed(0x82, b"\0\1" + text("a") + b"\3"),
    "UNSUBSCRIBE of nothing": framed(0xA2, b"\0\1"),
    "PUBACK of three bytes": b"\x40\x03\0\1\0",
    "PINGREQ with a body": b"\xc0\x01\0",
}


@pytest.fixture
async def broker() -> AsyncIterator[EmbeddedBroker]:
    made = EmbeddedBroker("127.0.0.1", 0, authenticate)
    await made.start()
    yield made
    await made.stop()


@contextlib.asynccontextmanager
async def gateway(broker: EmbeddedBroker, name: str = GATEWAY) -> AsyncIterator[Ends]:
    reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
    writer.write(connect_packet(name))
    assert await asyncio.wait_for(reader.readexactly(4), 10) == b"\x20\x02\0\0"
    yield reader, writer
    writer.close()


async def gone(broker: EmbeddedBroker) -> None:
    async with asyncio.timeout(20):
        while broker._clients:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    gc.collect()
    await asyncio.sleep(0.05)


def loud(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("name", MALFORMED)
async def test_the_first_malformed_packet_ends_the_connection(
    broker: EmbeddedBroker, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    async with gateway(broker) as (reader, writer):
        writer.write(PING)
        assert await asyncio.wait_for(reader.readexactly(2), 10) == b"\xd0\x00"
        writer.write(MALFORMED[name] * 200)
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), 10) == b""
        await gone(broker)
    assert loud(caplog) == []


@pytest.mark.parametrize(
    "packet",
    [PING, framed(0x32, text(TOPIC) + b"\0\1abc"), b"\x62\x02\x12\x34"],
    ids=["ping", "publish", "rel"],
)
async def test_a_flood_that_ends_fills_no_log(
    broker: EmbeddedBroker, caplog: pytest.LogCaptureFixture, packet: bytes
) -> None:
    """Of the answers nothing is read."""
    async with gateway(broker) as (_, writer):
        writer.write(packet * 3000)
        await asyncio.sleep(0.3)
        writer.transport.abort()
        await gone(broker)
    assert loud(caplog) == []


async def test_what_comes_in_pieces_is_one_packet(broker: EmbeddedBroker) -> None:
    size = 70_000
    body = text(TOPIC) + b"\0\7" + bytes(size)
    length = bytes([len(body) & 0x7F | 0x80, len(body) >> 7 & 0x7F | 0x80, len(body) >> 14])
    assert len(body) < MAX_PACKET_BYTES
    async with gateway(broker) as (reader, writer):
        for part in (b"\x32", length[:1], length[1:], body[:9], body[9:40_000], body[40_000:]):
            writer.write(part)
            await asyncio.sleep(0.05)
        assert await asyncio.wait_for(reader.readexactly(4), 10) == b"\x40\x02\0\7"
