"""The gateway's ends of tunnels, against the cloud's half of the same contract and a clock that is moved."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from edge_agent.bus.commands import QueueFull
from edge_agent.config.model import Port
from edge_agent.errors import BadValue, PortDown
from edge_agent.model import Seen
from edge_agent.remote import tunnel_ends
from edge_agent.remote.tunnels import MAX_REFUSALS, MAX_TUNNELS, GatewayTunnels
from edge_agent.transports.mqtt import LinkDown
from edge_contract import tunnel as contract
from edge_contract.errors import PayloadError
from edge_contract.payloads import decode, encode
from edge_contract.tunnel import Close, Frame, Kind, Line, Open, Target
from edge_contract.tunnel_stream import TunnelStream

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bus"))

from simulated_plant import SimulatedClock, run_until_idle

COM = Port(name="com1", type="COM", device="/dev/none")
ENDS_S = 10.0


class Device:
    """An end in memory: says what is put, keeps what was written."""

    def __init__(self) -> None:
        self.line: Line | None = Line()
        self.written = bytearray()
        self.says: asyncio.Queue[bytes | Exception] = asyncio.Queue()
        self.is_open = False
        self.refuses: Exception | None = None

    async def open(self) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.is_open = True

    async def read(self) -> bytes:
        said = await self.says.get()
        if isinstance(said, Exception):
            raise said
        return said

    async def write(self, data: bytes) -> None:
        self.written += data

    async def set_line(self, line: Line) -> None:
        self.line = line

    async def close(self) -> None:
        self.is_open = False


@dataclass
class PortLocker:
    """Lends com1 to com9, one at a time, once free is set."""

    free: asyncio.Event = field(default_factory=asyncio.Event)
    locked: list[str] = field(default_factory=list)

    async def run_locked(
        self,
        port: str,
        work: Callable[[Port, Seen], Awaitable[Any]],
        longest_s: float,
        wait_s: float,
        who: str,
    ) -> Any:
        if not port.startswith("com"):
            raise BadValue(f"{port}: no such port")
        if port in self.locked:
            raise QueueFull(f"port {port} is lent already")
        await self.free.wait()
        self.locked.append(port)
        try:
            return await work(COM, lambda direction, data: None)
        finally:
            self.locked.remove(port)


@dataclass
class Cloud:
    """The other half: one TunnelStream for each tunnel that it opened."""

    tunnels: GatewayTunnels
    streams: dict[str, TunnelStream] = field(default_factory=dict)
    strays: list[Frame] = field(default_factory=list)
    cut: bool = False

    async def send(self, payload: bytes) -> None:
        """What the gateway sends."""
        await asyncio.sleep(0)
        if self.cut:
            raise LinkDown("no broker")
        frame = contract.decode(payload)
        stream = self.streams.get(frame.tunnel)
        if stream is None:
            self.strays.append(frame)
        else:
            stream.receive(frame)

    def open(self, name: str, port: str | None = "com1", **words: Any) -> TunnelStream:
        stream = self.streams[name] = TunnelStream(name)
        words = {"target": Target.PORT, "port": port, "who": "li", **words}
        stream.put(Kind.OPEN, encode(Open(**words)))
        self.flush(stream)
        return stream

    def flush(self, stream: TunnelStream) -> None:
        while (frame := stream.next_frame()) is not None:
            self.tunnels.take(contract.encode(frame))


@dataclass
class Site:
    clock: SimulatedClock
    locker: PortLocker
    devices: list[Device]
    tunnels: GatewayTunnels
    cloud: Cloud
    session: asyncio.Task[None]

    def ids(self) -> Iterator[str]:
        return (f"{number:016x}" for number in range(1, 100))


@pytest.fixture
async def site(request: pytest.FixtureRequest) -> AsyncIterator[Site]:
    clock, locker, devices = SimulatedClock(), PortLocker(), [Device() for _ in range(6)]
    locker.free.set()
    unused = iter(devices)
    words = getattr(request, "param", {})
    tunnels = GatewayTunnels(locker, None, clock, ends=lambda port, seen: next(unused), **words)
    cloud = Cloud(tunnels)
    session = asyncio.create_task(tunnels.run(cloud.send))
    await run_until_idle()
    yield Site(clock, locker, devices, tunnels, cloud, session)
    session.cancel()
    await asyncio.gather(session, return_exceptions=True)


ONE, TWO = "00000000000000a1", "00000000000000a2"


def ended(stream: TunnelStream) -> tuple[str, str]:
    assert stream.ended is not None
    return stream.ended.code, stream.ended.detail


@pytest.mark.clause("C-100")
async def test_opens_reports_its_line_and_carries_both_ways(site: Site) -> None:
    stream = site.cloud.open(ONE)
    await run_until_idle()
    assert stream.read() == (Kind.LINE, encode(Line()))
    assert stream.read() == (Kind.OPENED, b"")
    stream.write(bytes(range(256)))
    stream.put(Kind.LINE, encode(Line(baud=19200, parity="E", data_bits=7)))
    stream.write(b"after")
    site.cloud.flush(stream)
    site.devices[0].says.put_nowait(b"\xff\x00\r\n")
    await run_until_idle()
    assert site.devices[0].written == bytes(range(256)) + b"after"
    assert site.devices[0].line == Line(baud=19200, parity="E", data_bits=7)
    receipts = [stream.read(), stream.read()]
    assert (Kind.DATA, b"\xff\x00\r\n") in receipts
    assert (Kind.LINE, encode(Line(baud=19200, parity="E", data_bits=7))) in receipts


@pytest.mark.clause("C-101")
async def test_a_second_tunnel_to_a_port_is_refused_with_who_holds_it(site: Site) -> None:
    first, second = site.cloud.open(ONE, who="wang"), site.cloud.open(TWO)
    await run_until_idle()
    assert ended(second) == ("busy", "port com1 is lent to wang")
    assert first.ended is None
    first.close(Close(code="done"))
    site.cloud.flush(first)
    await run_until_idle()
    assert site.locker.locked == []
    assert not site.devices[0].is_open
    third = site.cloud.open("00000000000000a3")
    await run_until_idle()
    assert third.ended is None


@pytest.mark.clause("C-102")
async def test_idle_and_absolute_time(site: Site) -> None:
    idle = site.cloud.open(ONE, idle_s=60, longest_s=3600)
    old = site.cloud.open(TWO, "com2", idle_s=60, longest_s=100)
    await run_until_idle()
    await site.clock.advance(50)
    for stream in (idle, old):
        stream.write(b"x")
        site.cloud.flush(stream)
    await site.clock.advance(49)
    assert (idle.ended, old.ended) == (None, None)
    site.devices[0].says.put_nowait(b"y")
    await site.clock.advance(2)
    assert ended(old) == ("expired", "100 s old")
    await site.clock.advance(57)
    assert idle.ended is None, "what the device says counts as well"
    await site.clock.advance(2)
    assert ended(idle) == ("idle", "no byte for 60 s")
    assert site.locker.locked == []


@pytest.mark.clause("C-102", "C-105")
async def test_the_end_of_the_session_ends_every_tunnel_and_gives_ports_back(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        stream = site.cloud.open(ONE, who="li")
        await run_until_idle()
        stream.write(b"12345")
        site.cloud.flush(stream)
        site.devices[0].says.put_nowait(b"678")
        await run_until_idle()
        await site.clock.advance(7)
        site.session.cancel()
        await asyncio.gather(site.session, return_exceptions=True)
    assert site.locker.locked == []
    assert [device.is_open for device in site.devices] == [False] * 6
    assert f"audit: tunnel {ONE} to port com1 opened by li" in caplog.messages
    assert (
        f"audit: tunnel {ONE} to port com1 of li ended after 7 s: link the link was lost; "
        "5 bytes from the cloud, 3 to it" in caplog.messages
    )
    site.tunnels.take(contract.encode(Frame(TWO, 1, Kind.OPEN, encode(Open(target=Target.PAGE)))))
    assert site.tunnels.strays == 1, "without a session nothing is opened"


async def test_a_broken_link_ends_the_session(site: Site) -> None:
    site.cloud.open(ONE)
    await run_until_idle()
    site.cloud.cut = True
    site.devices[0].says.put_nowait(b"x")
    with pytest.raises(ExceptionGroup) as caught:
        await asyncio.wait_for(asyncio.shield(site.session), 2)
    assert caught.group_contains(LinkDown, depth=2)


@pytest.mark.clause("C-104")
async def test_strays_are_counted_and_end_nothing(site: Site) -> None:
    stream = site.cloud.open(ONE)
    await run_until_idle()
    for payload in (b"", b"nonsense", b"ET\x01\x09" + bytes(12)):
        with pytest.raises(PayloadError):
            site.tunnels.take(payload)
    site.tunnels.take(contract.encode(Frame(TWO, 1, Kind.DATA, b"x")))
    site.tunnels.take(contract.encode(Frame(TWO, 2, Kind.OPEN, b"{}")))
    assert site.tunnels.strays == 2
    stream.write(b"still there")
    site.cloud.flush(stream)
    await run_until_idle()
    assert site.devices[0].written == b"still there"


async def test_an_opening_that_comes_again_later_opens_nothing(site: Site) -> None:
    stream = site.cloud.open(ONE)
    again = contract.encode(Frame(ONE, 1, Kind.OPEN, encode(Open(target=Target.PORT, port="com1"))))
    site.tunnels.take(again)
    await run_until_idle()
    stream.close(Close(code="done"))
    site.cloud.flush(stream)
    await run_until_idle()
    site.tunnels.take(again)
    await run_until_idle()
    assert site.locker.locked == []
    assert site.tunnels.strays == 1


@pytest.mark.clause("C-100")
async def test_a_hole_ends_the_tunnel_and_says_so(site: Site) -> None:
    stream = site.cloud.open(ONE)
    await run_until_idle()
    stream.write(b"lost")
    stream.next_frame()
    stream.write(b"late")
    site.cloud.flush(stream)
    await run_until_idle()
    assert ended(stream)[0] == "lost"
    assert site.devices[0].written == b""
    assert site.locker.locked == []


@pytest.mark.parametrize(
    ("words", "code", "detail"),
    [
        ({"port": "net9"}, "no_port", "net9: no such port"),
        ({"port": None}, "no_port", "port: must be given"),
        ({"target": Target.PAGE, "port": None}, "refused", "the local page is switched off"),
        ({"idle_s": 1}, "refused", "idle_s: Expected `int` >= 5"),
    ],
)
async def test_what_cannot_be_opened_is_answered(site: Site, words: Any, code: str, detail: str) -> None:
    stream = site.cloud.open(ONE, **words)
    await run_until_idle()
    assert ended(stream)[0] == code
    assert detail in ended(stream)[1]


@pytest.mark.parametrize("site", [{"enable": False}], indirect=True)
async def test_the_site_can_forbid_tunnels(site: Site) -> None:
    stream = site.cloud.open(ONE)
    await run_until_idle()
    assert ended(stream) == ("refused", "tunnels are switched off on this gateway")


async def test_there_are_a_few_tunnels_and_a_flood_is_not_answered(site: Site) -> None:
    streams = [site.cloud.open(f"{number:016x}", f"com{number}") for number in range(1, MAX_TUNNELS + 2)]
    await run_until_idle()
    assert [stream.ended for stream in streams[:-1]] == [None] * MAX_TUNNELS
    assert ended(streams[-1]) == ("refused", f"at most {MAX_TUNNELS} tunnels at a time")
    for number in range(100, 200):
        site.cloud.open(f"{number:016x}", f"com{number}")
    await run_until_idle()
    answered = [name for name, stream in site.cloud.streams.items() if stream.ended is not None]
    assert len(answered) >= MAX_REFUSALS
    assert len(answered) + site.tunnels.strays == 101


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (PortDown("/dev/ttyS1: gone"), "port_down"),
        (tunnel_ends.Overrun("too fast"), "lost"),
        (ZeroDivisionError(), "stopped"),
    ],
)
async def test_what_breaks_a_device_ends_its_tunnel_only(site: Site, failure: Exception, code: str) -> None:
    sick, sound = site.cloud.open(ONE), site.cloud.open(TWO, "com2")
    await run_until_idle()
    site.devices[0].says.put_nowait(failure)
    await run_until_idle()
    assert ended(sick)[0] == code
    assert sound.ended is None
    assert not site.session.done()


async def test_a_port_that_cannot_be_opened(site: Site) -> None:
    site.devices[0].refuses = PortDown("/dev/ttyS1: no such device")
    stream = site.cloud.open(ONE)
    await run_until_idle()
    assert ended(stream) == ("port_down", "/dev/ttyS1: no such device")
    assert stream.read() is not None


async def test_a_port_that_does_not_get_free(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge_agent.remote.tunnels.LOCK_WAIT_S", 0.05)
    site.locker.free.clear()
    stream = site.cloud.open(ONE)
    async with asyncio.timeout(ENDS_S):
        while stream.ended is None:  # noqa: ASYNC110 (a stream announces nothing)
            await asyncio.sleep(0.005)
    assert ended(stream) == ("busy", "port com1 did not get free in 0 s")
    site.locker.free.set()
    await run_until_idle()
    assert site.locker.locked == []


async def test_what_a_device_said_last_is_sent_before_the_end(site: Site) -> None:
    stream = site.cloud.open(ONE)
    await run_until_idle()
    for said in (b"last", b"words", b""):
        site.devices[0].says.put_nowait(said)
    await run_until_idle()
    assert [stream.read() for _ in range(3)][2] == (Kind.DATA, b"lastwords")
    assert ended(stream)[0] == "done"


async def test_a_line_that_cannot_be_read_ends_the_tunnel(site: Site) -> None:
    stream = site.cloud.open(ONE)
    stream.put(Kind.LINE, b'{"baud": 1}')
    site.cloud.flush(stream)
    await run_until_idle()
    assert ended(stream)[0] == "lost"
    assert "baud" in ended(stream)[1]
    assert decode(Close, encode(Close(code="lost"))).code == "lost"
