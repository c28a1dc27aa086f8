"""The table of jobs. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class JobRecord(Base):
    """Something that somebody asked for. started_ms: None while it waits for its turn.

    folder: in the data folder, where its file lies. attempts: how often it was begun. expires_ms: when row
    and file go; None until it has ended.
    """

    __tablename__ = "job"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(40))
    title: Mapped[str] = mapped_column(String(200))
    parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
    state: Mapped[str] = mapped_column(String(10), index=True)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    started_ms: Mapped[int | None] = mapped_column(BigInteger)
    finished_ms: Mapped[int | None] = mapped_column(BigInteger)
    expires_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)
    attempts: Mapped[int] = mapped_column(SmallInteger, default=0)
    cancelling: Mapped[bool] = mapped_column(Boolean, default=False)
    done: Mapped[int] = mapped_column(Integer, default=0)
    total: Mapped[int] = mapped_column(Integer, default=0)
    code: Mapped[str] = mapped_column(String(40), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")
    summary: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    folder: Mapped[str] = mapped_column(String(20))
    file_name: Mapped[str] = mapped_column(String(200), default="")
    size: Mapped[int] = mapped_column(BigInteger, default=0)  # bytes of the file
