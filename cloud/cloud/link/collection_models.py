"""Tables of what gateways say that they should have read and did read. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, Index, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base
from cloud.link.models import RowId


class LinkCollection(Base):
    """How far the records of a gateway go: first_ms to to_ms, but for holes. last_seq: of its stream."""

    __tablename__ = "link_collection"

    gateway: Mapped[str] = mapped_column(String(40), primary_key=True)
    stream: Mapped[str] = mapped_column(String(16))
    last_seq: Mapped[int] = mapped_column(BigInteger)
    first_ms: Mapped[int] = mapped_column(BigInteger)
    to_ms: Mapped[int] = mapped_column(BigInteger)


class LinkCollectionHour(Base):
    """Reads of one gateway in one hour.

    reasons: of what is missing, JSON. detail: slaves and points, see collected.Detail. gaps: rows of this
    hour; more_gaps: not kept.
    """

    __tablename__ = "link_collection_hour"

    gateway: Mapped[str] = mapped_column(String(40), primary_key=True)
    hour_ms: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    covered_ms: Mapped[int] = mapped_column(Integer)
    expected: Mapped[int] = mapped_column(BigInteger)
    good: Mapped[int] = mapped_column(BigInteger)
    reasons: Mapped[str] = mapped_column(Text)
    gaps: Mapped[int] = mapped_column(Integer)
    more_gaps: Mapped[int] = mapped_column(BigInteger)
    detail: Mapped[bytes] = mapped_column(LargeBinary)


class LinkCollectionGap(Base):
    """Time without a good read. slave: empty for the whole gateway; points: JSON, [] for all of it."""

    __tablename__ = "link_collection_gap"
    __table_args__ = (Index("ix_link_collection_gap_gateway", "gateway", "to_ms"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True, autoincrement=True)
    gateway: Mapped[str] = mapped_column(String(40))
    slave: Mapped[str] = mapped_column(String(64))
    points: Mapped[str] = mapped_column(Text)
    from_ms: Mapped[int] = mapped_column(BigInteger)
    to_ms: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(String(20))
    lent_to: Mapped[str] = mapped_column(String(200))
    missed: Mapped[int] = mapped_column(BigInteger)
