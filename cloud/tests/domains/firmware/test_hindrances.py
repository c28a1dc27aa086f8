"""What stops a plan is said before somebody tries it, and is what the cloud then refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from cloud.domains.firmware.hindrances import Hindrance, PlanFacts, hindrances, nobody_to_start
from cloud.domains.firmware.models import FirmwarePlan
from cloud.domains.firmware.rollout import PlanAction
from cloud.errors import Conflict

from .conftest import MAKER, SECOND, FirmwareSite, begun

WELL = PlanFacts(
    is_ready=True, is_back=False, enabled=True, is_approved=True, is_trusted=True, is_own_change=False
)
APPROVE, START, RESUME, RETRY, ROLLBACK, PAUSE = (
    PlanAction.APPROVE, PlanAction.START, PlanAction.RESUME, PlanAction.RETRY, PlanAction.ROLLBACK,
    PlanAction.PAUSE,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, {}),
        ({"is_ready": False}, {"no_url": [START, RESUME, RETRY, ROLLBACK]}),
        ({"enabled": False}, {"disabled": [START, RESUME, RETRY]}),
        ({"is_approved": False}, {"not_approved": [START, RESUME, RETRY]}),
        ({"is_trusted": False}, {"key_gone": [START, RESUME, RETRY]}),
        ({"is_own_change": True}, {"same_person": [APPROVE]}),
        ({"is_back": True, "enabled": False, "is_approved": False, "is_trusted": False}, {}),
        ({"is_back": True, "is_ready": False}, {"no_url": [START, RESUME, RETRY, ROLLBACK]}),
    ],
)
def test_what_stops_which_action(changes: dict[str, bool], found: dict[str, list[PlanAction]]) -> None:
    allowed = [APPROVE, START, RESUME, RETRY, ROLLBACK, PAUSE]
    assert hindrances(replace(WELL, **changes), allowed, {}) == found


def test_an_action_that_reaches_nobody_is_stopped_by_that() -> None:
    nobody = {START: Hindrance.NOBODY_FITS, RETRY: Hindrance.NOTHING_FAILED}
    facts = replace(WELL, enabled=False)
    assert hindrances(facts, [START], nobody) == {"disabled": [START], "nobody_fits": [START]}


def test_why_a_start_would_reach_nobody() -> None:
    assert nobody_to_start(fitting=True, left=True, planned=False) is None
    assert nobody_to_start(fitting=False, left=True, planned=True) is Hindrance.NOBODY_FITS
    assert nobody_to_start(fitting=False, left=False, planned=True) is Hindrance.NOBODY_MORE
    assert nobody_to_start(fitting=False, left=False, planned=False) is Hindrance.EMPTY_RANGE


async def stopped(site: FirmwareSite, plan: int) -> dict[str, list[str]]:
    return {each.code.value: [*each.actions] for each in (await site.detail(plan)).hindrances}


async def refusal(site: FirmwareSite, plan: int) -> str:
    with pytest.raises(Conflict) as refused:
        await site.actions.start(MAKER, plan)
    return refused.value.reason


async def test_a_plan_says_beforehand_what_its_start_is_refused_for(site: FirmwareSite) -> None:
    await site.make(1)
    plan = await site.plan(await site.upload())
    assert await stopped(site, plan) == {}

    site.url = ""
    site.restart()
    assert await stopped(site, plan) == {"no_url": ["start"]}
    assert await refusal(site, plan) == "firmware.no_url"
    site.url = "https://cloud.example.com"
    site.restart()

    async with site.services.database.session() as session:
        await session.execute(update(FirmwarePlan).values(enabled=False))
        await session.commit()
    assert await stopped(site, plan) == {"disabled": ["start"]}
    assert await refusal(site, plan) == "firmware.disabled"
    async with site.services.database.session() as session:
        await session.execute(update(FirmwarePlan).values(enabled=True))
        await session.commit()

    (key,) = (await site.keys.rows(MAKER)).rows
    await site.keys.delete(MAKER, key.id)
    assert await stopped(site, plan) == {"key_gone": ["start"]}
    assert await refusal(site, plan) == "firmware.key_gone"


async def test_a_plan_without_a_gateway_that_can_take_it_says_so(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    number = await site.upload()
    late = await site.plan(number, created_after_ms=2**50)
    assert await stopped(site, late) == {"empty_range": ["start"]}
    plan = await site.plan(number)
    gateway.version = 2
    await site.comes(gateway)
    assert await stopped(site, plan) == {"nobody_fits": ["start"]}
    assert await refusal(site, plan) == "firmware.no_gateways"
    gateway.version = 1
    await site.comes(gateway)
    await site.actions.start(MAKER, plan)
    await site.run()
    assert await stopped(site, plan) == {"nobody_more": ["start"], "nothing_failed": ["retry"]}


async def test_approval_is_stopped_for_who_changed_it_and_for_nobody_else(site: FirmwareSite) -> None:
    await site.make(1)
    plan = await site.plan(await site.upload(), rules={"approval": True})
    assert await stopped(site, plan) == {"not_approved": ["start"], "same_person": ["approve"]}
    boss = replace(SECOND, scope=MAKER.scope)
    found = (await site.plans.detail(boss, plan)).hindrances
    assert [each.code for each in found] == [Hindrance.NOT_APPROVED]


async def test_a_rollout_that_moved_nobody_is_not_rolled_back(site: FirmwareSite) -> None:
    _, plan = await begun(site, 4)
    await site.run("crash")
    assert await stopped(site, plan) == {"nothing_moved": ["rollback"]}
    with pytest.raises(Conflict) as refused:
        await site.actions.roll_back(MAKER, plan)
    assert refused.value.reason == "firmware.nothing_moved"
    assert not (await site.detail(plan)).is_back
