"""From alarms to deliveries: the outbox, and folding what is in it into messages."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.events import AlarmsAnnounced
from cloud.core.log_once import LogOnce
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.contacts.recipients import Addressees, Recipient, RecipientService, Unreached
from cloud.domains.contacts.repository import ContactRepository
from cloud.domains.contacts.robots import host_of
from cloud.domains.contacts.routing import AlarmFacts
from cloud.domains.notifications.metrics import ENDED, OVERFLOWED
from cloud.domains.notifications.models import AnnouncedAlarm, Delivery
from cloud.domains.notifications.repository import NotificationRepository
from cloud.domains.notifications.states import UNREACHED_MS, DeliveryState, due
from cloud.domains.notifications.words import PHRASES

log = logging.getLogger(__name__)

MAX_OUTBOX = 100_000
"""Changes of alarms; those beyond are counted and nobody is told of them. Their events are in the list."""

MAX_AT_ONCE = 500
"""Taken in one transaction."""

MAX_ITEMS = 200
"""Of one message; those beyond are counted in it."""

NO_CHANNEL = ""
"""Of an entry that says that nobody was told."""


@dataclass
class _Share:
    """What one recipient is told at once, or after his quiet hours. until_ms: their end."""

    until_ms: int | None
    rows: list[AnnouncedAlarm] = field(default_factory=list)


@dataclass
class _Addressed:
    """What is to be told to whom, and what somebody cannot be told."""

    shares: dict[tuple[Recipient, DeliveryState], _Share] = field(default_factory=dict)
    unreached: dict[Unreached, list[AnnouncedAlarm]] = field(default_factory=dict)


class Outbox:
    """note: in the transaction of the alarms; take: later, by one task of the full process."""

    def __init__(self, database: Database, recipients: RecipientService, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._recipients = recipients
        self._clock = clock
        self._log_once = LogOnce()

    async def note(self, event: AlarmsAnnounced) -> None:
        """Handler of AlarmsAnnounced."""
        repository = NotificationRepository(event.session)
        left = max(MAX_OUTBOX - await repository.in_outbox(), 0)
        noted_ms = self._clock()
        await repository.note([{**asdict(each), "noted_ms": noted_ms} for each in event.changes[:left]])
        if beyond := len(event.changes[left:]):
            OVERFLOWED.inc(beyond)
            if self._log_once.first("full"):
                log.error(
                    "the outbox of notifications is full, %d changes of alarms: nobody is told", MAX_OUTBOX
                )

    async def take(self) -> None:
        """Fold all that is noted into deliveries. Raises SQLAlchemyError."""
        while await self._take_some():
            pass

    async def _take_some(self) -> bool:
        # The rights of owners are looked up beside it; one task of the process is here at a time.
        async with self._database.reading(beside=True) as session:
            rows = await NotificationRepository(session).announced(MAX_AT_ONCE)
            addressed = await self._addressed(session, rows)
        if not rows:
            return False
        async with self._database.session() as session:
            repository = NotificationRepository(session)
            for (recipient, state), share in addressed.shares.items():
                await self._fold(repository, recipient, state, share)
            for unreached, changes in addressed.unreached.items():
                await self._note_unreached(repository, unreached, changes)
            await repository.taken([row.id for row in rows])
            await session.commit()
        return len(rows) == MAX_AT_ONCE

    async def _addressed(self, session: AsyncSession, rows: Sequence[AnnouncedAlarm]) -> _Addressed:
        """In a flood many alarms are alike: who is told is looked up once for all of the same facts."""
        alarms = await NotificationRepository(session).alarms([row.event_id for row in rows])
        contacts = ContactRepository(session, Scope.system())
        now = self._clock()
        projects: dict[int, frozenset[int]] = {}
        known: dict[AlarmFacts, Addressees] = {}
        addressed = _Addressed()
        for row in rows:
            if (alarm := alarms.get(row.event_id)) is None:
                continue
            if alarm.device_id not in projects:
                projects[alarm.device_id] = await contacts.projects_of(alarm.device_id)
            facts = AlarmFacts(
                device_id=alarm.device_id,
                projects=projects[alarm.device_id],
                alarm_type=alarm.alarm_type,
                is_over=row.change == "over",
                groups=tuple((alarm.reason or {}).get("groups", ())),
            )
            if facts not in known:
                known[facts] = await self._recipients.of_alarm(session, facts, now)
            for recipient, until_ms in known[facts].held.items():
                state = DeliveryState.QUEUED if until_ms is None else DeliveryState.HELD
                addressed.shares.setdefault((recipient, state), _Share(until_ms)).rows.append(row)
            if not facts.is_over:
                for unreached in known[facts].unreached:
                    addressed.unreached.setdefault(unreached, []).append(row)
        return addressed

    async def _fold(
        self, repository: NotificationRepository, recipient: Recipient, state: DeliveryState, share: _Share
    ) -> None:
        key, channel = recipient.key, recipient.channel
        new = await _new(repository, key, channel, share.rows)
        if not new:
            return
        delivery = await repository.collecting(key, channel, state)
        if delivery is None:
            now = self._clock()
            delivery = _delivery(recipient, state, now)
            last_ms = await repository.last_sent_ms(key, channel)
            delivery.due_ms, delivery.reason = due(now, last_ms, share.until_ms)
            await repository.add(delivery)
        named = new[: max(MAX_ITEMS - delivery.count, 0)]
        delivery.count += len(new)
        await repository.add_items(_items(delivery, named))

    async def _note_unreached(
        self, repository: NotificationRepository, unreached: Unreached, rows: Sequence[AnnouncedAlarm]
    ) -> None:
        """An entry of the log for what nobody is sent: one an hour and MAX_ITEMS changes."""
        new, now = await _new(repository, unreached.key, NO_CHANNEL, rows), self._clock()
        while new:
            entry = await repository.unreached_entry(
                unreached.key, unreached.reason, now - UNREACHED_MS, MAX_ITEMS
            )
            if entry is None:
                entry = _delivery(unreached, DeliveryState.DROPPED, now)
                await repository.add(entry)
                ENDED.labels(NO_CHANNEL, DeliveryState.DROPPED, unreached.reason).inc()
                log.warning("alarms do not reach %s: %s", unreached.key, unreached.reason)
            some, new = new[: MAX_ITEMS - entry.count], new[MAX_ITEMS - entry.count :]
            await repository.add_items(_items(entry, some))
            entry.count += len(some)
            await repository.flush()


async def _new(
    repository: NotificationRepository, key: str, channel: str, rows: Sequence[AnnouncedAlarm]
) -> list[AnnouncedAlarm]:
    """Those that no delivery to the recipient on the channel names, each once."""
    known = await repository.known_changes(key, channel, [row.event_id for row in rows])
    new: dict[tuple[int, str, int], AnnouncedAlarm] = {}
    for row in rows:
        change = row.event_id, row.change, row.round
        if change not in known:
            new.setdefault(change, row)
    return list(new.values())


def _items(delivery: Delivery, rows: Sequence[AnnouncedAlarm]) -> list[dict[str, object]]:
    return [
        {
            "delivery_id": delivery.id,
            "recipient": delivery.recipient,
            "channel": delivery.channel,
            "event_id": row.event_id,
            "change": row.change,
            "round": row.round,
            "why": row.why,
        }
        for row in rows
    ]


def _delivery(recipient: Recipient | Unreached, state: DeliveryState, now_ms: int) -> Delivery:
    channel, address, reason = NO_CHANNEL, "", ""
    if isinstance(recipient, Recipient):
        channel, address = recipient.channel, shortened(recipient)
    else:
        reason = recipient.reason
    return Delivery(
        owner=recipient.owner_id or 0,
        recipient=recipient.key,
        contact_id=recipient.contact_id,
        group_id=recipient.group_id,
        name=recipient.name,
        channel=channel,
        address=address,
        is_test=False,
        state=state,
        reason=reason,
        detail="",
        receipt="",
        subject="",
        count=0,
        attempts=0,
        charged=0,
        created_ms=now_ms,
        due_ms=now_ms,
    )


def shortened(recipient: Recipient) -> str:
    """An address for the log: of a robot its host, which alone is no secret; empty for what is no address,
    so that the other recipients of an alarm have theirs.
    """
    return recipient.address if recipient.contact_id is not None else host_of(recipient.address) or ""


def test_delivery(recipient: Recipient, now_ms: int) -> Delivery:
    """Of a test message: due at once, whatever else waits for him."""
    delivery = _delivery(recipient, DeliveryState.QUEUED, now_ms)
    delivery.is_test, delivery.count = True, 1
    delivery.subject = PHRASES[recipient.language]["test_subject"]
    return delivery
