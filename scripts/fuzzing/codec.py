"""What all protocols are put through: stream decoder, description, and the way from answer bytes to values.

Whether a frame is sound is worked out here and in the modules beside this one, never by the codec itself.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadFrame, FieldbusError
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import Raw
from fuzzing.engine import Mutator
from fuzzing.line import Clock

GOLDEN = Path(__file__).resolve().parents[2] / "edge-agent" / "tests" / "protocols"
DIRECTIONS: tuple[Literal["request", "answer"] | None, ...] = (None, "request", "answer")


def rows(path: str) -> list[dict[str, str]]:
    """A table of golden frames."""
    with (GOLDEN / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Exchange:
    """A block of points, what the driver asks for it, and a sound answer.

    data: what all of the answer carries; before: part of it in a frame that comes first, in protocols that
    divide long answers.
    """

    slave: Slave
    block: Any
    request: bytes
    answer: bytes
    data: bytes
    before: bytes = b""


class Codec(ABC):
    """A protocol. frames: golden ones, then the sound answers of the exchanges; lengths: see Mutator."""

    lengths: Sequence[int] = ()

    def __init__(self, protocol: str, golden: Sequence[bytes], exchanges: Sequence[Exchange]) -> None:
        self.protocol = PROTOCOLS[protocol]
        self.exchanges = exchanges
        self.golden = len(golden)
        self.frames = [*golden, *(exchange.answer for exchange in exchanges)]
        self.mutant = Mutator(self.frames, self.golden, self.lengths, self.repair)
        assert golden and exchanges, protocol

    @abstractmethod
    def repair(self, data: bytearray) -> None:
        """Set lengths and checksum right, where there is space for them."""

    @abstractmethod
    def decoded(self, origin: int, data: bytes, chance: Random) -> int:
        """Frames that the stream decoder finds, each of them checked; BadFrame where it may."""

    @abstractmethod
    def is_complete(self, data: bytes) -> bool:
        """Whether data is one frame with right lengths and checksum, and nothing around it."""

    @abstractmethod
    def payloads(self, exchange: Exchange, data: bytes) -> Iterator[bytes]:
        """What sound answers to the request carry that lie in data where the protocol lets one begin."""

    @abstractmethod
    def read(
        self, exchange: Exchange, data: bytes, clock: Clock, chance: Random
    ) -> Coroutine[Any, Any, Sequence[Raw]]:
        """The driver's read with data for an answer."""

    def check(self, origin: int, data: bytes, chance: Random) -> Counter[str]:
        counts: Counter[str] = Counter()
        untouched = data == self.frames[origin]
        try:
            counts["decoded"] = self.decoded(origin, data, chance)
        except BadFrame as error:
            assert str(error)
        counts["described"] = self._described(data)
        if untouched:
            assert counts["described"], "a sound frame was not described"
        if origin >= self.golden:
            self._valued(self.exchanges[origin - self.golden], data, chance, counts)
            assert counts["values"] or not untouched, "a sound answer gave no values"
        return counts

    def _described(self, data: bytes) -> int:
        described = 0
        for direction in DIRECTIONS:
            try:
                fields = self.protocol.describe(data, direction)
            except BadFrame as error:
                assert str(error)
                continue
            described += 1
            assert next(iter(fields)) == "direction"
            assert direction in (None, fields["direction"]), fields
            msgspec.json.encode(fields)
        assert not described or self.is_complete(data), "a broken frame was described"
        return described

    def _valued(self, exchange: Exchange, data: bytes, chance: Random, counts: Counter[str]) -> None:
        clock = Clock()
        try:
            values = clock.run(self.read(exchange, data, clock, chance))
        except FieldbusError as error:
            assert str(error)
            counts[error.code] += 1
            return
        counts["values"] += 1
        assert len(values) == len(exchange.block.points)
        decoded = repr(list(values))
        wanted = [repr(list(exchange.block.decode(carried))) for carried in self.payloads(exchange, data)]
        assert decoded in wanted, f"values {decoded} of a frame that is not sound; sound are {wanted}"


def planned(protocol: str, address: str, options: dict[str, Any], points: Sequence[Point]) -> list[Any]:
    """Slave and blocks of points, checked as a configuration is."""
    slave = Slave(name="s", port="p", protocol=protocol, address=address, options=options)
    entry = PROTOCOLS[protocol]
    for point in points:
        entry.validate_point(point, slave)
    return [(slave, block) for block in entry.plan(slave, points)]


def points(places: Sequence[tuple[str, dict[str, Any]]]) -> list[Point]:
    """Points of data type and address."""
    return [
        Point(slave="s", name=f"p{number}", data_type=kind, address=address)  # type: ignore[arg-type]
        for number, (kind, address) in enumerate(places)
    ]
