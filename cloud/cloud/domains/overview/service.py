"""What a user has to know first, in one answer."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.reports import AlarmReports
from cloud.domains.alarms.schemas import AlarmRow
from cloud.domains.alarms.service import AlarmService
from cloud.domains.completeness.buckets import DAY_MS, HOUR_MS, bounds, percent
from cloud.domains.devices import states
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.schemas import FavouriteDevicesOption
from cloud.domains.options.service import OptionService
from cloud.domains.overview import problems as found_problems
from cloud.domains.overview.platform import PlatformService
from cloud.domains.overview.remembered import Remembered
from cloud.domains.overview.repository import OverviewRepository
from cloud.domains.overview.schemas import (
    ActiveProblem,
    ActiveProblems,
    CompletenessFigure,
    LinkAge,
    Overview,
    PlaceDot,
    Places,
    ProblemCount,
    ProblemKind,
    QuietGateway,
    RecentEvents,
    ShareFigure,
    StateCounts,
    Watched,
)
from cloud.domains.overview.sums_repository import SumsRepository, Worst
from cloud.domains.overview.values import ValueService

log = logging.getLogger(__name__)

WATCHES, HEARS, SAW, MAPS, KEEPS = (
    "Monitor.DeviceMonitor", "Event", "DeviceMonitor_Online", "Monitor.DeviceMap", "DeviceManage"
)  # fmt: skip
MAX_PROBLEMS = 60
MAX_OF_KIND = 40
MAX_SILENT = 200
MAX_EVENTS = 10
MAX_QUIET = 5
MAX_WATCHED = 200
MAX_WORST = 20
MAX_DOTS = 500
SUMS_FRESH_MS = 30_000
"""Older figures of completeness are not shown: the page of a gateway beside it would say something else."""
MAX_SUMS = 500
SUMS_WAIT_S = 2.0
"""An answer does not wait longer for completeness; it says that it is being counted."""


@dataclass(frozen=True)
class ScopeCompleteness:
    """Completeness of what one scope sees, and the gateways of which most reads are missing. lacking: how
    many connected ones lack reads and no silent slave says why.
    """

    figure: CompletenessFigure
    worst: list[Worst]
    lacking: int


class OverviewService:
    """Every part is of the gateways that the user sees, and only what he may see elsewhere too."""

    def __init__(
        self,
        database: Database,
        presence: PresenceService,
        devices: DeviceService,
        alarms: AlarmService,
        reports: AlarmReports,
        outages: OutageService,
        options: OptionService,
        values: ValueService,
        platform: PlatformService,
    ) -> None:
        self._database = database
        self._presence = presence
        self._devices = devices
        self._alarms = alarms
        self._reports = reports
        self._outages = outages
        self._options = options
        self._values = values
        self.platform = platform
        self._clock = presence.now_ms
        self._sums: Remembered[ScopeCompleteness] = Remembered(SUMS_FRESH_MS, MAX_SUMS, self._clock)

    async def overview(self, user: CurrentUser) -> Overview:
        """Parts that the user may not see are null."""
        now, watches = self._clock(), user.may(WATCHES)
        sums = await self._summed(user.scope, now) if watches else None
        counts = problems = link = targets_down = None
        watched: dict[int, str] = {}
        chosen = await self._favourites(user) if watches else []
        if watches:
            alarms = await self._alarms.unexplained(user, MAX_OF_KIND) if user.may(HEARS) else None
            async with self._database.reading() as session:
                repository = OverviewRepository(session, user.scope)
                counts = state_counts(await repository.states())
                problems = await self._problems(repository, user, counts, sums, alarms, now)
                link = await self._link(repository)
                targets_down = await repository.targets_down()
                named = {*chosen, *(problem.device_id for problem in problems.rows)}
                watched = await repository.watched(named, MAX_WATCHED)
        values = await self._values.key_values(user, now) if watches else None
        favourites = await self._devices.rows_of(user.scope, chosen) if watches else None
        return Overview(
            server_ms=now,
            states=counts,
            problems=problems,
            targets_down=targets_down,
            suppressions=await self._reports.suppressions(user) if user.may(HEARS) else None,
            values=values,
            events=RecentEvents(
                alarms=await self._alarms.newest(user, MAX_EVENTS) if user.may(HEARS) else None,
                on_offline=await self._outages.newest(user.scope, MAX_EVENTS) if user.may(SAW) else None,
            ),
            completeness=sums.figure if sums is not None else None,
            counting=watches and sums is None,
            link=link,
            favourites=favourites,
            places=await self._places(user.scope) if user.may(MAPS) else None,
            platform=await self.platform.figures() if user.user_type == PLATFORM else None,
            watch=[Watched(device_id=number, status=status) for number, status in sorted(watched.items())],
        )

    async def _favourites(self, user: CurrentUser) -> list[int]:
        option = await self._options.user_option(user, "favourite_devices")
        return list(option.value) if isinstance(option, FavouriteDevicesOption) else []

    async def _problems(
        self,
        repository: OverviewRepository,
        user: CurrentUser,
        counts: StateCounts,
        sums: ScopeCompleteness | None,
        alarms: tuple[list[AlarmRow], int] | None,
        now: int,
    ) -> ActiveProblems:
        """alarms: open ones with their total, None for who does not hear of them."""
        hears = alarms is not None
        away = await repository.away(MAX_OF_KIND)
        silent, silent_total = await repository.silent(MAX_SILENT)
        bus = await repository.bus_counts({one.id for one in away} | {one.device.id for one in silent})
        problems = [
            found_problems.offline(one, bus.get(one.id, (0, 0, 0))[0], now, with_alarms=hears) for one in away
        ]
        problems += found_problems.silences(silent, bus, with_alarms=hears)
        totals: dict[ProblemKind, int] = {"gateway_offline": counts.away, "slave_silent": silent_total}
        if alarms is not None:
            rows, totals["alarm_open"] = alarms
            problems += [found_problems.alarm(row) for row in rows]
        losing, lost = await repository.losing(now, MAX_OF_KIND)
        problems += [one for device in losing if (one := found_problems.losing(device, now)) is not None]
        (
            failed,
            totals["deployment_failed"],
            trial,
            totals["deployment_on_trial"],
        ) = await repository.deployments(now, MAX_OF_KIND)
        problems += [found_problems.deployment(row, device, "deployment_failed") for row, device in failed]
        problems += [found_problems.deployment(row, device, "deployment_on_trial") for row, device in trial]
        if user.may(KEEPS):
            drafts, totals["draft_waiting"] = await repository.drafts(MAX_OF_KIND)
            problems += [found_problems.draft(row, device) for row, device in drafts]
        totals |= {kind: lost[code] for code, kind in found_problems.OF_CODE.items() if code in lost}
        explained = {one.device_id for one in problems if one.kind in ("no_slave_answers", "slave_silent")}
        if sums is not None:
            missing = await self._missing(repository, sums.worst, explained)
            totals["reads_missing"] = max(len(missing), sums.lacking if len(sums.worst) == MAX_WORST else 0)
            problems += missing
        return ActiveProblems(
            rows=found_problems.ranked(problems)[:MAX_PROBLEMS],
            counts=[ProblemCount(kind=kind, total=total) for kind, total in totals.items() if total],
        )

    async def _missing(
        self, repository: OverviewRepository, worst: list[Worst], explained: set[int]
    ) -> list[ActiveProblem]:
        """Missing reads of gateways that are connected and of which nothing else says why."""
        devices = await repository.titles([one.gateway for one in worst])
        return [
            found_problems.missing(
                device, one.expected - one.good, percent(one.good, one.expected - one.good)
            )
            for one in worst
            if (device := devices.get(one.gateway)) is not None
            and device.online
            and device.id not in explained
        ]

    async def _link(self, repository: OverviewRepository) -> LinkAge:
        """By the newest word of each gateway, which the database has some seconds later."""
        quiet = [
            QuietGateway(
                device_id=device.id,
                device_title=device.display_title,
                online=device.online,
                last_ms=max(self._presence.heard(device.gateway_id) or 0, device.last_ms or 0),
            )
            for device in await repository.quiet(MAX_QUIET)
        ]
        newest = await repository.newest()
        heard_ms = None
        if newest is not None:
            heard_ms = max(self._presence.heard(newest.gateway_id) or 0, newest.last_ms or 0)
        quiet.sort(key=lambda one: (one.last_ms, one.device_id))
        return LinkAge(newest_ms=heard_ms, oldest_ms=quiet[0].last_ms if quiet else None, quiet=quiet)

    async def _places(self, scope: Scope) -> Places:
        async with self._database.reading() as session:
            repository = OverviewRepository(session, scope)
            placed, placeless = await repository.placed()
            rows = await repository.dots(MAX_DOTS) if placed else []
        dots = [
            PlaceDot(
                device_id=device.id, device_title=device.display_title, longitude=device.longitude or 0.0,
                latitude=device.latitude or 0.0, status=kind,
            )
            for device, kind in rows
        ]  # fmt: skip
        return Places(dots=dots, total=placed, placeless=placeless)

    async def _summed(self, scope: Scope, now: int) -> ScopeCompleteness | None:
        """At most SUMS_FRESH_MS old; None while they are being counted."""
        key = "everything" if scope.everything else (scope.user_id, scope.path)
        return await self._sums.soon(key, lambda: self._sum(scope, now), SUMS_WAIT_S)

    async def _sum(self, scope: Scope, now: int) -> ScopeCompleteness:
        edges = bounds(now - DAY_MS, now, HOUR_MS)
        async with self._database.reading() as session:
            repository = SumsRepository(session, scope)
            reads, worst = await repository.reads(edges[0], edges[-1], now, MAX_WORST)
            came, lacks = await repository.batches(edges[0], edges[-1])
        return ScopeCompleteness(
            CompletenessFigure(
                from_ms=now - DAY_MS,
                to_ms=now,
                as_of_ms=now,
                collection=share(reads.good, reads.expected - reads.good),
                transport=share(came, lacks),
                gateways=reads.gateways,
                complete=reads.complete,
                unknown=reads.gateways - reads.measured,
            ),
            worst,
            reads.unexplained,
        )


def share(good: int, missing: int) -> ShareFigure:
    """What is not known to be expected makes no figure."""
    return ShareFigure(expected=good + missing, good=good, percent=percent(good, missing))


def state_counts(counts: dict[str, int]) -> StateCounts:
    """offline is made of what is away, never came, or is shut out."""
    away, never, disabled = (
        counts.get(kind, 0) for kind in (states.AWAY, states.NEVER_CONNECTED, states.DISABLED)
    )
    statuses = {status: counts.get(status, 0) for status in states.STATUSES}
    statuses[states.OFFLINE] = away + never + disabled
    return StateCounts(
        total=sum(statuses.values()),
        statuses=statuses,
        away=away,
        never_connected=never,
        disabled=disabled,
        asleep=counts.get(states.ASLEEP, 0),
    )
