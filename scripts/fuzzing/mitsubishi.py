"""The FX programming port and the MC protocol, frames 1E and 3E, for scripts/fuzz."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Literal

from edge_agent.config.model import Port
from edge_agent.errors import BadFrame
from edge_agent.protocols.base import Raw
from edge_agent.protocols.fx.codec import Decoder, decode, encode
from edge_agent.protocols.fx.driver import FxDriver
from edge_agent.protocols.mc.config import FRAMES
from edge_agent.protocols.mc.driver import McDriver
from fuzzing.codec import Codec, Exchange, planned, points, rows
from fuzzing.line import MISPLACED, Clock, Played, chunks

SERIAL = Port(name="p", type="COM", device="played", data_bits=7, parity="E", min_interval_ms=0)
NET = Port(name="p", type="NET", host="played", min_interval_ms=0)
ACK = b"\x06"
MAX_HELD_FX = 600
FX_FRAME = re.compile(rb"\x02([0-9A-F]+)\x03([0-9A-F]{2})")

WORDS: list[tuple[str, dict[str, Any]]] = [
    ("uint16", {"area": "D", "offset": 100}),
    ("float", {"area": "D", "offset": 101}),
    ("string", {"area": "D", "offset": 103, "length": 7}),
    ("int32", {"area": "D", "offset": 107}),
    ("uint16", {"area": "D", "offset": 108, "bit": 9}),
    ("int8", {"area": "D", "offset": 109, "byte": "high"}),
]
SETS: list[list[tuple[str, dict[str, Any]]]] = [
    WORDS,
    WORDS[:1],
    [("uint8", {"area": "M", "offset": 16 + at}) for at in range(13)],
    [("uint8", {"area": "X", "offset": at}) for at in range(8)],
    [("uint16", {"area": "D", "offset": 10 + at}) for at in range(40)],
    [("int32", {"area": "CN", "offset": 200 + at}) for at in range(3)],
]


class Fx(Codec):
    def __init__(self) -> None:
        golden = [bytes.fromhex(row[side]) for row in rows("fx/frames.csv") for side in ("request", "answer")]
        chance, exchanges = Random(3), []
        for model, choice in ((model, choice) for model in ("FX1S", "FX3U") for choice in SETS):
            if model == "FX1S":
                choice = [(kind, address) for kind, address in choice if address["area"] != "CN"]
            for slave, block in planned("fx", "0", {"model": model}, points(choice)):
                data = chance.randbytes(block.request.count)
                exchanges.append(Exchange(slave, block, b"", fx_frame(data.hex().upper().encode()), data))
        super().__init__("fx", golden, exchanges)

    def repair(self, data: bytearray) -> None:
        if len(data) >= 5:
            data[0], data[-3] = 0x02, 0x03
            data[-2:] = b"%02X" % (sum(data[1:-2]) & 0xFF)

    def is_complete(self, data: bytes) -> bool:
        if data in (b"\x05", b"\x06", b"\x15"):
            return True
        match = FX_FRAME.fullmatch(data)
        return match is not None and fx_frame(match[1]) == data

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The same tokens whole and in chunks; each lies sound in the data."""
        whole, cut = _tokens([data]), _tokens(chunks(data, chance))
        assert whole == cut, f"whole: {whole}; in chunks: {cut}"
        for token in whole:
            wire = bytes((token,)) if isinstance(token, int) else fx_frame(token)
            assert wire in data, f"took {wire.hex()}"
            with suppress(BadFrame):
                assert isinstance(token, int) or encode(decode(token)) == wire, "a request changed its form"
        return len(whole)

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        for match in FX_FRAME.finditer(data):
            if fx_frame(match[1]) == match[0] and len(match[1]) == 2 * exchange.block.request.count:
                yield bytes.fromhex(match[1].decode())

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        steps = [[ACK], chunks(data, chance), chunks(data, chance)]
        if data != exchange.answer and chance.random() < MISPLACED:
            steps[0] = chunks(data, chance)
        return FxDriver(SERIAL, Played(clock, steps)).read(exchange.slave, exchange.block)


