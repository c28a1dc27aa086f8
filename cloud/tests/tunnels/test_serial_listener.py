"""The listener of a virtual serial port: who is let in, what passes, how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import serial

from cloud.tunnels.addresses import is_loopback, port_range, same_caller
from cloud.tunnels.channel import Channel, TunnelRefused
from cloud.tunnels.serial_listener import NoFreePort, SerialListener, listen
from cloud.tunnels.switchboard import Switchboard
from edge_contract import tunnel
from edge_contract.payloads import decode
from edge_contract.tunnel import Close, Frame, Kind, Line, Open, Target
from edge_contract.tunnel_stream import LAST_SEQ

from .gateway import GATEWAY, Gateway, pair, upside_down

ENDS_S = 20.0
OPENING = Open(target=Target.PORT, port="com1", idle_s=60, longest_s=600, who="li")


@dataclass
class Lease:
    gateway: Gateway
    switchboard: Switchboard
    channel: Channel
    port: int
    ended: asyncio.Task[Close]

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)


async def lease(mode: str = "raw", caller: str = "127.0.0.1", come_s: float = 60.0, **words: object) -> Lease:
    gateway, switchboard = pair(**words)
    channel = await switchboard.open(GATEWAY, OPENING)
    listener = SerialListener(channel, caller, mode, switchboard.monotonic)
    port = await listener.start("127.0.0.1", "0")
    return Lease(gateway, switchboard, channel, port, asyncio.create_task(listener.run(come_s)))


async def told(gateway: Gateway) -> None:
    """Return when the gateway knows of the end."""
    async with asyncio.timeout(ENDS_S):
        while not gateway.closed:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@pytest.fixture
async def raw() -> AsyncIterator[Lease]:
    made = await lease()
    yield made
    made.channel.end(Close(code="done"))
    await made.ended
    await made.switchboard.stop()


@pytest.mark.clause("C-100")
async def test_raw_bytes_both_ways_and_the_end_by_the_client(raw: Lease) -> None:
    reader, writer = await raw.connect()
    sent = random.Random(3).randbytes(300_000)
    writer.write(sent)
    assert await asyncio.wait_for(reader.readexactly(len(sent)), ENDS_S) == upside_down(sent)
    raw.gateway.say(b"by itself")
    assert await reader.readexactly(9) == b"by itself"
    writer.close()
    assert (await asyncio.wait_for(raw.ended, ENDS_S)).code == "done"
    await told(raw.gateway)
    assert raw.gateway.closed == [Close(code="done", detail="the caller has disconnected")]
    with pytest.raises(OSError):
        await raw.connect()


@pytest.mark.clause("C-101")
async def test_exactly_one_connection_is_taken(raw: Lease) -> None:
    reader, writer = await raw.connect()
    writer.write(b"\x00")
    assert await reader.readexactly(1) == b"\xff"
    with pytest.raises(OSError):
        second, _ = await raw.connect()
        if not await second.read():
            raise ConnectionResetError
    writer.write(b"\x01")
    assert await reader.readexactly(1) == b"\xfe"
    writer.close()


async def test_another_address_is_turned_away_and_the_caller_still_comes_in(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = await lease(caller="192.0.2.7")
    reader, writer = await made.connect()
    writer.write(b"let me in")
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""
    assert f"audit: 127.0.0.1 was turned away from tunnel {made.channel.name}" in caplog.messages
    assert not made.ended.done()
    assert made.channel.stream.sent == 0
    made.channel.end(Close(code="done"))
    await made.ended


async def test_nobody_comes() -> None:
    made = await lease(come_s=0.05)
    assert await asyncio.wait_for(made.ended, ENDS_S) == Close(
        code="done", detail="nobody connected within 0.05 s"
    )
    await told(made.gateway)
    assert made.gateway.closed[0].code == "done"


@pytest.mark.clause("C-102")
@pytest.mark.parametrize("connected", [True, False])
async def test_the_gateway_ends_it(connected: bool) -> None:
    made = await lease()
    if connected:
        reader, writer = await made.connect()
        writer.write(b"\x00")
        assert await reader.readexactly(1) == b"\xff"
        made.gateway.say(b"last words")
    made.gateway.close(Close(code="idle", detail="no byte"))
    assert await asyncio.wait_for(made.ended, ENDS_S) == Close(code="idle", detail="no byte")
    if connected:
        assert await reader.read() == b"last words"


@pytest.mark.parametrize("line", [Line(baud=1200, parity="O"), None], ids=["COM", "NET"])
async def test_an_independent_client_of_rfc_2217(line: Line | None) -> None:
    """pyserial negotiates, sets 7E1 at 19200, resets its buffers, sends every byte there is."""
    made = await lease("rfc2217", line=line)

    def use() -> bytes:
        url = f"rfc2217://127.0.0.1:{made.port}?timeout={ENDS_S:.0f}"
        with serial.serial_for_url(url, 19200, bytesize=7, parity="E", stopbits=2, timeout=ENDS_S) as client:
            assert client.cts and client.dsr and client.cd and not client.ri
            client.reset_input_buffer()
            client.write(bytes(range(256)) * 4)
            got = client.read(1024)
            client.baudrate = 2400
            client.write(b"\xff\x00")
            return bytes(got + client.read(2))

    got = await asyncio.to_thread(use)
    assert got == upside_down(bytes(range(256)) * 4) + b"\x00\xff"
    assert (await asyncio.wait_for(made.ended, ENDS_S)).code == "done"
    assert made.gateway.lines[-1] == Line(baud=2400, parity="E", data_bits=7, stop_bits=2)
    assert Line(baud=19200, parity="E", data_bits=7, stop_bits=2) in made.gateway.lines


async def test_many_settings_at_once_do_not_overrun_the_gateway() -> None:
    made = await lease("rfc2217")
    reader, writer = await made.connect()
    writer.write(b"\xff\xfa\x2c\x03\x03\xff\xf0" * 300 + b"end")
    got = b""
    while not got.endswith(upside_down(b"end")):
        got += await asyncio.wait_for(reader.read(4096), ENDS_S)
    assert got.count(b"\xff\xfa\x2c\x67\x03\xff\xf0") == len(made.gateway.lines) == 300
    writer.close()
    await made.ended


async def test_a_client_that_stops_the_flow_is_not_written_to() -> None:
    made = await lease("rfc2217")
    reader, writer = await made.connect()
    writer.write(b"\xff\xfb\x2c")
    await reader.readexactly(15 + 7)
    writer.write(b"\xff\xfa\x2c\x08\xff\xf0x")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(1), 0.1)
    writer.write(b"\xff\xfa\x2c\x09\xff\xf0")
    assert await asyncio.wait_for(reader.read(9), ENDS_S) == upside_down(b"x")
    writer.close()
    await made.ended


@pytest.mark.clause("C-104")
async def test_frames_without_a_tunnel_are_counted_and_end_nothing(raw: Lease) -> None:
    reader, writer = await raw.connect()
    data = tunnel.encode(Frame(raw.channel.name, 2, Kind.DATA, b"x"))
    for gateway, payload in (
        (GATEWAY, b"junk"),
        ("gw-other", data),
        (GATEWAY, b"ET\x01\x02" + bytes(7) + data[11:]),
    ):
        raw.switchboard.take(gateway, payload)
    writer.write(b"\x00")
    assert await reader.readexactly(1) == b"\xff"
    writer.close()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"refuses": Close(code="busy", detail="held by wang")}, "busy"),
        ({"silent": True}, "no_answer"),
        ({"away": True}, "link"),
    ],
)
async def test_what_the_gateway_does_not_open(words: dict[str, object], code: str) -> None:
    _, switchboard = pair(**words)
    with pytest.raises(TunnelRefused) as caught:
        await switchboard.open(GATEWAY, OPENING, timeout_s=0.05 if code == "no_answer" else ENDS_S)
    assert caught.value.code == code


@pytest.mark.clause("C-102")
async def test_the_cloud_ends_what_the_gateway_should_have_ended() -> None:
    now = [0.0]
    gateway, _ = pair()
    switchboard = Switchboard(gateway.send, lambda: not gateway.away, monotonic=lambda: now[0])
    gateway.switchboard = switchboard
    idle = await switchboard.open(GATEWAY, OPENING)
    now[0] = 64.0
    switchboard.check()
    assert idle.ended is None
    now[0] = 66.0
    switchboard.check()
    assert idle.ended == Close(code="idle", detail="no byte for 60 s")
    old = await switchboard.open(GATEWAY, OPENING)
    for _ in range(13):
        now[0] += 48.0
        await old.write(b"x", now[0])
        await asyncio.sleep(0.001)
        switchboard.check()
    assert old.ended == Close(code="expired", detail="600 s old")


@pytest.mark.clause("C-102")
async def test_ends_that_could_not_be_told_are_told_later() -> None:
    gateway, switchboard = pair()
    channel = await switchboard.open(GATEWAY, OPENING)
    gateway.away = True
    switchboard.check()
    assert channel.ended == Close(code="link", detail="the broker is away")
    await asyncio.wait_for(channel.over.wait(), ENDS_S)
    await switchboard.report_ends()
    assert list(switchboard.unreported) == [(GATEWAY, channel.name)]
    gateway.away = False
    told: list[Frame] = []

    async def hear(name: str, payload: bytes) -> None:
        told.append(tunnel.decode(payload))

    switchboard._send = hear
    await switchboard.report_ends()
    assert not switchboard.unreported
    assert [(frame.kind, frame.seq, decode(Close, frame.payload).code) for frame in told] == [
        (Kind.CLOSE, LAST_SEQ, "lost")
    ]


async def test_a_session_that_begins_anew_ends_the_tunnels_of_the_last() -> None:
    _, switchboard = pair()
    channel = await switchboard.open(GATEWAY, OPENING)
    switchboard.gateway_gone("gw-other", "offline")
    assert channel.ended is None
    switchboard.gateway_gone(GATEWAY, "the gateway is offline")
    assert channel.ended == Close(code="link", detail="the gateway is offline")


async def test_ports_of_a_range() -> None:
    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    taken = await listen(take, "127.0.0.1", "0")
    port = taken.sockets[0].getsockname()[1]
    with pytest.raises(NoFreePort, match=f"no free port of {port}"):
        await listen(take, "127.0.0.1", str(port))
    taken.close()
    assert port_range("7000-7100") == (7000, 7100)
    for wrong in ("", "x", "7100-7000", "70000", "0-5", "7000-"):
        with pytest.raises(ValueError, match="range of ports"):
            port_range(wrong)


def test_addresses() -> None:
    assert same_caller("192.0.2.1", "::ffff:192.0.2.1")
    assert same_caller("127.0.0.1", "::1")
    assert same_caller("fe80::1%eth0", "fe80::1")
    assert not same_caller("192.0.2.1", "192.0.2.2")
    assert not same_caller("", "")
    assert not same_caller("testclient", "testclient")
    assert is_loopback("localhost") and is_loopback("::1")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")
