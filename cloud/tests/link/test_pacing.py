"""A connection to the embedded broker that floods waits in its own socket; nothing of it is dropped."""

from __future__ import annotations

import asyncio
import struct
import time

import pytest

from cloud.link.brokers.embedded import EmbeddedBroker
from cloud.link.brokers.pacing import ReadPacer, ReadRates
from edge_contract.access import Principal, Role

from .test_malformed import framed, text
from .test_unidentified import connect_packet

BATCH = text("v1/gw-alpha/up/live") + b"\0\1"
RESULT = text("v1/gw-alpha/up/result") + b"\0\1"


def test_packets_and_bytes_each_have_a_rate_and_a_burst() -> None:
    now = 0.0
    pace = ReadPacer(ReadRates(10.0, 20.0, 1000.0, 2000.0, control_cost=5.0), lambda: now)
    for _ in range(20):
        assert pace.pause_s() == 0.0
        pace.spend(0x32, BATCH)
    assert pace.pause_s() == 0.0
    pace.spend(0x32, BATCH)
    assert pace.pause_s() == 0.1
    now = 0.1
    assert pace.pause_s() == 0.0
    pace.spend(0x32, RESULT)
    assert pace.pause_s() == 0.5
    now = 100.0
    assert pace.pause_s() == 0.0
    pace.spend(0x32, BATCH + bytes(5000))
    assert 3.0 < pace.pause_s() < 3.1


async def authenticate(name: str, password: str) -> Principal | None:
    return Principal(Role.SERVICE if name == "cloud" else Role.GATEWAY, name)


async def acknowledged(
    broker: EmbeddedBroker, name: str, topic: str, number: int, wait_s: float = 20.0
) -> float:
    """Seconds until all of them were taken. Raises TimeoutError."""
    reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
    writer.write(connect_packet(name))
    assert await asyncio.wait_for(reader.readexactly(4), 10) == b"\x20\x02\0\0"
    began = time.monotonic()
    for each in range(number):
        writer.write(framed(0x32, text(topic) + struct.pack(">H", each + 1) + b"x"))
    taken = await asyncio.wait_for(reader.readexactly(4 * number), wait_s)
    assert {taken[at : at + 4] for at in range(0, len(taken), 4)} == {
        b"\x40\x02" + struct.pack(">H", each + 1) for each in range(number)
    }
    writer.close()
    return time.monotonic() - began


async def test_a_flood_waits_in_its_own_socket() -> None:
    broker = EmbeddedBroker("127.0.0.1", 0, authenticate, rates=ReadRates(50.0, 20.0, control_cost=2.0))
    await broker.start()
    try:
        assert await acknowledged(broker, "gw-alpha", "v1/gw-alpha/up/live", 70) > 0.9
        assert await acknowledged(broker, "gw-alpha", "v1/gw-alpha/up/result", 60) > 1.8
    finally:
        await broker.stop()


async def test_the_cloud_does_not_wait() -> None:
    """A gateway would wait for minutes, longer than acknowledged() does."""
    broker = EmbeddedBroker("127.0.0.1", 0, authenticate, rates=ReadRates(1.0, 20.0, control_cost=2.0))
    await broker.start()
    try:
        await acknowledged(broker, "cloud", "v1/gw-alpha/down/ack", 100)
        with pytest.raises(TimeoutError):
            await acknowledged(broker, "gw-alpha", "v1/gw-alpha/up/result", 100, wait_s=1.0)
    finally:
        await broker.stop()
