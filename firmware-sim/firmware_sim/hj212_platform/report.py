"""Completeness of what came: records by DataTime, what is missing, repeated or contradicts itself. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec

from firmware_sim.hj212_platform.request_exchange import RequestRecord
from firmware_sim.hj212_platform.store import ReceivedPacket

MINUTE_DATA = "2051"
PERIODS_S = {"2061": 3600, "2031": 86_400, "2041": 86_400, "2111": 300}
"""Seconds from a record to the next, where the command says so."""
TIME_FORMAT = "%Y%m%d%H%M%S"
MAX_GAPS = 100
MAX_REQUESTS = 1000
SEPARATOR = re.compile("[,;]")

Rows = Iterable[tuple[int, ReceivedPacket, int | None]]
"""Number of a packet, the packet, and the number of the newest one when its sound answer left."""


@dataclass
class DataRecord:
    """All packets with one DataTime, CN and station. parts: area by PNO of a split, None without one.

    repeats: packets that came again: `unanswered`, as they should; `reconnected`, after an answer that may
    have been lost with its connection; `needless`, after an answer on the same connection. conflicts: those
    of them with another area.
    """

    pnum: int | None = None
    parts: dict[int | None, str] = field(default_factory=dict)
    live: int = 0
    fetched: int = 0
    resent: int = 0
    conflicts: int = 0
    repeats: Counter[str] = field(default_factory=Counter)
    _earlier: dict[int | None, list[tuple[ReceivedPacket, int | None]]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Every part is there."""
        return self.pnum is None or len(self.parts) == self.pnum

    def add(self, number: int, packet: ReceivedPacket, answered_at: int | None) -> None:
        """In the order in which they came."""
        if packet.pnum != self.pnum:
            self.pnum, self.parts = packet.pnum, {}
        area = self.parts.setdefault(packet.pno, packet.area)
        self.conflicts += area != packet.area
        self.resent += packet.rf is not None
        if packet.fetched:
            self.fetched += 1
            return
        self.live += 1
        earlier = self._earlier.setdefault(packet.pno, [])
        if earlier:
            self.repeats[_why_repeated(number, packet, earlier)] += 1
        earlier.append((packet, answered_at))

    def values(self) -> dict[str, dict[str, str]]:
        """Text by factor and suffix, of all parts."""
        values: dict[str, dict[str, str]] = defaultdict(dict)
        for number in sorted(self.parts, key=lambda number: number or 0):
            for item in SEPARATOR.split(self.parts[number]):
                name, _, text = item.partition("=")
                factor, dash, suffix = name.rpartition("-")
                if dash and factor:
                    values[factor][suffix] = text
        return dict(values)


def _why_repeated(
    number: int, packet: ReceivedPacket, earlier: list[tuple[ReceivedPacket, int | None]]
) -> str:
    done = [each for each, at in earlier if each.answer is None or (at is not None and at < number)]
    if any(each.connection == packet.connection for each in done):
        return "needless"
    return "reconnected" if done else "unanswered"


@dataclass
class StationData:
    """What came of one station. records: by CN and DataTime; others: packets without one, by CN."""

    records: dict[str, dict[str, DataRecord]] = field(default_factory=lambda: defaultdict(dict))
    packets: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    last_refusal: str = ""
    disagreements: list[str] = field(default_factory=list)


def collected(rows: Rows) -> dict[str, StationData]:
    """By station; UNKNOWN has the packets of none."""
    stations: dict[str, StationData] = defaultdict(StationData)
    for number, packet, answered_at in rows:
        station = stations[packet.station]
        if packet.disagreement:
            station.disagreements.append(packet.disagreement)
        if packet.refused:
            station.refused[packet.refused] += 1
            station.last_refusal = f"{packet.refused}: {packet.words}"
        elif packet.data_time is None:
            station.others[packet.cn] += 1
        else:
            station.packets[packet.cn] += 1
            records = station.records[packet.cn]
            record = records.setdefault(packet.data_time[:14], DataRecord())
            record.add(number, packet, answered_at)
    return dict(stations)


