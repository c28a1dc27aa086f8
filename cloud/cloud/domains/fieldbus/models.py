"""What gateways said last of their internal slave and their loop-write tasks."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class GatewayFieldbus(Base):
    """Of a gateway that has any of both. figures: as edge_contract.fieldbus.FieldbusFigures.

    reported_ms: UTC milliseconds, when the gateway said so.
    """

    __tablename__ = "gateway_fieldbus"

    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), primary_key=True)
    figures: Mapped[dict[str, Any]] = mapped_column(JSON)
    reported_ms: Mapped[int] = mapped_column(BigInteger)
