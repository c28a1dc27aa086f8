"""Cards: who sees and changes them, what is refused, ranges, and lists, on both databases."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import update

from cloud.domains.inventory.models import Device
from cloud.domains.sim_cards import service as module
from cloud.domains.sim_cards.models import SimCard
from cloud.domains.sim_cards.schemas import CardFilter, SimCardBindBody, SimCardBody, SimCardRangeBody
from cloud.errors import Conflict, NotFound

from .conftest import CARD, OTHER, Scene

DAY_MS = 24 * 3600 * 1000


def range_of(first: str = "0098", last: str = "0101", **more: Any) -> SimCardRangeBody:
    return SimCardRangeBody.model_validate(
        {"prefix": "898600123456789", "first": first, "last": last, **more}
    )


async def test_a_card_is_seen_by_its_owner_and_above(scene: Scene) -> None:
    card = await scene.add(scene.x, supplier="Li & Co", plan_bytes=5, expires_on="2027-01-31")
    for user in (scene.x, scene.platform):
        (row,) = (await scene.cards.page(user, CardFilter(), 1, 20)).rows
        assert (row.id, row.iccid, row.supplier, row.expires_on) == (card, CARD, "Li & Co", date(2027, 1, 31))
        assert (row.owner_name, row.bound, row.gateway) == ("factory-x", False, None)
    assert (await scene.cards.page(scene.y, CardFilter(), 1, 20)).total == 0
    body = SimCardBody(iccid=CARD)
    for doing in (
        scene.cards.card(scene.y, card),
        scene.cards.usage(scene.y, card, 30),
        scene.cards.change(scene.y, card, body),
        scene.cards.bind(scene.y, card, SimCardBindBody(device_id=None)),
        scene.cards.delete(scene.y, card),
    ):
        with pytest.raises(NotFound, match="SIM card"):
            await doing
    row = await scene.cards.change(scene.platform, card, SimCardBody(iccid=CARD, status="suspended"))
    assert (row.status, row.supplier, row.owner_name) == ("suspended", "", "factory-x")
    await scene.cards.delete(scene.x, card)
    assert (await scene.cards.page(scene.platform, CardFilter(), 1, 20)).total == 0


async def test_a_number_is_one_card_for_all_owners(scene: Scene) -> None:
    card, other = await scene.add(scene.x), await scene.add(scene.y, OTHER)
    for user, iccid in ((scene.x, CARD), (scene.x, OTHER), (scene.platform, CARD)):
        with pytest.raises(Conflict) as refused:
            await scene.add(user, iccid)
        assert (refused.value.field, refused.value.reason) == ("iccid", "sim_card.taken")
    with pytest.raises(Conflict):
        await scene.cards.change(scene.x, card, SimCardBody(iccid=OTHER))
    assert (await scene.stored(other)).iccid == OTHER


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"iccid": "123"}, "iccid"),
        ({"operator": "x"}, "operator"),
        ({"status": "lost"}, "status"),
        ({"plan_bytes": -1}, "plan_bytes"),
        ({"plan_bytes": 2**51}, "plan_bytes"),
        ({"expires_on": "1999-12-31"}, "expires_on"),
        ({"expires_on": "2027-02-30"}, "expires_on"),
        ({"remark": "a\0"}, "remark"),
        ({"supplier": "a\tb"}, "supplier"),
        ({"device_id": 1}, "device_id"),
    ],
)
def test_a_card_of_another_form_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        SimCardBody.model_validate({"iccid": CARD, **fields})
    assert [error["loc"][0] for error in caught.value.errors()] == [field]


def test_a_billing_period_does_not_end_before_it_begins() -> None:
    with pytest.raises(ValidationError, match="billing_end: not before billing_begin"):
        SimCardBody.model_validate(
            {"iccid": CARD, "billing_begin": "2026-03-02", "billing_end": "2026-03-01"}
        )


async def test_a_range_adds_what_is_not_there(scene: Scene) -> None:
    await scene.add(scene.y, "8986001234567890099")
    wanted = range_of(fields={"supplier": "Li", "plan_bytes": 7})
    preview = await scene.cards.preview_range(scene.x, wanted)
    assert (preview.first, preview.last) == ("8986001234567890098", "8986001234567890101")
    assert (preview.count, preview.new, preview.existing) == (4, 3, 1)
    assert preview.existing_iccids == ["8986001234567890099"]
    assert preview.suspect == 3, "19 digits, and one number in ten has its check digit by chance"
    assert (await scene.cards.page(scene.x, CardFilter(), 1, 20)).total == 0
    result = await scene.cards.add_range(scene.x, wanted)
    assert (result.added, result.existing) == (3, 1)
    rows = (await scene.cards.page(scene.x, CardFilter(), 1, 20)).rows
    assert [row.iccid[-3:] for row in rows] == ["098", "100", "101"]
    assert {(row.supplier, row.plan_bytes) for row in rows} == {("Li", 7)}
    again = await scene.cards.add_range(scene.x, wanted)
    assert (again.added, again.existing) == (0, 4)


async def test_an_owner_has_a_bound(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CARDS", 3)
    await scene.cards.add_range(scene.x, range_of("0001", "0002"))
    with pytest.raises(Conflict) as refused:
        await scene.cards.add_range(scene.x, range_of("0003", "0004"))
    assert refused.value.reason == "sim_card.too_many"
    assert (await scene.cards.page(scene.x, CardFilter(), 1, 20)).total == 2
    await scene.add(scene.x)
    with pytest.raises(Conflict):
        await scene.add(scene.x, OTHER)
    await scene.add(scene.y, OTHER)


async def test_lists_are_filtered_and_sorted(scene: Scene) -> None:
    today = scene.cards.today()
    soon, late = today + timedelta(days=5), today + timedelta(days=90)
    first = await scene.add(scene.x, CARD, operator="cmcc", expires_on=late.isoformat(), remark="50%_a")
    second = await scene.add(scene.x, OTHER, operator="ctcc", status="test", expires_on=soon.isoformat())
    third = await scene.add(scene.x, "898600123456789099", status="silent")
    await scene.cards.bind(scene.x, first, SimCardBindBody(device_id=scene.devices["gw-x"]))
    for wanted, expected in (
        (CardFilter(), [first, second, third]),
        (CardFilter(sort="expires_on"), [second, first, third]),
        (CardFilter(search="5678"), [first, second, third]),
        (CardFilter(search="05678"), [second]),
        (CardFilter(search="0%_"), [first]),
        (CardFilter(search="pump X"), [first]),
        (CardFilter(search="%"), [first]),
        (CardFilter(operator="ctcc"), [second]),
        (CardFilter(status="silent"), [third]),
        (CardFilter(expires_within=5), [second]),
        (CardFilter(bound=True), [first]),
        (CardFilter(bound=False), [second, third]),
        (CardFilter(moved=True), []),
        (CardFilter(moved=False, operator="cmcc"), [first]),
    ):
        page = await scene.cards.page(scene.x, wanted, 1, 20)
        assert ([row.id for row in page.rows], page.total) == (expected, len(expected)), wanted
    page = await scene.cards.page(scene.x, CardFilter(), 2, 2)
    assert ([row.id for row in page.rows], page.total) == ([third], 3)


async def test_a_card_is_bound_to_a_gateway_that_the_user_sees(scene: Scene) -> None:
    card = await scene.add(scene.x)
    with pytest.raises(NotFound, match="device"):
        await scene.cards.bind(scene.x, card, SimCardBindBody(device_id=scene.devices["gw-y"]))
    row = await scene.cards.bind(scene.x, card, SimCardBindBody(device_id=scene.devices["gw-x"]))
    assert row.gateway is not None and (row.gateway.title, row.bound) == ("Pump x", True)
    foreign = await scene.cards.bind(scene.platform, card, SimCardBindBody(device_id=scene.devices["gw-y"]))
    assert foreign.gateway is not None and foreign.gateway.title == "Pump y"
    detail = await scene.cards.card(scene.x, card)
    assert (detail.card.bound, detail.card.gateway, detail.modem) == (True, None, None)
    row = await scene.cards.bind(scene.x, card, SimCardBindBody(device_id=None))
    assert (row.bound, row.gateway) == (False, None)


async def test_another_number_is_another_card(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD)
    assert (await scene.stored(card)).device_id == scene.devices["gw-x"]
    row = await scene.cards.change(scene.x, card, SimCardBody(iccid=OTHER))
    assert (row.bound, row.iccid) == (False, OTHER)


async def test_a_card_outlives_its_gateway(scene: Scene) -> None:
    card = await scene.add(scene.x)
    await scene.report("gw-x", CARD)
    async with scene.database.session() as session:
        await session.delete(await session.get_one(Device, scene.devices["gw-x"]))
        await session.commit()
    detail = await scene.cards.card(scene.x, card)
    assert (detail.card.bound, detail.card.moved_ms) == (False, None)


async def test_what_a_forecast_needs_is_looked_up(scene: Scene) -> None:
    today = scene.cards.today()
    begin, end = today - timedelta(days=10), today + timedelta(days=20)
    period = {"billing_begin": begin.isoformat(), "billing_end": end.isoformat()}
    card = await scene.add(scene.x, plan_bytes=3000, **period)
    async with scene.database.session() as session:
        repository = module.SimCardRepository(session, scene.x.scope)
        days = [(begin + timedelta(days=n), 60, 40) for n in range(-3, 11)]
        await repository.add_usage(card, days)
        await repository.put_billing(
            [
                {"card_id": card, "day": day, "used_bytes": used, "source": "file", "noted_ms": 1}
                for day, used in ((begin - timedelta(days=1), 9000), (begin + timedelta(days=3), 450))
            ]
        )
        await session.commit()
    detail = await scene.cards.card(scene.x, card)
    row = detail.card
    assert (row.counted_bytes, row.billed_bytes, row.billed_on) == (1100, 450, begin + timedelta(days=3))
    assert (row.forecast.reason, row.forecast.mean_bytes, row.forecast.used_bytes) == ("", 100, 450 + 700)
    assert (detail.comparison.counted_bytes, detail.comparison.difference_bytes) == (400, 50)
    usage = await scene.cards.usage(scene.x, card, 8)
    assert [day.day for day in usage.days] == [today - timedelta(days=n) for n in range(7, -1, -1)]
    assert [day.billed_bytes for day in usage.days if day.billed_bytes is not None] == [450]


async def test_old_usage_is_deleted(scene: Scene) -> None:
    card, today = await scene.add(scene.x), scene.cards.today()
    async with scene.database.session() as session:
        repository = module.SimCardRepository(session, scene.x.scope)
        await repository.add_usage(card, [(today - timedelta(days=n), 1, 1) for n in (0, 800, 801)])
        await session.commit()
    await scene.reports.forget_old(scene.clock())
    assert [day for day, _, _ in await scene.usage(card)] == [
        (today - timedelta(days=n)).isoformat() for n in (800, 0)
    ]


async def test_a_moved_card_of_a_deleted_owner_is_the_platforms(scene: Scene) -> None:
    card = await scene.add(scene.x)
    async with scene.database.session() as session:
        await session.execute(update(SimCard).values(owner_id=None))
        await session.commit()
    assert (await scene.cards.card(scene.platform, card)).card.owner_name == ""
    with pytest.raises(NotFound):
        await scene.cards.card(scene.x, card)
