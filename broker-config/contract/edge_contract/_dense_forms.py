"""Forms of columns that stay together: what _forms says of each alone, found for all of them at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress, pairwise
from operator import invert
from typing import Any

from edge_contract._dense import Integers, Singles
from edge_contract._forms import (
    LONG,
    MANY,
    PROBES,
    SHORT_DECIMALS,
    Form,
    Groups,
    Planned,
    ValueKind,
    form_of,
    mostly_raw,
    narrow,
    plan_columns,
)
from edge_contract._packing import signed_width
from edge_contract.dense import all_finite

MAX_INTEGER = 2**31
"""Beyond it a decimal may be better off as a float, and an integer needs no hurry."""
MAX_SHORT = MAX_INTEGER // 100
"""Of short columns, some of which get two more decimals."""
STEPS = {4: 2**31, 2: 2**15, 1: 2**7}
"""Width of a difference, and its reach."""

Changed = dict[int, tuple[int, tuple[int, ...]]]
"""Decimals and integers of a column that is written with other decimals than it came with."""


def plan_block(columns: Sequence[Sequence[Any]]) -> dict[Form, Planned]:
    """Forms of the columns of one block, each of at least one value."""
    planned_columns = None
    if isinstance(columns, Singles):
        planned_columns = _plan_singles(columns)
    elif isinstance(columns, Integers):
        planned_columns = _plan_integers(columns)
    return plan_columns(list(columns)) if planned_columns is None else planned_columns


def _plan_singles(columns: Singles) -> dict[Form, Planned] | None:
    """None: they may be decimals, or not finite."""
    flat = columns.flat
    if mostly_raw(flat[:: len(flat) // PROBES + 1]) and all_finite(flat):
        places = list(range(len(columns)))
        return {Form(ValueKind.FLOAT32): Planned(places, columns)}  # type: ignore[arg-type]  # only read from here
    return None


def _plan_integers(columns: Integers) -> dict[Form, Planned] | None:
    """None: some are too large."""
    rows, length = columns.rows, columns.length
    short = length < LONG and length * len(columns) >= MANY
    lows = rows[0] if length == 1 else list(map(min, *rows))
    highs = rows[0] if length == 1 else list(map(max, *rows))
    limit = MAX_SHORT if short else MAX_INTEGER
    if min(lows) <= -limit or max(highs) >= limit:
        return None
    vectors = list(zip(*rows, strict=True))
    kind, decimals, changed = ValueKind.INT, [0] * len(vectors), {}
    if columns.decimals is not None:
        kind, decimals = ValueKind.DECIMAL, list(columns.decimals)
        changed = _even(decimals, vectors) if short else _fewest(decimals, vectors)
    widths = _widths(lows, highs)
    steps = {} if short or length == 1 else _steps(rows, lows, highs, widths)
    groups: Groups = defaultdict(lambda: Planned([], []))
    for place, (fewer, vector) in changed.items():
        if short:
            groups[form_of(kind, fewer, signed_width(min(vector), max(vector)))].add(place, vector)
        else:
            form, planned = narrow(kind, fewer, vector)
            groups[form].add(place, planned)
    for place, step in steps.items():
        if place not in changed:
            vector = vectors[place]
            differences = [after - before for before, after in pairwise(vector)]
            groups[Form(kind, decimals[place], step, True)].add(place, [vector[0], *differences])
    forms = list(zip(decimals, widths, strict=True))
    for place in (*changed, *steps):
        forms[place] = (-1, 0)
    for own in set(forms) - {(-1, 0)}:
        mask = list(map(own.__eq__, forms))
        groups[form_of(kind, *own)].extend(compress(range(len(forms)), mask), compress(vectors, mask))
    return {form: group.sorted() for form, group in groups.items()}


def _fewest(decimals: Sequence[int], vectors: Sequence[tuple[int, ...]]) -> Changed:
    """Columns that need fewer decimals than they came with."""
    changed: Changed = {}
    for place, (given, vector) in enumerate(zip(decimals, vectors, strict=True)):
        if given and vector[0] % 10 == 0 and not any(value % 10 for value in vector):
            while given and not any(value % 10 for value in vector):
                given, vector = given - 1, tuple([value // 10 for value in vector])
            changed[place] = given, vector
    return changed


def _even(decimals: Sequence[int], vectors: Sequence[tuple[int, ...]]) -> Changed:
    """Short columns that need other decimals of SHORT_DECIMALS than they came with."""
    changed = _fewest(decimals, vectors) if max(decimals) > SHORT_DECIMALS[0] else {}
    for place, given in enumerate(decimals):
        fewest, vector = changed.get(place, (given, vectors[place]))
        wanted = next(even for even in SHORT_DECIMALS if even >= fewest)
        if wanted == given:
            changed.pop(place, None)
        else:
            changed[place] = wanted, tuple([value * 10 ** (wanted - fewest) for value in vector])
    return changed


def _widths(lows: Sequence[int], highs: Sequence[int]) -> list[int]:
    """signed_width() of every column."""
    reaches = map(max, highs, map(invert, lows))
    return [
        0 if low == 0 == high
        else 1 if reach < 2**7
        else 2 if reach < 2**15
        else 4
        for low, high, reach in zip(lows, highs, reaches, strict=True)
    ]  # fmt: skip


def _steps(
    rows: Sequence[Sequence[int]], lows: Sequence[int], highs: Sequence[int], widths: Sequence[int]
) -> dict[int, int]:
    """Width of the differences, by place, where they are narrower than the values."""
    spans = [high - low if width else -1 for low, high, width in zip(lows, highs, widths, strict=True)]
    steps = {place: 0 for place, span in enumerate(spans) if span == 0}
    widest = max(widths)
    for step, reach in STEPS.items():
        if step < widest:
            limit = reach * (len(rows) - 1)
            places: Iterable[int] = [
                place
                for place, (span, width) in enumerate(zip(spans, widths, strict=True))
                if 0 < span <= limit and step < width
            ]
            for place in _steady(rows, places, reach):
                steps[place] = step
    return steps


def _steady(rows: Sequence[Sequence[int]], places: Iterable[int], reach: int) -> Iterable[int]:
    """Those of some columns whose differences fit within a reach."""
    for before, after in pairwise(rows):
        places = [place for place in places if -reach <= after[place] - before[place] < reach]
    return places
