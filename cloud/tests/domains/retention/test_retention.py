"""Who sets how long history is kept, what counts, and what is deleted when."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.domains.devices.registry_repository import RegistryRepository
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, DeadSeries, Device, DeviceShare
from cloud.domains.retention.endpoints import days_given
from cloud.domains.retention.periods import RetentionPeriods, nearest, wrong_field
from cloud.domains.retention.schemas import PointRetentionBody, RetentionBody, RetentionDays
from cloud.domains.retention.service import RetentionService
from cloud.errors import NoPermission, NotFound, ParameterError
from cloud.link.models import LinkBatch
from cloud.timeseries.base import DamagedSeries, SeriesColumn, TimeSeriesError
from cloud.timeseries.embedded import EmbeddedTimeSeries

from ...conftest import ADMIN, DomainServices, catalog, hello

DAY_MS = 86_400_000
PLANT = CurrentUser(2, "plant", 3, frozenset(), "", Scope(2, "/1/2/"))
GUEST = CurrentUser(3, "guest", 3, frozenset(), "", Scope(3, "/3/"))


def days(*kept: int) -> RetentionDays:
    return RetentionDays(**dict(zip(RetentionDays.model_fields, kept, strict=True)))


@pytest.mark.parametrize(
    ("kept", "wrong"),
    [
        ((0, 0, 0, 0, 0), None),
        ((30, 90, 365, 0, 0), None),
        ((30, 30, 30, 30, 30), None),
        ((30, 29, 0, 0, 0), "minute_days"),
        ((0, 365, 0, 0, 0), "minute_days"),
        ((1, 2, 3, 0, 5000), "day_days"),
    ],
)
def test_a_coarser_level_is_kept_as_long(kept: tuple[int, ...], wrong: str | None) -> None:
    assert wrong_field(days(*kept).model_dump()) == wrong


def test_the_nearest_user_counts() -> None:
    assert nearest("/1/7/12/", {1: "a", 7: "b", 13: "c"}) == "b"
    assert nearest("/1/7/12/", {13: "c"}) is None
    assert nearest("", {1: "a"}) is None


def test_cuts_are_whole_days() -> None:
    now = 20_000 * DAY_MS + 5
    assert list(RetentionPeriods(raw_days=2, minute_days=3).cuts(now)) == [
        (0, 19_998 * DAY_MS),
        (60_000, 19_997 * DAY_MS),
    ]


class Scene:
    """Two gateways with a point each and a sample an hour for ten days; the first is the plant's."""

    def __init__(self, services: DomainServices, store: EmbeddedTimeSeries, dsids: list[int]) -> None:
        self.services, self.store, self.dsids = services, store, dsids
        self.ran_s, self.heard = 0.0, 0
        self.service = self.started()

    def started(self) -> RetentionService:
        """As after a start of the cloud."""
        services = self.services
        return RetentionService(
            services.database, self.store, services.devices, clock=services.clock, running=lambda: self.ran_s
        )

    def pass_s(self, seconds: float) -> None:
        """The clock, and the process runs."""
        self.services.clock.pass_s(seconds)
        self.ran_s += seconds

    async def hears(self, t_ms: int, gateway: str = "gw-a") -> None:
        """A batch that the gateway closed then by its own clock."""
        self.heard += 1
        batch = LinkBatch(
            gateway=gateway, stream="s", seq=self.heard, catalog="c", lane="live", t_ms=t_ms,
            received_ms=self.services.clock(), samples=1, payload=b"", filed_ms=1,
        )  # fmt: skip
        async with self.services.database.session() as session:
            session.add(batch)
            await session.commit()

    async def left(self) -> list[int]:
        """Samples of each point in the last ten days, by whole hours."""
        return [await self.store.count(dsid, 0, 2**50) // 24 for dsid in self.dsids]


@pytest.fixture
async def scene(services: DomainServices, tmp_path: Path) -> AsyncIterator[Scene]:
    async with services.database.session() as session:
        for number, name, path in ((1, "maker", "/1/"), (2, "plant", "/1/2/"), (3, "guest", "/3/")):
            session.add(
                User(id=number, user_name=name, password_hash="x", user_type=3, path=path, created_ms=1)
            )
        await session.commit()
    for name, owner in (("gw-a", "plant"), ("gw-b", None)):
        await services.claims.claim(name, name, owner=owner)
        await services.catalogs.apply(name, catalog("pressure"))
        await services.presence.hello(name, hello())
    async with services.database.reading() as session:
        dsids = list(await session.scalars(select(DataPoint.id).order_by(DataPoint.id)))
    store = EmbeddedTimeSeries(tmp_path / "series.db")
    await store.start()
    today = services.clock() // DAY_MS * DAY_MS
    times = [today - n * 3_600_000 for n in range(240, 0, -1)]
    await store.write([SeriesColumn(dsid, times, [1.0] * 240, [0] * 240) for dsid in dsids])
    made = Scene(services, store, dsids)
    await made.hears(services.clock())
    yield made
    await store.close()


async def test_the_nearest_setting_is_carried_out_once_a_day(scene: Scene) -> None:
    service = scene.service
    await service.apply()
    assert await scene.left() == [10, 10]
    await service.put(ADMIN, RetentionBody(kept=days(5, 0, 0, 0, 0)))
    await service.put(ADMIN, RetentionBody(user_id=1, kept=days(7, 0, 0, 0, 0)))
    found = await service.all(ADMIN)
    assert found.platform == days(5, 0, 0, 0, 0)
    assert [(row.user_id, row.user_name, row.kept.raw_days) for row in found.users] == [(1, "maker", 7)]
    assert [(await service.of_point(ADMIN, dsid)).source for dsid in scene.dsids] == ["user", "platform"]
    await service.apply()
    assert await scene.left() == [7, 5]
    scene.pass_s(1)
    await service.apply()
    scene.pass_s(86_400)
    assert await scene.left() == [7, 5]
    await service.apply()
    assert await scene.left() == [6, 4]
    hours = await scene.store.buckets(scene.dsids[0], 0, 2**50 // 3_600_000 * 3_600_000, 3_600_000)
    assert len(hours) == 240  # the levels are kept for ever


async def told(
    scene: Scene, user_id: int | None, kept: RetentionDays | None
) -> tuple[int, list[tuple[str, int, int]]]:
    """Points for which a change would count, and what would go: field, days ago, points."""
    found = await scene.service.effect(ADMIN, RetentionBody(user_id=user_id, kept=kept))
    today = scene.services.clock() // DAY_MS
    return found.points, [
        (loss.field, today - loss.before_ms // DAY_MS, loss.points) for loss in found.losses
    ]


async def test_what_a_change_would_delete_is_told_before_it(scene: Scene) -> None:
    service = scene.service
    assert await told(scene, None, days(5, 9, 0, 0, 0)) == (2, [("raw_days", 5, 2), ("minute_days", 9, 2)])
    assert await told(scene, None, days(9, 10, 10, 10, 10)) == (2, [("raw_days", 9, 2)]), "none is older"
    await service.put(ADMIN, RetentionBody(kept=days(5, 9, 0, 0, 0)))
    assert await told(scene, None, days(5, 9, 0, 0, 0)) == (2, [])
    assert await told(scene, None, days(6, 8, 0, 0, 0)) == (2, [("minute_days", 8, 2)])
    assert await told(scene, 1, days(3, 0, 0, 0, 0)) == (1, [("raw_days", 3, 1)])
    assert await told(scene, 3, days(3, 3, 3, 3, 3)) == (0, [])
    await service.put(ADMIN, RetentionBody(user_id=1, kept=days(7, 0, 0, 0, 0)))
    assert await told(scene, None, days(1, 0, 0, 0, 0)) == (1, [("raw_days", 1, 1)])
    assert await told(scene, 1, None) == (1, [("raw_days", 5, 1), ("minute_days", 9, 1)])
    assert await told(scene, 2, days(7, 0, 0, 0, 0)) == (1, [])
    mine = scene.dsids[0]
    await service.put_point(PLANT, PointRetentionBody(dsid=mine, kept=days(9, 0, 0, 0, 0)))
    assert await told(scene, None, days(1, 1, 0, 0, 0)) == (1, [("raw_days", 1, 1), ("minute_days", 1, 1)])
    back = await service.effect_on_point(PLANT, PointRetentionBody(dsid=mine, kept=None))
    assert [(loss.field, loss.points) for loss in back.losses] == [("raw_days", 1)]
    more = await service.effect_on_point(PLANT, PointRetentionBody(dsid=mine, kept=days(10, 0, 0, 0, 0)))
    assert (more.points, more.losses) == (1, [])
    assert await scene.left() == [10, 10]


async def test_points_without_anything_as_old_lose_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.store.delete_before(scene.dsids[0], scene.services.clock() - 4 * DAY_MS)
    assert await told(scene, None, days(5, 0, 0, 0, 0)) == (2, [("raw_days", 5, 1)])
    body = PointRetentionBody(dsid=scene.dsids[0], kept=days(5, 0, 0, 0, 0))
    assert (await scene.service.effect_on_point(ADMIN, body)).losses == []
    with monkeypatch.context() as many:
        many.setattr("cloud.domains.retention.service.MAX_LOOKED_AT", 1)
        assert await told(scene, None, days(5, 0, 0, 0, 0)) == (2, [("raw_days", 5, 2)])

    async def away(*_: object) -> set[int]:
        raise TimeSeriesError("away")

    monkeypatch.setattr(scene.store, "older", away)
    assert await told(scene, None, days(5, 0, 0, 0, 0)) == (2, [("raw_days", 5, 2)]), "nobody can say"


async def test_only_who_may_set_it_is_told(scene: Scene) -> None:
    for kept in (None, days(1, 1, 1, 1, 1)):
        for refused in (scene.service.put, scene.service.effect):
            with pytest.raises(NoPermission):
                await refused(PLANT, RetentionBody(kept=kept))
            with pytest.raises(NotFound):
                await refused(PLANT, RetentionBody(user_id=3, kept=kept))
        with pytest.raises(NotFound):
            await scene.service.effect_on_point(GUEST, PointRetentionBody(dsid=scene.dsids[0], kept=kept))
    with pytest.raises(ParameterError, match="minute_days"):
        await scene.service.effect(ADMIN, RetentionBody(kept=days(2, 1, 0, 0, 0)))
    assert (await scene.service.effect(PLANT, RetentionBody(user_id=2, kept=None))).points == 0


@pytest.mark.parametrize(
    ("given", "field"), [({"raw_days": 1}, "minute_days"), ({"day_days": 0}, "raw_days")]
)
def test_days_are_asked_for_together(given: dict[str, int], field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        days_given(**given)
    assert days_given() is None
    assert days_given(1, 2, 3, 4, 0) == days(1, 2, 3, 4, 0)


async def test_many_points_are_looked_at_in_turns(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.domains.retention.service.POINTS_A_TURN", 1)
    await scene.service.put(ADMIN, RetentionBody(kept=days(3, 0, 0, 0, 0)))
    await scene.service.apply()
    assert await scene.left() == [3, 10]
    await scene.service.apply()
    assert await scene.left() == [3, 3]


async def test_a_point_has_its_own(scene: Scene) -> None:
    service, (mine, other) = scene.service, scene.dsids
    await service.put(ADMIN, RetentionBody(kept=days(5, 0, 0, 0, 0)))
    found = await service.put_point(PLANT, PointRetentionBody(dsid=mine, kept=days(1, 1, 1, 1, 0)))
    assert (found.source, found.kept) == ("point", days(1, 1, 1, 1, 0))
    changed = await service.put_point(PLANT, PointRetentionBody(dsid=mine, kept=days(2, 2, 2, 2, 0)))
    assert changed.kept.raw_days == 2
    await service.apply()
    assert await scene.left() == [2, 5]
    hours = await scene.store.buckets(mine, 0, 2**50 // 3_600_000 * 3_600_000, 3_600_000)
    assert len(hours) == 48 + 8  # of the older days the day level stands
    assert (await service.put_point(PLANT, PointRetentionBody(dsid=mine, kept=None))).source == "platform"
    for user, dsid in ((PLANT, other), (GUEST, mine), (PLANT, 999)):
        with pytest.raises(NotFound):
            await service.put_point(user, PointRetentionBody(dsid=dsid, kept=None))
        with pytest.raises(NotFound):
            await service.of_point(user, dsid)
    with pytest.raises(ParameterError, match="minute_days"):
        await service.put_point(PLANT, PointRetentionBody(dsid=mine, kept=days(2, 1, 0, 0, 0)))


async def test_whom_it_is_shared_with_read_only_sees_it_and_changes_nothing(scene: Scene) -> None:
    async with scene.services.database.session() as session:
        device = await session.scalar(select(Device.id).where(Device.gateway_id == "gw-a"))
        session.add(DeviceShare(device_id=device, user_id=3, role="visitor", created_ms=1))
        await session.commit()
    assert (await scene.service.of_point(GUEST, scene.dsids[0])).source == "default"
    with pytest.raises(NoPermission):
        await scene.service.put_point(GUEST, PointRetentionBody(dsid=scene.dsids[0], kept=None))


async def test_the_platforms_and_a_users_setting_are_taken_back(scene: Scene) -> None:
    for user_id in (None, 2):
        await scene.service.put(ADMIN, RetentionBody(user_id=user_id, kept=days(5, 5, 5, 5, 5)))
        await scene.service.put(ADMIN, RetentionBody(user_id=user_id, kept=days(6, 6, 6, 6, 6)))
    found = await scene.service.all(ADMIN)
    assert (found.platform, [row.kept for row in found.users]) == (days(6, 6, 6, 6, 6), [days(6, 6, 6, 6, 6)])
    for user_id in (None, 2, 2):
        found = await scene.service.put(ADMIN, RetentionBody(user_id=user_id, kept=None))
    assert (found.platform, found.users) == (None, [])
    with pytest.raises(NotFound):
        await scene.service.put(ADMIN, RetentionBody(user_id=99, kept=None))


async def test_a_series_that_is_damaged_holds_nobody_up(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.service.put(ADMIN, RetentionBody(kept=days(3, 3, 0, 0, 0)))
    delete, errors = scene.store.delete_before, [DamagedSeries("zlib"), TimeSeriesError("away")]

    async def first_fails(series: int, t_ms: int, width_ms: int = 0) -> None:
        if series == scene.dsids[0]:
            raise errors[-1]
        await delete(series, t_ms, width_ms)

    monkeypatch.setattr(scene.store, "delete_before", first_fails)
    await scene.service.apply()
    assert await scene.left() == [10, 10]  # the store is away: later, from this point on
    errors.pop()
    await scene.service.apply()
    assert await scene.left() == [10, 3]
    assert scene.service._done_day == scene.services.clock() // DAY_MS


async def test_of_a_deleted_gateway_everything_goes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scene.services.database.session() as session:
        device = (await session.scalars(select(Device).where(Device.gateway_id == "gw-a"))).one()
        await RegistryRepository(session, Scope.system()).delete(device)
        await session.commit()
    delete = scene.store.delete_before

    async def away(series: int, t_ms: int, width_ms: int = 0) -> None:
        raise TimeSeriesError("away")

    monkeypatch.setattr(scene.store, "delete_before", away)
    await scene.service.apply()
    assert await scene.left() == [10, 10]
    monkeypatch.setattr(scene.store, "delete_before", delete)
    await scene.service.apply()
    assert await scene.left() == [0, 10]
    hours = await scene.store.buckets(scene.dsids[0], 0, 2**50 // 3_600_000 * 3_600_000, 3_600_000)
    async with scene.services.database.reading() as session:
        assert (hours, list(await session.scalars(select(DeadSeries.dsid)))) == ([], [])


class Limited(EmbeddedTimeSeries):
    """As a database that deletes by a rule of its own; is_away: it does not answer."""

    is_away = False

    async def own_limit_s(self) -> int | None:
        if self.is_away:
            raise TimeSeriesError("away")
        return 30 * 86_400


async def test_what_the_database_deletes_by_itself_is_told(services: DomainServices, tmp_path: Path) -> None:
    """Otherwise "for ever" would be believed. While it is away, as it was told last."""
    series = Limited(tmp_path / "limited.db")
    service = RetentionService(services.database, series, services.devices)
    assert (await service.all(ADMIN)).own_limit_s == 30 * 86_400
    series.is_away = True
    assert (await service.all(ADMIN)).own_limit_s == 30 * 86_400
