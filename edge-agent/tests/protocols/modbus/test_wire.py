"""The Modbus TCP wire against streams that no device should send."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import pytest

from edge_agent.errors import BadFrame, NoAnswer, PortDown
from edge_agent.protocols.modbus.identity import identity_of, identity_request
from edge_agent.protocols.modbus.wire import TcpWire


async def exchange(answer: Callable[[bytes], list[bytes]], timeout_s: float = 10.0) -> tuple[bytes, TcpWire]:
    """One request for unit 7 to a peer that sends these chunks."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for chunk in answer(await reader.readexactly(12)):
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(0.002)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    wire = TcpWire("127.0.0.1", server.sockets[0].getsockname()[1])
    await wire.open()
    try:
        return await wire.ask(7, b"\x03\x00\x00\x00\x01", timeout_s), wire
    finally:
        await wire.close()
        await asyncio.sleep(0.01)
        server.close()


def good(request: bytes) -> bytes:
    assert request[2:] == bytes.fromhex("0000 0006 07 03 0000 0001")
    return request[:4] + bytes.fromhex("0005 07 03 02 1234")


async def test_at_once_in_parts_and_behind_strays() -> None:
    assert (await exchange(lambda q: [good(q)]))[0].hex() == "03021234"
    assert (await exchange(lambda q: [good(q)[n : n + 1] for n in range(11)]))[0].hex() == "03021234"
    other_number = b"\xff\xff"
    answer, wire = await exchange(
        lambda q: [other_number + good(q)[2:] + good(q)[:6] + b"\x08" + good(q)[7:] + good(q)]
    )
    assert answer.hex() == "03021234"
    assert wire.strays == 2


@pytest.mark.parametrize("head", ["0001 0001 0005 07", "0001 0000 0001 07", "0001 0000 00FF 07"])
async def test_a_stream_without_frames_is_given_up(head: str) -> None:
    with pytest.raises(BadFrame, match="no Modbus TCP header"):
        await exchange(lambda q: [bytes.fromhex(head) + b"\x03\x02\x12\x34"])


async def test_silence_a_cut_frame_and_another_unit_end_at_the_time_out() -> None:
    with pytest.raises(NoAnswer, match="no answer within 50 ms"):
        await exchange(lambda q: [], 0.05)
    with pytest.raises(BadFrame, match="50 ms, half a frame: 00 01 00 00 00 05 07 03"):
        await exchange(lambda q: [good(q)[:8]], 0.05)
    with pytest.raises(BadFrame, match="answer of unit 8, asked 7"):
        await exchange(lambda q: [good(q)[:6] + b"\x08" + good(q)[7:]], 0.05)
    with pytest.raises(NoAnswer, match="50 ms"):
        await exchange(lambda q: [b"\xff\xff" + good(q)[2:]], 0.05)


async def test_the_answer_after_half_a_frame_is_read() -> None:
    """The half that came must not be put together with the next answer."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(good(await reader.readexactly(12))[:9])
        writer.write(good(await reader.readexactly(12)))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    wire = TcpWire("127.0.0.1", server.sockets[0].getsockname()[1])
    await wire.open()
    with pytest.raises(BadFrame, match="half a frame"):
        await wire.ask(7, b"\x03\x00\x00\x00\x01", 0.05)
    assert (await wire.ask(7, b"\x03\x00\x00\x00\x01", 10.0)).hex() == "03021234"
    await wire.close()
    server.close()


async def test_what_is_seen() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            writer.write(good(await reader.readexactly(12)))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    wire = TcpWire("127.0.0.1", server.sockets[0].getsockname()[1])
    seen: list[tuple[str, str]] = []
    wire.seen = lambda direction, data: seen.append((direction, data.hex(" ")))
    await wire.open()
    await wire.ask(7, b"\x03\x00\x00\x00\x01", 10.0)
    wire.seen = None
    await wire.ask(7, b"\x03\x00\x00\x00\x01", 10.0)
    assert seen == [
        ("request", "00 01 00 00 00 06 07 03 00 00 00 01"),
        ("answer", "00 01 00 00 00 05 07 03 02 12 34"),
    ]
    await wire.close()
    server.close()


async def test_a_peer_that_hangs_up() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(12)
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    wire = TcpWire("127.0.0.1", server.sockets[0].getsockname()[1])
    await wire.open()
    with pytest.raises(PortDown, match="closed by the other end"):
        await wire.ask(7, b"\x03\x00\x00\x00\x01", 10.0)
    assert not wire.connected
    with pytest.raises(PortDown, match="connection lost"):
        await wire.ask(7, b"\x03\x00\x00\x00\x01", 10.0)
    server.close()


async def test_one_timer_keeps_each_time_out() -> None:
    """The timer of an answered request is neither the next one's end nor its delay."""
    silent = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                request = await reader.readexactly(12)
                if not silent.is_set():
                    writer.write(good(request))
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    wire = TcpWire("127.0.0.1", server.sockets[0].getsockname()[1])
    await wire.open()
    loop, pdu = asyncio.get_running_loop(), b"\x03\x00\x00\x00\x01"
    try:
        for timeout_s in (10.0, 20.0, 5.0):
            assert (await wire.ask(7, pdu, timeout_s)).hex() == "03021234"
        silent.set()
        for timeout_s in (0.3, 0.05, 0.15):
            begin = loop.time()
            with pytest.raises(NoAnswer, match=f"within {timeout_s * 1000:.0f} ms"):
                await wire.ask(7, pdu, timeout_s)
            assert timeout_s <= loop.time() - begin + 0.001 < 3
        silent.clear()
        asked = asyncio.ensure_future(wire.ask(7, pdu, 10.0))
        await asyncio.sleep(0)
        asked.cancel()
        assert (await wire.ask(7, pdu, 10.0)).hex() == "03021234", (
            "the answer to a request given up is a stray"
        )
        assert wire.strays == 1
    finally:
        await wire.close()
        server.close()


@pytest.mark.parametrize(
    ("pdu", "words"),
    [
        ("11", "byte count: none, 00 expected"),
        ("11 05 B4 FF", "byte count: 05, 02 expected"),
        ("2B 0E 01 01 00 00", "type 0e and 7 bytes expected"),
        ("2B 0D 01 01 00 00 00", "type 0e and 7 bytes expected"),
        ("2B 0E 01 01 00 00 01 00", "object 0 ends behind the frame"),
        ("2B 0E 01 01 00 00 02 00 01 41 01 02 42", "object 1 ends behind the frame"),
        ("2B 0E 01 01 00 00 01 00 01 41 00 00", "2 bytes behind its 1 objects"),
    ],
)
def test_what_is_wrong_in_an_identification(pdu: str, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        identity_of(bytes.fromhex(pdu))


def test_what_an_identification_says() -> None:
    assert identity_request(tcp=True).hex() == "2b0e0100" and identity_request(tcp=False).hex() == "11"
    assert identity_of(bytes.fromhex("2B 0E 01 01 00 00 00")) == ""
    assert identity_of(bytes.fromhex("11 02 B4 FF")) == identity_of(bytes.fromhex("11 00")) == ""
    assert identity_of(bytes.fromhex("11 09 B4 FF 20 21 7E 7F 41 1F 42")) == "!~ A B"
    assert identity_of(bytes.fromhex("11 03 41 42 43")) == "C", "behind the id and the status"
    two = bytes.fromhex("2B 0E 01 01 00 00 03 00 01 41 01 00 02 02 42 43")
    assert identity_of(two) == "A BC", "an empty object is left out"
