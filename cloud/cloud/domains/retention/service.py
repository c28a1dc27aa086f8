"""How long history is kept: set, looked up, and carried out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.retention.effect import MAX_LOOKED_AT, Group, effect_of
from cloud.domains.retention.models import PointRetention, Retention
from cloud.domains.retention.periods import DAY_MS, WIDTHS_MS, RetentionPeriods, nearest, wrong_field
from cloud.domains.retention.repository import Owned, RetentionRepository
from cloud.domains.retention.schemas import (
    OfPoint,
    OfUser,
    PointRetentionBody,
    RetentionBody,
    RetentionDays,
    RetentionEffect,
    Retentions,
)
from cloud.domains.retention.trusted_clock import ClockReading, TrustedClock
from cloud.errors import NoPermission, NotFound, ParameterError
from cloud.timeseries.base import DamagedSeries, TimeSeries, TimeSeriesError, TimeSeriesRejected

log = logging.getLogger(__name__)

APPLY_S = 60.0
POINTS_A_TURN = 500
DEAD_A_TURN = 100
"""Points of deleted gateways: everything of them goes, which takes longer."""

EVER_MS = 7_258_118_400_000
"""The year 2200: no sample is newer."""

HEARD_BATCHES = 500
"""The newest, whose gateways are asked for the time."""

MAX_USERS = 1000

PLATFORM = 0
"""Type of the users who set what holds for everybody, whatever a rule gives to others."""

Source = Literal["point", "user", "platform", "default"]
Found = tuple[Source, RetentionDays]
Settings = Mapping[int | None, RetentionDays]
"""By user; None for the platform."""

FOR_EVER = RetentionDays(raw_days=0, minute_days=0, quarter_days=0, hour_days=0, day_days=0)


class RetentionService:
    """series: what it deletes from. running: seconds that no setting of a clock moves."""

    def __init__(
        self,
        database: Database,
        series: TimeSeries,
        devices: DeviceService,
        *,
        clock: NowMs = now_ms,
        running: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._series = series
        self._devices = devices
        self._clock = clock
        self._time = TrustedClock(clock, running)
        self._is_away = False
        self._limit_s: int | None = None
        self._after = 0
        self._done_day = -1

    async def all(self, user: CurrentUser) -> Retentions:
        """Of the platform and of the users that the caller sees."""
        async with self._database.reading() as session:
            repository = RetentionRepository(session, user.scope)
            platform = await repository.of(None)
            users = await repository.users(MAX_USERS)
        return Retentions(
            platform=_days(platform) if platform else None,
            users=[
                OfUser(user_id=row.user_id, user_name=name, kept=_days(row))
                for row, name in users
                if row.user_id is not None
            ],
            clock_ahead_ms=(await self._clock_reading()).ahead_ms,
            own_limit_s=await self._own_limit_s(),
        )

    async def _own_limit_s(self) -> int | None:
        """As it was told last while the time series is away."""
        try:
            self._limit_s = await self._series.own_limit_s()
        except TimeSeriesError as error:
            log.info("the time series' own limit is not known: %s", error)
        return self._limit_s

    async def put(self, user: CurrentUser, body: RetentionBody) -> Retentions:
        """Set it for the platform or a user, or take it back; for the platform only its own users do.

        Raises NotFound without such a user.
        """
        _check(body.kept)
        _check_place(user, body.user_id)
        async with self._database.session() as session:
            repository = RetentionRepository(session, user.scope)
            if body.user_id is not None and await repository.user(body.user_id) is None:
                raise NotFound("user")
            row = await repository.of(body.user_id)
            before = _days(row).model_dump() if row else {}
            if body.kept is None:
                if row is not None:
                    await repository.delete(row)
            elif row is None:
                days = body.kept.model_dump()
                repository.add(Retention(user_id=body.user_id, changed_ms=self._clock(), **days))
            else:
                _set(row, body.kept, self._clock())
            await session.commit()
        record_change(before, body.kept.model_dump() if body.kept else {})
        self._begin_again()
        log.info("retention of %s set by %s: %s", body.user_id or "the platform", user.name, body.kept)
        return await self.all(user)

    async def effect(self, user: CurrentUser, body: RetentionBody) -> RetentionEffect:
        """What put() would do: of how many points what is deleted then that is kept now. Changes nothing.

        Raises NotFound without such a user.
        """
        _check(body.kept)
        _check_place(user, body.user_id)
        async with self._database.reading() as session:
            repository = RetentionRepository(session, user.scope)
            if body.user_id is not None and await repository.user(body.user_id) is None:
                raise NotFound("user")
            places = await repository.places()
            unset = await repository.unset(MAX_LOOKED_AT + 1)
            now = _settings(await RetentionRepository(session, Scope.system()).all())
        then = {place: kept for place, kept in now.items() if place != body.user_id}
        if body.kept is not None:
            then[body.user_id] = body.kept
        of_path: dict[str, list[int]] = {}
        for dsid, path in unset if len(unset) <= MAX_LOOKED_AT else []:
            of_path.setdefault(path, []).append(dsid)
        groups: list[Group] = []
        for path, count in places:
            point = Owned(0, path, None)
            (_, before), (_, after) = _counting(point, now), _counting(point, then)
            if _counts(body.user_id, path, now) or _counts(body.user_id, path, then):
                groups.append(Group(count, of_path.get(path), before, after))
        return await effect_of(groups, (await self._clock_reading()).best_ms, self._series)

    async def effect_on_point(self, user: CurrentUser, body: PointRetentionBody) -> RetentionEffect:
        """What put_point() would do. Changes nothing. Raises NotFound without such a point."""
        _check(body.kept)
        async with self._database.reading() as session:
            point = await RetentionRepository(session, user.scope).point(body.dsid)
            rows = await RetentionRepository(session, Scope.system()).all()
        if point is None:
            raise NotFound("data point")
        settings = _settings(rows)
        _, above = _counting(Owned(point.dsid, point.path, None), settings)
        _, before = _counting(point, settings)
        group = Group(1, [point.dsid], before, above if body.kept is None else body.kept)
        return await effect_of([group], (await self._clock_reading()).best_ms, self._series)

    async def of_point(self, user: CurrentUser, dsid: int) -> OfPoint:
        """What counts for a point; NotFound when the caller does not see it."""
        async with self._database.reading() as session:
            point = await RetentionRepository(session, user.scope).point(dsid)
            rows = await RetentionRepository(session, Scope.system()).all()
        if point is None:
            raise NotFound("data point")
        source, kept = _counting(point, _settings(rows))
        return OfPoint(dsid=dsid, kept=kept, source=source, own_limit_s=await self._own_limit_s())

    async def put_point(self, user: CurrentUser, body: PointRetentionBody) -> OfPoint:
        """Set it for a point, or take it back; refused to whom the gateway is shared with read only.

        Raises NotFound without such a point.
        """
        _check(body.kept)
        owners = await self._devices.owners(user.scope, [body.dsid])
        await self._devices.refuse_read_only(user, list(owners.values()))
        async with self._database.session() as session:
            repository = RetentionRepository(session, user.scope)
            point = await repository.point(body.dsid)
            if point is None:
                raise NotFound("data point")
            before = _days(point.own).model_dump() if point.own else {}
            if body.kept is None:
                await repository.forget(body.dsid)
            elif point.own is None:
                days = body.kept.model_dump()
                repository.add(PointRetention(dsid=body.dsid, changed_ms=self._clock(), **days))
            else:
                _set(point.own, body.kept, self._clock())
            await session.commit()
        record_change(before, body.kept.model_dump() if body.kept else {})
        self._begin_again()
        return await self.of_point(user, body.dsid)

    async def apply(self) -> None:
        """Periodic: delete what is too old of the next points; all of them once a day, or after a change."""
        await self._bury()
        now = (await self._clock_reading()).ms
        if now is None or self._done_day == now // DAY_MS:
            return
        async with self._database.reading() as session:
            repository = RetentionRepository(session, Scope.system())
            rows = await repository.all()
            points = await repository.points(self._after, POINTS_A_TURN)
        settings = _settings(rows)
        for point in points:
            _, days = _counting(point, settings)
            try:
                for width_ms, before_ms in RetentionPeriods(**days.model_dump()).limits(now):
                    await self._series.delete_before(point.dsid, before_ms, width_ms)
            except (DamagedSeries, TimeSeriesRejected) as error:  # so it is tomorrow: the others go on
                log.error("history of point %d cannot be deleted: %s", point.dsid, error)
            except TimeSeriesError as error:
                if not self._is_away:
                    log.error("history of point %d is not deleted now: %s", point.dsid, error)
                self._is_away = True
                return
            self._is_away = False
            self._after = point.dsid
        if len(points) < POINTS_A_TURN:
            self._after, self._done_day = 0, now // DAY_MS

    async def deletes_at(self) -> int:
        """UTC milliseconds by which is told what else is old enough to be forgotten."""
        return (await self._clock_reading()).best_ms

    async def _clock_reading(self) -> ClockReading:
        """The time by which is deleted."""
        async with self._database.reading() as session:
            heard = await RetentionRepository(session, Scope.system()).heard(HEARD_BATCHES)
        return self._time.read(heard)

    async def _bury(self) -> None:
        """Delete everything of the next points of deleted gateways."""
        async with self._database.reading() as session:
            dead = await RetentionRepository(session, Scope.system()).dead(DEAD_A_TURN)
        gone: list[int] = []
        for dsid in dead:
            try:
                for width_ms in WIDTHS_MS.values():
                    await self._series.delete_before(dsid, EVER_MS, width_ms)
            except (DamagedSeries, TimeSeriesRejected) as error:  # so it would be every time
                log.error("history of point %d, which is gone, stays: %s", dsid, error)
            except TimeSeriesError as error:
                log.error("history of deleted gateways is not deleted now: %s", error)
                break
            gone.append(dsid)
        if gone:
            async with self._database.session() as session:
                await RetentionRepository(session, Scope.system()).buried(gone)
                await session.commit()

    def _begin_again(self) -> None:
        """Only the full process sets: it is the one that deletes."""
        self._after, self._done_day = 0, -1


def _settings(rows: Sequence[Retention]) -> dict[int | None, RetentionDays]:
    return {row.user_id: _days(row) for row in rows}


def _counting(point: Owned, settings: Settings) -> Found:
    """What counts for a point, from the nearest place."""
    if point.own is not None:
        return "point", _days(point.own)
    of_user = nearest(point.path, {place: kept for place, kept in settings.items() if place is not None})
    if of_user is not None:
        return "user", of_user
    platform = settings.get(None)
    return ("platform", platform) if platform is not None else ("default", FOR_EVER)


def _counts(place: int | None, path: str, settings: Settings) -> bool:
    """Is this setting the nearest one of the points on a path?"""
    of_users = {user: user for user in settings if user is not None}
    return place in settings and nearest(path, of_users) == place


def _check_place(user: CurrentUser, user_id: int | None) -> None:
    if user_id is None and user.user_type != PLATFORM:
        raise NoPermission("SystemSetting")


def _check(days: RetentionDays | None) -> None:
    wrong = wrong_field(days.model_dump()) if days else None
    if wrong is not None:
        raise ParameterError(wrong, "at least as long as what is finer")


def _days(row: Retention | PointRetention) -> RetentionDays:
    return RetentionDays(**{field: getattr(row, field) for field in WIDTHS_MS})


def _set(row: Retention | PointRetention, days: RetentionDays, now: int) -> None:
    for field, number in days.model_dump().items():
        setattr(row, field, number)
    row.changed_ms = now
