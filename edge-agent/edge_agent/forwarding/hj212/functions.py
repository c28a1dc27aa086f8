"""Functions of instruments that a platform may use, each by a point (HJ 212-2017, annex C). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Configuration, Section
from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.commands import Treatment, treatment_of
from edge_agent.model import PointKind

FunctionNumber = Literal[
    "3011", "3012", "3013", "3014", "3016", "3017", "3018", "3019", "3020", "3021", "3022", "3024"
]
SETS = frozenset({"3016", "3021"})
"""Write what the request has."""
READS = frozenset({"3017", "3018", "3019", "3020"})
"""Answer with what the point has; all others write the value of the option."""
CYCLE_ITEMS = ("CstartTime", "Ctime")
ITEMS = {"3016": CYCLE_ITEMS, "3017": CYCLE_ITEMS}
CALIBRATION_TYPES = ("", "0", "1")
INFORMATION = frozenset({"3020", "3021"})
INFORMATION_CODE = re.compile("i[0-9]{5}")


class InstrumentFunction(Section, frozen=True, kw_only=True):
    """A request of one instrument and the point ("slave.point") that carries it out or answers it.

    factor: PolId. item: of 3011 in 2025 CalibrationType, empty for both; of 3016 and 3017 CstartTime or
    Ctime; of 3020 and 3021 InfoId; of the others empty. value: what 3011 to 3014, 3022 and 3024 write.
    """

    request: FunctionNumber
    factor: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,24}$(?!\n)")]
    point: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_]{1,64}$(?!\n)")]
    item: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9]{0,24}$(?!\n)")] = ""
    value: float = 1.0

    @property
    def writes(self) -> bool:
        """Whether the point is written."""
        return self.request not in READS


def function_faults(functions: Sequence[InstrumentFunction], version: str) -> Iterator[ConfigError]:
    """Requests and items that the version does not have, or that are there twice."""
    keys: set[tuple[str, str, str]] = set()
    for at, one in enumerate(functions):
        where = f"options.functions[{at}]"
        if treatment_of(one.request, version) is not Treatment.CONFIGURED:
            yield ConfigError(f"{where}.request", f"must be a request that version {version} has")
        key = one.request, one.factor, one.item
        if key in keys:
            yield ConfigError(f"{where}.request", f"must be named once for {one.factor} {one.item}".rstrip())
        keys.add(key)
        if one.request in INFORMATION:
            if not INFORMATION_CODE.fullmatch(one.item):
                yield ConfigError(f"{where}.item", "must be the code of the information, such as i13004")
            continue
        choices: tuple[str, ...] = ITEMS.get(one.request, ("",))
        if one.request == "3011" and version == "2025":
            choices = CALIBRATION_TYPES
        if one.item not in choices:
            words = "one of " + ", ".join(filter(None, choices)) if any(choices) else "empty"
            yield ConfigError(f"{where}.item", f"must be {words} for {one.request}")


def function_point_faults(
    functions: Sequence[InstrumentFunction], configuration: Configuration
) -> Iterator[ConfigError]:
    """Points that are missing, or cannot be used so."""
    points = {f"{point.slave}.{point.name}": point for point in configuration.points}
    for at, one in enumerate(functions):
        where = f"options.functions[{at}].point"
        point = points.get(one.point)
        if point is None:
            yield ConfigError(where, f"must be a point of this configuration; there is no {one.point}")
        elif one.writes and point.rw == "readonly":
            yield ConfigError(where, f"must be writable, and {one.point} is readonly")
        elif not one.writes and point.rw == "writeonly":
            yield ConfigError(where, f"must be readable, and {one.point} is writeonly")
        elif point.type is PointKind.LOCATION:
            yield ConfigError(where, f"must be a number or a text, and {one.point} is a location")


def functions_of(
    functions: Sequence[InstrumentFunction], request: str, factor: str, item: str = ""
) -> list[InstrumentFunction]:
    """Those that serve a request. item: CalibrationType or InfoId of it; one without an item serves all."""
    own = [one for one in functions if (one.request, one.factor) == (request, factor)]
    if request in ITEMS:
        return own
    exact = [one for one in own if one.item == item]
    return exact or [one for one in own if not one.item]
