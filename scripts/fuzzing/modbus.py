"""Modbus TCP and RTU for scripts/fuzz."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from edge_agent.config.model import Port
from edge_agent.errors import FieldbusError
from edge_agent.model import Seen
from edge_agent.protocols.base import Raw
from edge_agent.protocols.modbus.driver import ModbusDriver
from edge_agent.protocols.modbus.listener import Listener
from edge_agent.protocols.modbus.wire import TcpWire
from fuzzing.codec import Codec, Exchange, planned, points, rows
from fuzzing.line import Clock, chunks

AREAS = {1: "0X", 2: "1X", 3: "4X", 4: "3X"}
LONG = (
    (1, 3, 0, 125),
    (9, 1, 65_000, 500),
)  # beside the golden ones, which are all short: unit, function ...
PORT = Port(name="p", type="NET", host="played", min_interval_ms=0)


def crc(data: bytes) -> bytes:
    """Bit by bit as the specification draws it, low byte first."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return bytes((value & 0xFF, value >> 8))


@dataclass(frozen=True)
class Pair:
    """PDUs of a golden request and its answer, and the unit."""

    unit: int
    request: bytes
    answer: bytes

    @property
    def answer_size(self) -> int:
        """Bytes that the answer's PDU must have, exceptions aside."""
        function, count = self.request[0], int.from_bytes(self.request[3:5], "big")
        if function > 4:
            return 5
        return 2 + (2 * count if function > 2 else -(-count // 8))


class Modbus(Codec):
    """One carrier."""

    head, tail = 1, 2
    """Bytes around unit and PDU: before the PDU with the unit, and behind it."""

    def __init__(self, name: str) -> None:
        carrier = name.removeprefix("modbus_")
        kept = [bytes.fromhex(row["frame"]) for row in rows("modbus/frames.csv") if row["carrier"] == carrier]
        requests, answers = kept[::2], kept[1::2]
        self.pairs = [
            Pair(one[self.head - 1], self._pdu(one), self._pdu(two))
            for one, two in zip(requests, answers, strict=True)
        ]
        self._driver = ModbusDriver(name, PORT)
        exchanges = [self._exchange(name, pair) for pair in [*self.pairs, *_long()] if pair.answer[0] <= 4]
        super().__init__(name, kept, exchanges)

    def _pdu(self, frame: bytes) -> bytes:
        return frame[self.head : len(frame) - self.tail]

    def _exchange(self, name: str, pair: Pair) -> Exchange:
        """Points of every kind over what a read asks for."""
        function, start, count = (
            pair.request[0],
            *(int.from_bytes(pair.request[at : at + 2], "big") for at in (1, 3)),
        )
        area = AREAS[function]
        places: list[tuple[str, dict[str, Any]]] = [
            ("uint16", {"reg_type": area, "offset": start + at}) for at in range(count)
        ]
        if function > 2:
            places.append(("string", {"reg_type": area, "offset": start, "length": min(count, 123)}))
            places.append(("uint16", {"reg_type": area, "offset": start, "bit": 11}))
            places += [
                (kind, {"reg_type": area, "offset": start, "endian": order})
                for kind, order in (("float", "CDAB"), ("int32", "DCBA"), ("int8", "BADC"))
                if count > 1
            ]
        ((slave, block),) = planned(name, str(pair.unit), {}, points(places))
        assert (block.start, block.count, block.function) == (start, count, function)
        return Exchange(slave, block, pair.request, self.framed(pair.unit, pair.answer), pair.answer[2:])

    @abstractmethod
    def framed(self, unit: int, pdu: bytes) -> bytes:
        """A sound frame."""

    def answers(self, exchange: Exchange, unit: int, pdu: bytes) -> bool:
        """Whether a PDU carries what was asked for."""
        pair = Pair(int(exchange.slave.address), exchange.request, b"")
        right = unit == pair.unit and len(pdu) == pair.answer_size and pdu[0] == pair.request[0]
        return right and pdu[1] == len(pdu) - 2


class Rtu(Modbus):
    lengths = (2,)

    def framed(self, unit: int, pdu: bytes) -> bytes:
        body = bytes((unit,)) + pdu
        return body + crc(body)

    def repair(self, data: bytearray) -> None:
        data[-2:] = crc(bytes(data[:-2]))

    def is_complete(self, data: bytes) -> bool:
        return 4 <= len(data) <= 256 and crc(data[:-2]) == data[-2:]

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The listener takes only what lies sound in the data, of the unit, function and size asked for."""
        pair = self.pairs[origin // 2] if origin < self.golden else chance.choice(self.pairs)
        line, request = Listener(), self.framed(pair.unit, pair.request)
        line.echoes = (None, True, False)[int(chance.random() * 3)]
        line.begin(request)
        try:
            pdu = _heard(
                line, [request, *chunks(data, chance)] if chance.random() < 0.2 else chunks(data, chance)
            )
        except FieldbusError:
            return 0
        taken = self.framed(pair.unit, pdu)
        assert taken in request + data, f"took {taken.hex()}"
        assert pdu[0] & 0x7F == pair.request[0], f"took function {pdu[0]}"
        assert len(pdu) == (2 if pdu[0] & 0x80 else pair.answer_size), f"took {pdu.hex()}"
        return 1

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        size = Pair(0, exchange.request, b"").answer_size + 3
        for at in range(len(data) - size + 1):
            frame = data[at : at + size]
            if self.answers(exchange, frame[0], frame[1:-2]) and crc(frame[:-2]) == frame[-2:]:
                yield frame[3:-2]

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        self._driver._wire, self._driver._quiet_from = Line(self, chunks(data, chance)), 0.0
        return self._driver.read(exchange.slave, exchange.block)


class Tcp(Modbus):
    head, tail = 7, 0
    lengths = (4, 5, 8)

    def framed(self, unit: int, pdu: bytes) -> bytes:
        return b"\0\1\0\0" + (len(pdu) + 1).to_bytes(2, "big") + bytes((unit,)) + pdu

    def repair(self, data: bytearray) -> None:
        if len(data) > 6:
            data[2:6] = (len(data) - 6).to_bytes(4, "big")

    def is_complete(self, data: bytes) -> bool:
        return 8 <= len(data) <= 260 and int.from_bytes(data[2:6], "big") == len(data) - 6

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The same is taken of the bytes whole and in chunks; it lies in them with this number and unit."""
        pair = self.pairs[origin // 2] if origin < self.golden else chance.choice(self.pairs)
        taken = {self._taken(pair.unit, cut) for cut in ([data], chunks(data, chance))}
        assert len(taken) == 1, f"whole or in chunks: {taken}"
        (pdu,) = taken
        if pdu is None:
            return 0
        assert self.framed(pair.unit, pdu) in data, f"took {pdu.hex()}"
        return 1

    def _taken(self, unit: int, chunks: Sequence[bytes]) -> bytes | None:
        clock = Clock()
        wire = _tcp_wire(TcpWire("", 0), clock, chunks)
        try:
            return clock.run(wire.ask(unit, b"\3\0\0\0\1", 1.0))
        except FieldbusError:
            return None

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        while len(data) >= 8 and 2 <= int.from_bytes(data[2:6], "big") <= min(254, len(data) - 6):
            end = 6 + data[5]
            if data[:2] == b"\0\1" and self.answers(exchange, data[6], data[7:end]):
                yield data[9:end]
            data = data[end:]

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        wire = _tcp_wire(TcpWire("", 0), clock, chunks(data, chance))
        self._driver._wire, self._driver._quiet_from = wire, 0.0
        return self._driver.read(exchange.slave, exchange.block)


class Line:
    """A wire that hears the chunks after its one request, and then nothing."""

    connected = echo_known = True

    def __init__(self, codec: Rtu, chunks: Sequence[bytes]) -> None:
        self.seen: Seen | None = None
        self._codec = codec
        self._chunks = chunks

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        line = Listener()
        line.begin(self._codec.framed(unit, pdu))
        return _heard(line, self._chunks)


class Sink(asyncio.Transport):
    """A connection that takes everything."""

    def write(self, data: Any) -> None: ...

    def abort(self) -> None: ...


def _heard(line: Listener, chunks: Sequence[bytes]) -> bytes:
    """PDU of the answer in the chunks; single bytes follow each other without a silence between them."""
    for chunk in chunks:
        pdu = line.heard(chunk) or (line.silent() if len(chunk) > 1 else None)
        if pdu is not None:
            return pdu
    return line.gave_up(0.1)


def _tcp_wire(wire: TcpWire, clock: Clock, chunks: Sequence[bytes]) -> TcpWire:
    """Open; the chunks come when it waits."""
    wire._loop = clock.loop
    wire.connection_made(Sink())
    clock.arriving = [partial(wire.data_received, chunk) for chunk in chunks]
    return wire


def _long() -> list[Pair]:
    chance, pairs = Random(1), []
    for unit, function, start, count in LONG:
        request = bytes((function, *start.to_bytes(2, "big"), *count.to_bytes(2, "big")))
        size = Pair(unit, request, b"").answer_size - 2
        pairs.append(Pair(unit, request, bytes((function, size)) + chance.randbytes(size)))
    return pairs
