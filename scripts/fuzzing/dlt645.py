"""DL/T 645 of both statutes for scripts/fuzz."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from random import Random
from typing import Any

from edge_agent.config.model import Port
from edge_agent.protocols.base import Raw
from edge_agent.protocols.dlt645.codec import Decoder, Frame
from edge_agent.protocols.dlt645.driver import Dlt645Driver
from edge_agent.protocols.dlt645.items import items
from fuzzing.codec import Codec, Exchange, planned, points, rows
from fuzzing.line import Clock, Played, chunks

METER = "202311150042"
ADDRESS = bytes.fromhex(METER)[::-1]
READ_ANSWER = {"2007": 0x91, "1997": 0x81}
MORE_FOLLOWS, FOLLOW_UP = 0x20, 1
"""Bit of a control code; what the code of the next frame's answer is higher."""
PORT = Port(name="p", type="COM", device="played", baud=9600, parity="E", min_interval_ms=0)
MAX_HELD = 267  # the longest frame


class Dlt645(Codec):
    """One statute."""

    lengths = (9, 13)

    def __init__(self, name: str) -> None:
        self._statute = name[-4:]
        golden = [
            bytes.fromhex(row["frame"])
            for row in rows("dlt645/frames.csv")
            if row["standard"] == self._statute
        ]
        super().__init__(name, golden, list(self._exchanges(name)))

    def _exchanges(self, name: str) -> Iterator[Exchange]:
        """Every item by itself, and the blocks, in one frame and in two."""
        chance = Random(645)
        wanted = points(
            [
                ("string" if item.kind == "digits" else "double", {"item": each})
                for each, item in items(self._statute).items()
            ]
        )
        for as_blocks in (False, True):
            for slave, block in planned(name, METER, {"blocks": as_blocks, "wake_up": 0}, wanted):
                if block.is_block or not as_blocks:
                    size = max((item.position * block.is_block + 1) * item.length for _, item in block.fields)
                    value = bytes(int(f"{chance.randrange(100):02}", 16) for _ in range(size))
                    yield Exchange(slave, block, block.di, self._answer(0, block.di + value), value)
                    if block.is_block:
                        first = self._answer(MORE_FOLLOWS, block.di + value[:2])
                        rest = self._answer(FOLLOW_UP, block.di + value[2:] + self._number)
                        yield Exchange(slave, block, block.di, rest, value, first)

    @property
    def _number(self) -> bytes:
        """What stands at the end of a first follow-up frame."""
        return b"\1" if self._statute == "2007" else b""

    def _answer(self, change: int, data: bytes) -> bytes:
        """change: what is added to the control code of an answer that is whole."""
        body = bytes((0x68, *ADDRESS, 0x68, READ_ANSWER[self._statute] + change, len(data)))
        body += bytes((byte + 0x33) & 0xFF for byte in data)
        return body + bytes((sum(body) & 0xFF, 0x16))

    def repair(self, data: bytearray) -> None:
        start = len(data) - len(data.lstrip(b"\xfe"))
        if len(data) >= start + 12:
            data[start] = data[start + 7] = 0x68
            data[start + 9] = (len(data) - start - 12) & 0xFF
            data[-2] = sum(data[start:-2]) & 0xFF
            data[-1] = 0x16

    def is_complete(self, data: bytes) -> bool:
        body = data.lstrip(b"\xfe")
        return _size(body, 0) == len(body) > 0

    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """The same frames whole and in chunks; each lies sound in the data, in order; nothing is held."""
        whole, cut = _decoded([data]), _decoded(chunks(data, chance))
        assert whole == cut, f"whole: {whole}; in chunks: {cut}"
        at = 0
        for frame in whole:
            at = _position(data, frame, at)
        return len(whole)

    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        head = bytes((0x68, *ADDRESS, 0x68, READ_ANSWER[self._statute] + FOLLOW_UP * bool(exchange.before)))
        tail = self._number if exchange.before else b""
        for at in range(len(data) - 11):
            size = _size(data, at)
            if size and data[at : at + 9] == head:
                carried = bytes((byte - 0x33) & 0xFF for byte in data[at + 10 : at + size - 2])
                if carried.startswith(exchange.request) and carried.endswith(tail):
                    end = len(carried) - len(tail)
                    yield exchange.data[: 2 * bool(exchange.before)] + carried[len(exchange.request) : end]

    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        driver = Dlt645Driver(
            PORT, Played(clock, [[exchange.before]] * bool(exchange.before) + [chunks(data, chance)])
        )
        return driver.read(exchange.slave, exchange.block)


def _size(data: bytes, at: int) -> int:
    """Bytes of the sound frame that begins there, 0 when none does."""
    if len(data) < at + 12 or data[at] != 0x68 or data[at + 7] != 0x68:
        return 0
    size = data[at + 9] + 12
    frame = data[at : at + size]
    sound = len(frame) == size and frame[-1] == 0x16 and sum(frame[:-2]) % 256 == frame[-2]
    return size if sound else 0


def _decoded(chunks: Sequence[bytes]) -> list[Frame]:
    decoder = Decoder()
    frames: list[Frame] = []
    for chunk in chunks:
        frames += decoder.feed(chunk)
        assert decoder.pending <= MAX_HELD, f"holds {decoder.pending} bytes"
    frames += decoder.give_up()
    assert decoder.pending == 0, "holds bytes that are given up"
    return frames


def _position(data: bytes, frame: Frame, at: int) -> int:
    """Where the frame ends in the data, looked for from `at` on."""
    shifted = bytes((byte + 0x33) & 0xFF for byte in frame.data)
    address = bytes.fromhex(frame.address)[::-1]
    for start in range(at, len(data) - 11):
        size = _size(data, start)
        same = data[start + 1 : start + 7] == address and data[start + 8] == frame.control if size else False
        if same and data[start + 10 : start + size - 2] == shifted:
            return start + size
    raise AssertionError(f"{frame} is not in the data")
