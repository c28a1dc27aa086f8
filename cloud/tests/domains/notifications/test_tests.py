"""Test messages, and what the log says of a message that waits."""

from __future__ import annotations

import pytest

from cloud.domains.notifications.channels.base import ProviderUnreachable
from cloud.domains.notifications.models import Delivery
from cloud.domains.notifications.states import APART_MS, FOLD_MS, DeliveryReason
from cloud.errors import Busy, Conflict, NotFound

from .conftest import GUEST, PLANT, Scene

ALWAYS = {"start": "00:00", "end": "23:59", "danger_passes": False}


async def outcome(scene: Scene, number: int) -> tuple[str, str, str, bool]:
    """Of an entry: state, reason, the provider's words, and whether it is a test."""
    row = await scene.service.one(PLANT, number)
    return row.state, row.reason, row.detail, row.is_test


async def test_a_test_goes_through_the_queue_and_says_what_came_of_it(scene: Scene) -> None:
    li = await scene.contact(phone="13800000000", enabled=False)
    row = await scene.service.test_contact(PLANT, li, "email")
    assert (row.state, row.is_test, row.subject, row.due_ms) == ("queued", True, "测试消息", scene.clock())
    assert scene.channels["email"].sent == []
    scene.restart()
    await scene.pass_s(1)
    assert await outcome(scene, row.id) == ("sent", "", "", True)
    assert scene.channels["email"].subjects == ["测试消息"]
    scene.channels["sms"].answers = [ProviderUnreachable(DeliveryReason.UNREACHABLE, "no route")]
    failed = await scene.service.test_contact(PLANT, li, "sms")
    await scene.pass_s(1)
    assert await outcome(scene, failed.id) == ("failed", "unreachable", "no route", True)
    with pytest.raises(Conflict, match="no address"):
        await scene.service.test_contact(PLANT, li, "wechat")
    group = await scene.group(robots=[{"kind": "webhook", "url": "https://example.com/hook"}])
    of_robot = await scene.service.test_group(PLANT, group, "webhook")
    await scene.pass_s(1)
    assert await outcome(scene, of_robot.id) == ("sent", "", "", True)


async def test_nobody_tests_or_sees_what_is_another_s(scene: Scene) -> None:
    li = await scene.contact()
    row = await scene.service.test_contact(PLANT, li, "email")
    with pytest.raises(NotFound):
        await scene.service.test_contact(GUEST, li, "email")
    with pytest.raises(NotFound):
        await scene.service.one(GUEST, row.id)
    group = await scene.group(robots=[{"kind": "webhook", "url": "https://example.com/hook"}])
    with pytest.raises(NotFound):
        await scene.service.test_group(GUEST, group, "webhook")


async def test_an_address_gets_a_test_a_minute(scene: Scene) -> None:
    li = await scene.contact()
    await scene.service.test_contact(PLANT, li, "email")
    with pytest.raises(Busy):
        await scene.service.test_contact(PLANT, li, "email")
    await scene.pass_s(60, 5)
    await scene.service.test_contact(PLANT, li, "email")


async def test_a_test_waits_for_nothing_and_nothing_waits_for_a_test(scene: Scene) -> None:
    li = await scene.contact()
    await scene.group(li)
    scene.channels["email"].answers = [ProviderUnreachable(DeliveryReason.DEFERRED)]
    await scene.alarm(1)
    await scene.pass_s(11)
    assert [(row.state, row.attempts) for row in await scene.log()] == [("queued", 1)]
    await scene.service.test_contact(PLANT, li, "email")
    await scene.pass_s(1)
    assert scene.channels["email"].subjects == ["测试消息"], "the alarm before it is being tried again"
    await scene.pass_s(32)
    assert [row.state for row in await scene.log()] == ["sent", "sent"], "not a minute after the test"


async def test_a_test_comes_in_quiet_hours(scene: Scene) -> None:
    li = await scene.contact()
    await scene.group(li, quiet=ALWAYS)
    await scene.service.test_contact(PLANT, li, "email")
    await scene.pass_s(1)
    assert scene.channels["email"].subjects == ["测试消息"]


async def test_a_test_that_was_under_way_as_the_process_ended_has_failed(scene: Scene) -> None:
    li = await scene.contact()
    before = await scene.service.test_contact(PLANT, li, "email")
    async with scene.database.session() as session:
        (await session.get_one(Delivery, before.id)).attempts = 1
        await session.commit()
    scene.clock.pass_s(60)
    waiting = await scene.service.test_contact(PLANT, li, "email")
    scene.restart()
    await scene.dispatcher._end_tests()
    await scene.pass_s(1)
    assert await outcome(scene, before.id) == ("failed", "fault", "", True)
    assert await outcome(scene, waiting.id) == ("sent", "", "", True)


async def test_a_test_to_somebody_who_is_gone_ends(scene: Scene) -> None:
    li = await scene.contact()
    row = await scene.service.test_contact(PLANT, li, "email")
    await scene.contacts.delete(PLANT, li)
    await scene.pass_s(1)
    assert (await outcome(scene, row.id))[:2] == ("dropped", "contact_gone")


async def test_the_log_says_why_a_message_waits_and_until_when(scene: Scene) -> None:
    await scene.group(await scene.contact())
    await scene.alarm(1)
    await scene.turn()
    waits = [(row.state, row.reason, row.due_ms) for row in await scene.log()]
    assert waits == [("queued", "folding", scene.clock() + FOLD_MS)]
    await scene.pass_s(11)
    sent_ms = (await scene.log())[0].sent_ms or 0
    await scene.alarm(2)
    await scene.turn()
    waits = [(row.state, row.reason, row.due_ms) for row in await scene.log()]
    assert waits[1] == ("queued", "apart", sent_ms + APART_MS)
    await scene.pass_s(61)
    assert [(row.state, row.reason) for row in await scene.log()] == [("sent", "")] * 2


async def test_the_log_says_that_quiet_hours_hold_a_message(scene: Scene) -> None:
    await scene.group(await scene.contact(), quiet=ALWAYS)
    await scene.alarm(1)
    await scene.turn()
    [row] = await scene.log()
    assert (row.state, row.reason) == ("held", "quiet_hours") and row.due_ms > scene.clock()
