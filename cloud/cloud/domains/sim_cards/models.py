"""Tables of SIM cards, of what they used, and of what gateways report. Times are UTC milliseconds."""

from __future__ import annotations

from datetime import date

from sqlalchemy import BigInteger, Boolean, Date, ForeignKey, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class SimCard(Base):
    """A card. plan_bytes: data plan of a billing period; balance_fen: 1/100 of the currency.

    device_id: the gateway that it is bound to; reported_ms: when that one reported it last. seen_device_id,
    seen_ms: the gateway that reported it last, whichever. moved_ms: since when it has been in another gateway
    than it is bound to, which names its alarm.
    """

    __tablename__ = "sim_card"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    iccid: Mapped[str] = mapped_column(String(20), unique=True)
    operator: Mapped[str] = mapped_column(String(16))
    supplier: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(16))
    activated: Mapped[bool] = mapped_column(Boolean)
    expires_on: Mapped[date | None] = mapped_column(Date, index=True)
    plan_title: Mapped[str] = mapped_column(String(100))
    plan_bytes: Mapped[int | None] = mapped_column(BigInteger)
    balance_fen: Mapped[int | None] = mapped_column(BigInteger)
    billing_begin: Mapped[date | None] = mapped_column(Date)
    billing_end: Mapped[date | None] = mapped_column(Date)
    activated_on: Mapped[date | None] = mapped_column(Date)
    outbound_on: Mapped[date | None] = mapped_column(Date)
    created_on: Mapped[date | None] = mapped_column(Date)
    silent_until: Mapped[date | None] = mapped_column(Date)
    test_until: Mapped[date | None] = mapped_column(Date)
    test_bytes: Mapped[int | None] = mapped_column(BigInteger)
    remark: Mapped[str] = mapped_column(String(500))

    device_id: Mapped[int | None] = mapped_column(ForeignKey("device.id", ondelete="SET NULL"), index=True)
    bound_ms: Mapped[int | None] = mapped_column(BigInteger)
    reported_ms: Mapped[int | None] = mapped_column(BigInteger)
    seen_device_id: Mapped[int | None] = mapped_column(
        ForeignKey("device.id", ondelete="SET NULL"), index=True
    )
    seen_ms: Mapped[int | None] = mapped_column(BigInteger)
    moved_ms: Mapped[int | None] = mapped_column(BigInteger)

    noted_ms: Mapped[int] = mapped_column(BigInteger)  # when this row was made
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class SimCardUsage(Base):
    """Bytes of a day of the platform's time zone that its gateway counted while the card was in it."""

    __tablename__ = "sim_card_usage"

    card_id: Mapped[int] = mapped_column(
        ForeignKey("sim_card.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    received: Mapped[int] = mapped_column(BigInteger)
    sent: Mapped[int] = mapped_column(BigInteger)


class SimCardBilling(Base):
    """What the operator said at the end of a day. used_bytes: since the billing period began."""

    __tablename__ = "sim_card_billing"

    card_id: Mapped[int] = mapped_column(
        ForeignKey("sim_card.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    used_bytes: Mapped[int] = mapped_column(BigInteger)
    source: Mapped[str] = mapped_column(String(16))
    noted_ms: Mapped[int] = mapped_column(BigInteger)


class GatewayModem(Base):
    """What a gateway said last of its modem."""

    __tablename__ = "gateway_modem"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    imei: Mapped[str] = mapped_column(String(15))
    iccid: Mapped[str] = mapped_column(String(20))
    signal: Mapped[int] = mapped_column(SmallInteger)
    reported_ms: Mapped[int] = mapped_column(BigInteger)


class GatewayLinkCount(Base):
    """Bytes that a gateway said last of a cellular interface; the next report is counted from them."""

    __tablename__ = "gateway_link"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    interface: Mapped[str] = mapped_column(String(15), primary_key=True)
    since_ms: Mapped[int] = mapped_column(BigInteger)
    received: Mapped[int] = mapped_column(BigInteger)
    sent: Mapped[int] = mapped_column(BigInteger)
    reported_ms: Mapped[int] = mapped_column(BigInteger)
