"""Tables of notifications. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, SmallInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class AnnouncedAlarm(Base):
    """The outbox: a change of an alarm that nobody was told of yet, with the fields of AnnouncedChange."""

    __tablename__ = "notification_outbox"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("alarm_event.id", ondelete="CASCADE"), index=True)
    change: Mapped[str] = mapped_column(String(8))
    round: Mapped[int] = mapped_column(Integer)
    why: Mapped[str] = mapped_column(String(20))
    noted_ms: Mapped[int] = mapped_column(BigInteger)


class Delivery(Base):
    """One message to one recipient on one channel. recipient: a Recipient's key; owner: his owner's number, 0
    for the platform; state: one of states.py; count: of the changes that it tells, those beyond its items
    too; due_ms: when it is sent, or tried again; charged: units that were booked.

    contact_id, group_id: no references, the log stays when they go. Without a channel it is an entry about
    somebody who cannot be told, or nobody at all.
    """

    __tablename__ = "notification_delivery"
    __table_args__ = (
        Index("ix_notification_delivery_open", "state", "channel", "due_ms"),
        Index("ix_notification_delivery_pair", "recipient", "channel", "sent_ms"),
        NUMBERS_ONCE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[int] = mapped_column(Integer, index=True)
    recipient: Mapped[str] = mapped_column(String(24))
    contact_id: Mapped[int | None] = mapped_column(Integer, index=True)
    group_id: Mapped[int | None] = mapped_column(Integer, index=True)
    name: Mapped[str] = mapped_column(String(100))
    channel: Mapped[str] = mapped_column(String(10))
    address: Mapped[str] = mapped_column(String(200))
    is_test: Mapped[bool] = mapped_column(Boolean)
    state: Mapped[str] = mapped_column(String(8))
    reason: Mapped[str] = mapped_column(String(24))
    detail: Mapped[str] = mapped_column(String(200))
    receipt: Mapped[str] = mapped_column(String(200))
    subject: Mapped[str] = mapped_column(String(300))
    count: Mapped[int] = mapped_column(Integer)
    attempts: Mapped[int] = mapped_column(SmallInteger)
    charged: Mapped[int] = mapped_column(SmallInteger)
    created_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    due_ms: Mapped[int] = mapped_column(BigInteger)
    sent_ms: Mapped[int | None] = mapped_column(BigInteger)


class DeliveryItem(Base):
    """A change of an alarm that a delivery tells, of which a recipient is told once on a channel.

    event_id: no reference, so that nothing is told twice after an event was deleted.
    """

    __tablename__ = "notification_item"
    __table_args__ = (UniqueConstraint("recipient", "channel", "event_id", "change", "round"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    delivery_id: Mapped[int] = mapped_column(
        ForeignKey("notification_delivery.id", ondelete="CASCADE"), index=True
    )
    recipient: Mapped[str] = mapped_column(String(24))
    channel: Mapped[str] = mapped_column(String(10))
    event_id: Mapped[int] = mapped_column(Integer, index=True)
    change: Mapped[str] = mapped_column(String(8))
    round: Mapped[int] = mapped_column(Integer)
    why: Mapped[str] = mapped_column(String(20))


class NotificationCharge(Base):
    """Units of a channel that costs, by owner (0 for the platform) and day of the platform's time zone."""

    __tablename__ = "notification_charge"

    owner: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    channel: Mapped[str] = mapped_column(String(10), primary_key=True)
    units: Mapped[int] = mapped_column(Integer)
