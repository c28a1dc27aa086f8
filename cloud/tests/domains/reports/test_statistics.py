"""The statistical report, counted in a real database and by hand."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from openpyxl import load_workbook

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, OnOfflineLog
from cloud.domains.inventory.project_models import Project
from cloud.domains.reports.schemas import ReportQuery, StatisticalReport
from cloud.domains.reports.service import ReportService
from cloud.errors import ParameterError

from ...conftest import ADMIN, Clock

DAY_MS = 86_400_000
DAY_0 = 20_000 * DAY_MS
HOUR_MS = 3_600_000


@pytest.fixture
async def service(database_url: str) -> AsyncIterator[ReportService]:
    """Two gateways (the second in a project, and of a user) over three days, in the middle of the third."""
    database = Database(database_url)
    async with database.session() as session:
        user = User(user_name="plant", password_hash="x", user_type=3, created_ms=1)
        session.add(user)
        await session.flush()
        user.path = f"/{user.id}/"
        project = Project(kind="project", title="Works", owner_id=user.id, created_ms=1)
        session.add(project)
        await session.flush()
        project.path = f"/{project.id}/"
        old = Device(gateway_id="gw-old", title="Old", secret_hash="x", created_ms=1, first_online_ms=1)
        new = Device(
            gateway_id="gw-new", title="New", secret_hash="x", created_ms=1, first_online_ms=DAY_0 + DAY_MS,
            owner_id=user.id, project_id=project.id,
        )  # fmt: skip
        session.add_all([old, new])
        await session.flush()

        def alarm(device: Device, at_ms: int, kind: int, status: int = 0) -> AlarmEvent:
            return AlarmEvent(
                device_id=device.id, at_ms=at_ms, noted_ms=at_ms, alarm_type=kind, status=status
            )

        session.add_all(
            [
                alarm(old, DAY_0 - 1, 1),  # before the period
                alarm(old, DAY_0, 1),
                alarm(old, DAY_0 + 1, 0),  # a recovery
                alarm(old, DAY_0 + DAY_MS - 1, 4, 1),
                alarm(old, DAY_0 + DAY_MS, 2, 2),
                alarm(new, DAY_0 + 2 * DAY_MS, 101),
                alarm(new, DAY_0 + 3 * DAY_MS, 1),  # after it
            ]
        )
        session.add_all(
            [
                OnOfflineLog(
                    device_id=old.id, offline_ms=DAY_0 - HOUR_MS, online_ms=DAY_0 + HOUR_MS, reason="x"
                ),
                OnOfflineLog(
                    device_id=old.id,
                    offline_ms=DAY_0 + DAY_MS,
                    online_ms=DAY_0 + DAY_MS + HOUR_MS,
                    reason="x",
                ),
                OnOfflineLog(
                    device_id=new.id, offline_ms=DAY_0 + 2 * DAY_MS + 6 * HOUR_MS, online_ms=None, reason="x"
                ),
            ]
        )
        await session.commit()
    yield ReportService(database, clock=Clock(DAY_0 + 2 * DAY_MS + 12 * HOUR_MS))
    await database.close()


WANTED = ReportQuery(DAY_0, DAY_0 + 3 * DAY_MS)


async def test_gateways_days_and_totals(service: ReportService) -> None:
    found = await service.statistics(ADMIN, WANTED, 1, 10)
    old, new = found.rows
    assert (old.device_title, old.alarms, old.danger, old.warning, old.other) == ("Old", 3, 1, 1, 1)
    assert (old.unhandled, old.handled, old.false_alarms) == (1, 1, 1)
    assert (old.offline_count, old.offline_ms) == (2, 2 * HOUR_MS)
    assert old.available == pytest.approx(1 - 2 / 60)
    assert (new.alarms, new.danger, new.offline_count, new.offline_ms) == (1, 1, 1, 6 * HOUR_MS)
    assert new.available == pytest.approx(1 - 6 / 36)
    assert found.total == found.totals.devices == 2
    assert (found.totals.alarms, found.totals.unhandled, found.totals.offline_count) == (4, 2, 3)
    assert found.totals.offline_ms == 8 * HOUR_MS
    assert found.totals.available == pytest.approx((old.available + new.available) / 2)
    assert [(day.alarms, day.offline) for day in found.days] == [(2, 0), (1, 1), (1, 1)]


async def test_days_are_of_the_readers_calendar(service: ReportService) -> None:
    east = ReportQuery(DAY_0, DAY_0 + 3 * DAY_MS, offset_min=8 * 60)
    found = await service.statistics(ADMIN, east, 1, 10)
    assert [day.day for day in found.days] == ["2024-10-04", "2024-10-05", "2024-10-06", "2024-10-07"]
    assert [day.alarms for day in found.days] == [1, 2, 1, 0]


async def test_pages_sorts_and_filters(service: ReportService) -> None:
    async def titles(page: int = 1, limit: int = 10, **more: object) -> list[str]:
        wanted = ReportQuery(DAY_0, DAY_0 + 3 * DAY_MS, **more)  # type: ignore[arg-type]
        return [row.device_title for row in (await service.statistics(ADMIN, wanted, page, limit)).rows]

    assert await titles(sort="alarms") == ["New", "Old"]
    assert await titles(sort="-offline_ms") == ["New", "Old"]
    assert await titles(2, 1, sort="device_title") == ["Old"]
    assert await titles(search="GW-NEW") == ["New"]
    assert await titles(project_id=1) == ["New"]
    assert await titles(project_id=9) == []


async def test_only_what_the_asker_sees(service: ReportService) -> None:
    plant = CurrentUser(1, "plant", 3, frozenset({"StatisticalReport"}), "", Scope(1, "/1/"))
    found: StatisticalReport = await service.statistics(plant, WANTED, 1, 10)
    assert [row.device_title for row in found.rows] == ["New"]
    assert (found.totals.alarms, found.totals.offline_count) == (1, 1)
    assert [(day.alarms, day.offline) for day in found.days] == [(0, 0), (0, 0), (1, 1)]


async def test_nothing_seen_is_an_empty_report(service: ReportService) -> None:
    stranger = CurrentUser(9, "stranger", 3, frozenset({"StatisticalReport"}), "", Scope(9, "/9/"))
    found = await service.statistics(stranger, WANTED, 1, 10)
    assert (found.rows, found.total, found.totals.alarms, found.totals.available) == ([], 0, 0, None)


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        (ReportQuery(5, 5), "endtime"),
        (ReportQuery(0, 398 * DAY_MS), "endtime"),
        (ReportQuery(0, 1, sort="secret_hash"), "sort"),
    ],
)
async def test_wrong_questions_are_named(service: ReportService, wanted: ReportQuery, field: str) -> None:
    with pytest.raises(ParameterError) as caught:
        await service.statistics(ADMIN, wanted, 1, 10)
    assert caught.value.field == field


async def test_the_workbook_says_the_same(service: ReportService) -> None:
    book = load_workbook(io.BytesIO(await service.workbook(ADMIN, WANTED, "en")))
    assert book.sheetnames == ["Devices", "Days"]
    rows = list(book["Devices"].iter_rows(values_only=True))
    assert rows[0][:3] == ("Device", "Gateway number", "Alarms")
    assert rows[1][:3] == ("Old", "gw-old", 3)
    assert rows[1][10] == 7200
    assert [row[1:] for row in list(book["Days"].iter_rows(values_only=True))[1:]] == [(2, 0), (1, 1), (1, 1)]


async def test_a_gateway_that_never_connected_has_no_availability(service: ReportService) -> None:
    """It is left out of the mean, and the mean says so; the workbook has words in place of a number."""
    async with service._database.session() as session:
        session.add(Device(gateway_id="gw-never", title="Never", secret_hash="x", created_ms=1))
        await session.commit()
    before = (await service.statistics(ADMIN, replace(WANTED, search="gw-o"), 1, 10)).totals
    found = await service.statistics(ADMIN, WANTED, 1, 10)
    never = next(row for row in found.rows if row.device_title == "Never")
    assert (never.available, never.never_connected, never.offline_ms) == (None, True, 0)
    assert (found.totals.available_of, found.totals.never_connected) == (2, 1)
    assert found.totals.available == pytest.approx((1 - 2 / 60 + 1 - 6 / 36) / 2)
    assert (before.available_of, before.never_connected) == (1, 0)
    alone = (await service.statistics(ADMIN, replace(WANTED, search="gw-never"), 1, 10)).totals
    assert (alone.available, alone.available_of, alone.never_connected) == (None, 0, 1)
    book = load_workbook(io.BytesIO(await service.workbook(ADMIN, WANTED, "en")))
    shares = {row[0]: row[11] for row in book["Devices"].iter_rows(values_only=True)}
    assert shares["Never"] == "Never connected"
    assert shares["Old"] == pytest.approx(100 * (1 - 2 / 60))
