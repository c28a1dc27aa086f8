"""When a rule would have made alarms: the same engine over what is stored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cloud.domains.triggers.coverage import Absence, Coverage
from cloud.domains.triggers.stored import stored_rows
from cloud.timeseries.base import TimeSeries
from edge_contract.alarms.engine import Engine
from edge_contract.alarms.evaluation import Transition, TransitionKind
from edge_contract.alarms.rule import Rule, Signal
from edge_contract.freshness import HAS_VALUE
from edge_contract.model import Value

MAX_EPISODES = 1000
PATIENCE_S = 8.0
"""Of somebody who waits in the portal; what was not looked at by then is said."""

DAY_MS = 86_400_000
ROWS_AT_ONCE = 2000
SHORT_MS = 20_000
"""An alarm that ends sooner is over before somebody has looked."""

Newest = dict[Signal, tuple[int, Value]]
"""Time and value by signal."""

Change = tuple[int, str, bool]
"""Time, signal of a slave, and whether it answers from then on."""


@dataclass(frozen=True)
class Episode:
    """An alarm that would have been. cleared_ms: None when it lasts beyond the end; value: when it began."""

    raised_ms: int
    cleared_ms: int | None
    condition: int
    value: Value


@dataclass(frozen=True)
class AtEnd:
    """A condition at the end. value, t_ms: the newest good one of its signal; None when none is known."""

    is_true: bool
    value: Value
    t_ms: int | None


@dataclass
class Tried:
    """episodes: the first MAX_EPISODES; count: of all; short: of those over within SHORT_MS; raised_ms_sum:
    how long there would have been an alarm. upto_ms: what was looked at, the end as a rule. holds, at_end:
    how the rule and its conditions are then. coverage: of each point, up to then.
    """

    upto_ms: int
    episodes: list[Episode] = field(default_factory=list)
    count: int = 0
    short: int = 0
    raised_ms_sum: int = 0
    samples: int = 0
    holds: bool = False
    at_end: list[AtEnd] = field(default_factory=list)
    coverage: list[PointCoverage] = field(default_factory=list)


@dataclass(frozen=True)
class TriedPoint:
    """A point that a rule looks at. hold_ms, absences: as of Coverage."""

    dsid: int
    hold_ms: int | None
    absences: Sequence[Absence] = ()


@dataclass(frozen=True)
class PointCoverage:
    """covered: part of the time that is known, 0 to 1; samples: that were stored in it. rolled_up: at the
    beginning only rollups are left, which say nothing to a rule. from_ms: since when it is known first.
    """

    dsid: int
    covered: float
    from_ms: int | None
    samples: int
    rolled_up: bool


async def tried(
    series: TimeSeries,
    rule: Rule,
    points: Sequence[TriedPoint],
    slaves: Sequence[Change],
    start_ms: int,
    end_ms: int,
    clock: Callable[[], float] = time.monotonic,
) -> Tried:
    """slaves: changes by rising time. A point that has no sample since the start begins with its newest one.
    Raises TimeSeriesError.
    """
    engine, result = Engine([rule], begins_ms=start_ms), Tried(start_ms)
    begun, open_since = clock(), dict[int, Transition]()
    dsids = [point.dsid for point in points]
    newest = await _before(series, dsids, start_ms)
    coverage: dict[Signal, Coverage] = {}
    for point in points:
        coverage[point.dsid] = Coverage(start_ms, point.hold_ms, point.absences)
        if point.dsid in newest:
            coverage[point.dsid].before(newest[point.dsid][0])
    _note(result, open_since, engine.begin(newest))
    changes = list(slaves)[::-1]
    rows = 0
    async for t_ms, signals, values, qualities in stored_rows(series, dict.fromkeys(dsids, start_ms), end_ms):
        while changes and changes[-1][0] <= t_ms:
            _note(result, open_since, _fed(engine, newest, changes.pop()))
        _keep_newest(newest, t_ms, signals, values, qualities)
        for signal, value, quality in zip(signals, values, qualities, strict=True):
            coverage[signal].note(t_ms, is_good=value is not None and quality in HAS_VALUE)
        _note(result, open_since, engine.feed(t_ms, signals, values, qualities))
        result.upto_ms, result.samples, rows = t_ms, result.samples + len(signals), rows + 1
        if rows % ROWS_AT_ONCE == 0:
            await asyncio.sleep(0)
            if clock() - begun > PATIENCE_S:
                break
    else:
        while changes:
            _note(result, open_since, _fed(engine, newest, changes.pop()))
        result.upto_ms = end_ms
    _note(result, open_since, engine.advance(result.upto_ms))
    for raised in open_since.values():
        _add(result, raised, None)
    (state,) = engine.state().rules
    result.holds = state.since_ms is not None and state.gone_ms is None
    for condition, its_state in zip(rule.conditions, state.conditions, strict=True):
        seen_ms, value = newest.get(condition.signal, (None, None))
        result.at_end.append(AtEnd(its_state.is_true, value, seen_ms))
    for dsid in dsids:
        its_coverage = coverage[dsid]
        first_ms = result.upto_ms if its_coverage.first_ms is None else its_coverage.first_ms
        rolled_up = await _is_rolled_up(series, dsid, start_ms, first_ms)
        covered = its_coverage.share(result.upto_ms)
        result.coverage.append(
            PointCoverage(dsid, covered, its_coverage.known_ms, its_coverage.samples, rolled_up)
        )
    return result


async def _is_rolled_up(series: TimeSeries, dsid: int, start_ms: int, first_ms: int) -> bool:
    """Are there rollups of UTC days before the first sample? Samples are deleted by such days."""
    begin_ms, end_ms = -(-start_ms // DAY_MS) * DAY_MS, first_ms // DAY_MS * DAY_MS
    return begin_ms < end_ms and bool(await series.buckets(dsid, begin_ms, end_ms, DAY_MS))


async def _before(series: TimeSeries, points: Sequence[int], start_ms: int) -> Newest:
    """Newest good values of points that are older than the start."""
    latest = await series.latest(points) if points else {}
    return {
        point: (sample.t_ms, sample.value)
        for point, sample in latest.items()
        if sample.t_ms < start_ms and sample.quality in HAS_VALUE
    }


def _keep_newest(
    newest: Newest, t_ms: int, signals: Sequence[Signal], values: Sequence[Value], qualities: Sequence[int]
) -> None:
    for signal, value, quality in zip(signals, values, qualities, strict=True):
        if value is not None and quality in HAS_VALUE:
            newest[signal] = t_ms, value


def _fed(engine: Engine, newest: Newest, change: Change) -> list[Transition]:
    t_ms, signal, answers = change
    newest[signal] = t_ms, answers
    return engine.feed(t_ms, [signal], [answers])


def _note(result: Tried, open_since: dict[int, Transition], transitions: Sequence[Transition]) -> None:
    for each in transitions:
        if each.kind is TransitionKind.RAISED:
            open_since[each.rule] = each
        elif each.kind is TransitionKind.CLEARED:
            _add(result, open_since.pop(each.rule), each.t_ms)


def _add(result: Tried, raised: Transition, cleared_ms: int | None) -> None:
    lasted_ms = (result.upto_ms if cleared_ms is None else cleared_ms) - raised.t_ms
    result.count += 1
    result.raised_ms_sum += lasted_ms
    result.short += cleared_ms is not None and lasted_ms < SHORT_MS
    if len(result.episodes) < MAX_EPISODES:
        result.episodes.append(Episode(raised.t_ms, cleared_ms, raised.condition, raised.value))
