"""Tables of the link. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base

RowId = BigInteger().with_variant(Integer, "sqlite")


class LinkBatch(Base):
    """A batch as it came: the evidence.

    filed_ms: when it was written to the time series, None before. waits_ms: since when it waits for its
    catalog, None while it does not. With both it was given up: the catalog never came.
    """

    __tablename__ = "link_batch"
    __table_args__ = (
        UniqueConstraint("gateway", "stream", "seq", name="uq_link_batch_identity"),
        Index(
            "ix_link_batch_unfiled",
            "gateway",
            "id",
            sqlite_where=text("filed_ms IS NULL AND waits_ms IS NULL"),
            postgresql_where=text("filed_ms IS NULL AND waits_ms IS NULL"),
        ),
        Index(
            "ix_link_batch_waiting",
            "gateway",
            "catalog",
            "id",
            sqlite_where=text("filed_ms IS NULL AND waits_ms IS NOT NULL"),
            postgresql_where=text("filed_ms IS NULL AND waits_ms IS NOT NULL"),
        ),
        Index("ix_link_batch_received", "received_ms"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True, autoincrement=True)  # order of arrival
    gateway: Mapped[str] = mapped_column(String(40))
    stream: Mapped[str] = mapped_column(String(16))
    seq: Mapped[int] = mapped_column(BigInteger)
    catalog: Mapped[str] = mapped_column(String(16))
    lane: Mapped[str] = mapped_column(String(8))  # live, history
    t_ms: Mapped[int] = mapped_column(BigInteger)
    received_ms: Mapped[int] = mapped_column(BigInteger)
    samples: Mapped[int] = mapped_column(Integer)
    payload: Mapped[bytes] = mapped_column(LargeBinary)
    filed_ms: Mapped[int | None] = mapped_column(BigInteger)
    waits_ms: Mapped[int | None] = mapped_column(BigInteger)


class LinkStream(Base):
    """What was received of a stream, remembered longer than its batches are kept.

    above: JSON list of inclusive [first, last] ranges beyond contiguous_upto.
    first_own: what lies below it is of a gateway that was deleted; it is taken if it comes, and not missed.
    retired_ms: when its gateway was deleted, None when nothing was.
    """

    __tablename__ = "link_stream"

    gateway: Mapped[str] = mapped_column(String(40), primary_key=True)
    stream: Mapped[str] = mapped_column(String(16), primary_key=True)
    contiguous_upto: Mapped[int] = mapped_column(BigInteger)
    above: Mapped[str] = mapped_column(Text)
    max_seq: Mapped[int] = mapped_column(BigInteger)
    received: Mapped[int] = mapped_column(BigInteger)
    duplicates: Mapped[int] = mapped_column(BigInteger)
    last_ms: Mapped[int] = mapped_column(BigInteger)
    first_own: Mapped[int] = mapped_column(BigInteger, server_default="1")
    retired_ms: Mapped[int | None] = mapped_column(BigInteger)


class LinkQuarantine(Base):
    """A batch that cannot be read or stored. field, rule: what it breaks."""

    __tablename__ = "link_quarantine"
    __table_args__ = (Index("ix_link_quarantine_gateway", "gateway", "id"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True, autoincrement=True)
    gateway: Mapped[str] = mapped_column(String(40))
    received_ms: Mapped[int] = mapped_column(BigInteger)
    lane: Mapped[str] = mapped_column(String(8))
    field: Mapped[str] = mapped_column(String(40))
    rule: Mapped[str] = mapped_column(String(300))
    size: Mapped[int] = mapped_column(Integer)
    acknowledged: Mapped[int] = mapped_column(SmallInteger)  # 1: acknowledged to the gateway all the same
    payload: Mapped[bytes] = mapped_column(LargeBinary)  # cut to MAX_BATCH_BYTES
