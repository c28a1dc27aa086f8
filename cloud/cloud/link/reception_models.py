"""Tables of what was received and what is missing. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, Index, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base
from cloud.link.models import RowId


class LinkHour(Base):
    """Batches of one gateway by the hour of their closing; duplicates and drops by when they were noticed.

    late: received more than a minute after closing, or by the back-fill lane.
    """

    __tablename__ = "link_hour"

    gateway: Mapped[str] = mapped_column(String(40), primary_key=True)
    hour_ms: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    batches: Mapped[int] = mapped_column(BigInteger, default=0)
    samples: Mapped[int] = mapped_column(BigInteger, default=0)
    late_batches: Mapped[int] = mapped_column(BigInteger, default=0)
    late_samples: Mapped[int] = mapped_column(BigInteger, default=0)
    duplicates: Mapped[int] = mapped_column(BigInteger, default=0)
    dropped_samples: Mapped[int] = mapped_column(BigInteger, default=0)


class LinkHourMark(Base):
    """One row: the newest batch that link_hour contains."""

    __tablename__ = "link_booked"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    last_batch: Mapped[int] = mapped_column(BigInteger)


class LinkStreamReport(Base):
    """What a gateway said last about its stream. duplicates: those that link_hour contains.

    replaced_ms: when another stream took this one's place, None while it runs.
    """

    __tablename__ = "link_told"

    gateway: Mapped[str] = mapped_column(String(40), primary_key=True)
    stream: Mapped[str] = mapped_column(String(16), primary_key=True)
    boot: Mapped[str] = mapped_column(String(16), default="")
    first_seq: Mapped[int] = mapped_column(BigInteger, default=1)
    next_seq: Mapped[int] = mapped_column(BigInteger, default=1)
    dropped_samples: Mapped[int] = mapped_column(BigInteger, default=0)
    duplicates: Mapped[int] = mapped_column(BigInteger, default=0)
    told_ms: Mapped[int] = mapped_column(BigInteger, default=0)
    replaced_ms: Mapped[int | None] = mapped_column(BigInteger)


class LinkGap(Base):
    """Consecutive batches that did not come. first_seq..last_seq as found; missing: how many still are.

    from_ms, to_ms: closing times of the received neighbours. filled_ms: when the last of it arrived.
    asked: how often the gateway was asked for it.
    """

    __tablename__ = "link_gap"
    __table_args__ = (Index("ix_link_gap_gateway", "gateway", "to_ms"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True, autoincrement=True)
    gateway: Mapped[str] = mapped_column(String(40))
    stream: Mapped[str] = mapped_column(String(16))
    first_seq: Mapped[int] = mapped_column(BigInteger)
    last_seq: Mapped[int] = mapped_column(BigInteger)
    missing: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(String(12))  # a Reason
    found_ms: Mapped[int] = mapped_column(BigInteger)
    filled_ms: Mapped[int | None] = mapped_column(BigInteger)
    from_ms: Mapped[int] = mapped_column(BigInteger)
    to_ms: Mapped[int] = mapped_column(BigInteger)
    asked: Mapped[int] = mapped_column(SmallInteger, default=0)
