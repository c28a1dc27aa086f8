"""What the lists say of gateways: what runs on them, in which order they stand, and which are chosen."""

from __future__ import annotations

import pytest

from cloud.domains.firmware.gateway_filter import GatewayFilter
from cloud.domains.firmware.schemas import UpgradeRow
from cloud.domains.firmware.upgrade_filter import UpgradeFilter
from edge_contract.upgrade import UpgradeStep

from .conftest import MAKER, STRANGER, FirmwareSite, Gateway, begun
from .test_lists import make_projects, put


async def newest(site: FirmwareSite, plan: int, states: tuple[str, ...] = ()) -> list[UpgradeRow]:
    wanted = UpgradeFilter(states=states)
    return (await site.plans.upgrades_of(MAKER, plan, 1, 100, wanted, newest=True)).rows


async def runs(site: FirmwareSite, gateway: Gateway) -> tuple[int, bool] | None:
    running = (await site.history(gateway))[0].running
    return None if running is None else (running.version, running.went_back)


async def test_each_attempt_says_what_its_gateway_runs_now(site: FirmwareSite) -> None:
    gateways, _ = await begun(site, 3, plan_control_count=3, rules={"error_share": 0.5})
    back, refused, moved = gateways
    await site.turn()
    assert await runs(site, back) == (1, False)
    await site.says(back, UpgradeStep.ROLLED_BACK, "crash")
    await site.says(refused, UpgradeStep.REFUSED, "disk")
    await site.says(moved, UpgradeStep.CONFIRMED)
    assert [await runs(site, each) for each in gateways] == [(1, True), (1, False), (2, False)]
    row = (await site.history(back))[0]
    assert (row.from_version, row.version) == (1, 2)
    assert row.running is not None and row.running.reported_ms == site.clock()

    back.version, back.step = 5, None  # somebody else put another one on it
    await site.comes(back)
    assert await runs(site, back) == (5, False)
    await site.reports.connected(back.name, None)
    assert await runs(site, back) is None, "it says of no firmware any more"


async def test_a_later_order_ends_that_what_ran_before_runs_again(site: FirmwareSite) -> None:
    (gateway,), plan = await begun(site, 1)
    await site.run("hang")
    assert await runs(site, gateway) == (1, True)
    await site.actions.retry(MAKER, plan)
    await site.turn()
    await site.says(gateway, UpgradeStep.DOWNLOADING)
    assert [row.running and row.running.went_back for row in await site.history(gateway)] == [False, False]


async def test_of_a_plan_what_failed_is_first_then_what_is_under_way_then_by_wave(site: FirmwareSite) -> None:
    gateways, plan = await begun(
        site, 6, plan_control_count=2, rules={"success_share": 0.5, "error_share": 0.5, "growth": 1}
    )
    await site.turn()
    await site.says(gateways[0], UpgradeStep.CONFIRMED)
    await site.says(gateways[1], UpgradeStep.CONFIRMED)
    await site.turn()
    await site.turn()
    await site.says(gateways[3], UpgradeStep.ROLLED_BACK, "crash")
    found = [(row.gateway_id, row.state.value, row.wave) for row in await newest(site, plan)]
    assert found == [
        (gateways[3].name, "failed", 1),
        (gateways[2].name, "ordered", 1),
        (gateways[0].name, "succeeded", 0),
        (gateways[1].name, "succeeded", 0),
        (gateways[4].name, "waiting", 2),
        (gateways[5].name, "waiting", 2),
    ]
    rest = [row.gateway_id for row in await newest(site, plan, ("waiting",))]
    assert rest == [gateways[4].name, gateways[5].name]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (GatewayFilter(), {1, 2, 3}),
        (GatewayFilter(serials=["gw-0003", "gw-0001", "nobody"]), {1, 3}),
        (GatewayFilter(project_id=1), {1, 2}),
        (GatewayFilter(project_id=2), {2}),
        (GatewayFilter(project_id=1, search="0002"), {2}),
        (GatewayFilter(project_id=99), set()),
    ],
)
async def test_gateways_are_chosen_by_project_and_by_serial_number(
    site: FirmwareSite, wanted: GatewayFilter, found: set[int]
) -> None:
    await make_projects(site)
    gateways = await site.make(3)
    for gateway, project in zip(gateways, (1, 2, None), strict=True):
        await put(site, gateway.number, project)
    page = await site.plans.gateways(MAKER, 1, 100, wanted)
    assert {row.device_id for row in page.rows} == {gateways[at - 1].number for at in found}
    assert page.total == len(found)
    assert (await site.plans.gateways(STRANGER, 1, 100, wanted)).total == 0
