"""Run mode and power mode. Places in the document: collection.enable, tunnels.enable, reporting.

A gateway collects, is a remote virtual serial port, or both. With power saving it closes its link between two
reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from edge_contract.deployment import Document, Fault
from edge_contract.document.values import value_at, with_values
from edge_contract.parameters.model import Json, ParameterGroup, Parameters, Row, fault, label

SAVING_S = 60
"""Shortest report interval for which the link is worth closing."""

COLLECTS, LETS_IN = ("collection", "enable"), ("tunnels", "enable")
MODES: Mapping[tuple[bool, bool], str] = {
    (True, True): "collect_and_port",
    (False, True): "port",
    (True, False): "collect",
}
"""Run mode by whether the gateway collects and lets tunnels and channels in."""


class Run(Parameters, frozen=True, kw_only=True):
    """report_interval_s: 0 sends at once."""

    mode: Annotated[Literal["collect_and_port", "port", "collect"], label("运行模式", "Run mode")] = (
        "collect_and_port"
    )
    power: Annotated[Literal["normal", "saving"], label("功耗模式", "Power mode")] = "normal"
    report_interval_s: Annotated[
        int, msgspec.Meta(ge=0, le=86_400), label("上报间隔（秒，0 立即）", "Report interval (s, 0 at once)")
    ] = 0


def _dependencies(run: Run) -> Iterator[Fault]:
    if run.power == "saving" and run.report_interval_s < SAVING_S:
        yield fault("report_interval_s", f"must be at least {SAVING_S} with power saving")


def read(document: Document) -> list[Json]:
    """One row; it is empty where the document says nothing of it."""
    row: Json = {}
    if any(value_at(document, path) is not None for path in (COLLECTS, LETS_IN)):
        mode = MODES.get((_on(document, COLLECTS), _on(document, LETS_IN)))
        row |= {} if mode is None else {"mode": mode}
    for name, path in (("power", ("reporting", "power")), ("report_interval_s", ("reporting", "interval_s"))):
        if (value := value_at(document, path)) is not None:
            row[name] = value
    return [row]


def write(document: Document, rows: Sequence[Row]) -> Document:
    """What is not given has its default; without a row everything has."""
    wanted = rows[0] if rows else {}
    held = read(document)[0]
    changes: list[tuple[tuple[str, ...], Any]] = []
    if wanted.get("mode") != held.get("mode"):
        mode = wanted.get("mode")
        collects, lets_in = next((flags for flags, name in MODES.items() if name == mode), (True, True))
        given = mode is not None  # the default is written too where it was given, so that it is read again
        changes += [(COLLECTS, collects if given else None), (LETS_IN, lets_in if given else None)]
    for name, path in (("power", ("reporting", "power")), ("report_interval_s", ("reporting", "interval_s"))):
        if wanted.get(name) != held.get(name):
            changes.append((path, wanted.get(name)))
    return with_values(document, changes)


def _on(document: Document, path: tuple[str, str]) -> bool:
    return value_at(document, path) is not False


GROUP = ParameterGroup(
    "run", "运行与功耗", "Run and power mode", Run, read, write, dependencies=_dependencies
)
