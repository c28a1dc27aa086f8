"""Tables of how long history is kept, in days; 0 for ever. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Integer
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class Retention(Base):
    """Of a user's gateways and of those below him; user_id None: of the platform."""

    __tablename__ = "retention"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), unique=True)
    raw_days: Mapped[int] = mapped_column(Integer)
    minute_days: Mapped[int] = mapped_column(Integer)
    quarter_days: Mapped[int] = mapped_column(Integer)
    hour_days: Mapped[int] = mapped_column(Integer)
    day_days: Mapped[int] = mapped_column(Integer)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class PointRetention(Base):
    """Of one point, before anything else."""

    __tablename__ = "point_retention"

    dsid: Mapped[int] = mapped_column(
        ForeignKey("data_point.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    raw_days: Mapped[int] = mapped_column(Integer)
    minute_days: Mapped[int] = mapped_column(Integer)
    quarter_days: Mapped[int] = mapped_column(Integer)
    hour_days: Mapped[int] = mapped_column(Integer)
    day_days: Mapped[int] = mapped_column(Integer)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
