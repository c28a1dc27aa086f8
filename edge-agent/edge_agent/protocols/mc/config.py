"""What a slave's options and a point's address mean, and the checks on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edge_agent.config.model import Point, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import section
from edge_agent.protocols.mc import options_1e, options_3e
from edge_agent.protocols.mc.codec import Code, Frame, Route
from edge_agent.protocols.mc.frame_1e import Frame1E
from edge_agent.protocols.mc.frame_3e import Frame3E
from edge_agent.protocols.mc.names import plain, printed
from edge_agent.protocols.mc.tables import Area, FrameName, areas
from edge_agent.protocols.packing import SIZES

Options = options_1e.Options | options_3e.Options
Address = options_1e.Address | options_3e.Address

FRAME_OF: dict[str, FrameName] = {"mc_1e": "1e", "mc_3e": "3e"}

TIMER_UNIT_MS = 250
TIMER_LEAD_MS = 100
"""The PLC's own refusal must be here before the answer is given up."""

WIDEST_GAP = {"1e": 32, "3e": 240}
"""Words worth reading along by default: what an Ethernet module takes for a request dwarfs their time."""

MAX_WORDS: dict[Code, int] = {"binary": 960, "ascii": 480}
MAX_BITS: dict[Code, int] = {"binary": 3584, "ascii": 1792}
"""Of one request of frame 3E (FX5 SLMP manual, batch read), the smallest of the families."""

FRAMES: dict[tuple[FrameName, Code], Frame] = {
    ("1e", "binary"): Frame1E("binary"),
    ("1e", "ascii"): Frame1E("ascii"),
    ("3e", "binary"): Frame3E("binary"),
    ("3e", "ascii"): Frame3E("ascii"),
}


@dataclass(frozen=True)
class Habits:
    """How a slave wants to be asked. timer: in units of 250 ms; xy_base: in which X and Y are printed."""

    frame: Frame
    route: Route
    timer: int
    max_words: int
    max_bits: int
    max_gap: int | None
    encoding: str
    xy_base: int

    def base(self, area: Area) -> int:
        return self.xy_base if area.base is None else area.base


@dataclass(frozen=True)
class Place:
    """A point on the wire. start: its plain number; size: bits or words that it takes."""

    area: Area
    start: int
    size: int


def habits_of(slave: Slave) -> Habits:
    if slave.protocol == "mc_1e":
        first = section(options_1e.Options, slave.options, "options")
        return Habits(
            frame=FRAMES["1e", first.code],
            route=Route(pc=first.pc),
            timer=_timer(first.timer, slave),
            max_words=first.max_words,
            max_bits=first.max_bits,
            max_gap=first.max_gap,
            encoding=first.encoding,
            xy_base=8,
        )
    third = section(options_3e.Options, slave.options, "options")
    return Habits(
        frame=FRAMES["3e", third.code],
        route=Route(third.network, third.pc, third.module_io, third.station),
        timer=_timer(third.timer, slave),
        max_words=_limited(third.max_words, MAX_WORDS[third.code], "max_words"),
        max_bits=_limited(third.max_bits, MAX_BITS[third.code], "max_bits"),
        max_gap=third.max_gap,
        encoding=third.encoding,
        xy_base=8 if third.series == "FX5" else 16,
    )


def address_of(point: Point, frame: FrameName) -> Address:
    if frame == "1e":
        return section(options_1e.Address, point.address, "address")
    return section(options_3e.Address, point.address, "address")


def base_of(slave: Slave, address: Mapping[str, Any]) -> int:
    """Base in which the numbers of an address's area are printed; 10 where there is no such area."""
    habits = habits_of(slave)
    named = [area for area in areas(habits.frame.name) if area.name == address.get("area")]
    return habits.base(named[0]) if named else 10


def place_of(point: Point, habits: Habits) -> Place:
    """ConfigError when the device does not exist or the point does not end within its area."""
    address = address_of(point, habits.frame.name)
    runs = [area for area in areas(habits.frame.name) if area.name == address.area]
    base = habits.base(runs[0])
    try:
        start = plain(address.offset, base)
    except ValueError as error:
        raise ConfigError("address.offset", str(error)) from None
    size = _size(point, address, runs[0])
    for area in runs:
        if area.first <= start and start + -(-size // area.words) - 1 <= area.last:
            return Place(area, start, size)
    ranges = " or ".join(f"{printed(area.first, base)} to {printed(area.last, base)}" for area in runs)
    raise ConfigError("address.offset", f"must be, to the point's end, from {ranges} in area {address.area}")


def check_point(point: Point, habits: Habits) -> None:
    """ConfigError when address and data type do not go together."""
    address = address_of(point, habits.frame.name)
    place = place_of(point, habits)
    if place.area.bit and (
        point.data_type in ("float", "double", "string", "var") or address.bit is not None
    ):
        raise ConfigError(
            "address.area", f"{address.area} holds single bits: an integer data_type and no address.bit"
        )
    if point.data_type == "var":
        raise ConfigError("data_type", "var is not a type of this PLC")
    if address.bit is not None and point.data_type in ("float", "double", "string"):
        raise ConfigError("address.bit", "must be given with an integer data_type only")
    if (address.length is None) == (point.data_type == "string"):
        need = "must be given for a string, in bytes" if address.length is None else "only a string has one"
        raise ConfigError("address.length", need)
    if place.area.words == 2 and (point.data_type not in ("uint32", "int32") or address.bit is not None):
        raise ConfigError("data_type", f"must be uint32 or int32, and whole, in area {address.area}")
    if point.rw != "readonly" and not place.area.writable:
        raise ConfigError("rw", f"must be readonly in area {address.area}")
    if not place.area.bit and place.size > habits.max_words:
        raise ConfigError(
            "data_type", f"needs {place.size} words, options.max_words allows {habits.max_words}"
        )


def _size(point: Point, address: Address, area: Area) -> int:
    if area.bit or address.bit is not None:
        return 1
    if point.data_type == "string":
        return ((address.length or 1) + 1) // 2
    return (SIZES.get(point.data_type, 1) + 1) // 2


def _timer(timer: int | None, slave: Slave) -> int:
    if timer is not None:
        return timer
    return max(1, (slave.response_timeout_ms - TIMER_LEAD_MS) // TIMER_UNIT_MS)


def _limited(wanted: int | None, limit: int, field: str) -> int:
    if wanted is not None and wanted > limit:
        raise ConfigError(f"options.{field}", f"must be at most {limit} in ASCII")
    return limit if wanted is None else wanted
