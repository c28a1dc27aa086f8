"""A platform's file to a checked description. Every error names field and rule, all of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import yaml

from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.packet import BadPacket
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.sm4 import Sm4Key
from firmware_sim.behaviours import parse
from firmware_sim.errors import FaultError, ScenarioError
from firmware_sim.hj212_platform.description import (
    PLATFORM,
    UNKNOWN,
    PlatformDescription,
    RequestEntry,
    ScriptStep,
    StationEntry,
)
from firmware_sim.hj212_platform.faults import FRAMING, PLATFORM_FAULTS
from firmware_sim.hj212_platform.request_exchange import Outcome
from firmware_sim.hj212_platform.station import PlatformStation, kind_of
from firmware_sim.lines.delivery import Segment
from firmware_sim.plant.structure import structure_errors

DONE = Outcome.DONE
SAMPLE_QN = "20260101000000000"
SAMPLE_TIME = datetime(2026, 1, 1)  # noqa: DTZ001 (any time of a station)


def load(path: Path) -> PlatformDescription:
    """Description of a file. Raises ScenarioError with all that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(str(path), f"must be a readable UTF-8 file: {error}") from None
    return read(text)


def read(text: str) -> PlatformDescription:
    """Description of YAML text. Raises ScenarioError with all that is wrong."""
    try:
        raw: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScenarioError("file", f"must be YAML: {error}") from None
    wrong = list(structure_errors(raw, PlatformDescription))
    if not wrong:
        description = msgspec.convert(raw, PlatformDescription, strict=True)
        wrong = list(_errors(description))
    if wrong:
        raise ScenarioError(wrong[0].field, wrong[0].rule, wrong[1:])
    return description


def request_error(station: PlatformStation, entry: RequestEntry) -> str:
    """What is wrong with a request of a station, "" when nothing is."""
    if station.may_request(entry.cn) is None:
        return f"cn: must be a command that a platform sends in {station.entry.version}, {entry.cn} is none"
    try:
        station.codec.encode(station.request(entry, SAMPLE_QN, SAMPLE_TIME))
    except BadPacket as error:
        return f"items: {error}"
    return ""


def _errors(description: PlatformDescription) -> Iterator[ScenarioError]:
    stations = description.stations
    names = Counter(station.name for station in stations)
    mns = Counter(station.mn for station in stations)
    for number, entry in enumerate(stations):
        field = f"stations[{number}]"
        if entry.name in (PLATFORM, UNKNOWN) or names[entry.name] > 1:
            yield ScenarioError(f"{field}.name", f"must be there once, and not be {PLATFORM} or {UNKNOWN}")
        if mns[entry.mn] > 1:
            yield ScenarioError(f"{field}.mn", "must belong to one station")
        yield from _station_errors(entry, field, description.max_segment)


def _station_errors(entry: StationEntry, field: str, max_segment: int | None) -> Iterator[ScenarioError]:
    try:
        station = PlatformStation(entry, Segment(PLATFORM, FRAMING), max_segment)
        station.codec.encode(station.request(RequestEntry("1011"), SAMPLE_QN, SAMPLE_TIME))
        if entry.new_key is not None:
            Sm4Key(entry.new_key)
    except (BadPacket, ConfigError) as error:
        yield ScenarioError(field, str(error))
        return
    if (entry.key or entry.new_key) and entry.version != "2025":
        yield ScenarioError(f"{field}.key", "must be left out, only 2025 encrypts")
    framing = sorted({Tolerance.LENGTH_IN_CHARACTERS, Tolerance.MISSING_TAIL} & set(entry.tolerances))
    if framing:
        yield ScenarioError(
            f"{field}.tolerances", f"must not have {', '.join(framing)}: packets are cut before"
        )
    for number, request in enumerate(entry.requests):
        wrong = request_error(station, request)
        if wrong:
            yield ScenarioError(f"{field}.requests[{number}]", wrong)
    for number, step in enumerate(entry.script):
        for wrong in _step_errors(station, step):
            yield ScenarioError(f"{field}.script[{number}]", wrong)


def _step_errors(station: PlatformStation, step: ScriptStep) -> Iterator[str]:
    parts = [name for name in ("cn", "upload") if getattr(step, name) is not None]
    if len(parts) > 1 or not (parts or step.fault):
        yield "must have one of cn and upload, or a fault alone"
    if step.request is not None and (wrong := request_error(station, step.request)):
        yield wrong
    if step.upload is not None and kind_of(step.upload, station.entry.version, "field") is None:
        yield f"upload: must be a command that a station sends in {station.entry.version}"
    if step.fault_s is not None and (step.fault is None or step.cn is None):
        yield "fault_s: must stand beside cn and fault"
    if step.cn is None and (step.records or step.reply or step.items or step.expect != DONE):
        yield "must have items, expect, records and reply beside cn only"
    if step.fault is not None:
        try:
            parse(step.fault, FRAMING, kinds=PLATFORM_FAULTS)
        except FaultError as error:
            yield f"fault: {error}"
