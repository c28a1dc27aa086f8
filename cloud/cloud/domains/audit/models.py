"""Who changed what, when, from where."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class AuditEntry(Base):
    """One changing request, also a failed one.

    The user is copied as he was, because the row outlives him: user_path decides who sees the row. at_ms:
    when the request came. ids: numbers and names in its path. query: what was sent; changes: before and
    after, or what was sent; secrets masked. code: of the envelope. request_id: the number in the log and in
    the reply. thing: what it is about, by name, as it was; things: names of all that it names, by kind and
    number. reference: a command or batch whose end is filled in.
    """

    __tablename__ = "audit_entry"

    id: Mapped[int] = mapped_column(primary_key=True)
    at_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int | None] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    user_path: Mapped[str] = mapped_column(String(400))
    address: Mapped[str] = mapped_column(String(64))
    method: Mapped[str] = mapped_column(String(8))
    path: Mapped[str] = mapped_column(String(200))
    operation: Mapped[str] = mapped_column(String(64))
    ids: Mapped[dict[str, Any]] = mapped_column(JSON)
    query: Mapped[dict[str, Any]] = mapped_column(JSON)
    changes: Mapped[dict[str, Any]] = mapped_column(JSON)
    status: Mapped[int] = mapped_column(SmallInteger)
    code: Mapped[int] = mapped_column(Integer)
    duration_ms: Mapped[int] = mapped_column(Integer)
    request_id: Mapped[str] = mapped_column(String(12))
    thing: Mapped[str] = mapped_column(String(300), default="", server_default="")
    things: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict, server_default="{}")
    reference: Mapped[str | None] = mapped_column(String(40), index=True)
