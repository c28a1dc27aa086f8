"""Who may do what with a plan, which gateways it is for, and what is left of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import delete, update

from cloud.domains.firmware.file_schemas import FirmwareKeyBody
from cloud.domains.firmware.gateway_filter import GatewayFilter
from cloud.domains.firmware.models import FirmwarePlan, GatewayUpgrade
from cloud.domains.firmware.runner import HISTORY_MS
from cloud.domains.firmware.schemas import PlanBody
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import Device
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

from .conftest import MAKER, SECOND, STRANGER, FirmwareSite, begun, public


@pytest.mark.parametrize(
    ("columns", "changes", "code"),
    [
        ({}, {"models": ["other"]}, "model"),
        ({}, {"version": 1}, "installed"),
        ({}, {"upgrade_type": 2, "min_agent": "9.0"}, "min_agent"),
        ({}, {"name": "other"}, "name"),
    ],
)
async def test_gateways_that_cannot_take_it_are_left_out_and_counted(
    site: FirmwareSite, columns: dict[str, object], changes: dict[str, object], code: str
) -> None:
    gateways = await site.make(2, **columns)
    plan = await site.plan(await site.upload(**changes))
    preview = await site.plans.preview(MAKER, plan)
    assert (preview.total, [(each.code, each.count) for each in preview.skipped]) == (0, [(code, 2)])
    (fault,) = preview.faults
    assert (fault.code, fault.count, fault.titles) == (code, 2, [gateway.name for gateway in gateways])
    assert fault.file and fault.gateway
    with pytest.raises(Conflict, match="no gateway"):
        await site.actions.start(MAKER, plan)
    assert all(not gateway.orders for gateway in gateways)


async def test_never_an_older_version_unless_the_plan_says_so(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    gateway.version = 3
    await site.comes(gateway)
    number = await site.upload()
    with pytest.raises(Conflict):
        await site.actions.start(MAKER, await site.plan(number))
    await site.actions.start(MAKER, await site.plan(number, rules={"allow_older": True}))
    await site.turn()
    assert gateway.order is not None and gateway.order.allow_older


async def test_a_gateway_that_takes_no_firmware_never_gets_an_order(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    plan = await site.plan(await site.upload())
    await site.actions.start(MAKER, plan)
    await site.reports.connected(gateway.name, None)
    await site.run()
    (row,) = await site.history(gateway)
    assert (row.state, row.code, gateway.orders) == ("skipped", "no_firmware", [])


async def test_a_second_person_approves_what_is_then_started(site: FirmwareSite) -> None:
    await site.make(1)
    number = await site.upload()
    plan = await site.plan(number, rules={"approval": True})
    with pytest.raises(Conflict, match="second person"):
        await site.actions.start(MAKER, plan)
    with pytest.raises(Conflict) as refused:
        await site.actions.approve(MAKER, plan)
    assert refused.value.reason == "firmware.same_person"
    boss = replace(SECOND, scope=MAKER.scope)
    await site.actions.approve(boss, plan)
    detail = await site.detail(plan)
    assert detail.approved and detail.approved_name == "second"
    body = PlanBody.model_validate(
        detail.model_dump(include=set(PlanBody.model_fields)) | {"firmware_id": number, "upgrade_type": 2}
    )
    await site.plans.change(MAKER, plan, body)
    assert not (await site.detail(plan)).approved
    with pytest.raises(Conflict, match="second person"):
        await site.actions.start(MAKER, plan)
    await site.actions.approve(boss, plan)
    await site.actions.start(MAKER, plan)


async def test_what_a_started_plan_is_made_of_stays(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4)
    detail = await site.detail(plan)
    body = PlanBody.model_validate(
        detail.model_dump(include=set(PlanBody.model_fields))
        | {"firmware_id": detail.file.id, "upgrade_type": 2}
    )
    with pytest.raises(Conflict):  # it runs
        await site.plans.change(MAKER, plan, body)
    await site.actions.pause(MAKER, plan)
    with pytest.raises(Conflict) as refused:
        await site.plans.change(MAKER, plan, body.model_copy(update={"device_ids": [gateways[0].number]}))
    assert refused.value.field == "device_ids"
    changed = await site.plans.change(MAKER, plan, body.model_copy(update={"title": "slower"}))
    assert changed.title == "slower"


async def test_the_window_goes_with_the_order_in_the_plans_zone(site: FirmwareSite) -> None:
    (gateway,) = await site.make(1)
    window = {"begin": "01:00", "end": "05:00"}
    with pytest.raises(ParameterError, match=r"rules\.zone"):
        await site.plan(await site.upload(), rules={"window": window, "zone": "Asia/Nowhere"})
    plan = await site.plan(await site.upload(), rules={"window": window})
    await site.actions.start(MAKER, plan)
    await site.turn()
    assert gateway.order is not None and gateway.order.window == (17 * 60, 21 * 60)


async def test_who_lost_his_rights_upgrades_nothing_more(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4)
    site.users[1] = replace(MAKER, permissions=MAKER.permissions - {"OtaManager"})
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.reason) == ("paused", "rights")
    site.users[1] = None
    await site.actions.resume(MAKER, plan)
    await site.run()
    assert (await site.detail(plan)).reason == "rights"
    assert all(not gateway.orders for gateway in gateways)


async def test_a_gateway_that_somebody_else_has_now_is_left_out(site: FirmwareSite) -> None:
    gateways, _ = await begun(site, 1)
    async with site.services.database.session() as session:
        await session.execute(update(Device).where(Device.id == gateways[0].number).values(owner_id=3))
        await session.commit()
    await site.run()
    assert gateways[0].orders == []


async def test_a_key_that_is_not_trusted_any_more_stops_its_rollouts(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 4)
    (key,) = (await site.keys.rows(MAKER)).rows
    await site.keys.delete(MAKER, key.id)
    await site.run()
    detail = await site.detail(plan)
    assert (detail.state, detail.reason, gateways[0].orders) == ("paused", "key_gone", [])
    with pytest.raises(Conflict) as refused:
        await site.actions.resume(MAKER, plan)
    assert refused.value.reason == "firmware.key_gone"


async def test_an_access_password_is_given_at_the_start_and_counts_while_it_is_the_same(
    site: FirmwareSite,
) -> None:
    gateways = await site.make(2)
    plan = await site.plan(await site.upload())
    passwords = site.services.devices.access_passwords
    for gateway in gateways:
        await passwords.put(MAKER, gateway.number, "geheim1", "test")
    with pytest.raises(NoPermission):
        await site.actions.start(MAKER, plan)
    given = replace(MAKER, given={gateway.number: "geheim1" for gateway in gateways})
    await site.actions.start(given, plan)
    await passwords.put(MAKER, gateways[1].number, "geheim2", "test")
    await site.run()
    assert [len(gateway.orders) for gateway in gateways] == [1, 0]
    (row,) = await site.history(gateways[1])
    assert (row.state, row.code) == ("skipped", "access_password")


async def test_strangers_see_nothing_of_it(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 2)
    for action in (site.plans.detail, site.plans.preview, site.actions.pause, site.plans.delete):
        with pytest.raises(NotFound):
            await action(STRANGER, plan)
    assert (await site.plans.page(STRANGER, 1, 20, "", "")).total == 0
    assert await site.history(gateways[0], STRANGER) == []
    assert (await site.plans.gateways(STRANGER, 1, 20, GatewayFilter())).total == 0
    assert (await site.plans.gateways(MAKER, 1, 20, GatewayFilter(takes=True))).total == 2
    with pytest.raises(NotFound, match="firmware"):
        await site.plan(1, STRANGER)
    await site.trust(STRANGER)
    number = await site.upload(STRANGER)
    with pytest.raises(NotFound, match="device"):
        await site.plan(number, STRANGER)


async def test_history_outlasts_its_plan_for_two_years(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 1)
    await site.run()
    await site.plans.delete(MAKER, plan)
    (row,) = await site.history(gateways[0])
    assert (row.plan_id, row.plan_name) == (None, 1)
    await site.runner.forget_old(site.clock() + HISTORY_MS - 60_000)
    assert len(await site.history(gateways[0])) == 1
    await site.runner.forget_old(site.clock() + HISTORY_MS + 60_000)
    assert await site.history(gateways[0]) == []


async def test_what_goes_with_a_gateway_and_with_a_user(site: FirmwareSite) -> None:
    gateways, plan = await begun(site, 2)
    async with site.services.database.session() as session:
        await session.execute(delete(Device).where(Device.id == gateways[0].number))
        await session.execute(delete(User).where(User.id == 1))
        await session.commit()
        kept = await session.get(FirmwarePlan, plan)
        assert kept is not None and kept.owner_id is None
        assert (await session.get(GatewayUpgrade, 1)) is None
    await site.run()
    keys = await site.keys.rows(STRANGER)
    assert keys.rows == [], "what the maker trusted is not what all trust now"


async def test_who_goes_on_gives_the_passwords_of_the_gateways_that_are_written_to(
    site: FirmwareSite,
) -> None:
    await site.upload(payload=b"old", version=1, version_text="1.0")
    gateways, plan = await begun(site, 3, rules={"success_share": 0.5, "error_share": 0.5})
    passwords = site.services.devices.access_passwords
    for gateway in gateways:
        await passwords.put(MAKER, gateway.number, "geheim1", "test")
    given = replace(MAKER, given={gateway.number: "geheim1" for gateway in gateways})
    await site.actions.pause(MAKER, plan)
    with pytest.raises(NoPermission):
        await site.actions.resume(MAKER, plan)
    await site.actions.resume(given, plan)
    await site.run({gateways[2].name: "crash"})
    with pytest.raises(NoPermission):
        await site.actions.retry(MAKER, plan)
    await site.actions.retry(given, plan)
    await site.run()
    with pytest.raises(NoPermission):
        await site.actions.roll_back(MAKER, plan)
    with pytest.raises(NoPermission):
        await site.actions.upgrade_now(MAKER, gateways[0].number)
    assert {gateway.version for gateway in gateways} == {2}
    await site.actions.roll_back(given, plan)
    await site.run()
    assert {gateway.version for gateway in gateways} == {1}


async def test_the_way_back_needs_neither_key_nor_approval_and_keeps_its_file(site: FirmwareSite) -> None:
    older = await site.upload(payload=b"old", version=1, version_text="1.0")
    site.key = Ed25519PrivateKey.generate()
    body = FirmwareKeyBody(key_id="stolen", public_key=public(site.key))
    key = await site.keys.add(MAKER, body)
    gateways = await site.make(2)
    plan = await site.plan(await site.upload(key_id="stolen"))
    await site.actions.start(MAKER, plan)
    await site.run()
    await site.keys.delete(MAKER, key.id)
    with pytest.raises(Conflict):
        await site.actions.upgrade_now(MAKER, gateways[0].number)
    await site.actions.roll_back(MAKER, plan)
    with pytest.raises(Conflict) as refused:
        await site.files.delete(MAKER, older)
    assert refused.value.reason == "firmware.used"
    await site.run()
    assert {gateway.version for gateway in gateways} == {1}
    await site.files.delete(MAKER, older)
