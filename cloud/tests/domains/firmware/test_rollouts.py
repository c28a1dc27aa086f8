"""Rollouts from their start to their end, on a simulated clock, through restarts of the cloud."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from cloud.domains.firmware.models import FirmwarePlan
from cloud.errors import Conflict, NotFound
from edge_contract.upgrade import UpgradeStep

from .conftest import MAKER, STRANGER, FirmwareSite, begun


async def test_wave_by_wave_to_the_end(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 14)
    assert [wave.total for wave in (await site.detail(plan)).waves] == [1, 3, 9, 1]
    seen = []
    for _ in range(60):
        if ordered := await site.turn():
            seen.append(len(ordered))
        for gateway in ordered:
            await site.says(gateway, UpgradeStep.CONFIRMED)
    assert seen == [1, 3, 9, 1]
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.succeeded) == ("finished", 14)
    assert all(len(gateway.orders) == 1 and gateway.version == 2 for gateway in gateways)
    (row,) = await site.history(gateways[0])
    assert (row.from_version, row.version, row.state, row.plan_name) == (1, 2, "succeeded", 1)


async def test_a_plan_that_cannot_be_read_stops_no_other(site: FirmwareSite) -> None:
    broken, whole = await site.make(2)
    file = await site.upload()
    plans = [
        await site.plan(file, name=name, device_ids=[gateway.number])
        for name, gateway in enumerate((broken, whole), 1)
    ]
    for plan in plans:
        await site.actions.start(MAKER, plan)
    async with site.services.database.session() as session:
        spoilt = update(FirmwarePlan).where(FirmwarePlan.id == plans[0])
        await session.execute(spoilt.values(rules={"at_once": "many"}))
        await session.commit()
    await site.run()
    assert (await site.detail(plans[1])).state == "finished"
    assert (len(broken.orders), len(whole.orders)) == (0, 1)


async def test_a_file_that_fails_stops_at_the_canary(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 14)
    await site.run("crash")
    detail = await site.detail(plan)
    assert (detail.state, detail.reason, detail.counts.failed) == ("paused", "errors", 1)
    assert sum(len(gateway.orders) for gateway in gateways) == 1
    (row,) = await site.history(gateways[0])
    assert (row.state, row.code) == ("failed", "crash")


async def test_failures_within_the_threshold_do_not_stop_it_and_are_tried_again_alone(
    site: FirmwareSite,
) -> None:
    gateways, plan = await begun(site, 14, rules={"success_share": 0.8})
    await site.run({gateways[6].name: "points"})
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.failed, detail.counts.succeeded) == ("finished", 1, 13)
    await site.actions.retry(MAKER, plan)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.failed, detail.counts.succeeded) == ("finished", 0, 14)
    assert [len(gateway.orders) for gateway in gateways] == [2 if at == 6 else 1 for at in range(14)]
    with pytest.raises(Conflict, match="no gateway"):
        await site.actions.retry(MAKER, plan)


async def test_who_resumes_excuses_what_failed(site: FirmwareSite) -> None:
    _, plan = await begun(site, 4)
    await site.run("crash")
    await site.actions.resume(MAKER, plan)
    detail = await site.detail(plan)
    assert (detail.counts.failed, detail.counts.excused) == (0, 1)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.succeeded) == ("finished", 3)


async def test_an_order_is_sent_again_until_its_gateway_speaks_and_is_one(site: FirmwareSite) -> None:
    site.link_down = True
    gateways, _ = await begun(site, 1)
    await site.turn()
    await site.turn()
    (row,) = await site.history(gateways[0])
    assert row.state == "ordered" and gateways[0].order is None
    site.restart()  # the process ended between writing the order and sending it
    site.link_down = False
    await site.turn()
    assert len(gateways[0].orders) == 1
    first = gateways[0].order
    site.restart()
    gateways[0].orders.clear()  # the broker took it for a gateway that died
    await site.turn()
    assert gateways[0].order == first
    await site.says(gateways[0], UpgradeStep.DOWNLOADING)
    site.restart()
    gateways[0].orders.clear()
    await site.turn(3600)
    assert gateways[0].orders == [], "what was begun is not ordered again"


async def test_a_gateway_that_comes_and_names_another_order_gets_its_own_at_once(site: FirmwareSite) -> None:
    gateways, _ = await begun(site, 1)
    await site.turn()
    gateways[0].orders.clear()
    await site.turn()
    assert gateways[0].orders == []  # not yet: it may be on its way
    await site.comes(gateways[0])
    await site.turn()
    assert len(gateways[0].orders) == 1


async def test_gateways_that_are_away_wait_and_are_passed_over_in_the_end(site: FirmwareSite) -> None:
    gateways = await site.make(5)
    for gateway in gateways[3:]:
        await site.goes(gateway)
    plan = await site.plan(await site.upload(), rules={"success_share": 0.5, "offline_s": 3600})
    await site.actions.start(MAKER, plan)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.succeeded, detail.counts.waiting) == ("running", 3, 2)
    await site.comes(gateways[3])
    await site.run()
    site.clock.pass_s(3600)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.succeeded, detail.counts.missed) == ("finished", 4, 1)


async def test_silence_on_trial_counts_as_a_failure_and_a_late_word_is_true(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4)
    await site.turn()
    order = gateways[0].order
    assert order is not None
    await site.says(gateways[0], UpgradeStep.TRIAL)
    gateways[0].order = None
    await site.turn(600 + 301)
    await site.turn()
    detail = await site.detail(plan)
    assert (detail.state, detail.reason, detail.counts.failed) == ("paused", "errors", 1)
    await site.says(gateways[0], UpgradeStep.CONFIRMED, order=order)
    (row,) = await site.history(gateways[0])
    assert row.state == "succeeded"
    await site.actions.resume(MAKER, plan)
    await site.run()
    assert (await site.detail(plan)).state == "finished"


async def test_an_agent_that_needs_more_and_more_memory_fails(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4, rules={"watch_s": 600})
    for gateway in gateways:
        await site.uses(gateway, 80_000_000)
    await site.turn()
    await site.says(gateways[0], UpgradeStep.CONFIRMED)
    await site.turn(300)
    await site.uses(gateways[0], 160_000_000)
    await site.turn(300)
    await site.turn()
    (row,) = await site.history(gateways[0])
    assert (row.state, row.code, row.worse) == ("failed", "worse", ["memory"])
    assert row.before is not None and row.after is not None
    assert (row.before.memory_bytes, row.after.memory_bytes) == (80_000_000, 160_000_000)
    assert (await site.detail(plan)).reason == "errors"


async def test_a_gateway_that_is_worse_than_before_fails_after_it_was_watched(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4, rules={"watch_s": 600})
    await site.turn()
    await site.says(gateways[0], UpgradeStep.CONFIRMED)
    await site.turn(300)
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.watching, detail.wave) == ("running", 1, 0)
    for _ in range(3):
        await site.goes(gateways[0])
        site.clock.pass_s(20)
        await site.comes(gateways[0])
    await site.services.outages.find_due()
    await site.turn(300)
    await site.turn()
    (row,) = await site.history(gateways[0])
    assert (row.state, row.code, row.worse) == ("failed", "worse", ["outages"])
    assert row.before is not None and row.after is not None
    assert (row.before.outages, row.after.outages) == (0, 3)
    assert (await site.detail(plan)).state == "paused"


async def test_a_gateway_that_is_as_before_succeeds_after_it_was_watched(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4, rules={"watch_s": 600})
    await site.turn()
    await site.says(gateways[0], UpgradeStep.CONFIRMED)
    await site.turn(598)
    assert (await site.history(gateways[0]))[0].state == "watching"
    await site.turn()
    await site.turn()
    assert (await site.history(gateways[0]))[0].state == "succeeded"
    assert (await site.detail(plan)).wave == 1


async def test_back_to_what_ran_before(site: FirmwareSite) -> None:
    await site.upload(payload=b"old", version=1, version_text="1.0")
    gateways, plan = await begun(site, 4)
    await site.run()
    await site.actions.roll_back(MAKER, plan)
    await site.turn()
    orders = [gateway.order for gateway in gateways]
    assert all(order is not None and order.version == 1 and order.allow_older for order in orders)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.is_back, detail.counts.succeeded) == ("finished", True, 4)
    assert {gateway.version for gateway in gateways} == {1}


async def test_errors_bring_it_back_by_itself_where_the_plan_says_so(site: FirmwareSite) -> None:
    await site.upload(payload=b"old", version=1, version_text="1.0")
    gateways, plan = await begun(site, 14, rules={"on_error": "rollback"})
    await site.run({gateway.name: "hang" for gateway in gateways[1:]})
    detail = await site.detail(plan)
    assert (detail.state, detail.is_back, detail.reason) == ("finished", True, "errors")
    assert {gateway.version for gateway in gateways} == {1}
    assert sum(len(gateway.orders) for gateway in gateways) <= 1 + 3 + 1


async def test_a_gateway_that_was_delivered_with_what_it_ran_cannot_go_back(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 1)
    await site.run()
    await site.actions.roll_back(MAKER, plan)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.skipped) == ("finished", 1)
    back, forward = await site.history(gateways[0])
    assert (forward.code, forward.version, forward.version_text) == ("", 2, "2.0")
    assert (back.code, back.version, back.version_text) == ("no_file", 1, "")


async def test_who_comes_to_the_file_while_it_goes_back_is_brought_back_too(site: FirmwareSite) -> None:
    await site.upload(payload=b"old", version=1, version_text="1.0")
    gateways, plan = await begun(site, 1)
    await site.turn()
    await site.says(gateways[0], UpgradeStep.TRIAL)
    await site.actions.roll_back(MAKER, plan)
    await site.turn()
    await site.turn()
    assert (await site.detail(plan)).state == "running", "it waits for how that ends"
    await site.says(gateways[0], UpgradeStep.CONFIRMED)
    assert gateways[0].version == 2
    await site.run()
    assert gateways[0].version == 1


async def test_a_pause_orders_nothing_and_a_cancelled_rollout_ends(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 14)
    await site.turn()
    await site.actions.pause(MAKER, plan)
    await site.run()
    assert sum(len(gateway.orders) for gateway in gateways) == 1
    await site.actions.cancel(MAKER, plan)
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.succeeded, detail.counts.skipped) == ("cancelled", 1, 13)
    await site.actions.retry(MAKER, plan)
    await site.run()
    assert (await site.detail(plan)).counts.succeeded == 14


async def test_gateways_that_came_later_are_for_the_next_start(site: FirmwareSite) -> None:
    earlier = await site.make(2, created_ms=4999)
    later = await site.make(2, created_ms=5000)
    plan = await site.plan(await site.upload(), created_after_ms=5000, plan_control_count=1, scope=1)
    await site.actions.start(MAKER, plan)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.counts.total) == ("finished", 1)  # scope 1: so many and no more
    await site.actions.start(MAKER, plan)
    await site.run()
    assert [gateway.version for gateway in (*earlier, *later)] == [1, 1, 2, 2]
    with pytest.raises(Conflict, match="no gateway"):
        await site.actions.start(MAKER, plan)


async def test_one_gateway_at_once_whatever_the_waves_say(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 14)
    row = await site.actions.upgrade_now(MAKER, gateways[-1].number)
    assert (row.state, row.wave) == ("ordered", 3)
    with pytest.raises(Conflict) as refused:
        await site.actions.upgrade_now(MAKER, gateways[-1].number)
    assert refused.value.reason == "firmware.busy"
    await site.run()
    assert [len(gateway.orders) for gateway in gateways] == [1] * 14
    assert (await site.detail(plan)).counts.succeeded == 14
    with pytest.raises(Conflict) as refused:
        await site.actions.upgrade_now(MAKER, gateways[-1].number)
    assert (refused.value.reason, refused.value.arguments["code"]) == ("firmware.refused", "installed")


async def test_without_a_plan_there_is_nothing_to_upgrade_to(site: FirmwareSite) -> None:
    gateways = await site.make(2)
    number = await site.upload()
    await site.plan(number, device_ids=[gateways[0].number])
    await site.plan(number, enabled=False)
    with pytest.raises(NotFound, match="firmware plan"):
        await site.actions.upgrade_now(MAKER, gateways[1].number)
    with pytest.raises(NotFound):
        await site.actions.upgrade_now(STRANGER, gateways[0].number)


async def test_two_plans_give_a_gateway_one_order_at_a_time(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    number, newer = await site.upload(), await site.upload(payload=b"3", version=3)
    for file in (number, newer):
        await site.actions.start(MAKER, await site.plan(file))
    for _ in range(3):
        await site.turn()
    assert len(gateway.orders) == 1
    await site.run()
    assert (len(gateway.orders), gateway.version) == (2, 3)
