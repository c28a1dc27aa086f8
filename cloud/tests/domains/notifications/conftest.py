"""Notifications on a real database with a simulated clock and channels that remember what they sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, update

from cloud.core.events import AlarmsAnnounced
from cloud.core.scope import Scope
from cloud.domains.alarms.codes import OwnLevel
from cloud.domains.alarms.event_publisher import EventPublisher
from cloud.domains.alarms.rule_alarms import RECOVERED, AlarmAgain, AlarmOver, RuleAlarm, RuleAlarms
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.contacts.recipients import KEEPS, RecipientService
from cloud.domains.contacts.schemas import ContactBody, ContactGroupBody
from cloud.domains.contacts.service import ContactService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.notifications.channels import CHANNELS
from cloud.domains.notifications.channels.base import Address, Message, Receipt
from cloud.domains.notifications.charging import Charges
from cloud.domains.notifications.dispatcher import Dispatcher
from cloud.domains.notifications.messages import Portal
from cloud.domains.notifications.models import Delivery
from cloud.domains.notifications.outbox import Outbox
from cloud.domains.notifications.schemas import DeliveryQuery, DeliveryRow
from cloud.domains.notifications.service import NotificationService
from cloud.domains.notifications.states import OPEN
from cloud.realtime.audience import Audience

from ...conftest import DomainServices, add_plant_and_guest

PLANT = CurrentUser(1, "plant", 3, frozenset({KEEPS}), "", Scope(1, "/1/"))
GUEST = CurrentUser(2, "guest", 3, frozenset({KEEPS}), "", Scope(2, "/2/"))
ZONE = ZoneInfo("Asia/Shanghai")
PORTAL = Portal("https://portal.example.com", ZONE)


class FakeChannel:
    """Takes everything, or raises what is in `answers`, one after the other."""

    def __init__(self) -> None:
        self.sent: list[tuple[Message, Address]] = []
        self.answers: list[Exception] = []

    async def send(self, message: Message, address: Address) -> Receipt:
        if self.answers:
            raise self.answers.pop(0)
        self.sent.append((message, address))
        return Receipt(f"receipt-{len(self.sent)}")

    @property
    def subjects(self) -> list[str]:
        return [message.subject for message, _ in self.sent]


class Scene:
    """Two gateways of the plant; `users` is who may sign in now."""

    def __init__(self, services: DomainServices) -> None:
        self.services, self.clock, self.database = services, services.clock, services.database
        self.users: dict[int, CurrentUser] = {1: PLANT, 2: GUEST}
        self.devices: list[int] = []
        self.channels = {kind.name: FakeChannel() for kind in CHANNELS}
        self.restart()

    def restart(self) -> None:
        """As a process that begins anew."""
        self.contacts = ContactService(self.database, clock=self.clock)
        self.groups = ContactGroupService(self.database, clock=self.clock)
        self.recipients = RecipientService(self._user_now, ZONE)
        self.outbox = Outbox(self.database, self.recipients, clock=self.clock)
        self.rule_alarms = RuleAlarms(
            EventPublisher(self._audience, lambda *_: None), self._announce, clock=self.clock
        )
        self.dispatcher = Dispatcher(
            self.database,
            self.outbox,
            self.recipients,
            self.channels,
            Charges(ZONE, clock=self.clock).charge,
            self._levels,
            PORTAL,
            clock=self.clock,
            sleep=self._sleep,
        )
        self.service = NotificationService(self.database, self.channels, clock=self.clock)

    async def contact(self, name: str = "Li", user: CurrentUser = PLANT, **fields: Any) -> int:
        body = ContactBody.model_validate({"name": name, "email": f"{name.lower()}@example.com", **fields})
        return (await self.contacts.create(user, body)).id

    async def group(self, *contacts: int, user: CurrentUser = PLANT, **fields: Any) -> int:
        given = {"title": "Shift", "channels": ["email"], "contact_ids": list(contacts), **fields}
        return (await self.groups.create(user, ContactGroupBody.model_validate(given))).id

    async def alarm(
        self,
        rule_id: int = 1,
        device: int = 0,
        *,
        alarm_type: int = 1,
        groups: tuple[int, ...] = (),
        **more: Any,
    ) -> int:
        """Raise an alarm now; when."""
        alarm = self.rule_alarm(rule_id, device, alarm_type, groups, **more)
        async with self.database.session() as session:
            await self.rule_alarms.record(session, [alarm])
            await session.commit()
        return alarm.at_ms

    def rule_alarm(
        self, rule_id: int, device: int = 0, alarm_type: int = 1, groups: tuple[int, ...] = (), **more: Any
    ) -> RuleAlarm:
        return RuleAlarm(
            rule_id=rule_id,
            device_id=self.devices[device],
            slave_id=None,
            dsid=None,
            at_ms=self.clock(),
            since_ms=self.clock(),
            alarm_type=alarm_type,
            level=None,
            title=more.get("title", f"rule {rule_id}"),
            value=1.5,
            reason={"groups": list(groups)},
        )

    async def over(self, raised_ms: int, rule_id: int = 1, why: str = RECOVERED) -> None:
        async with self.database.session() as session:
            await self.rule_alarms.record(session, [AlarmOver(rule_id, raised_ms, self.clock(), 1, why)])
            await session.commit()

    async def again(self, raised_ms: int, rule_id: int = 1) -> None:
        async with self.database.session() as session:
            await self.rule_alarms.record(session, [AlarmAgain(rule_id, raised_ms, self.clock())])
            await session.commit()

    async def pass_s(self, seconds: float, step_s: float = 1.0) -> None:
        """Let time go by, with every loop of the dispatcher in each step."""
        while seconds > 0:
            self.clock.pass_s(min(step_s, seconds))
            seconds -= step_s
            await self.turn()

    async def turn(self) -> None:
        await self.outbox.take()
        async with self.database.reading() as session:
            query = select(Delivery.channel).distinct().where(Delivery.state.in_(OPEN))
            waiting = list(await session.scalars(query))
        for name in waiting:
            await self.dispatcher.send_due(name)

    async def log(self, user: CurrentUser = PLANT, **query: Any) -> list[DeliveryRow]:
        """The oldest first."""
        page = await self.service.page(user, DeliveryQuery(**query), 1, 100)
        return page.rows[::-1]

    async def give(self, device: int, owner_id: int) -> None:
        async with self.database.session() as session:
            await session.execute(
                update(Device).where(Device.id == self.devices[device]).values(owner_id=owner_id)
            )
            await session.commit()

    async def _announce(self, event: AlarmsAnnounced) -> None:
        await self.outbox.note(event)

    async def _user_now(self, user_id: int) -> CurrentUser | None:
        return self.users.get(user_id)

    async def _levels(self) -> Mapping[int, OwnLevel]:
        return {201: OwnLevel("Urgent", "#ff0000")}

    async def _audience(self, device_id: int) -> Audience:
        return Audience()

    async def _sleep(self, seconds: float) -> None:
        self.clock.pass_s(seconds)


@pytest.fixture
async def scene(services: DomainServices) -> Scene:
    made = Scene(services)
    await add_plant_and_guest(services.database)
    for name in ("gw-a", "gw-b"):
        await services.claims.claim(name, name, owner="plant")
    async with services.database.session() as session:
        query = select(Device.id).where(Device.gateway_id.in_(("gw-a", "gw-b"))).order_by(Device.id)
        made.devices = list(await session.scalars(query))
        await session.execute(update(Device).values(online=True, since_ms=1))
        await session.commit()
    return made
