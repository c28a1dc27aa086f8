"""What the screens of firmware are told: projects, files, upgrades, and what an action would reach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from cloud.domains.firmware.permission import APP
from cloud.domains.firmware.project_service import FirmwareProjectService
from cloud.domains.firmware.schemas import FirmwareProjectRow
from cloud.domains.firmware.upgrade_filter import UpgradeFilter
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.errors import NoPermission, NotFound

from .conftest import MAKER, SECOND, STRANGER, FirmwareSite, begun

OWNERS = {1: MAKER.id, 2: MAKER.id, 3: STRANGER.id}


async def make_projects(site: FirmwareSite) -> None:
    """Group 1 with project 2 below it, of the maker; project 3 of a stranger."""
    async with site.services.database.session() as session:
        for number, path, kind in ((1, "/1/", "group"), (2, "/1/2/", "project"), (3, "/3/", "project")):
            parent = 1 if number == 2 else None
            session.add(
                Project(
                    id=number, parent_id=parent, path=path, kind=kind, title=f"P{number}",
                    owner_id=OWNERS[number], created_ms=1,
                )
            )  # fmt: skip
            await session.flush()
        await session.commit()


async def put(site: FirmwareSite, device_id: int, project_id: int | None) -> None:
    async with site.services.database.session() as session:
        await session.execute(update(Device).where(Device.id == device_id).values(project_id=project_id))
        await session.commit()


def brief(row: FirmwareProjectRow) -> tuple[object, ...]:
    versions = [(each.version, each.gateways) for each in row.versions]
    return row.project_id, row.depth, row.gateways, row.taking, versions


async def test_projects_have_the_releases_of_everything_below_them(site: FirmwareSite) -> None:
    await make_projects(site)
    gateways = await site.make(4)
    gateways[1].version = 3
    await site.comes(gateways[1])
    await site.reports.connected(gateways[2].name, None)  # it takes no firmware
    for gateway in gateways[:3]:
        await put(site, gateway.number, 2)
    service = FirmwareProjectService(site.services.database)
    rows = (await service.rows(MAKER)).rows
    inside = [(1, 1), (3, 1)]
    assert [brief(row) for row in rows] == [
        (1, 1, 3, 2, inside), (2, 2, 3, 2, inside), (None, 1, 1, 1, [(1, 1)]),
    ]  # fmt: skip
    assert [(brief(row), row.kind) for row in (await service.rows(STRANGER)).rows] == [
        ((3, 1, 0, 0, []), "project")
    ]
    assert (await service.rows(SECOND)).rows == []


async def test_projects_have_the_plans_that_are_under_way_in_them(site: FirmwareSite) -> None:
    await make_projects(site)
    gateways, plan = await begun(site, 3)
    await put(site, gateways[0].number, 2)
    service = FirmwareProjectService(site.services.database)

    async def plans() -> list[list[tuple[int, str, int]]]:
        rows = (await service.rows(MAKER)).rows
        return [[(each.id, each.state, each.gateways) for each in row.plans] for row in rows]

    assert await plans() == [[(plan, "running", 1)], [(plan, "running", 1)], [(plan, "running", 2)]]
    await site.actions.pause(MAKER, plan)
    assert await plans() == [[(plan, "paused", 1)], [(plan, "paused", 1)], [(plan, "paused", 2)]]
    await site.actions.cancel(MAKER, plan)
    assert await plans() == [[], [], []]


async def test_packages_alone_are_listed_to_who_may_not_upgrade(site: FirmwareSite) -> None:
    await site.make(2)
    await site.upload(payload=b"image", version=1)
    await site.upload(payload=b"package", upgrade_type=1, version=5)
    both = (await site.files.page(MAKER, 1, 20, "")).rows
    assert [(row.upgrade_type, row.version, row.gateways) for row in both] == [(1, 5, 0), (2, 1, 2)]
    assert [row.version for row in (await site.files.page(MAKER, 1, 20, "", 2)).rows] == [1]
    reader = replace(MAKER, permissions=frozenset({APP, "OtaManager"}))
    packages = await site.files.page(reader, 1, 20, "")
    assert ([row.version for row in packages.rows], packages.total) == ([5], 1)
    with pytest.raises(NoPermission):
        await site.files.page(reader, 1, 20, "", 2)


async def test_gateways_of_others_are_not_counted_as_running_a_file(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    number = await site.upload(version=1)
    async with site.services.database.session() as session:
        values = {"owner_id": STRANGER.id}
        await session.execute(update(Device).where(Device.id == gateway.number).values(values))
        await session.commit()
    (row,) = (await site.files.page(MAKER, 1, 20, "")).rows
    assert (row.id, row.gateways) == (number, 0)


async def test_the_history_is_filtered_by_plan_state_gateway_and_time(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 2, name=7)
    await site.run("crash")
    first_ms = (await site.history(gateways[0]))[0].created_ms
    site.clock.pass_s(3600)
    other = await site.plan(await site.upload(version=4, payload=b"4"), name=8)
    await site.actions.start(MAKER, other)

    async def found(**wanted: object) -> list[tuple[int, str]]:
        page = await site.plans.upgrades(MAKER, 1, 100, UpgradeFilter(**wanted))  # type: ignore[arg-type]
        assert page.total == len(page.rows)
        return sorted((row.plan_name, row.state) for row in page.rows)

    assert await found(plan_name=7) == [(7, "failed"), (7, "waiting")]
    assert await found(states=("failed",)) == [(7, "failed")]
    assert await found(search=gateways[1].name.upper(), plan_name=8) == [(8, "waiting")]
    assert await found(from_ms=first_ms + 1) == [(8, "waiting"), (8, "waiting")]
    assert await found(to_ms=first_ms) == []
    assert await found(to_ms=first_ms + 1) == [(7, "failed"), (7, "waiting")]
    assert (await site.plans.upgrades(STRANGER, 1, 100, UpgradeFilter())).total == 0
    with pytest.raises(NotFound):
        await site.plans.upgrades_of(STRANGER, plan, 1, 20, UpgradeFilter(), newest=True)


async def test_the_newest_attempts_are_those_of_the_direction_that_a_plan_has(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 2, plan_control_count=2)

    async def rows(*, newest: bool) -> list[tuple[int, bool, str]]:
        page = await site.plans.upgrades_of(MAKER, plan, 1, 100, UpgradeFilter(), newest=newest)
        return sorted((row.attempt, row.is_back, row.state) for row in page.rows)

    await site.run({gateways[0].name: "crash"})
    await site.actions.retry(MAKER, plan)
    await site.run()
    assert len(await rows(newest=False)) == 3
    assert await rows(newest=True) == [(1, False, "succeeded"), (2, False, "succeeded")]
    await site.actions.roll_back(MAKER, plan)
    assert [is_back for _, is_back, _ in await rows(newest=True)] == [True, True]


async def test_a_plan_says_how_many_gateways_each_action_would_reach(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4, plan_control_count=2)
    await site.run({gateways[0].name: "crash"})
    detail = await site.detail(plan)
    assert (detail.state, detail.to_retry, detail.to_go_back) == ("paused", 1, 1)
    assert [target.id for target in detail.targets] == [gateway.number for gateway in gateways]
    assert all(target.title for target in detail.targets)
    assert detail.steps == {"failed": 1, "succeeded": 1, "waiting": 2}
    await site.actions.cancel(MAKER, plan)
    assert (await site.detail(plan)).to_retry == 3  # those that were cancelled too
    await site.actions.roll_back(MAKER, plan)
    assert (await site.detail(plan)).to_go_back == 0  # they go back already


async def test_a_plan_names_its_projects_as_far_as_they_are_seen(site: FirmwareSite) -> None:
    await make_projects(site)
    await site.make(1)
    number = await site.plan(await site.upload(), range="project", device_ids=[], project_ids=[2, 1])
    assert [(each.id, each.title) for each in (await site.detail(number)).targets] == [(1, "P1"), (2, "P2")]


async def test_a_key_says_what_would_pause_without_it(site: FirmwareSite) -> None:
    async def key(user: CurrentUser = MAKER) -> tuple[int, int, int]:
        (row,) = (await site.keys.rows(user)).rows
        return row.id, row.files, row.running

    number = (await key())[0]
    assert await key() == (number, 0, 0)
    _, plan = await begun(site, 2)
    assert await key() == (number, 1, 1)
    assert await key(SECOND) == (number, 0, 0)  # he does not see the file
    await site.keys.delete(MAKER, number)
    await site.run()
    assert ((await site.detail(plan)).state, (await site.detail(plan)).reason) == ("paused", "key_gone")
