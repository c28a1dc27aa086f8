"""Faults of a point's address by the rules of its slave's protocol, and points that overlap. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cloud.domains.points.conditions import Facts
from cloud.domains.points.facts import EDITOR_NAMES, editor_name
from cloud.domains.points.faults import Cell, Shown, checked, formed, text
from cloud.domains.points.forms import FormField, ProtocolDescription

AddressCheck = Callable[[Shown, Facts], Iterator[Cell]]


def address_check(form: ProtocolDescription) -> AddressCheck:
    """The check of the points of one slave, called with each and its facts."""
    fields = {editor_name(field.name): field for field in form.address}
    foreign = [field for field in EDITOR_NAMES.values() if field not in fields]

    def check(point: Shown, facts: Facts) -> Iterator[Cell]:
        data_type = text(point, "data_type", "uint16")
        level = form.missing_types.get(data_type)
        if level is not None:
            yield Cell("data_type", "type_of_protocol", {"protocol": form.name}, level)
            return
        yield from _wanted(point, fields, foreign, form)
        yield from checked(form.compiled.point, facts, EDITOR_NAMES)

    return check


def overlaps(
    points: Sequence[Shown], facts: Sequence[Facts], form: ProtocolDescription
) -> Iterator[tuple[int, int]]:
    """Places of points that share addresses of a slave but not exactly the same, each with another.

    Several points on the same addresses, such as the bits of a word, are meant.
    """
    extent = form.compiled.extent
    if extent is None:
        return
    spans: dict[str, list[tuple[int, int, int]]] = {}
    for at, (point, told) in enumerate(zip(points, facts, strict=True)):
        space, start = extent["space"](told), extent["start"](told)
        if start is not None and space and text(point, "ds_type", "num") != "cal":
            spans.setdefault(space, []).append((start, start + extent["size"](told), at))
    for found in spans.values():
        found.sort()
        end, last = -1, (-1, -1, -1)
        for span in found:
            if span[0] < end and span[:2] != last[:2]:
                yield span[2], last[2]
            if span[1] > end:
                end, last = span[1], span


def _wanted(
    point: Shown, fields: Mapping[str, FormField], foreign: Sequence[str], form: ProtocolDescription
) -> Iterator[Cell]:
    """What the protocol's form says, and what is given though it knows no such field (foreign)."""
    has_areas = "area" in fields
    for cell in formed(point, fields):
        if not (has_areas and cell.field == "area" and cell.code == "choice"):
            yield cell  # areas are checked by model
    for field in foreign:
        if point.get(field) is not None:
            yield Cell(field, "not_of_protocol", {"protocol": form.name})
