"""What gateways report: binding, cards that move, bytes, on both databases."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.models import Suppression
from cloud.domains.inventory.models import Device
from cloud.domains.sim_cards.placing import HELD_MS
from cloud.domains.sim_cards.schemas import CardFilter, SimCardBindBody

from .conftest import CARD, OTHER, SINCE_MS, Scene, link

HELD_S = HELD_MS / 1000


async def moved(scene: Scene) -> int:
    """A card of factory x, from gw-x to gw-y."""
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD)
    scene.clock.pass_s(HELD_S)
    await scene.report("gw-y", CARD)
    return card


@pytest.mark.clause("C-223")
async def test_a_card_is_bound_to_the_first_gateway_that_its_owner_sees(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-y", CARD)
    assert (await scene.stored(card)).device_id is None
    await scene.report("gw-x", CARD)
    detail = await scene.cards.card(scene.x, card)
    assert detail.card.gateway is not None and detail.card.gateway.gateway_id == "gw-x"
    assert detail.modem is not None
    assert (detail.modem.imei, detail.modem.iccid, detail.modem.signal) == ("490154203237518", CARD, 17)
    assert await scene.alarms() == []


@pytest.mark.clause("C-223")
async def test_a_card_of_the_platform_is_bound_to_any_gateway(scene: Scene) -> None:
    card = await scene.add(scene.platform)
    await scene.report("gw-y", CARD)
    assert (await scene.stored(card)).device_id == scene.devices["gw-y"]


@pytest.mark.clause("C-223")
async def test_a_moved_card_is_an_alarm_at_the_gateway_that_lost_it(scene: Scene) -> None:
    card = await moved(scene)
    (alarm,) = await scene.alarms()
    assert (alarm.device_id, alarm.alarm_type) == (scene.devices["gw-x"], AlarmType.TAMPER)
    assert (alarm.title, alarm.cause, alarm.state) == (f"SIM {CARD}", "card_moved", "unacknowledged")
    assert await scene.open_alarms("gw-x") == 1 and await scene.open_alarms("gw-y") == 0
    row = (await scene.cards.card(scene.x, card)).card
    assert (row.moved_ms, row.seen) == (scene.clock.now, None), "gw-y is nothing to its owner"
    above = (await scene.cards.card(scene.platform, card)).card
    assert above.seen is not None and above.seen.gateway_id == "gw-y"
    assert (await scene.cards.page(scene.x, CardFilter(moved=True), 1, 20)).total == 1
    scene.clock.pass_s(600)
    await scene.report("gw-y", CARD)
    assert len(await scene.alarms()) == 1
    await scene.report("gw-x", CARD)
    first, recovery = await scene.alarms()
    assert (first.recovered_ms, first.state, recovery.alarm_type) == (scene.clock.now, "returned", 0)
    assert await scene.open_alarms("gw-x") == 0
    assert scene.announced == [("raised", ""), ("over", "")]
    assert (await scene.cards.card(scene.x, card)).card.moved_ms is None


@pytest.mark.clause("C-223")
async def test_what_another_gateway_claims_meanwhile_counts_nothing(scene: Scene) -> None:
    card = await scene.add(scene.x)
    for _ in range(5):
        await scene.report("gw-x", CARD)
        scene.clock.pass_s(HELD_S - 1)
        await scene.report("gw-y", CARD)
    assert await scene.alarms() == []
    assert (await scene.stored(card)).seen_device_id == scene.devices["gw-x"]


@pytest.mark.clause("C-223")
@pytest.mark.parametrize("target", ["gw-y", None])
async def test_whoever_binds_it_anew_ends_the_alarm(scene: Scene, target: str | None) -> None:
    card = await moved(scene)
    device = None if target is None else scene.devices[target]
    row = await scene.cards.bind(scene.platform, card, SimCardBindBody(device_id=device))
    assert (row.moved_ms, row.bound) == (None, target is not None)
    alarm, recovery = await scene.alarms()
    assert alarm.recovered_ms == scene.clock.now and recovery.cause == "card_bound"
    assert scene.announced[-1] == ("over", "card_bound")
    await scene.report("gw-y", CARD)
    assert len(await scene.alarms()) == 2


async def test_deleting_a_moved_card_ends_its_alarm(scene: Scene) -> None:
    card = await moved(scene)
    await scene.cards.delete(scene.x, card)
    alarm, _ = await scene.alarms()
    assert alarm.recovered_ms == scene.clock.now


async def test_it_may_move_again(scene: Scene) -> None:
    await moved(scene)
    await scene.report("gw-x", CARD)
    scene.clock.pass_s(HELD_S)
    await scene.report("gw-y", CARD)
    assert [alarm.alarm_type for alarm in await scene.alarms()] == [105, 0, 105]


async def test_maintenance_keeps_it_quiet(scene: Scene) -> None:
    now = scene.clock.now
    async with scene.database.session() as session:
        session.add(
            Suppression(
                kind="maintenance", device_id=scene.devices["gw-x"], title="", reason="new modem",
                user_name="x", begin_ms=now, until_ms=now + 10**9,
            )
        )  # fmt: skip
        await session.commit()
    await moved(scene)
    (alarm,) = await scene.alarms()
    assert (alarm.state, scene.announced) == ("suppressed", [])


@pytest.mark.clause("C-223")
async def test_a_gateway_with_another_card_has_the_first_no_more(scene: Scene) -> None:
    card, other = await scene.add(scene.x), await scene.add(scene.x, OTHER)
    await scene.report("gw-x", CARD)
    await scene.report("gw-x", OTHER)
    assert (await scene.stored(other)).device_id == scene.devices["gw-x"]
    stored = await scene.stored(card)
    assert (stored.device_id, stored.seen_device_id) == (scene.devices["gw-x"], None)
    await scene.report("gw-y", CARD)
    assert len(await scene.alarms()) == 1, "at once: gw-x says itself that it has another one"


@pytest.mark.clause("C-222")
async def test_bytes_are_counted_from_the_second_report_on(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD, link(5000, 100))
    assert await scene.usage(card) == []
    for received, sent in ((5600, 150), (5600, 150), (6000, 200)):
        scene.clock.pass_s(600)
        await scene.report("gw-x", None, link(received, sent))
    assert [(received, sent) for _, received, sent in await scene.usage(card)] == [(1000, 100)]
    scene.clock.pass_s(600)
    await scene.report("gw-x", None, link(10, 1, since_ms=SINCE_MS + 1))  # it has begun anew
    scene.clock.pass_s(600)
    await scene.report("gw-x", None, link(30, 5, since_ms=SINCE_MS + 1))
    assert [(received, sent) for _, received, sent in await scene.usage(card)] == [(1020, 104)]


@pytest.mark.clause("C-222")
async def test_bytes_of_an_absence_are_divided_among_its_days(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD, link(0))
    scene.clock.pass_s(3 * 24 * 3600)
    await scene.report("gw-x", CARD, link(3_000_000))
    usage = await scene.usage(card)
    today = scene.cards.today()
    assert [day for day, _, _ in usage] == [(today - timedelta(days=n)).isoformat() for n in (3, 2, 1, 0)]
    assert sum(received for _, received, _ in usage) == 3_000_000
    assert [received for _, received, _ in usage[1:3]] == [1_000_000, 1_000_000]


async def test_bytes_that_no_modem_carries_are_not_believed(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD, link(0))
    for _ in range(3):
        scene.clock.pass_s(600)
        await scene.report("gw-x", CARD, link(2**53 - 1))
        scene.clock.pass_s(600)
        await scene.report("gw-x", CARD, link(0))
    assert sum(received for _, received, _ in await scene.usage(card)) == 0


async def test_other_interfaces_are_not_the_cards(scene: Scene) -> None:
    card = await scene.add(scene.x)
    for received in (0, 500):
        scene.clock.pass_s(600)
        await scene.report("gw-x", CARD, link(received, cellular=False))
    assert await scene.usage(card) == []


async def test_the_newest_word_is_written_and_parts_of_two_are_put_together(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD, link(0))
    scene.clock.pass_s(600)
    scene.reports.said("gw-x", None, [link(10)])
    scene.reports.said("gw-x", None, [link(70)])
    await scene.report("gw-x", CARD)
    assert [(received, sent) for _, received, sent in await scene.usage(card)] == [(70, 0)]


async def test_gateways_that_are_gone_or_disabled_are_left_out(scene: Scene) -> None:
    card = await scene.add(scene.platform)
    scene.reports.said("gw-x", None, [link(10)])
    scene.reports.forget("gw-x")
    await scene.report("gw-nobody", CARD, link(0))
    async with scene.database.session() as session:
        await session.execute(update(Device).where(Device.gateway_id == "gw-y").values(disabled=True))
        await session.commit()
    await scene.report("gw-y", CARD, link(0))
    assert (await scene.stored(card)).device_id is None
