"""Alarms of which nobody is told: in the log, at the alarm, and in the list of those of the last days."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from cloud.core.scope import Scope
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.contacts.recipients import KEEPS
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.notifications import outbox
from cloud.domains.notifications.alarm_notifications import AlarmNotificationService
from cloud.domains.notifications.channels.base import MessageRefused
from cloud.domains.notifications.models import DeliveryItem
from cloud.domains.notifications.schemas import AlarmNotification, UnreachedRow
from cloud.domains.notifications.states import DeliveryReason
from cloud.errors import NotFound

from .conftest import GUEST, PLANT, Scene

STAFF = CurrentUser(9, "staff", 1, frozenset({KEEPS}), "", Scope.system())
OPERATOR = replace(PLANT, permissions=frozenset({"Event"}))
DAY_S = 24 * 3600


async def of_alarm(scene: Scene, event_id: int = 1, user: CurrentUser = PLANT) -> AlarmNotification:
    return await AlarmNotificationService(scene.database, clock=scene.clock).of_alarm(user, event_id)


async def unreached(scene: Scene, user: CurrentUser = PLANT) -> list[UnreachedRow]:
    return await AlarmNotificationService(scene.database, clock=scene.clock).unreached(user)


async def test_a_member_without_an_address_is_said_and_the_others_are_told(scene: Scene) -> None:
    li, wang = await scene.contact("Li", email="", phone="13800000000"), await scene.contact("Wang")
    await scene.group(li, wang)
    await scene.alarm()
    await scene.pass_s(15)
    rows = {row.name: (row.channel, row.state, row.reason, row.contact_id) for row in await scene.log()}
    assert rows == {"Wang": ("email", "sent", "", wang), "Li": ("", "dropped", "no_address", li)}
    told = await of_alarm(scene)
    assert (told.reached, told.waiting, told.problem) == (1, 0, "")
    assert {row.name for row in told.deliveries} == {"Li", "Wang"}
    assert await unreached(scene) == []


async def test_who_is_told_by_another_group_lacks_nothing(scene: Scene) -> None:
    li = await scene.contact("Li")
    await scene.group(li)
    await scene.group(li, title="By phone", channels=["sms"])
    await scene.alarm()
    await scene.pass_s(15)
    assert [(row.channel, row.state) for row in await scene.log()] == [("email", "sent")]


@pytest.mark.parametrize(
    ("contact", "group", "reason", "name"),
    [
        ({"email": ""}, {}, "no_address", "Li"),
        ({"enabled": False}, {}, "no_member", "Shift"),
        (None, {}, "no_member", "Shift"),
        ({}, {"channels": []}, "no_member", "Shift"),
        ({}, {"lowest_level": "danger"}, "no_group", ""),
        ({}, {"enabled": False}, "no_group", ""),
    ],
)
async def test_why_an_alarm_reaches_nobody(
    scene: Scene, contact: dict[str, object] | None, group: dict[str, object], reason: str, name: str
) -> None:
    members = [] if contact is None else [await scene.contact(**contact)]
    await scene.group(*members, **group)
    await scene.alarm(alarm_type=2)
    await scene.pass_s(15)
    [row] = await scene.log()
    assert (row.state, row.reason, row.name, row.channel, row.count) == ("dropped", reason, name, "", 1)
    told = await of_alarm(scene)
    assert (told.reached, told.waiting, told.problem) == (0, 0, reason)
    [kind] = await unreached(scene)
    assert (kind.reason, kind.count, kind.newest_event_id, kind.device) == (reason, 1, 1, "gw-a")
    assert (kind.title, kind.alarm_type) == ("rule 1", 2)


async def test_a_message_that_failed_reached_nobody_and_one_under_way_may(scene: Scene) -> None:
    await scene.group(await scene.contact())
    scene.channels["email"].answers = [MessageRefused(DeliveryReason.BAD_ADDRESS, "550")]
    await scene.alarm()
    assert (await of_alarm(scene)).problem == "pending"
    await scene.turn()
    under_way = await of_alarm(scene)
    assert (under_way.waiting, under_way.problem) == (1, "")
    assert await unreached(scene) == []
    await scene.pass_s(15)
    assert (await of_alarm(scene)).problem == "bad_address"
    assert [row.reason for row in await unreached(scene)] == ["bad_address"]


async def test_ends_of_alarms_make_no_entry(scene: Scene) -> None:
    raised_ms = await scene.alarm()
    await scene.over(raised_ms)
    await scene.pass_s(15)
    [row] = await scene.log()
    assert [event.change for event in row.events] == ["raised"]


async def test_repeats_are_one_entry_an_hour_and_one_kind(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_ITEMS", 4)
    for number in range(6):
        await scene.alarm(1 + number % 2)
        await scene.pass_s(10, 10)
    assert [row.count for row in await scene.log()] == [4, 2]
    assert sorted((row.title, row.count) for row in await unreached(scene)) == [("rule 1", 3), ("rule 2", 3)]
    scene.clock.pass_s(3601)
    await scene.alarm(3)
    await scene.turn()
    assert [row.count for row in await scene.log()] == [4, 2, 1]
    async with scene.database.reading() as session:
        assert (await session.execute(select(func.count(DeliveryItem.id)))).scalar_one() == 7
    scene.clock.pass_s(7 * DAY_S + 1)
    assert await unreached(scene) == []


async def test_nobody_learns_of_others_by_it(scene: Scene) -> None:
    """An operator without contacts learns that somebody was told, not whom; another tenant nothing."""
    await scene.group(await scene.contact("Boss", user=STAFF), user=STAFF)
    await scene.alarm()
    await scene.pass_s(15)
    for user, names in ((STAFF, ["Boss"]), (PLANT, []), (OPERATOR, [])):
        told = await of_alarm(scene, user=user)
        assert (told.reached, [row.name for row in told.deliveries]) == (1, names)
    with pytest.raises(NotFound):
        await of_alarm(scene, user=GUEST)
    await scene.alarm(2, groups=(99,))
    await scene.pass_s(15)
    assert len(await unreached(scene)) == 1
    assert await unreached(scene, GUEST) == []
    assert [row.reason for row in await scene.log()] == ["no_group"]
    assert await scene.log(GUEST) == []


async def test_a_quiet_alarm_says_that_it_is(scene: Scene) -> None:
    await scene.alarm()
    async with scene.database.session() as session:
        await session.execute(update(AlarmEvent).values(quiet="shelved", state="shelved"))
        await session.commit()
    assert (await of_alarm(scene)).problem == "pending"
    await scene.pass_s(2)
    await scene.alarm(2)
    async with scene.database.session() as session:
        await session.execute(update(AlarmEvent).values(quiet="shelved", state="shelved"))
        await session.execute(outbox.AnnouncedAlarm.__table__.delete())
        await session.commit()
    assert (await of_alarm(scene, 2)).problem == "quiet"
