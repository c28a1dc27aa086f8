"""Forms of value vectors: every column gets the narrowest exact one.

A float is written as an integer and a number of decimals when dividing gives back the same float;
plant values mostly have one or two decimals, which makes two bytes of eight.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import chain, compress
from math import copysign, isfinite
from operator import eq, not_, sub
from typing import Any, NamedTuple

from edge_contract._packing import signed_width
from edge_contract.dense import SCALES
from edge_contract.errors import BatchError


class ValueKind(IntEnum):
    """How the values of a column are written. The numbers are part of the contract."""

    NONE = 0
    BOOL = 1
    INT = 2
    DECIMAL = 3  # float = integer / 10**decimals
    FLOAT32 = 4
    FLOAT64 = 5
    TEXT = 6
    UINT64 = 7  # integers from 2**63
    MIXED = 8


class Form(NamedTuple):
    """Kind and, for INT and DECIMAL, decimals 0..6, element width and whether differences are written."""

    kind: ValueKind
    decimals: int = 0
    width: int = 0
    delta: bool = False


WIDTHS = (0, 1, 2, 4, 8)
_EXACT = 2.0**53
CLASS_OF = {type(None): 0, bool: 1, int: 2, float: 3, str: 4}
HUGE_CLASS = 5
SHORT_DECIMALS = (2, 4, 6)
"""Tried on many short columns at once: fewer decimals are written as two."""
MANY = 64
PROBES = 8
LONG = 4
"""From this many values on, differences within a column are worth a look."""


class Planned(NamedTuple):
    """Columns of one form: their places among all columns, rising, and what to write of each."""

    places: list[int]
    columns: list[Sequence[Any]]

    def add(self, place: int, column: Sequence[Any]) -> None:
        self.places.append(place)
        self.columns.append(column)

    def extend(self, places: Iterable[int], columns: Iterable[Sequence[Any]]) -> None:
        self.places.extend(places)
        self.columns.extend(columns)

    def sorted(self) -> Planned:
        """The same by rising place."""
        order = sorted(range(len(self.places)), key=self.places.__getitem__)
        return Planned([self.places[n] for n in order], [self.columns[n] for n in order])


Groups = defaultdict[Form, Planned]


def plan_columns(columns: Sequence[Sequence[Any]]) -> dict[Form, Planned]:
    """Forms of the columns of one block, each of at least one value."""
    flat = list(chain.from_iterable(columns))
    kinds = set(map(type, flat))
    if kinds == {float} and mostly_raw(flat[:: len(flat) // PROBES + 1]):
        _check_finite(flat)
        if array("f", flat).tolist() == flat:  # raw measurements of a field bus, all at once
            return {Form(ValueKind.FLOAT32): Planned(list(range(len(columns))), list(columns))}
    groups: Groups = defaultdict(lambda: Planned([], []))
    length = min(map(len, columns))
    short: set[int] = set()
    if length < LONG:
        for kind, plan_short in ((float, _plan_short_floats), (int, _plan_short_ints)):
            places = _places(columns, length, kind) if kind in kinds else []
            if len(places) * length >= MANY:
                plan_short(places, [columns[place] for place in places], groups)
                short.update(places)
    for place, column in enumerate(columns):
        if place not in short:
            form, planned = plan(column)
            groups[form].add(place, planned)
    for form, group in groups.items():
        groups[form] = group.sorted()
    return groups


def _places(columns: Sequence[Sequence[Any]], length: int, kind: type) -> list[int]:
    """Of the columns that hold so many values of this type."""
    if length == 1:
        return [place for place, column in enumerate(columns) if type(column[0]) is kind and len(column) == 1]
    only = {kind}
    return [
        place
        for place, column in enumerate(columns)
        if len(column) == length and set(map(type, column)) == only
    ]


def _plan_short_floats(places: list[int], columns: list[Sequence[float]], groups: Groups) -> None:
    """plan() of many float columns of one short length at once: few scales, no differences."""
    length = len(columns[0])
    flat = list(chain.from_iterable(columns))
    _check_finite(flat)
    exact = _by_column(all, map(eq, array("f", flat), flat), length)
    sixty_fourths = _by_column(all, map(float.is_integer, map((64.0).__mul__, flat)), length)
    # A single precision number is a decimal of six places only if it is a whole number of 64ths.
    raw = [single and not whole for single, whole in zip(exact, sixty_fourths, strict=True)]
    if any(raw):
        groups[Form(ValueKind.FLOAT32)].extend(compress(places, raw), compress(columns, raw))
    rest = list(map(not_, raw))
    places, columns = list(compress(places, rest)), list(compress(columns, rest))
    for decimals in SHORT_DECIMALS:
        if not places:
            return
        flat = list(chain.from_iterable(columns))
        scale, reach = SCALES[decimals], 2**31 / SCALES[decimals]
        integers = [round(value * scale) if -reach < value < reach else 0 for value in flat]
        fits = list(map(eq, map(scale.__rtruediv__, integers), flat))
        if 0 in integers:
            fits = [
                fit and (value != 0 or copysign(1.0, value) > 0)
                for fit, value in zip(fits, flat, strict=True)
            ]
        fits = _by_column(all, fits, length)
        fitting = list(compress(zip(*[iter(integers)] * length, strict=True), fits))
        _add_by_width(ValueKind.DECIMAL, decimals, list(compress(places, fits)), fitting, groups)
        left = list(map(not_, fits))
        places, columns = list(compress(places, left)), list(compress(columns, left))
    for place, column in zip(places, columns, strict=True):
        single = array("f", column).tolist() == list(column)
        groups[form_of(ValueKind.FLOAT32 if single else ValueKind.FLOAT64, 0, 0)].add(place, column)


def _by_column(join: Callable[[Iterable[Any]], Any], flat: Iterable[Any], length: int) -> list[Any]:
    """One result for each column of so many values."""
    return list(flat) if length == 1 else list(map(join, zip(*[iter(flat)] * length, strict=True)))


def _plan_short_ints(places: list[int], columns: Sequence[Sequence[int]], groups: Groups) -> None:
    """plan() of many integer columns of one short length at once."""
    flat = list(chain.from_iterable(columns))
    if min(flat) < -(2**63) or max(flat) >= 2**63:
        for place, column in zip(places, columns, strict=True):
            form, planned = _plan_ints(column)
            groups[form].add(place, planned)
    else:
        _add_by_width(ValueKind.INT, 0, places, columns, groups)


def _add_by_width(
    kind: ValueKind, decimals: int, places: list[int], columns: Sequence[Sequence[int]], groups: Groups
) -> None:
    if not columns:
        return
    widths = [
        0 if value == 0
        else 1 if -(2**7) <= value < 2**7
        else 2 if -(2**15) <= value < 2**15
        else 4 if -(2**31) <= value < 2**31
        else 8
        for value in chain.from_iterable(columns)
    ]  # fmt: skip
    widths = _by_column(max, widths, len(columns[0]))
    for width in set(widths):
        mask = list(map(width.__eq__, widths))
        groups[form_of(kind, decimals, width)].extend(compress(places, mask), compress(columns, mask))


def mostly_raw(probes: Sequence[float]) -> bool:
    """Whether few of the numbers are decimals: a float32 of a device is one by chance only."""
    decimals = sum(
        any(round(value * scale) / scale == value for scale in SCALES)
        for value in probes
        if -(2.0**31) < value < 2.0**31
    )
    return 4 * decimals < len(probes)


@lru_cache(maxsize=256)  # kinds x decimals x widths: all of them
def form_of(kind: ValueKind, decimals: int, width: int) -> Form:
    return Form(kind, decimals, width)


def plan(values: Sequence[Any]) -> tuple[Form, Sequence[Any]]:
    """Form of one column and what to write of it (for differences: first value, then differences).

    Raises BatchError for a value that is no number, boolean, text or None.
    """
    types = set(map(type, values))
    if not types <= CLASS_OF.keys():
        raise BatchError("value", "a number, a boolean, a text or none")
    if len(types) > 1:
        return Form(ValueKind.MIXED), values
    (kind,) = types
    if kind is float:
        return _plan_floats(values)
    if kind is int:
        return _plan_ints(values)
    return Form(ValueKind.BOOL if kind is bool else ValueKind.TEXT if kind is str else ValueKind.NONE), values


def _plan_ints(values: Sequence[int]) -> tuple[Form, Sequence[Any]]:
    low, high = min(values), max(values)
    if low < -(2**63) or high >= 2**64:
        raise BatchError("value", "an integer must fit 64 bits")
    if high < 2**63:
        return narrow(ValueKind.INT, 0, values)
    return Form(ValueKind.UINT64 if low >= 2**63 else ValueKind.MIXED), values


def _plan_floats(values: Sequence[float]) -> tuple[Form, Sequence[Any]]:
    _check_finite(values)
    as_decimal = _all_decimal(values)
    if as_decimal:
        form, planned = narrow(ValueKind.DECIMAL, *as_decimal)
        if form.width <= 4:
            return form, planned
    exact = array("f", values).tolist() == list(values)
    return Form(ValueKind.FLOAT32 if exact else ValueKind.FLOAT64), values


def _check_finite(values: Sequence[float]) -> None:
    if not (isfinite(sum(values)) or all(map(isfinite, values))):
        raise BatchError("value", "a number must be finite; a value that is not known is none with a quality")


def _all_decimal(values: Sequence[float]) -> tuple[int, list[int]] | None:
    """Fewest decimals with which integers give back every float, and the integers."""
    largest = max(max(values), -min(values))
    probes = values[0], values[len(values) // 2], values[-1]
    for decimals, scale in enumerate(SCALES):
        if largest * scale >= _EXACT:
            return None
        if any(round(value * scale) / scale != value for value in probes):
            continue
        integers = list(map(round, map(scale.__mul__, values)))
        if list(map(scale.__rtruediv__, integers)) == list(values):
            negative_zero = 0 in integers and any(v == 0 and copysign(1.0, v) < 0 for v in values)
            return None if negative_zero else (decimals, integers)
    return None


def narrow(kind: ValueKind, decimals: int, integers: Sequence[int]) -> tuple[Form, Sequence[Any]]:
    width = signed_width(min(integers), max(integers))
    if len(integers) > 1 and width:
        differences = list(map(sub, integers[1:], integers))
        narrower = signed_width(min(differences), max(differences))
        if narrower < width:
            return Form(kind, decimals, narrower, True), [integers[0], *differences]
    return form_of(kind, decimals, width), integers
