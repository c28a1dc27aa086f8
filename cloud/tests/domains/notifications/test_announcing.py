"""Alarms are announced in their own transaction: by rules and by gateways that go offline."""

from __future__ import annotations

from sqlalchemy import select, update

from cloud.core.events import Absence, AlarmsAnnounced, AnnouncedChange
from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.handlers import OutageEvents
from cloud.domains.alarms.history import AlarmHistory
from cloud.domains.alarms.life_cycle import State
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.quieting import Quieting
from cloud.domains.inventory.models import Device
from cloud.realtime.audience import Audience

from .conftest import Scene

T0 = 1_790_000_000_000


class Announcements:
    """What the handler of absences announces; switch: the gateway's offline alarm is on or off."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.announced: list[AlarmsAnnounced] = []
        self.publisher = EventPublisher(self._nobody, lambda *_: None)
        self.outages = OutageEvents(self.publisher, self.announce, clock=scene.clock)

    async def switch(self, on: bool) -> None:
        async with self.scene.database.session() as session:
            await session.execute(update(Device).values(offline_notify=on))
            await session.commit()

    async def noted(self, slave_id: int | None, online_ms: int | None) -> None:
        absence = Absence(1, self.scene.devices[0], slave_id, T0, online_ms, "network")
        async with self.scene.database.session() as session:
            await self.outages.noted(session, absence)
            await session.commit()

    async def announce(self, event: AlarmsAnnounced) -> None:
        self.announced.append(event)
        await self.scene.outbox.note(event)

    async def _nobody(self, device_id: int) -> Audience:
        return Audience()


async def test_an_absence_is_announced_at_its_beginning_and_end_once(scene: Scene) -> None:
    made = Announcements(scene)
    await made.switch(True)
    await scene.group(await scene.contact(language="en"), lowest_level="warning")
    for online_ms in (None, None, T0 + 60_000, T0 + 60_000):
        await made.noted(None, online_ms)
        await scene.pass_s(90, 5)
    changes = [(each.change, each.event_id) for event in made.announced for each in event.changes]
    assert changes == [("raised", 1), ("over", 1)]
    assert scene.channels["email"].subjects == [
        "[Alarm] Gateway offline - gw-a",
        "[Recovered] Gateway offline - gw-a",
    ]


async def test_slaves_and_gateways_without_offline_alarm_are_not_announced(scene: Scene) -> None:
    made = Announcements(scene)
    await made.switch(False)
    await made.noted(None, None)
    await made.noted(None, T0 + 1)
    await made.switch(True)
    await made.noted(7, None)
    assert made.announced == []


async def test_only_what_was_quiet_is_announced_again(scene: Scene) -> None:
    """Two alarms stand; the first was suppressed, the second never."""
    made = Announcements(scene)
    history = AlarmHistory(made.publisher, clock=scene.clock)
    quieting = Quieting(history, made.announce, clock=scene.clock)
    for rule_id in (1, 2):
        await scene.alarm(rule_id)
    async with scene.database.session() as session:
        first = (await session.scalars(select(AlarmEvent).order_by(AlarmEvent.id))).first()
        assert first is not None
        first.quiet = first.state = State.SUPPRESSED.value
        await session.commit()
    scene.clock.pass_s(3600)
    for _ in range(2):
        async with scene.database.session() as session:
            await quieting.reconcile(session, [scene.devices[0]])
            await session.commit()
    assert [each for event in made.announced for each in event.changes] == [
        AnnouncedChange(first.id, "again", 2)
    ]
    async with scene.database.reading() as session:
        event = await session.get_one(AlarmEvent, first.id)
        assert event.last_ms == scene.clock() >= event.at_ms + 3_600_000  # what the message says of the time
