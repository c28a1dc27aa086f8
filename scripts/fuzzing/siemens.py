"""S7 over ISO-on-TCP and PPI for scripts/fuzz."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Coroutine, Iterator, Sequence
from random import Random
from typing import Any

from edge_agent.config.model import Port
from edge_agent.errors import BadFrame
from edge_agent.protocols.base import Raw
from edge_agent.protocols.s7.driver import S7Driver
from edge_agent.protocols.s7.iso import Connect
from edge_agent.protocols.s7.iso import Decoder as IsoDecoder
from edge_agent.protocols.s7.ppi import Decoder as PpiDecoder
from edge_agent.protocols.s7.ppi import Telegram
from edge_agent.protocols.s7.ppi_driver import PpiDriver
from fuzzing.codec import Codec, Exchange, planned, points, rows
from fuzzing.line import MISPLACED, Clock, Played, chunks

ELEMENT = {0x02: 1, 0x04: 2, 0x1C: 2, 0x1D: 2, 0x1E: 3, 0x1F: 5}
"""Bytes of one element that is read, by transport."""
BITS = (4, 5)
"""Transports of a value whose length counts bits."""
ISO_PORT = Port(name="p", type="NET", host="played", min_interval_ms=0)
PPI_PORT = Port(name="p", type="COM", device="played", baud=187500, parity="E", min_interval_ms=0)
CONFIRM = bytes.fromhex("0300001611D00000000100C1020100C2020101C0010A")
SETUP_REFERENCE, READ_REFERENCE = 1, 2
"""A new driver's first job is the setup, its second the read."""
MAX_HELD_ISO, MAX_HELD_PPI = 2 * 8199, 255

AREAS_300_BYTES: list[tuple[str, dict[str, Any]]] = [
    ("float", {"area": "DB", "db": 10, "offset": 0}),
    ("string", {"area": "DB", "db": 10, "offset": 4, "length": 20}),
    ("uint16", {"area": "DB", "db": 10, "offset": 30, "bit": 3}),
    ("double", {"area": "DB", "db": 11, "offset": 7}),
    ("uint8", {"area": "I", "offset": 3}),
    ("int16", {"area": "M", "offset": 101}),
    ("uint8", {"area": "Q", "offset": 0, "bit": 6}),
]
AREAS_300: list[tuple[str, dict[str, Any]]] = [
    *AREAS_300_BYTES,
    ("uint32", {"area": "T", "offset": 7}),
    ("uint16", {"area": "C", "offset": 9}),
]
AREAS_200: list[tuple[str, dict[str, Any]]] = [
    ("float", {"area": "V", "offset": 100}),
    ("string", {"area": "V", "offset": 200, "length": 9}),
    ("uint8", {"area": "Q", "offset": 0, "bit": 5}),
    ("int16", {"area": "AI", "offset": 4}),
    ("uint32", {"area": "T", "offset": 37}),
    ("uint16", {"area": "C", "offset": 2}),
]


