"""Attempts: retries, ends, what they cost, bounds, and what a process that dies leaves."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select

from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.notifications import dispatcher, outbox
from cloud.domains.notifications.channels.base import MessageRefused, ProviderUnreachable, Receipt
from cloud.domains.notifications.charging import MAX_UNITS_DAY
from cloud.domains.notifications.metrics import OLDEST_S, OVERFLOWED, WAITING
from cloud.domains.notifications.models import AnnouncedAlarm, Delivery, NotificationCharge
from cloud.domains.notifications.states import (
    BACKOFF_MS,
    DeliveryReason,
    DeliveryState,
)
from cloud.errors import Conflict

from .conftest import GUEST, PLANT, Scene


async def test_unreachable_is_tried_again_later_and_ends_as_failed(scene: Scene) -> None:
    await scene.group(await scene.contact())
    email = scene.channels["email"]
    email.answers = [ProviderUnreachable(DeliveryReason.UNREACHABLE, "no route") for _ in range(20)]
    await scene.alarm()
    await scene.pass_s(15)
    [row] = await scene.log()
    assert (row.state, row.reason, row.detail, row.attempts) == ("queued", "unreachable", "no route", 1)
    await scene.pass_s(sum(BACKOFF_MS) / 1000 + 200, 30)
    [row] = await scene.log()
    assert (row.state, row.attempts) == ("failed", len(BACKOFF_MS) + 1)
    assert len(email.answers) == 20 - len(BACKOFF_MS) - 1


async def test_what_comes_while_one_is_tried_again_waits_for_it_and_is_one_message(scene: Scene) -> None:
    await scene.group(await scene.contact())
    scene.channels["email"].answers = [ProviderUnreachable(DeliveryReason.UNREACHABLE)] * 2
    for rule_id in range(1, 6):
        await scene.alarm(rule_id)
        await scene.pass_s(15)
    assert len(await scene.log()) == 2
    await scene.pass_s(400, 5)
    assert [message.count for message, _ in scene.channels["email"].sent] == [1, 4]


async def test_refused_is_failed_at_once_and_a_fault_of_a_channel_is_tried_again(scene: Scene) -> None:
    await scene.group(await scene.contact())
    scene.channels["email"].answers = [MessageRefused(DeliveryReason.BAD_ADDRESS, "550"), ZeroDivisionError()]
    await scene.alarm(1)
    await scene.pass_s(15)
    assert [(row.state, row.reason) for row in await scene.log()] == [("failed", "bad_address")]
    await scene.alarm(2)
    await scene.pass_s(100, 5)
    assert [row.state for row in await scene.log()] == ["failed", "sent"]


async def test_a_channel_that_is_not_configured_is_said(scene: Scene) -> None:
    await scene.group(await scene.contact(phone="13800000000"), channels=["sms"])
    del scene.channels["sms"]
    scene.restart()
    await scene.alarm()
    await scene.pass_s(2)
    scene.clock.pass_s(20)
    await scene.dispatcher.send_due("sms")
    assert [(row.state, row.reason) for row in await scene.log()] == [("failed", "not_configured")]
    li = (await scene.log())[0].contact_id or 0
    with pytest.raises(Conflict, match="not configured"):
        await scene.service.test_contact(PLANT, li, "sms")


async def units(scene: Scene) -> dict[str, int]:
    async with scene.database.reading() as session:
        rows = await session.execute(select(NotificationCharge.channel, NotificationCharge.units))
        return {row[0]: row[1] for row in rows}


async def test_text_messages_and_calls_are_charged_once_and_given_back_when_they_fail(scene: Scene) -> None:
    await scene.group(await scene.contact(phone="13800000000"), channels=["sms", "voice", "email"])
    scene.channels["sms"].answers = [ProviderUnreachable(DeliveryReason.LIMIT)]
    scene.channels["voice"].answers = [MessageRefused(DeliveryReason.BALANCE)]
    await scene.alarm()
    await scene.pass_s(60, 5)
    assert await units(scene) == {"sms": 1, "voice": 0}


async def test_what_costs_is_bounded_by_day_and_owner(scene: Scene) -> None:
    await scene.group(await scene.contact(phone="13800000000"), channels=["sms"])
    day = "2026-09-21"
    async with scene.database.session() as session:
        session.add(NotificationCharge(owner=1, day=day, channel="sms", units=MAX_UNITS_DAY))
        await session.commit()
    await scene.alarm()
    await scene.pass_s(20)
    assert [(row.state, row.reason) for row in await scene.log()] == [("failed", "day_limit")]
    assert await units(scene) == {"sms": MAX_UNITS_DAY}


async def test_robots_of_a_group_get_it_at_its_address_with_its_secret(scene: Scene) -> None:
    url = "https://oapi.dingtalk.com/robot/send?access_token=abc"
    robots = [{"kind": "dingtalk", "url": url, "secret": "SEC1"}]
    await scene.group(robots=robots, language="en", title="Team")
    await scene.alarm()
    await scene.pass_s(12)
    [(message, address)] = scene.channels["dingtalk"].sent
    assert (address.text, address.secret) == (url, "SEC1")
    assert message.language == "en"
    [row] = await scene.log()
    assert (row.name, row.address) == ("Team", "oapi.dingtalk.com")


async def test_an_alarm_that_is_rolled_back_or_deleted_is_told_to_nobody(scene: Scene) -> None:
    await scene.group(await scene.contact())
    async with scene.database.session() as session:
        await scene.rule_alarms.record(session, [scene.rule_alarm(1)])
        await session.rollback()
    await scene.turn()
    await scene.alarm()
    async with scene.database.session() as session:
        for event in await session.scalars(select(AlarmEvent)):
            await session.delete(event)
        await session.commit()
    await scene.pass_s(20)
    assert await scene.log() == []


async def test_the_outbox_is_bounded_and_what_is_beyond_is_counted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_OUTBOX", 3)
    await scene.group(await scene.contact())
    before = OVERFLOWED._value.get()
    for rule_id in range(1, 6):
        await scene.alarm(rule_id)
    assert OVERFLOWED._value.get() - before == 2
    await scene.pass_s(15)
    assert [message.count for message, _ in scene.channels["email"].sent] == [3]


async def test_of_each_owner_some_are_sent_in_a_round(scene: Scene) -> None:
    """Ten of one owner are due before the one of another."""
    for number in range(10):
        await scene.group(await scene.contact(f"Li{number}"), title=f"{number}")
    await scene.alarm()
    await scene.outbox.take()
    await scene.group(await scene.contact("Guest", GUEST), user=GUEST)
    await scene.give(1, 2)
    await scene.alarm(2, 1)
    await scene.outbox.take()
    scene.clock.pass_s(30)
    await scene.dispatcher.send_due("email")
    sent = [address.text for _, address in scene.channels["email"].sent]
    assert len(sent) == dispatcher.MAX_EACH + 1
    assert "guest@example.com" in sent


async def test_a_message_names_at_most_so_many_events_and_counts_the_others(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_ITEMS", 4)
    await scene.group(await scene.contact())
    for rule_id in range(1, 8):
        await scene.alarm(rule_id)
    await scene.pass_s(15)
    [row] = await scene.log()
    assert (row.count, len(row.events)) == (7, 4)


async def test_what_was_sent_is_not_sent_again_after_a_restart(scene: Scene) -> None:
    await scene.group(await scene.contact())
    await scene.alarm(1)
    scene.restart()
    await scene.pass_s(3)
    scene.restart()
    await scene.pass_s(12)
    scene.restart()
    await scene.pass_s(200, 5)
    assert len(scene.channels["email"].sent) == 1
    async with scene.database.reading() as session:
        assert (await session.execute(select(func.count(AnnouncedAlarm.id)))).scalar_one() == 0


async def test_killed_after_the_provider_has_it_the_message_comes_twice_under_one_reference(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only window: between the provider's acknowledgement and the commit of it."""
    await scene.group(await scene.contact())
    await scene.alarm()

    class Killed(BaseException):
        pass

    async def killed(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(scene.dispatcher, "_note", killed)
    await scene.pass_s(9)
    with pytest.raises(Killed):
        await scene.pass_s(5)
    monkeypatch.undo()
    scene.restart()
    await scene.pass_s(200, 5)
    first, second = (message for message, _ in scene.channels["email"].sent)
    assert first.reference == second.reference and first.text == second.text
    assert [(row.state, row.attempts) for row in await scene.log()] == [("sent", 2)]


async def test_killed_at_each_attempt_it_ends_as_failed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.group(await scene.contact())
    await scene.alarm()

    async def lost(*_: object) -> None:
        """As a process that dies while it sends."""

    monkeypatch.setattr(scene.dispatcher, "attempt", lost)
    await scene.pass_s(30_000, 60)
    assert [(row.state, row.reason) for row in await scene.log()] == [("failed", "fault")]


async def test_an_outcome_is_written_when_the_database_is_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.group(await scene.contact())
    await scene.alarm()
    conclude, failures = scene.dispatcher._conclude, [OSError("away")] * 3

    async def failing(*given: Any) -> None:
        if failures:
            raise failures.pop()
        await conclude(*given)

    monkeypatch.setattr(scene.dispatcher, "_conclude", failing)
    await scene.pass_s(15)
    assert [row.state for row in await scene.log()] == ["sent"]
    assert len(scene.channels["email"].sent) == 1


async def test_a_provider_that_hangs_is_given_up(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hanging(*_: object) -> Receipt:
        await asyncio.sleep(60)
        raise AssertionError

    monkeypatch.setattr(dispatcher, "SEND_S", 0.05)
    monkeypatch.setattr(scene.channels["email"], "send", hanging)
    await scene.group(await scene.contact())
    await scene.alarm()
    await scene.pass_s(12)
    assert [(row.state, row.reason) for row in await scene.log()] == [("queued", "unreachable")]


async def test_old_ones_are_forgotten_and_open_ones_are_not(scene: Scene) -> None:
    await scene.group(await scene.contact())
    await scene.alarm(1)
    await scene.pass_s(15)
    await scene.alarm(2)
    await scene.pass_s(2)
    await scene.dispatcher.forget_old(scene.clock() + dispatcher.KEEP_MS + 60_000)
    assert [row.state for row in await scene.log()] == ["queued"]


async def test_no_more_are_kept_than_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "MAX_STORED", 2)
    await scene.group(await scene.contact())
    for rule_id in range(1, 5):
        await scene.alarm(rule_id)
        await scene.pass_s(75, 5)
    await scene.dispatcher.forget_old(scene.clock())
    assert [row.events[0].event_id for row in await scene.log()] == [3, 4]


async def test_the_log_is_filtered_and_measured(scene: Scene) -> None:
    li, wang = await scene.contact(), await scene.contact("Wang")
    await scene.group(li, wang)
    scene.channels["email"].answers = [ProviderUnreachable(DeliveryReason.LIMIT)]
    await scene.alarm()
    await scene.pass_s(12)
    await scene.dispatcher.measure()
    assert WAITING.labels("queued")._value.get() == 1
    assert len(await scene.log()) == 2
    assert len(await scene.log(state="queued")) == len(await scene.log(contact_id=li)) == 1
    assert await scene.log(channel="sms") == [] and await scene.log(event_id=99) == []
    assert len(await scene.log(event_id=1)) == 2
    scene.clock.pass_s(100)
    await scene.dispatcher.measure()
    assert OLDEST_S._value.get() > 60


async def test_a_robot_message_keeps_no_token_in_the_log(scene: Scene) -> None:
    await scene.group(robots=[{"kind": "webhook", "url": "https://example.com/hook?token=secret"}])
    await scene.alarm()
    await scene.pass_s(12)
    async with scene.database.reading() as session:
        [delivery] = await session.scalars(select(Delivery))
    assert delivery.state == DeliveryState.SENT
    assert "secret" not in str(vars(delivery))


async def test_what_cannot_be_made_into_a_message_ends_and_holds_up_no_other(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.group(await scene.contact())
    await scene.alarm(1)
    rendered, faults = dispatcher.render, [ValueError("odd")]

    def failing(*given: Any) -> Any:
        if faults:
            raise faults.pop()
        return rendered(*given)

    monkeypatch.setattr(dispatcher, "render", failing)
    await scene.pass_s(12)
    await scene.alarm(2)
    await scene.pass_s(80, 5)
    assert [(row.state, row.reason) for row in await scene.log()] == [("failed", "fault"), ("sent", "")]
