"""Points of one PLC to few requests. Pure.

Neighbours of an area and DB become one item as long as the hole between them costs less than a further item;
items are packed into requests within what the PDU holds both ways. A point is never cut over two items, and
an item that the PLC refuses leaves the request, so that it does not spoil the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.base import Block
from edge_agent.protocols.grouping import cut
from edge_agent.protocols.s7.cells import Cell, cell, item_of
from edge_agent.protocols.s7.codec import MAX_ITEMS, Item
from edge_agent.protocols.s7.config import READ_HEAD, habits_of
from edge_agent.protocols.s7.tables import item_meaning
from edge_agent.protocols.s7.values import Field, ValueDecoder

REQUEST_HEAD, REQUEST_ITEM = 12, 12
ANSWER_HEAD, ANSWER_ITEM = 14, 4
GAPS = (16, 32, 64, 128, 200)
"""Gaps tried. An item costs 16 bytes both ways; larger gaps pay where they save a whole request."""
REQUEST_COSTS = {"s7": 1000, "ppi": 60}
"""What a request costs beside its PDUs, in bytes: over TCP a round trip, at 9600 baud E5, poll, pauses."""

EMPTY_BYTES = REQUEST_HEAD + REQUEST_ITEM + ANSWER_HEAD + ANSWER_ITEM
"""Request and answer of one item without its data."""

MISSING_OBJECT = 0x0A
FIRST_ITEM_BIT = 16
CUTTING = {0x8105, 0x8106, 0x8107, 0x810A, 0x8500, 0x8702}
"""Refusals of a whole request that a smaller one may not meet."""


class ItemsRefused(DeviceRefused):
    """The PLC refused some items of a request.

    device_code: return code in the lowest byte, from bit 16 on one bit for each item of the block that was
    refused. So the number alone says how to cut the block, also after a restart.
    """

    def __init__(self, codes: Mapping[int, int]) -> None:
        """codes: return code by number of the item in its block."""
        code = next((code for code in codes.values() if code != MISSING_OBJECT), MISSING_OBJECT)
        super().__init__(code, f"{item_meaning(code)} ({len(codes)} items)")
        self.device_code = code | sum(1 << FIRST_ITEM_BIT + number for number in codes)


@dataclass(frozen=True, eq=False)
class Run:
    """Cells of one item by rising start."""

    cells: tuple[Cell, ...]
    start: int = field(init=False)
    end: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", self.cells[0].start)
        object.__setattr__(self, "end", max(cell.end for cell in self.cells))

    @property
    def size(self) -> int:
        return self.end - self.start

    @property
    def item(self) -> Item:
        return item_of(self.cells[0], self.size)


@dataclass(frozen=True, eq=False)
class S7Block:
    """One read request. decode: takes the values of its items joined in their order."""

    runs: tuple[Run, ...]
    pdu: int
    items: tuple[Item, ...] = field(init=False)
    decode: ValueDecoder = field(init=False, repr=False)

    def __post_init__(self) -> None:
        fields: list[Field] = []
        at = 0
        for run in self.runs:
            fields += [replace(c.field, at=at + c.start - run.start + c.field.at) for c in run.cells]
            at += run.size
        object.__setattr__(self, "items", tuple(run.item for run in self.runs))
        object.__setattr__(self, "decode", ValueDecoder(fields))

    @property
    def points(self) -> tuple[int, ...]:
        return self.decode.points

    @property
    def wire_bytes(self) -> int:
        return _wire_bytes(self.runs)

    def number_of(self, part: Run) -> int:
        """Which of this block's items a smaller one was cut from."""
        index = part.cells[0].index
        return next(
            number for number, run in enumerate(self.runs) if any(c.index == index for c in run.cells)
        )

    def fits(self, pdu: int) -> bool:
        return max(_request_bytes(self.runs), _answer_bytes(self.runs)) <= pdu

    def fitted(self, pdu: int) -> list[S7Block]:
        """The same points in requests for a PLC that granted a smaller PDU."""
        return _blocks([part for run in self.runs for part in _runs(run.cells, pdu, pdu)], pdu)

    def split(self, error: DeviceRefused) -> tuple[Block, ...]:
        refused = error.device_code >> FIRST_ITEM_BIT
        if not refused:
            return self._halves() if error.device_code in CUTTING else ()
        good = [run for number, run in enumerate(self.runs) if not refused >> number & 1]
        bad = [run for number, run in enumerate(self.runs) if refused >> number & 1]
        finer = [part for run in bad for part in _finer(run, error.device_code & 0xFF)]
        if not good and len(finer) == len(bad):
            return ()
        return (*_blocks(good, self.pdu), *_blocks(finer, self.pdu))

    def _halves(self) -> tuple[Block, ...]:
        cells = [cell for run in self.runs for cell in run.cells]
        if len(cells) == 1:
            return ()
        half = len(cells) // 2
        parts = [_blocks(_runs(part, 0, self.pdu), self.pdu) for part in (cells[:half], cells[half:])]
        return tuple(block for part in parts for block in part)


