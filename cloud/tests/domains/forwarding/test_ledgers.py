"""Delivery ledgers that gateways report, on both databases."""

from __future__ import annotations

import pytest

from cloud.domains.forwarding import service as module
from cloud.domains.forwarding.service import ForwardingService
from cloud.errors import NotFound
from edge_contract.targets import TargetReject, TargetState

from ...conftest import GATEWAY, SYSTEM, DomainServices
from ..tenants import tree
from .targets import ledgers_of

REFUSED = TargetState(
    name="bureau",
    kind="hj212",
    condition="down",
    since_ms=5,
    reason="wrong MN",
    waiting_batches=7,
    waiting_bytes=4096,
    lost_batches=2,
    delivered=100,
    repeated=3,
    late=40,
    given_up=2,
    failed=9,
    last_ack_ms=4,
    next_try_ms=6,
    rejects=[
        TargetReject(t_ms=1, record="2011", reason="wrong PW", given_up=True),
        TargetReject(t_ms=2, record="2051", reason="wrong MN", count=9),
    ],
)
USB = TargetState(name="usb", kind="file", condition="up", delivered=1)


@pytest.fixture
def ledgers(services: DomainServices) -> ForwardingService:
    return ledgers_of(services)


async def test_the_newest_word_replaces_the_one_before(
    services: DomainServices, ledgers: ForwardingService
) -> None:
    assert await ledgers.of_device(SYSTEM, 1) == []
    ledgers.said(GATEWAY, [USB])
    ledgers.said(GATEWAY, [USB, REFUSED])
    await ledgers.write()
    bureau, usb = await ledgers.of_device(SYSTEM, 1)
    assert (bureau.name, bureau.condition, bureau.reason, bureau.since_ms) == (
        "bureau",
        "down",
        "wrong MN",
        5,
    )
    assert (bureau.waiting_batches, bureau.waiting_bytes, bureau.lost_batches) == (7, 4096, 2)
    assert (bureau.delivered, bureau.late, bureau.repeated, bureau.last_ack_ms) == (100, 40, 3, 4)
    assert (bureau.given_up, bureau.failed, bureau.next_try_ms) == (2, 9, 6)
    assert bureau.waiting_records == 7, "a gateway that does not say it has as many as batches"
    assert [(one.t_ms, one.record, one.reason, one.count, one.given_up) for one in bureau.rejects] == [
        (2, "2051", "wrong MN", 9, False), (1, "2011", "wrong PW", 1, True)
    ]  # fmt: skip
    assert bureau.reported_ms == services.clock.now
    assert (usb.kind, usb.rejects, usb.last_ack_ms) == ("file", [], 0)
    ledgers.said(GATEWAY, [USB])
    await ledgers.write()
    assert [one.name for one in await ledgers.of_device(SYSTEM, 1)] == ["usb"]
    ledgers.said(GATEWAY, [])
    await ledgers.write()
    assert await ledgers.of_device(SYSTEM, 1) == []


async def test_a_gateway_that_is_not_there_is_left_out(
    ledgers: ForwardingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GATEWAYS_AT_ONCE", 1)
    ledgers.said("aaa-nobody", [USB])
    ledgers.said(GATEWAY, [USB])
    ledgers.said("zzz-nobody", [USB])
    await ledgers.write()
    assert (await ledgers.page(SYSTEM, "", "", 1, 20)).total == 1
    ledgers.said(GATEWAY, [REFUSED])
    ledgers.forget(GATEWAY)
    await ledgers.write()
    assert [one.name for one in await ledgers.of_device(SYSTEM, 1)] == ["usb"]


async def test_the_list_has_what_is_down_first_and_is_searched(ledgers: ForwardingService) -> None:
    ledgers.said(GATEWAY, [USB, REFUSED, TargetState(name="a", kind="file", condition="off")])
    await ledgers.write()

    async def names(condition: str = "", search: str = "", page: int = 1, limit: int = 20) -> list[str]:
        return [one.name for one in (await ledgers.page(SYSTEM, condition, search, page, limit)).rows]

    assert await names() == ["bureau", "a", "usb"]
    assert await names(condition="off") == ["a"]
    assert await names(search="wrong m") == ["bureau"]
    assert await names(search=GATEWAY, page=2, limit=2) == ["usb"]
    assert await names(search="%") == []
    [row] = (await ledgers.page(SYSTEM, "up", "", 1, 20)).rows
    assert (row.device_id, row.gateway_id, row.online) == (1, GATEWAY, False)


async def test_who_does_not_see_the_gateway_sees_none(
    services: DomainServices, ledgers: ForwardingService
) -> None:
    ledgers.said(GATEWAY, [USB])
    await ledgers.write()
    stranger = (await tree(services.database))["person-x"].scope
    assert (await ledgers.page(stranger, "", "", 1, 20)).total == 0
    with pytest.raises(NotFound):
        await ledgers.of_device(stranger, 1)
