"""Points of one controller to few requests. Pure.

A point is never cut over two requests, a request never crosses from one area into another. Gaps are read
along as far as options.max_gap allows; a refused block is cut at its gaps first, then halved between points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.base import Block
from edge_agent.protocols.fx.areas import areas, type_registers
from edge_agent.protocols.fx.codec import FRAME_CHARS, Request
from edge_agent.protocols.fx.config import Place, options_of, place_of
from edge_agent.protocols.grouping import cut, joined
from edge_agent.protocols.word_values import WordDecoder

GAP = 16
"""Bytes worth reading along: at 9600 baud two characters each, a request about 20 and the turnaround."""

REQUEST_CHARS = 9 + FRAME_CHARS + FRAME_CHARS
"""Of an extended read and its answer, beside the answer's data."""


@dataclass(frozen=True, eq=False)
class FxBlock:
    """One read request. places: by rising byte address, of one area."""

    places: tuple[Place, ...]
    request: Request = field(init=False)
    decode: WordDecoder = field(init=False, repr=False)

    def __post_init__(self) -> None:
        start = self.places[0].start
        count = max(place.end for place in self.places) - start
        request = Request("read", self.places[0].area.set, start, count)
        fields = [replace(place.field, at=place.start - start + place.field.at) for place in self.places]
        object.__setattr__(self, "request", request)
        object.__setattr__(self, "decode", WordDecoder(fields))

    @property
    def points(self) -> tuple[int, ...]:
        return self.decode.points

    @property
    def wire_bytes(self) -> int:
        return REQUEST_CHARS - (2 if self.request.set == "classic" else 0) + 2 * self.request.count

    def split(self, error: DeviceRefused) -> tuple[Block, ...]:
        return tuple(FxBlock(part) for part in cut(self.places))


def plan(slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
    """Requests that read every point once, by area and rising address."""
    options = options_of(slave)
    if options.max_gap is not None:
        gap = options.max_gap
    elif gap is None:
        gap = GAP
    runs: dict[tuple[str, int], list[Place]] = {}
    for index, point in enumerate(points):
        place = place_of(point, slave, index)
        runs.setdefault((place.area.name, place.area.first), []).append(place)
    blocks: list[Block] = []
    for key in sorted(runs):
        places = sorted(runs[key], key=lambda place: (place.start, place.size))
        blocks += [FxBlock(run) for run in joined(places, options.max_bytes, gap)]
    return blocks


def write_request(place: Place, data: bytes) -> Request:
    """Request that writes whole devices."""
    return Request("write", place.area.set, place.start, data=data)


def read_request(place: Place) -> Request:
    """Request that reads the devices of one point."""
    return Request("read", place.area.set, place.start, place.size)


def force_request(place: Place, on: bool) -> Request:
    """Request that sets or resets a bit device."""
    return Request("force_on" if on else "force_off", place.area.set, place.area.force_of(place.number))


def identity_requests(slave: Slave) -> list[tuple[int, Request]]:
    """Registers with type and version that the model has, and the requests that read them."""
    model = options_of(slave).model
    return [
        (number, Request("read", area.set, area.byte_of(number), 2))
        for number in type_registers(model)
        for area in areas(model)["D"]
        if area.first <= number <= area.last
    ]


def identity_of(slave: Slave, register: int, data: bytes) -> str:
    """Words for a number such as 22210: type 22, version 2.10."""
    kind, version = divmod(int.from_bytes(data, "little"), 1000)
    name = type_registers(options_of(slave).model)[register].get(kind, f"type {kind}")
    return f"{name} V{version // 100}.{version % 100:02d}"