class Siemens(Codec):
    """One carrier of S7 PDUs."""

    def __init__(
        self, name: str, address: str, options: dict[str, Any], golden: Sequence[bytes], all_points: Any
    ) -> None:
        self._reference = SETUP_REFERENCE if name == "ppi" else READ_REFERENCE
        choices = [all_points, *([one] for one in all_points)]
        exchanges = [
            self._exchange(slave, block)
            for choice in choices
            for slave, block in planned(name, address, options, points(choice))
        ]
        super().__init__(name, golden, exchanges)

    def _exchange(self, slave: Any, block: Any) -> Exchange:
        """As a PLC answers: octets for timers and counters, else bits."""
        chance, body, joined = Random(7), bytearray(), b""
        for item in block.items:
            body += bytes(len(body) % 2)
            value = chance.randbytes(item.count * ELEMENT[item.transport])
            octets = item.transport > 0x10
            head = b"\xff\x09" if octets else b"\xff\x04"
            body += head + (len(value) * (1 if octets else 8)).to_bytes(2, "big") + value
            joined += value
        pdu = ack(self._reference, bytes((4, len(block.items))), bytes(body))
        return Exchange(slave, block, b"", self.framed(pdu), joined)

    @abstractmethod
    def framed(self, pdu: bytes) -> bytes:
        """A sound frame."""

    def values(self, exchange: Exchange, pdu: bytes) -> Iterator[bytes]:
        """What a PDU carries, if it is the sound answer to the read."""
        sizes = [item.count * ELEMENT[item.transport] for item in exchange.block.items]
        if not sound_pdu(pdu) or pdu[1] != 3 or pdu[4:6] != self._reference.to_bytes(2, "big"):
            return
        if pdu[10:12] != b"\0\0" or pdu[6:8] != b"\0\2" or pdu[12:14] != bytes((4, len(sizes))):
            return
        body, joined = pdu[14:], b""
        for number, size in enumerate(sizes):
            length = int.from_bytes(body[2:4], "big")
            size_field = -(-length // 8) if body[1:2] and body[1] in BITS else length
            if body[:1] != b"\xff" or size_field != size or len(body) < 4 + size:
                return
            joined += body[4 : 4 + size]
            body = body[4 + size + (size % 2 if number < len(sizes) - 1 else 0) :]
        if len(body) <= 1:
            yield joined


class Iso(Siemens):
    lengths = (3, 14, 16, 4, 24, 25)

    def __init__(self) -> None:
        golden = [bytes.fromhex(row["frame"]) for row in rows("s7/iso-frames.csv")]
        golden += [
            self.framed(bytes.fromhex(row[side])[7:-2])
            for row in rows("s7/ppi-frames.csv")
            for side in ("request", "answer")
        ]
        super().__init__("s7", "1", {"model": "300", "pdu": 240}, golden, AREAS_300)

    def framed(self, pdu: bytes) -> bytes:
        return b"\3\0" + (len(pdu) + 7).to_bytes(2, "big") + b"\2\xf0\x80" + pdu

    def repair(self, data: bytearray) -> None:
        if len(data) >= 7:
            data[:5] = (
                b"\3\0" + len(data).to_bytes(2, "big") + (b"\2" if data[5] == 0xF0 else bytes((data[4],)))
            )
            if len(data) >= 19 and data[7] == 0x32:
                self._repair_pdu(data)

    def _repair_pdu(self, data: bytearray) -> None:
        data[5:7] = b"\xf0\x80"
        repair_pdu(data, 7, len(data))

    def is_complete(self, data: bytes) -> bool:
        if len(data) < 7 or data[0] != 3 or int.from_bytes(data[2:4], "big") != len(data):
            return False
        if data[5] & 0xF0 == 0xF0:
            return bool(data[6] & 0x80) and sound_pdu(data[5 + data[4] :])
        return 3 <= data[4] + 1 <= len(data) - 4

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The same packets whole and in chunks, but for those that came with an error; PDUs as they lie."""
        whole, cut = _packets([data]), _packets(chunks(data, chance))
        assert whole == cut[: len(whole)], f"whole: {whole}; in chunks: {cut}"
        pdus = list(_pdus(data))
        taken = [packet for packet in cut if isinstance(packet, bytes)]
        assert taken == pdus[: len(taken)], f"took {taken} of {pdus}"
        return len(cut)

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        for pdu in _pdus(data):
            yield from self.values(exchange, pdu)

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        setup = self.framed(ack(SETUP_REFERENCE, bytes.fromhex("F000000100 0100F0"), b""))
        steps = [[CONFIRM], [setup], chunks(data, chance)]
        if data != exchange.answer and chance.random() < MISPLACED:
            steps = (
                [steps[2], steps[0], steps[1]]
                if chance.random() < 0.5
                else [[CONFIRM], chunks(data, chance), steps[2]]
            )
        return S7Driver(ISO_PORT, lambda: Played(clock, steps)).read(exchange.slave, exchange.block)


class Ppi(Siemens):
    lengths = (1, 2, 14, 16, 24, 25)

    def __init__(self) -> None:
        golden = [
            bytes.fromhex(row[side]) for row in rows("s7/ppi-frames.csv") for side in ("request", "answer")
        ]
        golden += [b"\xe5", bytes.fromhex("1002005C5E16")]
        super().__init__("ppi", "2", {}, golden, AREAS_200)

    def framed(self, pdu: bytes) -> bytes:
        body = b"\0\2\x08" + pdu
        return bytes((0x68, len(body), len(body), 0x68, *body, sum(body) & 0xFF, 0x16))

    def repair(self, data: bytearray) -> None:
        if 9 < len(data) < 256:
            data[:4] = bytes((0x68, len(data) - 6, len(data) - 6, 0x68))
            repair_pdu(data, 7, len(data) - 2)
            data[-2:] = bytes((sum(data[4:-2]) & 0xFF, 0x16))
        elif len(data) == 6:
            data[0], data[5], data[4] = 0x10, 0x16, sum(data[1:4]) & 0xFF

    def is_complete(self, data: bytes) -> bool:
        if data == b"\xe5":
            return True
        if data[0] == 0x10:
            return len(data) == 6 and sum(data[1:4]) & 0xFF == data[4] and data[5] == 0x16
        return _sd2(data, 0) == len(data) > 0 and sound_pdu(data[7:-2])

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The same telegrams whole and in chunks; each lies sound in the data."""
        whole, cut = _telegrams([data]), _telegrams(chunks(data, chance))
        assert whole == cut, f"whole: {whole}; in chunks: {cut}"
        for telegram in whole:
            body = bytes((telegram.to & 0xFF, telegram.by & 0xFF, telegram.control)) + telegram.pdu
            tail = bytes((sum(body) & 0xFF, 0x16))
            if telegram.to < 0:
                wire = b"\xe5"
            elif telegram.pdu:
                wire = bytes((0x68, len(body), len(body), 0x68)) + body + tail
            else:
                wire = b"\x10" + body + tail
            assert wire in data, f"took {wire.hex()}"
        return len(whole)

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        for at in range(len(data) - 8):
            if (size := _sd2(data, at)) and data[at + 4 : at + 6] == b"\0\2":
                yield from self.values(exchange, data[at + 7 : at + size - 2])

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        steps = [[b"\xe5"], chunks(data, chance)]
        if data != exchange.answer and chance.random() < MISPLACED:
            steps = [chunks(data, chance), chunks(data, chance)]
        return PpiDriver(PPI_PORT, Played(clock, steps)).read(exchange.slave, exchange.block)


def ack(reference: int, parameter: bytes, data: bytes) -> bytes:
    """A PDU that answers without an error."""
    sizes = b"".join(number.to_bytes(2, "big") for number in (reference, len(parameter), len(data), 0))
    return b"\x32\3\0\0" + sizes + parameter + data


def sound_pdu(pdu: bytes) -> bool:
    """Whether the lengths in its head are those of the PDU."""
    if len(pdu) < 10 or pdu[0] != 0x32 or pdu[1] not in (1, 2, 3, 7):
        return False
    head = 12 if pdu[1] in (2, 3) else 10
    return len(pdu) == head + int.from_bytes(pdu[6:8], "big") + int.from_bytes(pdu[8:10], "big")


def repair_pdu(data: bytearray, start: int, end: int) -> None:
    """The head's length of data follows from that of the parameter."""
    if end - start >= 10 and data[start] == 0x32:
        rest = end - start - (12 if data[start + 1] in (2, 3) else 10)
        parameter = int.from_bytes(data[start + 6 : start + 8], "big")
        if 0 <= parameter <= rest:
            data[start + 8 : start + 10] = (rest - parameter).to_bytes(2, "big")


def _pdus(data: bytes) -> Iterator[bytes]:
    """PDUs of a connection, put together from their parts, up to the first broken header."""
    parts = b""
    while len(data) >= 7 and data[0] == 3 and 7 <= (size := int.from_bytes(data[2:4], "big")) <= len(data):
        head = data[4] + 5
        if not 7 <= head <= size:
            return
        if data[5] & 0xF0 == 0xF0:
            parts += data[head:size]
            if data[6] & 0x80:
                yield parts
                parts = b""
        data = data[size:]


def _sd2(data: bytes, at: int) -> int:
    """Bytes of the sound telegram with a PDU that begins there, 0 when none does."""
    if len(data) < at + 10 or data[at] != 0x68 or data[at + 3] != 0x68 or data[at + 1] != data[at + 2]:
        return 0
    end = at + data[at + 1] + 6
    if data[at + 1] < 4 or len(data) < end or data[end - 1] != 0x16:
        return 0
    return end - at if sum(data[at + 4 : end - 2]) & 0xFF == data[end - 2] else 0


def _packets(chunks: Sequence[bytes]) -> list[bytes | Connect]:
    """Packets before the first error."""
    decoder = IsoDecoder()
    packets: list[bytes | Connect] = []
    for chunk in chunks:
        try:
            packets += decoder.feed(chunk)
        except BadFrame as error:
            assert str(error)
            break
        assert decoder.pending <= MAX_HELD_ISO, f"holds {decoder.pending} bytes"
    return packets


def _telegrams(chunks: Sequence[bytes]) -> list[Telegram]:
    decoder = PpiDecoder()
    telegrams: list[Telegram] = []
    for chunk in chunks:
        telegrams += decoder.feed(chunk)
        assert decoder.pending <= MAX_HELD_PPI, f"holds {decoder.pending} bytes"
    telegrams += decoder.give_up()
    assert decoder.pending == 0, "holds bytes that are given up"
    return telegrams