def plan(slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
    """Requests that read every point once.

    gap: bytes that cost as much as a further request; None: what one usually costs.
    """
    habits = habits_of(slave)
    cells = [cell(habits, index, point) for index, point in enumerate(points)]
    if not cells:
        return []
    gaps = GAPS if habits.max_gap is None else (habits.max_gap,)
    plans = [_packed(_runs(cells, hole, habits.pdu), habits.pdu) for hole in gaps]
    cost = REQUEST_COSTS[slave.protocol] if gap is None else max(0, gap - EMPTY_BYTES)
    best = min(plans, key=lambda requests: sum(_wire_bytes(runs) + cost for runs in requests))
    return [S7Block(tuple(runs), habits.pdu) for runs in best]


def _runs(cells: Sequence[Cell], gap: int, pdu: int) -> list[Run]:
    """Runs of cells whose gaps are at most gap bytes and that one item can carry."""
    runs: list[list[Cell]] = []
    end = 0
    for one in sorted(cells, key=lambda c: (c.area.code, c.area.unit, c.db, c.start, -c.size)):
        last = runs[-1] if runs else None
        if last is not None and _joins(last[0], one, end, gap, pdu - READ_HEAD):
            last.append(one)
            end = max(end, one.end)
        else:
            runs.append([one])
            end = one.end
    return [Run(tuple(run)) for run in runs]


def _joins(first: Cell, one: Cell, end: int, gap: int, max_bytes: int) -> bool:
    same = (first.area.code, first.area.unit, first.db) == (one.area.code, one.area.unit, one.db)
    hole = gap if first.area.unit in ("byte", "word") else 0
    return same and one.start - end <= hole and max(end, one.end) - first.start <= max_bytes


def _finer(run: Run, code: int) -> list[Run]:
    """A refused item in smaller ones: cut at its gaps, then halved. A missing object is missing whole."""
    if len(run.cells) == 1 or code == MISSING_OBJECT:
        return [run]
    return [Run(part) for part in cut(run.cells)]


def _blocks(runs: Sequence[Run], pdu: int) -> list[S7Block]:
    return [S7Block(tuple(packed), pdu) for packed in _packed(runs, pdu)]


def _packed(runs: Sequence[Run], pdu: int) -> list[list[Run]]:
    """Runs of each request: the largest first, each where it fits first; within a request in order."""
    bins: list[list[Run]] = []
    sizes: list[int] = []
    max_items = min(MAX_ITEMS, (pdu - REQUEST_HEAD) // REQUEST_ITEM)
    for run in sorted(runs, key=lambda run: -run.size):
        taken = _item_bytes(run)
        for number, size in enumerate(sizes):
            if size + taken <= pdu and len(bins[number]) < max_items:
                bins[number].append(run)
                sizes[number] += taken
                break
        else:
            bins.append([run])
            sizes.append(ANSWER_HEAD + taken)
    place = {id(run): number for number, run in enumerate(runs)}
    ordered = [sorted(packed, key=lambda run: place[id(run)]) for packed in bins]
    return sorted(ordered, key=lambda packed: place[id(packed[0])])


def _item_bytes(run: Run) -> int:
    """In an answer, filled up to an even number."""
    return ANSWER_ITEM + run.size + run.size % 2


def _wire_bytes(runs: Sequence[Run]) -> int:
    return _request_bytes(runs) + _answer_bytes(runs)


def _request_bytes(runs: Sequence[Run]) -> int:
    return REQUEST_HEAD + REQUEST_ITEM * len(runs)


def _answer_bytes(runs: Sequence[Run]) -> int:
    return ANSWER_HEAD + sum(map(_item_bytes, runs))
