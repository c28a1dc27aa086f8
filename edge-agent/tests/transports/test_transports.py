"""One suite on every byte stream, plus what is particular to each."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from edge_agent import transports
from edge_agent.config.model import Port
from edge_agent.errors import PortDown
from edge_agent.transports.base import (
    MAX_HELD_BYTES,
    MAX_UNSENT_BYTES,
    ByteQueue,
    StreamTransport,
    Transport,
)
from edge_agent.transports.memory import null_modem
from edge_agent.transports.serial import SerialTransport
from edge_agent.transports.tcp import TcpTransport

from ..ports import free_port

COMES_S = 10.0


@dataclass
class Peer:
    """The other end. hear: what has arrived there."""

    transport: Transport
    say: Callable[[bytes], Awaitable[None]]
    hear: Callable[[int], Awaitable[bytes]]
    hang_up: Callable[[], Awaitable[None]]


@contextlib.asynccontextmanager
async def over_tcp() -> AsyncIterator[Peer]:
    ends: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    server = await asyncio.start_server(lambda r, w: ends.put_nowait((r, w)), "127.0.0.1", 0)
    transport = TcpTransport("127.0.0.1", server.sockets[0].getsockname()[1])
    await transport.open()
    reader, writer = await ends.get()

    async def say(data: bytes) -> None:
        writer.write(data)

    async def hang_up() -> None:
        writer.close()

    yield Peer(transport, say, reader.readexactly, hang_up)
    await transport.close()
    writer.close()
    server.close()


@contextlib.asynccontextmanager
async def over_serial() -> AsyncIterator[Peer]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    tty.setraw(master)
    transport = SerialTransport(Port(name="p", type="COM", device=os.ttyname(slave), baud=19200))
    os.close(slave)
    await transport.open()
    held = [master]

    async def say(data: bytes) -> None:
        os.write(master, data)

    async def hear(count: int) -> bytes:
        return await asyncio.to_thread(os.read, master, count)

    async def hang_up() -> None:
        os.close(held.pop())

    yield Peer(transport, say, hear, hang_up)
    await transport.close()
    for handle in held:
        os.close(handle)


@contextlib.asynccontextmanager
async def over_memory() -> AsyncIterator[Peer]:
    near, far = null_modem()
    await near.open()
    await far.open()

    async def hear(count: int) -> bytes:
        data = await far.read_some(1)
        assert len(data) == count
        return data

    yield Peer(near, far.write, hear, near.close)


@pytest.fixture(params=[over_tcp, over_serial, over_memory], ids=["tcp", "serial", "memory"])
async def peer(request: pytest.FixtureRequest) -> AsyncIterator[Peer]:
    async with request.param() as made:
        yield made


async def test_bytes_go_both_ways(peer: Peer) -> None:
    everything = bytes(range(256))
    await peer.transport.write(everything)
    heard = b""
    while len(heard) < 256:
        heard += await peer.hear(256 - len(heard))
    assert heard == everything
    await peer.say(everything)
    got = b""
    while len(got) < 256:
        got += await peer.transport.read_some(COMES_S)
    assert got == everything


async def test_reading_ends_at_the_time_out(peer: Peer) -> None:
    async with asyncio.timeout(COMES_S):
        assert await peer.transport.read_some(0.02) == b""


async def test_discard(peer: Peer) -> None:
    await peer.say(b"old")
    await arrived(peer, 3)
    assert peer.transport.discard_input() == 3
    await peer.say(b"new")
    assert await peer.transport.read_some(COMES_S) == b"new"


async def arrived(peer: Peer, count: int) -> None:
    """Bytes that nobody has read yet."""
    if isinstance(peer.transport, StreamTransport):
        async with asyncio.timeout(COMES_S):
            while len(peer.transport._queue._held) < count:  # noqa: ASYNC110 (would have to be read)
                await asyncio.sleep(0.005)


async def test_the_end_is_port_down_after_the_last_bytes(peer: Peer) -> None:
    await peer.say(b"last")
    await arrived(peer, 4)
    await peer.hang_up()
    assert await peer.transport.read_some(COMES_S) == b"last"
    with pytest.raises(PortDown):
        await peer.transport.read_some(COMES_S)
    with pytest.raises(PortDown):
        await peer.transport.write(b"x")


async def test_what_cannot_be_opened(tmp_path: Path) -> None:
    port = Port(name="p", type="NET", host="127.0.0.1", port=free_port())
    with pytest.raises(PortDown, match=f"127.0.0.1:{port.port}"):
        await transports.create(port).open()
    missing = Port(name="p", type="COM", device=str(tmp_path / "ttyS9"))
    with pytest.raises(PortDown, match="ttyS9"):
        await transports.create(missing).open()
    with pytest.raises(PortDown, match="not open"):
        await transports.create(missing).write(b"x")


async def test_a_serial_port_has_one_owner() -> None:
    async with over_serial() as peer:
        second = SerialTransport(Port(name="p", type="COM", device=peer.transport.where))
        with pytest.raises(PortDown):
            await second.open()


async def test_serial_settings_reach_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    opened_with: dict[str, object] = {}

    def refuse(device: str, **settings: object) -> None:
        opened_with.update(settings, device=device)
        raise OSError("no such line")

    monkeypatch.setattr("edge_agent.transports.serial.Serial", refuse)
    line = SerialTransport(
        Port(name="p", type="COM", device="/dev/ttyS7", baud=2400, parity="E", stop_bits=2)
    )
    with pytest.raises(PortDown, match="ttyS7: no such line"):
        await line.open()
    assert opened_with == {
        "device": "/dev/ttyS7", "baudrate": 2400, "parity": "E", "stopbits": 2, "bytesize": 8,
        "exclusive": True,
    }  # fmt: skip


async def test_a_pseudo_terminal_opens_again_whatever_its_parity() -> None:
    async with over_serial() as peer:
        await peer.transport.close()
        line = SerialTransport(Port(name="p", type="COM", device=peer.transport.where, parity="E"))
        for _ in range(2):
            await line.open()
            await line.close()


async def test_the_buffer_is_bounded_and_counts_what_it_drops() -> None:
    queue = ByteQueue()
    queue.lost = None
    for _ in range(3):
        queue.data_received(bytes(MAX_HELD_BYTES // 2))
    queue.data_received(b"newest")
    data = await queue.read_some(1)
    assert len(data) == MAX_HELD_BYTES
    assert data.endswith(b"newest")
    assert queue.dropped_bytes == MAX_HELD_BYTES // 2 + 6


async def test_a_peer_that_takes_nothing_is_port_down() -> None:
    async with over_tcp() as peer:
        with pytest.raises(PortDown, match="takes no data"):
            for _ in range(5000):
                await peer.transport.write(bytes(MAX_UNSENT_BYTES))
