"""What gateways said last of the targets that they forward to. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class ForwardingTarget(Base):
    """One target of one gateway, as in edge_contract.targets. reported_ms: when the gateway said so (cloud's
    clock). trouble_since_ms, in_trouble: as in trouble.py.
    """

    __tablename__ = "forwarding_target"

    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(64))
    condition: Mapped[str] = mapped_column(String(64), index=True)
    since_ms: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(String(500))
    waiting_batches: Mapped[int] = mapped_column(BigInteger)
    waiting_bytes: Mapped[int] = mapped_column(BigInteger)
    waiting_records: Mapped[int] = mapped_column(BigInteger)
    lost_batches: Mapped[int] = mapped_column(BigInteger)
    delivered: Mapped[int] = mapped_column(BigInteger)
    late: Mapped[int] = mapped_column(BigInteger)
    repeated: Mapped[int] = mapped_column(BigInteger)
    given_up: Mapped[int] = mapped_column(BigInteger)
    failed: Mapped[int] = mapped_column(BigInteger)
    last_ack_ms: Mapped[int] = mapped_column(BigInteger)
    next_try_ms: Mapped[int] = mapped_column(BigInteger)
    rejects: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    reported_ms: Mapped[int] = mapped_column(BigInteger)
    trouble_since_ms: Mapped[int] = mapped_column(BigInteger)
    in_trouble: Mapped[bool] = mapped_column(index=True)
