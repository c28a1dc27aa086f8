"""Every tunnel that somebody opened: the audit. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class TunnelSession(Base):
    """One tunnel session. kind: vcom or rproxy; port, mode: of a vcom. why: code of the end, empty while it
    is open.
    """

    __tablename__ = "tunnel_lease"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(8))
    port: Mapped[str] = mapped_column(String(64), default="")
    mode: Mapped[str] = mapped_column(String(8), default="")
    user_id: Mapped[int] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    opened_ms: Mapped[int] = mapped_column(BigInteger)
    expires_ms: Mapped[int] = mapped_column(BigInteger)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)
    why: Mapped[str] = mapped_column(String(20), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")
    bytes_to_gateway: Mapped[int] = mapped_column(BigInteger, default=0)
    bytes_from_gateway: Mapped[int] = mapped_column(BigInteger, default=0)
