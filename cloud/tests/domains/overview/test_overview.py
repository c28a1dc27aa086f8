"""The landing page: figures agree with their lists, causes are folded, nobody sees what is not his."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from cloud.domains.alarms.models import Suppression
from cloud.domains.alarms.schemas import AlarmQuery
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.states import FILTERS, STATUSES
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.models import JobRecord
from cloud.domains.options.schemas import FavouriteDevicesOption, HistoryPointsOption, MarkedPoint
from cloud.domains.overview.platform import PlatformService
from cloud.domains.overview.schemas import ActiveProblem, Overview
from cloud.domains.overview.service import MAX_OF_KIND
from cloud.domains.overview.sums_repository import SumsRepository
from cloud.timeseries.base import SeriesColumn, TimeSeriesError
from cloud.timeseries.embedded import EmbeddedTimeSeries

from ...conftest import DomainServices
from ..forwarding.targets import ledgers_of
from .world import World, build

USERS = ("platform-x", "factory-x", "enterprise-x", "person-x", "factory-y")


@pytest.fixture
async def series(tmp_path: Path) -> AsyncIterator[EmbeddedTimeSeries]:
    store = EmbeddedTimeSeries(tmp_path / "series.db")
    await store.start()
    yield store
    await store.close()


@pytest.fixture
async def world(services: DomainServices, series: EmbeddedTimeSeries, tmp_path: Path) -> World:
    return await build(services, series, tmp_path)


def kinds(found: Overview) -> dict[str, list[ActiveProblem]]:
    assert found.problems is not None
    by_kind: dict[str, list[ActiveProblem]] = {}
    for row in found.problems.rows:
        by_kind.setdefault(row.kind, []).append(row)
    return by_kind


@pytest.mark.parametrize("user", USERS)
async def test_every_figure_is_the_total_of_its_list(world: World, user: str) -> None:
    asker, found = world.users[user], await world.ask(user)
    assert found.states is not None and found.problems is not None and found.completeness is not None

    async def total(status: str = "") -> int:
        page = await world.services.devices.page(asker.scope, DeviceFilter(status=status), 1, 1, "")
        return page.total

    assert found.states.total == await total()
    assert set(found.states.statuses) == set(STATUSES)
    for status, count in found.states.statuses.items():
        assert count == await total(status), status
    for status in set(FILTERS) - set(STATUSES):
        assert getattr(found.states, status) == await total(status), status
    assert sum(found.states.statuses.values()) == found.states.total
    totals = {row.kind: row.total for row in found.problems.counts}
    assert totals.get("gateway_offline", 0) == await total("away")
    assert found.completeness.gateways == found.states.total
    troubled = await ledgers_of(world.services).page(asker.scope, "trouble", "", 1, 1)
    assert found.targets_down == troubled.total
    if found.events.alarms is not None:
        listed = await world.alarms.page(asker, AlarmQuery(), 1, 10)
        assert [row.id for row in found.events.alarms] == [row.id for row in listed.rows]
    if found.events.on_offline is not None:
        went = await world.services.outages.events(asker.scope, 0, 2**53, limit=10)
        assert found.events.on_offline == went.rows
    if found.link is not None and found.states.total:
        oldest = await world.services.devices.page(asker.scope, DeviceFilter(), 1, 5, "last_ms")
        known = [(row.id, row.last_ms) for row in oldest.rows if row.last_ms is not None]
        assert [(row.device_id, row.last_ms) for row in found.link.quiet] == known
        newest = await world.services.devices.page(asker.scope, DeviceFilter(), 1, 1, "-last_ms")
        assert found.link.newest_ms == newest.rows[0].last_ms


async def test_the_factory_sees_every_state_once(world: World) -> None:
    found = await world.ask("factory-x")
    assert found.states is not None
    wanted = {"online": 4, "partly": 1, "silent": 1, "alarm": 1, "offline": 4}
    assert found.states.statuses == wanted
    assert (found.states.away, found.states.never_connected, found.states.disabled) == (2, 1, 1)
    assert found.states.asleep == 1


async def test_targets_that_take_nothing_are_counted_where_they_are_seen(world: World) -> None:
    counts = {user: (await world.ask(user)).targets_down for user in USERS}
    assert counts == {
        "platform-x": 4, "factory-x": 2, "enterprise-x": 0, "person-x": 2, "factory-y": 2
    }  # fmt: skip
    asker = world.users["factory-x"]
    blind = replace(asker, permissions=asker.permissions - {"Monitor.DeviceMonitor"})
    assert (await world.service.overview(blind)).targets_down is None


async def test_a_gateway_that_is_away_hides_its_slaves_and_their_alarms(world: World) -> None:
    found = kinds(await world.ask("factory-x"))
    away = {row.gateway_id: row for row in found["gateway_offline"]}
    assert set(away) == {"away-x", "stopped-x"}  # neither who never came nor who is shut out
    assert (away["away-x"].code, away["away-x"].count, away["stopped-x"].code) == ("link_lost", 2, "stopped")
    assert [(row.gateway_id, row.slave, row.code) for row in found["slave_silent"]] == [
        ("partly-x", "s0", "no_answer")
    ]
    assert [(row.gateway_id, row.count) for row in found["no_slave_answers"]] == [("mute-x", 2)]
    assert [row.gateway_id for row in found["alarm_open"]] == ["alarm-x"]  # of away-x the absence speaks
    assert [(row.gateway_id, row.hours_left) for row in found["store_filling"]] == [("filling-x", 3.5)]
    assert [row.gateway_id for row in found["clock_not_set"]] == ["clock-x"]
    assert [(row.gateway_id, row.code) for row in found["deployment_failed"]] == [("well-x", "reverted")]
    assert [row.gateway_id for row in found["deployment_on_trial"]] == ["well-2-x"]
    assert [row.gateway_id for row in found["draft_waiting"]] == ["filling-x"]


async def test_the_first_answer_does_not_wait_for_completeness(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    counted = SumsRepository.reads

    async def slowly(self: SumsRepository, *given: int) -> object:
        await gate.wait()
        return await counted(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(SumsRepository, "reads", slowly)
    async with asyncio.timeout(10):
        first = await world.service.overview(world.users["factory-x"])
    assert first.counting and first.completeness is None
    assert first.states is not None and first.states.total == 11
    assert first.problems is not None and first.problems.rows
    gate.set()
    later = await world.ask("factory-x")
    assert later.completeness is not None and later.completeness.collection.percent is None
    blind = replace(world.users["factory-x"], permissions=frozenset({"PlatformOverView"}))
    assert not (await world.service.overview(blind)).counting


async def test_completeness_is_of_this_moment_after_a_pause(world: World) -> None:
    clock = world.services.clock
    first = await world.ask("factory-x")
    clock.pass_s(29)
    again = await world.ask("factory-x")
    assert first.completeness is not None and again.completeness is not None
    assert again.completeness.as_of_ms == first.completeness.as_of_ms
    for pause_s in (2, 120, 600):
        clock.pass_s(pause_s)
        found = await world.service.overview(world.users["factory-x"])
        assert found.completeness is not None and found.completeness.as_of_ms == found.server_ms


async def test_what_exceeds_the_rows_is_counted_by_kind(world: World) -> None:
    async with world.services.database.session() as session:
        for number in range(MAX_OF_KIND + 5):
            session.add(
                Device(
                    gateway_id=f"more-{number}", title="m", secret_hash="", created_ms=1, online=True,
                    owner_id=world.users["factory-x"].id, reason="ok", clock_set=False,
                    dropped_ms=world.services.clock(),
                )
            )  # fmt: skip
        await session.commit()
    found = (await world.ask("factory-x")).problems
    assert found is not None
    totals = {row.kind: row.total for row in found.counts}
    assert (
        totals["clock_not_set"] == MAX_OF_KIND + 6
    )  # "clock-x" too; an unset clock comes before lost samples
    assert "samples_dropped" not in totals
    assert totals["store_filling"] == 1


async def test_problems_come_by_severity_and_then_the_newest_first(world: World) -> None:
    found = (await world.ask("factory-x")).problems
    assert found is not None
    rank = {"danger": 0, "warning": 1, "info": 2}
    order = [(rank[row.severity], -(row.since_ms or 0)) for row in found.rows]
    assert order == sorted(order)


async def test_a_share_shows_that_gateway_and_nothing_else(world: World) -> None:
    found = await world.ask("person-x")
    assert found.states is not None
    assert found.states.statuses == {"online": 1, "partly": 0, "silent": 1, "alarm": 0, "offline": 1}
    assert {row.gateway_id for rows in kinds(found).values() for row in rows} == {
        "well-x",
        "away-x",
        "mute-y",
    }
    told = found.model_dump_json()
    assert "factory" not in told
    assert {name for name in world.ids if f'"{name}"' in told} == {"well-x", "away-x", "mute-y"}
    watched = {row.device_id: row.status for row in found.watch}
    states = {"well-x": "online", "away-x": "offline", "mute-y": "silent"}
    assert watched == {world.ids[name]: status for name, status in states.items()}
    assert found.platform is None
    other = (await world.ask("enterprise-x")).model_dump_json()
    assert "Gateway" not in other


async def test_who_lacks_a_permission_does_not_get_its_part(world: World) -> None:
    user = world.users["factory-x"]
    world.users["deaf"] = replace(user, permissions=user.permissions - {"Event", "DeviceMonitor_Online"})
    found = await world.ask("deaf")
    assert (found.events.alarms, found.events.on_offline) == (None, None)
    assert "alarm_open" not in kinds(found)
    assert "Alarm of x" not in found.model_dump_json()
    world.users["blind"] = replace(user, permissions=frozenset({"PlatformOverView"}))
    nothing = await world.ask("blind")
    assert (nothing.states, nothing.problems, nothing.values, nothing.link) == (None, None, None, None)
    assert (nothing.completeness, nothing.favourites, nothing.places, nothing.platform) == (None,) * 4
    world.users["viewer"] = replace(user, permissions=user.permissions - {"DeviceManage"})
    assert "draft_waiting" not in kinds(await world.ask("viewer"))


async def test_it_says_what_is_kept_quiet(world: World) -> None:
    assert (await world.ask("factory-x")).suppressions == {}
    now = world.services.clock()
    async with world.services.database.session() as session:
        for kind, name, until_ms in (
            ("shelved", "well-x", now + 1000),
            ("shelved", "mute-x", now + 1000),
            ("maintenance", "mute-x", now + 1000),
            ("out_of_service", "well-x", now),
            ("shelved", "well-y", now + 1000),
        ):
            session.add(
                Suppression(
                    kind=kind, device_id=world.ids[name], rule_id=None, title="", reason="x", user_name="x",
                    begin_ms=1, until_ms=until_ms,
                )
            )  # fmt: skip
        await session.commit()
    assert (await world.ask("factory-x")).suppressions == {"shelved": 2, "maintenance": 1}
    assert (await world.ask("person-x")).suppressions == {"shelved": 1}
    user = world.users["factory-x"]
    world.users["deaf"] = replace(user, permissions=user.permissions - {"Event"})
    assert (await world.ask("deaf")).suppressions is None


async def test_first_values_are_those_with_limits_and_marked_ones_come_instead(
    world: World, series: EmbeddedTimeSeries
) -> None:
    now = world.services.clock()
    first = (await world.ask("factory-x")).values
    assert first is not None and not first.marked and first.points
    assert all(point.max == 10.0 for point in first.points)
    dsid = first.points[1].dsid
    times = list(range(now - 1_800_000, now, 1000))
    values = [float(at % 60) for at in range(len(times))]
    await series.write([SeriesColumn(dsid, times, values, [0] * len(times))])
    points = [MarkedPoint(dsid=each, device_id=1, label="") for each in (dsid, 2**31 - 1)]
    await world.options.put_user_option(world.users["factory-x"], HistoryPointsOption(value=points))
    marked = (await world.ask("factory-x")).values
    assert marked is not None and marked.marked and not marked.away
    assert [point.dsid for point in marked.points] == [dsid]
    assert marked.last[0].value == values[-1]
    (trend,) = marked.trends
    numbers = [value for value in trend.v if value is not None]
    assert (min(numbers), max(numbers)) == (0.0, 59.0)
    assert len(trend.t_ms) == len(trend.v) <= 4 * 30
    stranger = world.users["factory-y"]
    await world.options.put_user_option(stranger, HistoryPointsOption(value=points))
    other = (await world.ask("factory-y")).values
    assert other is not None and not other.marked
    assert dsid not in [point.dsid for point in other.points]


async def test_the_rest_is_there_while_the_time_series_is_away(
    world: World, series: EmbeddedTimeSeries, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise TimeSeriesError("away")

    monkeypatch.setattr(series, "latest", fails)
    found = await world.ask("factory-x")
    assert found.values is not None and found.values.away
    assert found.values.points and not found.values.last and not found.values.trends
    assert found.states is not None and found.states.total == 11


async def test_values_of_a_gateway_that_is_away_are_unknown(world: World, series: EmbeddedTimeSeries) -> None:
    sources = await world.services.devices.sources(world.users["factory-x"].scope, world.ids["away-x"])
    now = world.services.clock()
    await series.write([SeriesColumn(sources[0].dsid, [now - 5000], [7.5], [0])])
    point = MarkedPoint(dsid=sources[0].dsid, device_id=world.ids["away-x"], label="")
    await world.options.put_user_option(world.users["factory-x"], HistoryPointsOption(value=[point]))
    found = (await world.ask("factory-x")).values
    assert found is not None
    assert [(last.value, last.quality) for last in found.last] == [(None, 5)]
    assert [device.online for device in found.devices] == [False]


async def test_favourites_are_gateways_that_the_user_still_sees(world: World) -> None:
    chosen = [world.ids["well-y"], world.ids["away-x"]]
    await world.options.put_user_option(world.users["person-x"], FavouriteDevicesOption(value=chosen))
    found = (await world.ask("person-x")).favourites
    assert found is not None
    assert [(row.gateway_id, row.status) for row in found] == [("away-x", "offline")]


async def test_places_have_the_state_of_the_counts(world: World) -> None:
    found = (await world.ask("factory-x")).places
    assert found is not None
    assert {dot.device_title: dot.status for dot in found.dots} == {
        "Gateway well x": "online", "Gateway away x": "away"
    }  # fmt: skip
    assert (found.total, found.placeless) == (2, 9)


async def test_only_the_platform_gets_its_own_figures(world: World) -> None:
    await world.service.platform.note()
    world.services.clock.pass_s(60)
    await world.service.platform.note()
    found = (await world.ask("platform-x")).platform
    assert found is not None
    assert (found.connected, found.running_jobs, found.failed_jobs, found.backlog) == (14, 0, 0, 0)
    assert (found.points, found.series) == (88, 88)
    assert found.rate_now == 0.0 and found.disk.free > 0
    assert (await world.ask("factory-x")).platform is None


async def test_jobs_are_counted_as_their_list_has_them(world: World, tmp_path: Path) -> None:
    now, user = world.services.clock(), world.users["platform-x"]
    async with world.services.database.session() as session:
        for kind, state in (("seen", "failed"), ("seen", "generating"), ("hidden", "failed")):
            session.add(
                JobRecord(
                    kind=kind, title="", user_id=user.id, state=state, parameters={},
                    folder=f"{kind}-{state}", created_ms=now - 3 * 86_400_000, expires_ms=now + 1,
                    finished_ms=now - 3 * 86_400_000,
                )
            )  # fmt: skip
        await session.commit()
    service = PlatformService(
        world.services.database, "sqlite:///" + str(tmp_path / "a.db"), tmp_path, None,
        clock=world.services.clock, unlisted=lambda: ["hidden"],
    )  # fmt: skip
    found = await service.figures()
    assert (found.running_jobs, found.failed_jobs) == (1, 1)
