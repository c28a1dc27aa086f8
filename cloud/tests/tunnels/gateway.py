"""A gateway's half of tunnels: answers openings, echoes bytes, or is a page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from cloud.link import LinkDown
from cloud.tunnels.switchboard import Switchboard
from edge_contract import tunnel
from edge_contract.payloads import decode, encode
from edge_contract.tunnel import Close, Kind, Line, Open
from edge_contract.tunnel_stream import TunnelStream

GATEWAY = "gw-test-1"

Answer = Callable[[bytes], bytes]


def upside_down(data: bytes) -> bytes:
    return bytes(255 - byte for byte in data)


@dataclass
class Gateway:
    """send is the switchboard's way to it. refuses: what it answers to an opening; silent: nothing at all.

    line: what its port tells, None for a NET port. answer: bytes to what the device says.
    """

    answer: Answer = upside_down
    refuses: Close | None = None
    silent: bool = False
    away: bool = False
    line: Line | None = field(default_factory=Line)
    streams: dict[str, TunnelStream] = field(default_factory=dict)
    opened: list[Open] = field(default_factory=list)
    closed: list[Close] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    switchboard: Switchboard | None = None

    async def send(self, gateway: str, payload: bytes) -> None:
        await asyncio.sleep(0)
        if self.away:
            raise LinkDown("no broker")
        if self.silent:
            return
        frame = tunnel.decode(payload)
        stream = self.streams.setdefault(frame.tunnel, TunnelStream(frame.tunnel))
        stream.receive(frame)
        while (event := stream.read()) is not None:
            self._take(stream, *event)
        self.flush(stream)

    def say(self, data: bytes) -> None:
        """The device says something by itself, on the newest tunnel."""
        stream = list(self.streams.values())[-1]
        stream.write(data)
        self.flush(stream)

    def close(self, close: Close) -> None:
        stream = list(self.streams.values())[-1]
        stream.close(close)
        self.flush(stream)

    def flush(self, stream: TunnelStream) -> None:
        assert self.switchboard is not None
        while (frame := stream.next_frame()) is not None:
            self.switchboard.take(GATEWAY, tunnel.encode(frame))

    def _take(self, stream: TunnelStream, kind: Kind, payload: bytes) -> None:
        match kind:
            case Kind.OPEN:
                self.opened.append(decode(Open, payload))
                if self.refuses is not None:
                    stream.close(self.refuses)
                    return
                if self.line is not None:
                    self.line = self.opened[-1].line or self.line
                    stream.put(Kind.LINE, encode(self.line))
                stream.put(Kind.OPENED)
            case Kind.DATA:
                stream.took(len(payload))
                if stream.ended is None:
                    stream.write(self.answer(payload))
            case Kind.LINE:
                self.lines.append(decode(Line, payload))
                stream.put(Kind.LINE, payload)
            case Kind.CLOSE:
                self.closed.append(decode(Close, payload))


def pair(**words: object) -> tuple[Gateway, Switchboard]:
    """A gateway and the switchboard that it is connected to."""
    gateway = Gateway(**words)  # type: ignore[arg-type]
    switchboard = Switchboard(gateway.send, lambda: not gateway.away)
    gateway.switchboard = switchboard
    return gateway, switchboard
