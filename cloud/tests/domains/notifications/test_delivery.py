"""From an alarm to a message: who is told, when, once, and what is said when it does not go."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from cloud.domains.alarms.rule_alarms import POINT_REMOVED, RECOVERED, RULE_CHANGED, AlarmOver
from cloud.domains.contacts.models import ContactGroup
from cloud.domains.contacts.schemas import ContactBody, ContactGroupBody
from cloud.domains.notifications.outbox import MAX_ITEMS
from cloud.domains.notifications.states import DeliveryReason

from .conftest import GUEST, PLANT, Scene

NIGHT = {"start": "22:00", "end": "07:00"}
MIDNIGHT_MS = 1_790_006_400_000  # 2026-09-22 00:00 in Shanghai


async def test_an_alarm_is_told_once_with_its_facts(scene: Scene) -> None:
    await scene.group(await scene.contact(language="en"))
    await scene.alarm(title="Too hot")
    await scene.pass_s(15)
    [(message, address)] = scene.channels["email"].sent
    assert address.text == "li@example.com"
    assert message.subject == "[Alarm] Too hot - gw-a"
    assert "Level: Danger\nGateway: gw-a\nValue: 1.5" in message.text
    assert message.link.startswith("https://portal.example.com/alarm/alarmlog?event=")
    [row] = await scene.log()
    assert (row.state, row.count, row.receipt, row.attempts) == ("sent", 1, "receipt-1", 1)
    assert [event.change for event in row.events] == ["raised"]
    await scene.pass_s(300, 30)
    assert len(scene.channels["email"].sent) == 1


async def test_what_comes_within_the_window_is_one_message(scene: Scene) -> None:
    await scene.group(await scene.contact(language="en"))
    for rule_id in range(1, 14):
        await scene.alarm(rule_id)
        await scene.pass_s(0.5)
    assert scene.channels["email"].sent == []
    await scene.pass_s(10)
    [(message, _)] = scene.channels["email"].sent
    assert message.subject == "13 alarm notifications: rule 1 - gw-a and others"
    assert message.text.count("[Alarm]") == 10
    assert "3 more, see the portal." in message.text
    assert (message.count, len(message.alarms)) == (13, 10)


async def test_a_flood_is_one_message_and_its_end_another(scene: Scene) -> None:
    """More than are taken or named at a time, of two gateways, for two people on one channel."""
    for name in ("Li", "Wang"):
        await scene.group(await scene.contact(name), title=name)
    began_ms = scene.clock()
    flood = [scene.rule_alarm(number, number % 2) for number in range(1, 701)]
    ends = [AlarmOver(number, began_ms, began_ms + 1, 1, RECOVERED) for number in range(1, 701)]
    for found in (flood, ends):
        async with scene.database.session() as session:
            await scene.rule_alarms.record(session, found)
            await session.commit()
        await scene.pass_s(70, 5)
    sent = [(address.text, message.count) for message, address in scene.channels["email"].sent]
    assert sorted(sent) == sorted([(f"{who}@example.com", 700) for who in ("li", "wang")] * 2)
    assert {len(row.events) for row in await scene.log()} == {MAX_ITEMS}


async def test_after_a_message_the_next_waits_a_minute_and_folds(scene: Scene) -> None:
    await scene.group(await scene.contact())
    await scene.alarm(1)
    await scene.pass_s(12)
    sent_ms = (await scene.log())[0].sent_ms or 0
    await scene.alarm(2)
    await scene.pass_s(30)
    await scene.alarm(3)
    assert len(scene.channels["email"].sent) == 1
    await scene.pass_s(40)
    assert [message.count for message, _ in scene.channels["email"].sent] == [1, 2]
    assert ((await scene.log())[1].sent_ms or 0) - sent_ms >= 60_000


async def test_somebody_in_two_groups_is_told_once_and_on_each_channel(scene: Scene) -> None:
    li = await scene.contact(phone="13800000000")
    await scene.group(li)
    await scene.group(li, title="Second", channels=["email", "sms"])
    await scene.alarm()
    await scene.pass_s(12)
    assert len(scene.channels["email"].sent) == len(scene.channels["sms"].sent) == 1


async def test_again_and_over_are_told_each_once(scene: Scene) -> None:
    await scene.group(await scene.contact(language="en"))
    await scene.group(await scene.contact("Wang"), title="Silent", recoveries=False)
    raised_ms = await scene.alarm()
    await scene.pass_s(100, 10)
    await scene.again(raised_ms)
    await scene.pass_s(100, 10)
    await scene.again(raised_ms)
    await scene.pass_s(100, 10)
    await scene.over(raised_ms)
    await scene.pass_s(100, 10)
    to_li = [message.subject for message, to in scene.channels["email"].sent if to.text == "li@example.com"]
    assert [subject.split("]")[0] for subject in to_li] == [
        "[Alarm", "[Still active", "[Still active", "[Recovered",
    ]  # fmt: skip
    assert len(scene.channels["email"].sent) - len(to_li) == 3


@pytest.mark.parametrize(
    ("why", "said"), [(RULE_CHANGED, "rule changed"), (POINT_REMOVED, "data point removed")]
)
async def test_an_end_that_is_none_of_its_values_says_so(scene: Scene, why: str, said: str) -> None:
    await scene.group(await scene.contact(language="en"))
    raised_ms = await scene.alarm()
    await scene.pass_s(80, 10)
    await scene.over(raised_ms, why=why)
    await scene.pass_s(80, 10)
    assert scene.channels["email"].subjects[1] == f"[Ended ({said})] rule 1 - gw-a"


async def test_groups_that_a_rule_names_are_told_and_no_others(scene: Scene) -> None:
    await scene.group(await scene.contact("Li"))
    named = await scene.group(
        await scene.contact("Wang"), title="Named", gateways="devices", device_ids=[scene.devices[1]]
    )
    await scene.alarm(groups=(named,))
    await scene.pass_s(12)
    assert [to.text for _, to in scene.channels["email"].sent] == ["wang@example.com"]
    await scene.groups.delete(PLANT, named)
    await scene.alarm(2, groups=(named,))
    await scene.pass_s(100, 10)
    assert len(scene.channels["email"].sent) == 1


async def test_a_gateway_that_the_owner_does_not_see_is_never_told_of(scene: Scene) -> None:
    await scene.group(await scene.contact("Spy", user=GUEST), user=GUEST)
    stolen = await scene.group(await scene.contact("Thief", user=GUEST), user=GUEST, title="Named")
    await scene.alarm(groups=(stolen,))
    await scene.alarm(2)
    await scene.pass_s(100, 10)
    assert {(row.name, row.reason) for row in await scene.log()} == {("", "no_group")}
    assert await scene.log(GUEST) == []


async def test_what_waits_is_not_sent_when_the_gateway_is_seen_no_more(scene: Scene) -> None:
    await scene.group(await scene.contact())
    await scene.alarm(1, 0)
    await scene.alarm(2, 1)
    await scene.pass_s(2)
    await scene.give(0, 2)
    await scene.pass_s(12)
    [(message, _)] = scene.channels["email"].sent
    assert "gw-a" not in message.text + message.subject and "gw-b" in message.text
    await scene.alarm(3, 1)
    await scene.pass_s(2)
    await scene.give(1, 2)
    await scene.pass_s(100, 10)
    assert (await scene.log())[1].reason == DeliveryReason.NOT_SEEN
    assert len(scene.channels["email"].sent) == 1


async def test_an_owner_who_may_not_any_more_tells_nobody(scene: Scene) -> None:
    await scene.group(await scene.contact())
    await scene.alarm()
    await scene.pass_s(2)
    del scene.users[1]
    await scene.pass_s(20)
    await scene.alarm(2)
    await scene.pass_s(100, 10)
    log = [(row.name, row.state, row.reason) for row in await scene.log()]
    assert log == [("Li", "dropped", "owner_refused"), ("", "dropped", "owner_refused")]


@pytest.mark.parametrize("gone", ["deleted", "disabled", "left", "without"])
async def test_a_contact_that_is_gone_meanwhile_is_not_told(scene: Scene, gone: str) -> None:
    li = await scene.contact()
    group = await scene.group(li)
    await scene.alarm()
    await scene.pass_s(2)
    if gone == "deleted":
        await scene.contacts.delete(PLANT, li)
    elif gone == "left":
        body = ContactGroupBody.model_validate({"title": "Shift", "channels": ["email"]})
        await scene.groups.change(PLANT, group, body)
    else:
        fields: dict[str, Any] = {"enabled": False} if gone == "disabled" else {"email": ""}
        body_of = {"name": "Li", "email": "li@example.com", **fields}
        await scene.contacts.change(PLANT, li, ContactBody.model_validate(body_of))
    await scene.pass_s(20)
    expected = "no_address" if gone == "without" else "contact_gone"
    assert [(row.state, row.reason) for row in await scene.log()] == [("dropped", expected)]


async def test_quiet_hours_hold_back_and_fold_but_danger_passes(scene: Scene) -> None:
    scene.clock.now = MIDNIGHT_MS
    await scene.group(await scene.contact(), quiet={**NIGHT, "danger_passes": True})
    await scene.alarm(1, alarm_type=107)
    await scene.alarm(2, alarm_type=1)
    await scene.pass_s(3600, 60)
    await scene.alarm(3, alarm_type=107)
    await scene.pass_s(60, 10)
    assert [row.state for row in await scene.log()] == ["held", "sent"]
    assert [row.subject.split("]")[1] for row in await scene.log(state="sent")] == [" rule 2 - gw-a"]
    await scene.pass_s(6 * 3600, 60)
    assert [message.count for message, _ in scene.channels["email"].sent] == [1, 2]
    sent_ms = (await scene.log())[0].sent_ms or 0
    assert MIDNIGHT_MS + 7 * 3_600_000 <= sent_ms < MIDNIGHT_MS + 7 * 3_600_000 + 61_000


async def test_who_was_woken_hears_that_it_is_over(scene: Scene) -> None:
    scene.clock.now = MIDNIGHT_MS
    await scene.group(await scene.contact(language="en"), quiet={**NIGHT, "danger_passes": True})
    raised_ms = await scene.alarm(1, alarm_type=1)
    await scene.pass_s(120, 10)
    await scene.over(raised_ms)
    await scene.pass_s(120, 10)
    assert scene.channels["email"].subjects == ["[Alarm] rule 1 - gw-a", "[Recovered] rule 1 - gw-a"]


async def test_an_address_that_is_none_keeps_no_other_from_its_message(scene: Scene) -> None:
    """As an older version took it."""
    bad = await scene.group(robots=[{"kind": "webhook", "url": "https://example.com/"}], title="Bad")
    async with scene.database.session() as session:
        robots = {"webhook": {"url": "http://x:y:z/", "secret": ""}}
        await session.execute(update(ContactGroup).where(ContactGroup.id == bad).values(robots=robots))
        await session.commit()
    await scene.group(await scene.contact())
    await scene.alarm()
    await scene.pass_s(15)
    assert len(scene.channels["email"].sent) == 1


async def test_of_many_only_those_are_told_and_counted_that_are_still_seen(scene: Scene) -> None:
    await scene.group(await scene.contact(language="en"))
    for rule_id in range(1, 13):
        await scene.alarm(rule_id, 0)
    await scene.alarm(13, 1)
    await scene.alarm(14, 1)
    await scene.pass_s(2)
    await scene.give(0, 2)
    await scene.pass_s(12)
    [(message, _)] = scene.channels["email"].sent
    assert message.subject == "2 alarm notifications: rule 13 - gw-b and others"
    assert "more" not in message.text and "gw-a" not in message.text


async def test_a_group_that_nobody_understands_keeps_no_other_from_its_messages(scene: Scene) -> None:
    odd = await scene.group(await scene.contact("Odd"))
    await scene.group(await scene.contact("Li"))
    async with scene.database.session() as session:
        await session.execute(
            update(ContactGroup).where(ContactGroup.id == odd).values(body={"gateways": "moon"})
        )
        await session.commit()
    await scene.alarm()
    await scene.pass_s(12)
    assert [to.text for _, to in scene.channels["email"].sent] == ["li@example.com"]
