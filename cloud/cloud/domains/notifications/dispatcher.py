"""Sends what is due: one loop a channel, so that a provider that hangs holds up no other. Full process only.

An attempt is noted before it is made and its outcome after it. What ends the process in between leaves the
delivery to be tried again, under the same reference.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, Sleep, every, now_ms
from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.domains.contacts.recipients import OWNER_REFUSED, Recipient, RecipientService
from cloud.domains.notifications.channels import CHANNELS
from cloud.domains.notifications.channels.base import (
    Address,
    ChannelError,
    Message,
    MessageChannel,
    MessageRefused,
    ProbedChannel,
    ProviderUnreachable,
    Receipt,
)
from cloud.domains.notifications.charging import Charge
from cloud.domains.notifications.content import OwnLevels, changes_of
from cloud.domains.notifications.messages import Portal, render, test_message
from cloud.domains.notifications.metrics import ENDED, OLDEST_S, WAITING
from cloud.domains.notifications.models import Delivery
from cloud.domains.notifications.outbox import Outbox, shortened
from cloud.domains.notifications.repository import NotificationRepository
from cloud.domains.notifications.states import (
    APART_MS,
    BACKOFF_MS,
    MAX_ATTEMPTS,
    OPEN,
    UNTRIED,
    DeliveryReason,
    DeliveryState,
    retry_ms,
)

log = logging.getLogger(__name__)

LOOK_S = 1.0
SEND_S = 25.0
"""Of one attempt, every request to the provider included; the end of the process waits for it."""

MAX_DUE, MAX_EACH = 32, 4
"""Of one channel, and of one owner, in one round: whose provider does not answer holds up the others for one
attempt.
"""

PROBE_S = 30.0
"""While something waits for a provider that did not answer, a channel that can looks whether he is back."""

NOTE_ATTEMPTS, NOTE_RETRY_S = 12, 5.0
"""How often the outcome of an attempt is written while the database is away."""

KEEP_MS = 397 * 24 * 3_600_000
"""13 months, as alarms."""
MAX_STORED = 1_000_000

UNITS: Mapping[str, int] = {kind.name: kind.units for kind in CHANNELS}
AT_ONCE: Mapping[str, int] = {kind.name: kind.at_once for kind in CHANNELS}
ONE_PROVIDER = frozenset(kind.name for kind in CHANNELS if kind.of == "contact")
"""Channels of this installation's provider; each robot's address has its own."""


@dataclass(frozen=True)
class Attempted:
    """Of an attempt: its receipt, or why there is none."""

    receipt: Receipt | None
    error: ChannelError | None = None


class Dispatcher:
    """channels: those that are configured, by name."""

    def __init__(
        self,
        database: Database,
        outbox: Outbox,
        recipients: RecipientService,
        channels: Mapping[str, MessageChannel],
        charge: Charge,
        own_levels: OwnLevels,
        portal: Portal,
        *,
        clock: NowMs = now_ms,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._recipients = recipients
        self._channels = channels
        self._charge = charge
        self._own_levels = own_levels
        self._portal = portal
        self._clock = clock
        self._sleep = sleep
        self._channels_due: frozenset[str] = frozenset()
        self._preparing = asyncio.Lock()  # each wants a second connection: all of a pool must not wait so

    async def run(self) -> None:
        """Until cancelled."""
        await self._end_tests()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(every(LOOK_S, self._look))
            for kind in CHANNELS:
                tasks.create_task(every(LOOK_S, partial(self._send_where_due, kind.name)))
                if isinstance(self._channels.get(kind.name), ProbedChannel):
                    tasks.create_task(every(PROBE_S, partial(self.probe, kind.name)))

    async def _look(self) -> None:
        await self._outbox.take()
        async with self._database.reading() as session:
            self._channels_due = await NotificationRepository(session).channels_due(self._clock())

    async def _send_where_due(self, channel: str) -> None:
        """Mostly nothing is due anywhere, and the query of what is costs much."""
        if channel in self._channels_due:
            await self.send_due(channel)

    async def send_due(self, channel: str) -> None:
        """What is due on a channel, to each recipient one message. Raises SQLAlchemyError."""
        async with self._database.reading() as session:
            due = await NotificationRepository(session).due(channel, self._clock(), MAX_DUE, MAX_EACH)
        at_once = AT_ONCE[channel]
        for start in range(0, len(due), at_once):
            some = due[start : start + at_once]
            await asyncio.gather(*(shielded(self._deliver)(delivery.id) for delivery in some))

    async def probe(self, name: str) -> None:
        """Send what waits on a channel whose provider is back; nothing else makes him known before the next
        attempt. Raises SQLAlchemyError.
        """
        async with self._database.reading() as session:
            is_waiting = await NotificationRepository(session).is_waiting(name, self._clock())
        channel = self._channels.get(name)
        if not is_waiting or not isinstance(channel, ProbedChannel) or not await channel.is_reachable():
            return
        async with self._database.session() as session:
            await NotificationRepository(session).wake(name, self._clock())
            await session.commit()

    async def measure(self) -> None:
        """Periodic: what waits, and how old the oldest is."""
        now = self._clock()
        async with self._database.reading() as session:
            repository = NotificationRepository(session)
            waiting, oldest_ms = await repository.waiting(), await repository.oldest_due_ms(now)
        for state in OPEN:
            WAITING.labels(state).set(waiting.get(state, 0))
        OLDEST_S.set(0 if oldest_ms is None else max(0, now - oldest_ms) / 1000)

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete what ended and is older than 13 months, or beyond MAX_STORED."""
        async with self._database.session() as session:
            await NotificationRepository(session).forget(now_ms - KEEP_MS, MAX_STORED)
            await session.commit()

    async def attempt(self, delivery_id: int, message: Message, recipient: Recipient) -> None:
        """Send a message whose attempt is noted, and note what came of it."""
        channel = self._channels.get(recipient.channel)
        await self._note(delivery_id, await _outcome(channel, message, recipient))

    async def begin(self, session: AsyncSession, delivery: Delivery, subject: str) -> ChannelError | None:
        """Note an attempt and book what it costs, in the caller's transaction; why it may not be made."""
        delivery.attempts += 1
        if delivery.reason in UNTRIED:
            delivery.reason = ""
        delivery.due_ms = self._clock() + BACKOFF_MS[min(delivery.attempts, len(BACKOFF_MS)) - 1]
        delivery.subject = subject[:300]
        if delivery.channel not in self._channels:
            return MessageRefused(DeliveryReason.NOT_CONFIGURED)
        units = UNITS[delivery.channel]
        if units and not delivery.charged:
            try:
                await self._charge(session, delivery.owner, delivery.channel, units)
            except MessageRefused as error:
                return error
            delivery.charged = units
        return None

    async def _deliver(self, delivery_id: int) -> None:
        try:
            async with self._preparing, self._database.session(beside=True) as session:
                begun = await self._prepared(session, delivery_id)
                await session.commit()
        except (SQLAlchemyError, OSError):
            raise
        except Exception:
            # A delivery that cannot be made into a message would be tried each second for ever.
            log.exception("delivery %d cannot be sent", delivery_id)
            await self._note(delivery_id, Attempted(None, MessageRefused(DeliveryReason.FAULT)))
            return
        if begun is not None:
            await self.attempt(delivery_id, *begun)

    async def _prepared(self, session: AsyncSession, delivery_id: int) -> tuple[Message, Recipient] | None:
        """The message, its attempt noted; None when nothing is to be sent now."""
        repository = NotificationRepository(session)
        delivery = await repository.delivery(delivery_id)
        if delivery is None or delivery.state not in OPEN:
            return None
        if delivery.attempts >= MAX_ATTEMPTS:
            self._end(delivery, DeliveryState.FAILED, DeliveryReason.FAULT)
            return None
        if delivery.is_test:
            return await self._prepared_test(session, delivery)
        last_ms = await repository.last_sent_ms(delivery.recipient, delivery.channel)
        if last_ms is not None and self._clock() - last_ms < APART_MS:
            delivery.due_ms, delivery.reason = last_ms + APART_MS, DeliveryReason.APART
            return None
        recipient = await self._recipients.current(
            session, delivery.owner or None, delivery.contact_id, delivery.group_id, delivery.channel
        )
        if isinstance(recipient, str):
            self._end(delivery, DeliveryState.DROPPED, recipient)
            return None
        items = await repository.items(delivery_id)
        devices = await repository.devices_of(delivery_id)
        seen = await self._recipients.seen(session, recipient.owner_id, set(devices.values()))
        if seen is None:
            self._end(delivery, DeliveryState.DROPPED, OWNER_REFUSED)
            return None
        told = [item for item in items if devices.get(item.event_id) in seen]
        changes = await changes_of(session, told, self._own_levels)
        if not changes:
            self._end(delivery, DeliveryState.DROPPED, DeliveryReason.NOT_SEEN)
            return None
        message = render(
            f"notification-{delivery.id}",
            recipient.language,
            changes,
            delivery.count - (len(items) - len(told)),
            delivery.created_ms,
            self._portal,
        )
        return await self._begun(session, delivery, message, recipient)

    async def _prepared_test(
        self, session: AsyncSession, delivery: Delivery
    ) -> tuple[Message, Recipient] | None:
        """Of a test: to whom it is for, whatever groups he is in and whether he is told of alarms."""
        recipient = await self._recipients.addressed(
            session, delivery.contact_id, delivery.group_id, delivery.channel
        )
        if isinstance(recipient, str):
            self._end(delivery, DeliveryState.DROPPED, recipient)
            return None
        reference = f"notification-{delivery.id}"
        message = test_message(reference, recipient.language, self._clock(), self._portal)
        return await self._begun(session, delivery, message, recipient)

    async def _begun(
        self, session: AsyncSession, delivery: Delivery, message: Message, recipient: Recipient
    ) -> tuple[Message, Recipient] | None:
        delivery.name, delivery.address = recipient.name, shortened(recipient)
        delivery.state = DeliveryState.QUEUED
        refused = await self.begin(session, delivery, message.subject)
        if refused is not None:
            self._end(delivery, DeliveryState.FAILED, refused.reason, refused.detail)
            return None
        return message, recipient

    async def _note(self, delivery_id: int, outcome: Attempted) -> None:
        for attempt in range(NOTE_ATTEMPTS):
            try:
                async with self._database.session() as session:
                    await self._conclude(session, delivery_id, outcome)
                    await session.commit()
                return
            except (SQLAlchemyError, OSError):
                log.exception("outcome of delivery %d is not written, attempt %d", delivery_id, attempt + 1)
                await self._sleep(NOTE_RETRY_S)

    async def _conclude(self, session: AsyncSession, delivery_id: int, outcome: Attempted) -> None:
        repository = NotificationRepository(session)
        delivery = await repository.delivery(delivery_id)
        if delivery is None:
            return
        now, error = self._clock(), outcome.error
        if outcome.receipt is not None:
            delivery.sent_ms, delivery.receipt = now, outcome.receipt.reference[:200]
            self._end(delivery, DeliveryState.SENT, "")
            address = None if delivery.channel in ONE_PROVIDER else delivery.address
            await repository.wake(delivery.channel, now, address)
            return
        reason, detail = (DeliveryReason.FAULT, "") if error is None else (error.reason, error.detail)
        again_ms = (
            None
            if isinstance(error, MessageRefused) or delivery.is_test
            else retry_ms(now, delivery.attempts)
        )
        if again_ms is not None:
            delivery.due_ms, delivery.reason, delivery.detail = again_ms, reason, detail
            return
        self._end(delivery, DeliveryState.FAILED, reason, detail)
        if delivery.charged:
            await self._charge(session, delivery.owner, delivery.channel, -delivery.charged)
            delivery.charged = 0

    def _end(self, delivery: Delivery, state: DeliveryState, reason: str, detail: str = "") -> None:
        delivery.state, delivery.reason, delivery.detail = state, reason, detail
        ENDED.labels(delivery.channel, state, reason).inc()
        if state is not DeliveryState.SENT:
            log.warning("delivery %d by %s is %s: %s", delivery.id, delivery.channel, state, reason)

    async def _end_tests(self) -> None:
        async with self._database.session() as session:
            await NotificationRepository(session).end_tests()
            await session.commit()


async def _outcome(channel: MessageChannel | None, message: Message, recipient: Recipient) -> Attempted:
    if channel is None:
        return Attempted(None, MessageRefused(DeliveryReason.NOT_CONFIGURED))
    try:
        async with asyncio.timeout(SEND_S):
            return Attempted(await channel.send(message, Address(recipient.address, recipient.secret)))
    except ChannelError as error:
        return Attempted(None, error)
    except TimeoutError:
        return Attempted(
            None, ProviderUnreachable(DeliveryReason.UNREACHABLE, f"no answer in {SEND_S:.0f} s")
        )
    except Exception:
        # A fault of one channel must not keep the others' messages from going out.
        log.exception("channel %s failed", recipient.channel)
        return Attempted(None, ProviderUnreachable(DeliveryReason.FAULT))