def report(
    rows: Rows,
    requests: Mapping[int, RequestRecord],
    counters: Mapping[str, int],
    minute_intervals: Mapping[str, int],
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """since, until: DataTime of the first record that must be there, and of the first after the last; None:
    what came first and last.
    """
    stations = {}
    for name, station in collected(rows).items():
        commands = {
            cn: _command(
                records, station.packets[cn], _period_s(cn, minute_intervals.get(name)), since, until
            )
            for cn, records in sorted(station.records.items())
        }
        stations[name] = {
            "commands": commands,
            "others": dict(station.others),
            "refused": dict(station.refused),
            "last_refusal": station.last_refusal,
            "disagreements": len(station.disagreements),
            "last_disagreement": station.disagreements[-1] if station.disagreements else "",
        }
    last = list(requests.items())[-MAX_REQUESTS:]
    return {
        "stations": stations,
        "script": _script(requests.values(), counters),
        "requests": [{"number": number, **msgspec.to_builtins(record)} for number, record in last],
        "counters": dict(counters),
    }


def _script(requests: Iterable[RequestRecord], counters: Mapping[str, int]) -> dict[str, Any]:
    """How far the scripts of all stations are, and which steps did not bring what they should."""
    return {
        "steps": counters.get("script_steps", 0),
        "ended": counters.get("script_ended", 0),
        "unexpected": [
            {
                "station": one.station,
                "step": one.step,
                "cn": one.cn,
                "expected": one.unexpected,
                "outcome": f"{one.outcome} {one.qn_rtn} {one.exe_rtn}".strip(),
            }
            for one in requests
            if one.unexpected
        ],
    }


def records(rows: Rows) -> Iterator[dict[str, Any]]:
    """Every record with its values, for a comparison with what a station has measured."""
    for name, station in collected(rows).items():
        for cn, by_time in sorted(station.records.items()):
            for time, record in sorted(by_time.items()):
                yield {
                    "station": name,
                    "cn": cn,
                    "data_time": time,
                    "complete": record.complete,
                    "packets": record.live,
                    "fetched": record.fetched,
                    "values": record.values(),
                }


def _command(
    by_time: Mapping[str, DataRecord],
    packets: int,
    period_s: int | None,
    since: str | None,
    until: str | None,
) -> dict[str, Any]:
    inside = {
        time: record
        for time, record in sorted(by_time.items())
        if (since is None or time >= since) and (until is None or time < until)
    }
    repeats: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for record in inside.values():
        repeats.update(record.repeats)
        for factor, by_suffix in record.values().items():
            values[factor].update(by_suffix.keys())
            flags.update(text for suffix, text in by_suffix.items() if suffix == "Flag")
    gaps = [] if period_s is None else list(_gaps(sorted(inside), period_s, since, until))
    missing = sum(gap["records"] for gap in gaps)
    incomplete = [time for time, record in inside.items() if not record.complete]
    conflicts = sum(record.conflicts for record in inside.values())
    return {
        "packets": packets,
        "records": len(inside),
        "first": min(inside, default=None),
        "last": max(inside, default=None),
        "missing": missing,
        "gaps": gaps[:MAX_GAPS],
        "incomplete": incomplete[:MAX_GAPS],
        "conflicts": conflicts,
        "repeats": {name: repeats[name] for name in ("unanswered", "reconnected", "needless")},
        "fetched": sum(record.fetched for record in inside.values()),
        "resent": sum(record.resent for record in inside.values()),
        "exactly_once": not (missing or incomplete or conflicts or repeats["needless"]),
        "flags": dict(flags),
        "values": {factor: dict(counts) for factor, counts in values.items()},
    }


def _period_s(cn: str, minute_interval: int | None) -> int | None:
    if cn == MINUTE_DATA and minute_interval is not None:
        return minute_interval * 60
    return PERIODS_S.get(cn)


def _gaps(times: list[str], period_s: int, since: str | None, until: str | None) -> Iterator[dict[str, Any]]:
    """Times that should be there and are not, joined where they follow each other. times: sorted."""
    there = {moment for time in times if (moment := _moment(time)) is not None}
    begin = min(there, default=None) if since is None else _moment(since)
    if begin is None:
        return
    end = _moment(until) if until is not None else max(there, default=begin) + timedelta(seconds=1)
    period, first, count = timedelta(seconds=period_s), begin, 0
    while end is not None and begin < end:
        if begin not in there:
            first, count = (first, count + 1) if count else (begin, 1)
        elif count:
            yield _gap(first, begin, count)
            count = 0
        begin += period
    if count:
        yield _gap(first, begin, count)


def _gap(first: datetime, end: datetime, count: int) -> dict[str, Any]:
    return {"from": f"{first:{TIME_FORMAT}}", "to": f"{end:{TIME_FORMAT}}", "records": count}


def _moment(time: str) -> datetime | None:
    """None for a text that is no time."""
    try:
        return datetime.strptime(time, TIME_FORMAT)  # noqa: DTZ007 (local time of the station)
    except ValueError:
        return None
