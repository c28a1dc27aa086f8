"""Counts of alarms, and the report on what stands, what is noisy and what nobody acknowledges."""

from __future__ import annotations

from collections import Counter

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.alarms.codes import Level, look
from cloud.domains.alarms.life_cycle import ACTIVE, State
from cloud.domains.alarms.report_repository import AlarmReportRepository, Noisy
from cloud.domains.alarms.rows import alarm_row
from cloud.domains.alarms.schemas import AlarmCounts, AlarmReport, NoisyRow
from cloud.domains.alarms.service import OwnLevels
from cloud.domains.identity.schemas import CurrentUser

FLOOD_MS = 600_000
FLOOD_ABOVE = 10
"""More new alarms in FLOOD_MS are a flood: no operator follows them (EEMUA 191, ISA-18.2)."""

STALE_MS = 24 * 3_600_000
NOISY_MS = 7 * STALE_MS
MAX_NOISY = 10
MAX_LISTED = 50


class AlarmReports:
    """own_levels: the platform's own alarm levels."""

    def __init__(self, database: Database, own_levels: OwnLevels, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._own_levels = own_levels
        self._clock = clock

    async def counts(self, user: CurrentUser) -> AlarmCounts:
        """Of all alarms that the user sees; those under a root cause count with it."""
        own, now = await self._own_levels(), self._clock()
        async with self._database.reading() as session:
            repository = AlarmReportRepository(session, user.scope)
            by_state = await repository.by_state()
            unhandled = await repository.unhandled()
            new = await repository.announced_since(now - FLOOD_MS)
            suppressions = await repository.suppressions(now)
        states, levels = Counter[str](), Counter[str]()
        for state, alarm_type, level, is_folded, count in by_state:
            if is_folded:
                continue
            states[state] += count
            if State(state) in ACTIVE:
                shown = look(alarm_type, level, own).level
                number = alarm_type if alarm_type in own else level
                levels[str(number) if shown is Level.CUSTOM else shown.value] += count
        return AlarmCounts(
            active=sum(levels.values()),
            unhandled=unhandled,
            states=dict(states),
            levels=dict(levels),
            suppressions=suppressions,
            new=new,
            flood=new > FLOOD_ABOVE,
        )

    async def suppressions(self, user: CurrentUser) -> dict[str, int]:
        """What keeps alarms quiet now, by kind."""
        async with self._database.reading() as session:
            return await AlarmReportRepository(session, user.scope).suppressions(self._clock())

    async def report(self, user: CurrentUser) -> AlarmReport:
        """What somebody has to look into."""
        own, now = await self._own_levels(), self._clock()
        async with self._database.reading() as session:
            repository = AlarmReportRepository(session, user.scope)
            stale, stale_total = await repository.stale(now - STALE_MS, MAX_LISTED)
            waiting, waiting_total = await repository.never_acknowledged(now - STALE_MS, MAX_LISTED)
            noisy = await repository.noisy(now - NOISY_MS, MAX_NOISY)
        return AlarmReport(
            stale=[alarm_row(row, own) for row in stale],
            stale_total=stale_total,
            never_acknowledged=[alarm_row(row, own) for row in waiting],
            never_acknowledged_total=waiting_total,
            noisy=[_noisy_row(each) for each in noisy],
        )


def _noisy_row(noisy: Noisy) -> NoisyRow:
    event = noisy.event
    return NoisyRow(
        rule_id=event.rule_id,
        device_id=event.device_id,
        device_title=noisy.device.display_title,
        dsid=event.dsid,
        ds_title="" if noisy.point is None else noisy.point.title,
        alarm_type=event.alarm_type,
        title=event.title,
        count=noisy.count,
    )
