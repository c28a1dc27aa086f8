"""The delivery log, which channels there are, and test messages."""

from __future__ import annotations

import logging
from collections.abc import Collection

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.token_bucket import TokenBuckets, TokenRate
from cloud.db import Database
from cloud.domains.contacts.recipients import NO_ADDRESS, Recipient, contact_recipient, group_recipient
from cloud.domains.contacts.repository import ContactRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.notifications.channels import CHANNELS
from cloud.domains.notifications.outbox import test_delivery
from cloud.domains.notifications.repository import NotificationRepository
from cloud.domains.notifications.rows import delivery_row
from cloud.domains.notifications.schemas import ChannelRow, DeliveryQuery, DeliveryRow
from cloud.errors import Busy, Conflict, NotFound

log = logging.getLogger(__name__)

TESTS_OF_USER = TokenRate(burst=5, per_s=1 / 60)
TESTS_OF_ADDRESS = TokenRate(burst=1, per_s=1 / 60)
"""Test messages: nobody's telephone rings more often, whoever enters it as a contact."""


class NotificationService:
    """configured: names of the channels that this installation can use."""

    def __init__(
        self,
        database: Database,
        configured: Collection[str],
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._configured = configured
        self._clock = clock
        self._of_user = TokenBuckets(TESTS_OF_USER, lambda: clock() / 1000)
        self._of_address = TokenBuckets(TESTS_OF_ADDRESS, lambda: clock() / 1000)

    def channels(self) -> list[ChannelRow]:
        """All that there are."""
        return [
            ChannelRow.model_validate(
                {"name": kind.name, "of": kind.of, "configured": kind.name in self._configured}
            )
            for kind in CHANNELS
        ]

    async def page(
        self, user: CurrentUser, wanted: DeliveryQuery, page: int, limit: int
    ) -> Page[DeliveryRow]:
        """Messages to contacts of the user and of everybody below him, newest first."""
        async with self._database.reading() as session:
            repository = NotificationRepository(session)
            listed, total = await repository.page(user.scope, wanted, page, limit)
            events = await repository.events([delivery.id for delivery in listed])
        return Page(rows=[delivery_row(delivery, events[delivery.id]) for delivery in listed], total=total)

    async def one(self, user: CurrentUser, delivery_id: int) -> DeliveryRow:
        """One of them. Raises NotFound."""
        async with self._database.reading() as session:
            repository = NotificationRepository(session)
            delivery = await repository.delivery(delivery_id)
            seen = await repository.seen(user.scope, [delivery_id])
            events = await repository.events([delivery_id])
        if delivery is None or delivery_id not in seen:
            raise NotFound("entry")
        return delivery_row(delivery, events[delivery_id])

    async def test_contact(self, user: CurrentUser, contact_id: int, channel: str) -> DeliveryRow:
        """Queue a test message to a contact, due at once. Raises NotFound, Conflict when the channel is not
        configured or he has no address, Busy when there were too many.
        """
        async with self._database.reading() as session:
            contact = await ContactRepository(session, user.scope).contact(contact_id)
        if contact is None:
            raise NotFound("contact")
        return await self._test(user, channel, contact_recipient(contact, channel))

    async def test_group(self, user: CurrentUser, group_id: int, channel: str) -> DeliveryRow:
        """Queue a test message to a group's robot, as test_contact. Raises NotFound and its other errors."""
        async with self._database.reading() as session:
            group = await ContactRepository(session, user.scope).group(group_id)
        if group is None:
            raise NotFound("contact group")
        return await self._test(user, channel, group_recipient(group, channel))

    async def _test(self, user: CurrentUser, channel: str, recipient: Recipient | None) -> DeliveryRow:
        if channel not in self._configured:
            raise Conflict(
                f"channel {channel} is not configured",
                field="channel",
                rule="configured by the platform",
                reason="notification.not_configured",
            )
        if recipient is None:
            raise Conflict(
                f"no address for {channel}",
                field="channel",
                rule=NO_ADDRESS,
                reason="notification.no_address",
            )
        if not self._of_user.take(user.id) or not self._of_address.take((channel, recipient.address)):
            raise Busy("too many test messages", reason="notification.too_many_tests")
        delivery = test_delivery(recipient, self._clock())
        async with self._database.session() as session:
            await NotificationRepository(session).add(delivery)
            row = delivery_row(delivery, [])
            await session.commit()
        record_change({}, {"channel": channel, "name": row.name})
        log.info("test message %d to %s by %s of %s", row.id, recipient.key, channel, user.name)
        return row
