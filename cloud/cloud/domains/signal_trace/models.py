"""Who traced the signals and frames of which gateway, and when: the audit. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class SignalTrace(Base):
    """One trace of one user. why: code of the end, empty while it runs. entries: that were sent to him."""

    __tablename__ = "signal_trace"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    user_id: Mapped[int] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    started_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)
    why: Mapped[str] = mapped_column(String(20), default="")
    entries: Mapped[int] = mapped_column(BigInteger, default=0)
