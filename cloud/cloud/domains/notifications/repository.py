"""Every query of the outbox, of deliveries and of what they cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, delete, exists, false, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.core.chunks import chunked
from cloud.core.scope import Scope
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen
from cloud.domains.notifications.models import AnnouncedAlarm, Delivery, DeliveryItem, NotificationCharge
from cloud.domains.notifications.schemas import DeliveryQuery
from cloud.domains.notifications.states import (
    LAST_WOKEN_MS,
    MAX_ATTEMPTS,
    OPEN,
    DeliveryReason,
    DeliveryState,
)


@dataclass(frozen=True)
class UnreachedAlarms:
    """Alarms of one kind of which nobody was told: the newest, its gateway's title, why, how many."""

    newest: AlarmEvent
    device: str
    reason: str
    count: int


class NotificationRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def announced(self, max_count: int) -> list[AnnouncedAlarm]:
        """What nobody was told of yet, the oldest first."""
        query = select(AnnouncedAlarm).order_by(AnnouncedAlarm.id).limit(max_count)
        return list(await self._session.scalars(query))

    async def in_outbox(self) -> int:
        """How many are in the outbox at most: the oldest go first, so those between are there."""
        query = select(func.max(AnnouncedAlarm.id) - func.min(AnnouncedAlarm.id) + 1)
        return (await self._session.execute(query)).scalar_one() or 0

    async def note(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Into the outbox."""
        async for some in chunked(rows):
            await self._session.execute(insert(AnnouncedAlarm), list(some))

    async def alarms(self, numbers: Collection[int]) -> dict[int, AlarmEvent]:
        """By number, without those that were deleted."""
        events = await self._session.scalars(select(AlarmEvent).where(AlarmEvent.id.in_(numbers)))
        return {event.id: event for event in events}

    async def add(self, row: Delivery) -> None:
        """Afterwards it has its number."""
        self._session.add(row)
        await self._session.flush()

    async def taken(self, numbers: Collection[int]) -> None:
        """These are in deliveries now."""
        await self._session.execute(delete(AnnouncedAlarm).where(AnnouncedAlarm.id.in_(numbers)))

    async def known_changes(
        self, recipient: str, channel: str, event_ids: Collection[int]
    ) -> set[tuple[int, str, int]]:
        """Changes of these alarms (number, change, round) that deliveries to the recipient on the channel
        name.
        """
        query = select(DeliveryItem.event_id, DeliveryItem.change, DeliveryItem.round).where(
            DeliveryItem.recipient == recipient,
            DeliveryItem.channel == channel,
            DeliveryItem.event_id.in_(event_ids),
        )
        return {(row[0], row[1], row[2]) for row in await self._session.execute(query)}

    async def add_items(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Of a delivery."""
        async for some in chunked(rows):
            await self._session.execute(insert(DeliveryItem), list(some))

    async def collecting(self, recipient: str, channel: str, state: DeliveryState) -> Delivery | None:
        """The delivery to a recipient that takes more changes: none was tried yet."""
        query = select(Delivery).where(
            Delivery.recipient == recipient,
            Delivery.channel == channel,
            Delivery.state == state,
            Delivery.attempts == 0,
            Delivery.is_test.is_(False),
        )
        return (await self._session.scalars(query.order_by(Delivery.id.desc()).limit(1))).one_or_none()

    async def unreached_entry(
        self, recipient: str, reason: str, since_ms: int, max_count: int
    ) -> Delivery | None:
        """The entry about somebody who cannot be told that takes more changes."""
        query = select(Delivery).where(
            Delivery.recipient == recipient,
            Delivery.channel == "",
            Delivery.reason == reason,
            Delivery.created_ms > since_ms,
            Delivery.count < max_count,
        )
        return (await self._session.scalars(query.order_by(Delivery.id.desc()).limit(1))).one_or_none()

    async def flush(self) -> None:
        """Later queries see what was changed."""
        await self._session.flush()

    async def wake(self, channel: str, now_ms: int, address: str | None = None) -> None:
        """The provider answers: what could not be sent because it did not is due now. address: of those
        whose provider it is, None for all of the channel.
        """
        may_be_last = Delivery.created_ms <= now_ms - LAST_WOKEN_MS
        woken = update(Delivery).where(
            Delivery.state.in_(OPEN),
            Delivery.channel == channel,
            Delivery.due_ms > now_ms,
            Delivery.attempts > 0,
            or_(Delivery.attempts < MAX_ATTEMPTS - 1, may_be_last),
            Delivery.reason == DeliveryReason.UNREACHABLE,
            Delivery.is_test.is_(False),
        )
        if address is not None:
            woken = woken.where(Delivery.address == address)
        await self._session.execute(woken.values(due_ms=now_ms).execution_options(synchronize_session=False))

    async def is_waiting(self, channel: str, now_ms: int) -> bool:
        """Does anything wait on a channel because its provider did not answer?"""
        query = select(Delivery.id).where(
            Delivery.state.in_(OPEN),
            Delivery.channel == channel,
            Delivery.due_ms > now_ms,
            Delivery.reason == DeliveryReason.UNREACHABLE,
        )
        return (await self._session.execute(query.limit(1))).first() is not None

    async def last_sent_ms(self, recipient: str, channel: str) -> int | None:
        """When the last message was sent to a recipient on a channel; a test holds nothing back."""
        query = select(func.max(Delivery.sent_ms)).where(Delivery.is_test.is_(False))
        query = query.where(Delivery.recipient == recipient, Delivery.channel == channel)
        return (await self._session.execute(query)).scalar_one()

    async def channels_due(self, now_ms: int) -> frozenset[str]:
        """Channels on which something is due."""
        query = select(Delivery.channel).where(Delivery.state.in_(OPEN), Delivery.due_ms <= now_ms)
        return frozenset(await self._session.scalars(query.distinct()))

    async def due(self, channel: str, now_ms: int, max_count: int, max_each: int) -> list[Delivery]:
        """Deliveries to send now, one a recipient and in their order, of each owner at most max_each; the
        first of every owner go first. None to somebody whose earlier one is being tried again, but tests:
        somebody looks at the screen.
        """
        other = aliased(Delivery)
        is_before = or_(
            and_(other.attempts > 0, Delivery.attempts == 0),
            and_(
                (other.attempts > 0) == (Delivery.attempts > 0),
                other.id < Delivery.id,
                other.due_ms <= now_ms,
            ),
        )
        before = exists().where(
            other.recipient == Delivery.recipient,
            other.channel == Delivery.channel,
            other.state.in_(OPEN),
            other.is_test.is_(False),
            other.id != Delivery.id,
            is_before,
        )
        order = Delivery.is_test.desc(), Delivery.due_ms, Delivery.id
        place = func.row_number().over(partition_by=Delivery.owner, order_by=order)
        ready = select(Delivery.id, place.label("place"))
        ready = ready.where(Delivery.channel == channel, Delivery.state.in_(OPEN))
        ready = ready.where(Delivery.due_ms <= now_ms, or_(Delivery.is_test.is_(True), ~before))
        some = ready.subquery()
        query = select(Delivery).join(some, some.c.id == Delivery.id).where(some.c.place <= max_each)
        query = query.order_by(some.c.place, *order).limit(max_count)
        return list(await self._session.scalars(query))

    async def delivery(self, delivery_id: int) -> Delivery | None:
        return await self._session.get(Delivery, delivery_id)

    async def items(self, delivery_id: int) -> list[DeliveryItem]:
        """In the order in which they came."""
        query = select(DeliveryItem).where(DeliveryItem.delivery_id == delivery_id).order_by(DeliveryItem.id)
        return list(await self._session.scalars(query))

    async def devices_of(self, delivery_id: int) -> dict[int, int]:
        """Events of a delivery that are still there, with their gateways."""
        query = select(AlarmEvent.id, AlarmEvent.device_id)
        query = query.join(DeliveryItem, DeliveryItem.event_id == AlarmEvent.id)
        rows = await self._session.execute(query.where(DeliveryItem.delivery_id == delivery_id))
        return {row[0]: row[1] for row in rows}

    async def charge(self, owner: int, day: str, channel: str, units: int) -> int:
        """Book units, negative ones to take them back; how many there are of the day now."""
        postgres = self._session.get_bind().dialect.name == "postgresql"
        insert = postgresql.insert if postgres else sqlite.insert
        statement = insert(NotificationCharge).values(owner=owner, day=day, channel=channel, units=units)
        statement = statement.on_conflict_do_update(
            index_elements=["owner", "day", "channel"], set_={"units": NotificationCharge.units + units}
        )
        result = await self._session.execute(statement.returning(NotificationCharge.units))
        return int(result.scalar_one())

    async def waiting(self) -> dict[str, int]:
        """How many open deliveries there are, by state."""
        query = select(Delivery.state, func.count()).where(Delivery.state.in_(OPEN)).group_by(Delivery.state)
        return {row[0]: int(row[1]) for row in await self._session.execute(query)}

    async def oldest_due_ms(self, now_ms: int) -> int | None:
        """The earliest time at which something that is not sent was due, or came into the outbox."""
        query = select(func.min(Delivery.due_ms)).where(Delivery.state.in_(OPEN), Delivery.due_ms <= now_ms)
        due = (await self._session.execute(query)).scalar_one()
        noted = (await self._session.execute(select(func.min(AnnouncedAlarm.noted_ms)))).scalar_one()
        return min((each for each in (due, noted) if each is not None), default=None)

    async def forget(self, before_ms: int, max_stored: int) -> None:
        """Delete ended deliveries that were made before, and those beyond so many."""
        ended = Delivery.state.not_in(OPEN)
        await self._session.execute(delete(Delivery).where(ended, Delivery.created_ms < before_ms))
        query = select(Delivery.id).order_by(Delivery.id.desc()).offset(max_stored).limit(1)
        beyond = (await self._session.scalars(query)).first()
        if beyond is not None:
            await self._session.execute(delete(Delivery).where(ended, Delivery.id <= beyond))

    async def end_tests(self) -> None:
        """Tests that were under way when the process ended."""
        await self._session.execute(
            update(Delivery)
            .where(Delivery.is_test.is_(True), Delivery.state.in_(OPEN), Delivery.attempts > 0)
            .values(state=DeliveryState.FAILED, reason="fault")
        )

    async def of_event(self, event_id: int, max_count: int) -> list[Delivery]:
        """What was sent, or should have been, of an alarm but its end, newest first; of every owner."""
        of_event = select(DeliveryItem.delivery_id).where(
            DeliveryItem.event_id == event_id, DeliveryItem.change != "over"
        )
        query = select(Delivery).where(Delivery.id.in_(of_event)).order_by(Delivery.id.desc())
        return list(await self._session.scalars(query.limit(max_count)))

    async def seen(self, scope: Scope, deliveries: Collection[int]) -> set[int]:
        """Of these those whose owners the scope sees."""
        query = _seen(scope).where(Delivery.id.in_(deliveries)).with_only_columns(Delivery.id)
        return set(await self._session.scalars(query))

    async def is_announced(self, event_id: int) -> bool:
        """Is it in the outbox?"""
        query = select(AnnouncedAlarm.id).where(AnnouncedAlarm.event_id == event_id)
        return (await self._session.execute(query.limit(1))).first() is not None

    async def unreached(self, scope: Scope, since_ms: int, max_count: int) -> list[UnreachedAlarms]:
        """Alarms of gateways that the scope sees, of which nobody was told and nobody will be, by rule, type
        and level; those with the newest first.
        """
        other, its = aliased(Delivery), aliased(DeliveryItem)
        reached = exists().where(
            its.event_id == DeliveryItem.event_id,
            its.change != "over",
            other.id == its.delivery_id,
            other.state.in_((*OPEN, DeliveryState.SENT)),
        )
        lost = select(DeliveryItem.event_id, func.max(Delivery.id).label("newest"))
        lost = lost.join(Delivery, Delivery.id == DeliveryItem.delivery_id)
        lost = lost.where(Delivery.created_ms >= since_ms, Delivery.state.not_in((*OPEN, DeliveryState.SENT)))
        lost = lost.where(DeliveryItem.change != "over", ~reached).group_by(DeliveryItem.event_id)
        some = lost.subquery()
        newest = func.max(AlarmEvent.id)
        query = select(newest, func.count(), Delivery.reason).select_from(some)
        query = query.join(AlarmEvent, AlarmEvent.id == some.c.event_id)
        query = query.join(Delivery, Delivery.id == some.c.newest)
        query = query.where(seen(scope, AlarmEvent.device_id))
        query = query.group_by(AlarmEvent.rule_id, AlarmEvent.alarm_type, AlarmEvent.level, Delivery.reason)
        groups = list(await self._session.execute(query.order_by(newest.desc()).limit(max_count)))
        named = select(AlarmEvent, Device.display_title).join(Device, Device.id == AlarmEvent.device_id)
        rows = await self._session.execute(named.where(AlarmEvent.id.in_([row[0] for row in groups])))
        events = {row[0].id: (row[0], row[1]) for row in rows}
        return [UnreachedAlarms(*events[row[0]], row[2], row[1]) for row in groups]

    async def page(
        self, scope: Scope, wanted: DeliveryQuery, page: int, limit: int
    ) -> tuple[list[Delivery], int]:
        """Of owners that the scope sees, newest first, and how many match."""
        query = _matching(_seen(scope), wanted)
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(Delivery.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), total

    async def events(self, deliveries: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """Number and change of the events that deliveries tell."""
        query = select(DeliveryItem.delivery_id, DeliveryItem.event_id, DeliveryItem.change)
        query = query.where(DeliveryItem.delivery_id.in_(deliveries)).order_by(DeliveryItem.id)
        listed: dict[int, list[tuple[int, str]]] = {number: [] for number in deliveries}
        for row in await self._session.execute(query):
            listed[row[0]].append((row[1], row[2]))
        return listed


def _seen(scope: Scope) -> Select[Any]:
    query = select(Delivery)
    if scope.everything:
        return query
    if not scope.is_placed:
        return query.where(false())
    return query.where(
        Delivery.owner.in_(select(User.id).where(User.path.startswith(scope.path, autoescape=True)))
    )


def _matching(query: Select[Any], wanted: DeliveryQuery) -> Select[Any]:
    if wanted.contact_id is not None:
        query = query.where(Delivery.contact_id == wanted.contact_id)
    if wanted.channel:
        query = query.where(Delivery.channel == wanted.channel)
    if wanted.state:
        query = query.where(Delivery.state == wanted.state)
    if wanted.event_id is not None:
        of_event = select(DeliveryItem.delivery_id).where(DeliveryItem.event_id == wanted.event_id)
        query = query.where(Delivery.id.in_(of_event))
    return query
