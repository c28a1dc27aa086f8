"""Connections to the embedded broker that do not say who they are: bounded apart, in number and in time."""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time
from collections.abc import AsyncIterator

import pytest

from cloud.core.unauthenticated import ClientConnection, UnauthenticatedClients
from cloud.link.brokers.embedded import EmbeddedBroker
from edge_contract.access import Principal, Role

TIMEOUT_S = 1.0
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def connect_packet(name: str, password: str = "right") -> bytes:
    def text(word: str) -> bytes:
        return struct.pack(">H", len(word)) + word.encode()

    body = text("MQTT") + bytes([4, 0xC2]) + struct.pack(">H", 60) + text(name) + text(name) + text(password)
    return bytes([0x10, len(body)]) + body


async def authenticate(name: str, password: str) -> Principal | None:
    if password == "slow":
        await asyncio.sleep(60)
    return Principal(Role.GATEWAY, name) if password == "right" else None


@pytest.fixture
async def broker() -> AsyncIterator[EmbeddedBroker]:
    made = EmbeddedBroker(
        "127.0.0.1",
        0,
        authenticate,
        connect_timeout_s=TIMEOUT_S,
        max_connections=3,
        max_unidentified=20,
        max_unidentified_of_address=10,
    )
    await made.start()
    yield made
    await made.stop()


@contextlib.asynccontextmanager
async def opened(broker: EmbeddedBroker, number: int, source: str = "127.0.0.1") -> AsyncIterator[list[Ends]]:
    ends = [
        await asyncio.open_connection("127.0.0.1", broker.port, local_addr=(source, 0)) for _ in range(number)
    ]
    yield ends
    for _, writer in ends:
        writer.close()


async def answer(ends: Ends, packet: bytes) -> bytes:
    reader, writer = ends
    writer.write(packet)
    with contextlib.suppress(OSError):
        async with asyncio.timeout(10):
            return await reader.read(4)
    return b""


async def test_who_says_nothing_takes_no_place_of_gateways(broker: EmbeddedBroker) -> None:
    async with opened(broker, 100) as flood, opened(broker, 3) as gateways:
        for number, ends in enumerate(gateways):
            assert await answer(ends, connect_packet(f"gw-{number}")) == b"\x20\x02\x00\x00"
        assert broker._unauthenticated.waiting <= 10
        ended = 0
        for reader, _ in flood:
            with contextlib.suppress(OSError):
                ended += await asyncio.wait_for(reader.read(1), 10) == b""
                continue
            ended += 1  # reset
        assert ended == 100, "the newest after their time, the others at once"
        async with opened(broker, 1) as (fourth,):
            assert await answer(fourth, connect_packet("gw-9")) == b"\x20\x02\x00\x03"
        for _, writer in gateways:
            assert not writer.is_closing()


async def test_silence_and_slowness_end_in_time(broker: EmbeddedBroker) -> None:
    """Nothing sent, half a packet, one byte now and then, and a check that takes for ever."""
    began = time.monotonic()
    async with opened(broker, 4) as (silent, half, dripping, slow):
        half[1].write(connect_packet("gw-1")[:5])
        slow[1].write(connect_packet("gw-2", "slow"))

        async def drip() -> None:
            for byte in connect_packet("gw-3"):
                dripping[1].write(bytes([byte]))
                await asyncio.sleep(TIMEOUT_S / 4)

        task = asyncio.create_task(drip())
        for reader, _ in (silent, half, dripping, slow):
            with contextlib.suppress(OSError):
                assert await asyncio.wait_for(reader.read(4), 10) == b""
        task.cancel()
    assert TIMEOUT_S * 0.9 < time.monotonic() - began < TIMEOUT_S * 5
    async with asyncio.timeout(10):
        while broker._unauthenticated.waiting:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_an_address_has_its_share(broker: EmbeddedBroker) -> None:
    """One that floods ends its own connections; another's stay until there are too many in all."""
    async with opened(broker, 2, "127.0.0.2") as quiet, opened(broker, 50):
        await asyncio.sleep(0.1)
        assert broker._unauthenticated.waiting == 12
        assert await answer(quiet[0], connect_packet("gw-1")) == b"\x20\x02\x00\x00"


async def test_wrong_passwords_leave_their_places(broker: EmbeddedBroker) -> None:
    for _ in range(30):
        async with opened(broker, 1) as (ends,):
            assert await answer(ends, connect_packet("gw-1", "wrong")) == b"\x20\x02\x00\x05"
    async with asyncio.timeout(10):
        while broker._unauthenticated.waiting:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def test_the_crowded_address_makes_room() -> None:
    ended: list[str] = []
    room = UnauthenticatedClients(4, 3)

    def come(name: str) -> ClientConnection:
        made = ClientConnection(name[0], lambda: ended.append(name))
        room.come(made)
        return made

    for name in ("a1", "a2", "b1", "c1", "d1"):
        come(name)
    assert (ended, room.waiting) == (["a1"], 4)
    second = come("e1")
    assert room.waiting == 4 and len(ended) == 2
    assert room.identified(second) and room.waiting == 3
    room.leave(second)
    room.leave(second)
    for name in ("f1", "f2", "f3", "f4"):
        come(name)
    assert room.waiting == 4