class Mc(Codec):
    """One frame in one code. Without checksums: what is checked are subheader, lengths, digits, end code."""

    def __init__(self, frame: Literal["1e", "3e"], code: Literal["binary", "ascii"]) -> None:
        self._frame, self._ascii = frame, code == "ascii"
        self._codec = FRAMES[frame, code]
        self.lengths = ((7, 8, 19), (14, 15, 16, 17))[self._ascii] if frame == "3e" else (10, 20)
        kept = [row for row in rows("mc/frames.csv") if (row["frame"], row["code"]) == (frame, code)]
        golden = [self._wire(row[side]) for row in kept for side in ("request", "answer")]
        options = {"code": code} | ({"series": "FX5"} if frame == "3e" else {})
        chance, exchanges = Random(5), []
        for choice in SETS if frame == "1e" else SETS[:-1]:
            for slave, block in planned(f"mc_{frame}", "0", options, points(choice)):
                count, bits = block.request.count, block.request.bits
                data = bytes(chance.choices((0, 1), k=count)) if bits else chance.randbytes(2 * count)
                exchanges.append(Exchange(slave, block, b"", self._answer(data, bits), data))
        super().__init__(f"mc_{frame}", golden, exchanges)

    def _wire(self, text: str) -> bytes:
        return text.encode() if self._ascii else bytes.fromhex(text)

    def _head(self, bits: bool, size: int) -> bytes:
        """All of a good answer before the data."""
        if self._frame == "1e":
            head = "8000" if bits else "8100"
        elif self._ascii:
            head = f"D00000FF03FF00{size + 4:04X}0000"
        else:
            head = "D00000FFFF0300" + (size + 2).to_bytes(2, "little").hex() + "0000"
        return self._wire(head)

    def _answer(self, data: bytes, bits: bool) -> bytes:
        if bits and self._ascii:
            body = "".join(map(str, data)).encode() + b"0" * (self._frame == "1e" and len(data) % 2)
        elif bits:
            padded = data + bytes(len(data) % 2)
            body = bytes(padded[at] << 4 | padded[at + 1] for at in range(0, len(padded), 2))
        elif self._ascii:
            body = b"".join(b"%02X%02X" % (data[at + 1], data[at]) for at in range(0, len(data), 2))
        else:
            body = data
        return self._head(bits, len(body)) + body

    def _data(self, body: bytes, bits: bool, count: int) -> bytes | None:
        """Data of so many points in a body that holds just them; None when it does not."""
        if self._ascii:
            if not re.fullmatch(rb"[01]*" if bits else rb"[0-9A-F]*", body):
                return None
            if not bits:
                words = [body[at : at + 4] for at in range(0, len(body), 4)]
                data = b"".join(int(word, 16).to_bytes(2, "little") for word in words)
                return data if len(body) == 4 * count else None
            return bytes(byte & 1 for byte in body[:count]) if len(body) == self._digits(count) else None
        if not bits:
            return body if len(body) == 2 * count else None
        nibbles = [nibble for byte in body for nibble in (byte >> 4, byte & 15)]
        sound = len(body) == -(-count // 2) and set(nibbles) <= {0, 1}
        return bytes(nibbles[:count]) if sound else None

    def _digits(self, count: int) -> int:
        return count + (count % 2 if self._frame == "1e" else 0)

    def repair(self, data: bytearray) -> None:
        if self._frame == "3e" and self._ascii and len(data) >= 18:
            data[14:18] = b"%04X" % (len(data) - 18)
        elif self._frame == "3e" and not self._ascii and len(data) >= 9:
            data[7:9] = (len(data) - 9).to_bytes(2, "little")

    def is_complete(self, data: bytes) -> bool:
        """Of 3E the length; 1E says in no answer how long it is, in a request only by its points."""
        ascii_data = re.match(rb"[0-9A-F]{2}", data) is not None  # the protocol tells the codes apart by this
        if self._frame == "3e":
            return _length_3e(data, ascii_data) == len(data)
        if ascii_data:
            return len(data) % 2 == 0 and re.fullmatch(rb"[0-9A-F]*", data) is not None
        first = data[0]
        if first in (0, 1, 0x15):
            return len(data) == (4 if first == 0x15 else 12)
        if first in (2, 3):
            count = data[10] or 256
            return len(data) == 12 + (-(-count // 2) if first == 2 else 2 * count)
        if data[1] == 0x5B:
            return len(data) == 4
        if first in (0x80, 0x81) and not data[1]:
            return first == 0x80 or len(data) % 2 == 0
        return len(data) == (4 if first == 0x95 and not data[1] else 2)

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The length that is awaited does not change with what comes later, and is never exceeded."""
        exchange = (
            self.exchanges[origin - self.golden] if origin >= self.golden else chance.choice(self.exchanges)
        )
        request, known_sizes = exchange.block.request, 0
        for size_of in (self._codec.request_size, lambda held: self._codec.answer_size(request, held)):
            ends = (len(data), *(int(chance.random() * len(data)) for _ in range(3)))
            sizes = {size for end in ends if (size := _size(size_of, data[:end])) is not None}
            assert len(sizes - {-1}) <= 1, f"lengths {sizes}"
            known_sizes += bool(sizes - {-1})
        return known_sizes

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        request = exchange.block.request
        for end in range(len(data) + 1) if self._frame == "1e" else (_length_3e(data, self._ascii),):
            head = self._head(request.bits, end - (self._offset() if self._frame == "3e" else 0))
            if 0 < end <= len(data) and data[: len(head)] == head:
                payload = self._data(data[len(head) : end], request.bits, request.count)
                if payload is not None:
                    yield payload

    def _offset(self) -> int:
        """Bytes of a 3E answer before its data."""
        return 22 if self._ascii else 11

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        return self._connected(McDriver(NET, Played(clock, [chunks(data, chance)])), exchange)

    async def _connected(self, driver: McDriver, exchange: Exchange) -> Sequence[Raw]:
        await driver.connect()
        return await driver.read(exchange.slave, exchange.block)


def fx_frame(digits: bytes) -> bytes:
    """A sound frame."""
    return b"\x02" + digits + b"\x03" + b"%02X" % ((sum(digits) + 3) % 256)


def _tokens(chunks: Sequence[bytes]) -> list[int | bytes]:
    decoder = Decoder()
    tokens: list[int | bytes] = []
    for chunk in chunks:
        tokens += decoder.feed(chunk)
        assert decoder.pending <= MAX_HELD_FX, f"holds {decoder.pending} bytes"
    return tokens


def _length_3e(data: bytes, ascii_data: bool) -> int:
    """Bytes of the frame as its length field says; -1 when there is none."""
    if ascii_data:
        field = data[14:18]
        return 18 + int(field, 16) if re.fullmatch(rb"[0-9A-F]{4}", field) else -1
    return 9 + int.from_bytes(data[7:9], "little") if len(data) >= 9 else -1


def _size(size_of: Any, held: bytes) -> int | None:
    """-1: no frame."""
    try:
        size: int | None = size_of(held)
    except BadFrame as error:
        assert str(error)
        return -1
    return size
