"""Tables of parameter plans. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class ParameterPlan(Base):
    """A change of parameters for chosen gateways. version: rises with each change of it.

    changes: a list of ParameterChange; project_ids, device_ids: which gateways; agent_min, agent_max:
    versions of the agent, "" for any.
    """

    __tablename__ = "parameter_plan"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    title: Mapped[str] = mapped_column(String(100))
    remark: Mapped[str] = mapped_column(String(500))
    version: Mapped[int] = mapped_column(Integer)
    enabled: Mapped[bool] = mapped_column(Boolean)
    project_ids: Mapped[list[int]] = mapped_column(JSON)
    device_ids: Mapped[list[int]] = mapped_column(JSON)
    agent_min: Mapped[str] = mapped_column(String(40))
    agent_max: Mapped[str] = mapped_column(String(40))
    changes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    author: Mapped[str] = mapped_column(String(64))
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class ParameterPlanGateway(Base):
    """What a plan asked of a gateway last. version: of the plan; deployment_id: whose receipts say the rest,
    "" where nothing had to be deployed or the gateway could not be asked (code).
    """

    __tablename__ = "parameter_plan_gateway"

    plan_id: Mapped[int] = mapped_column(
        ForeignKey("parameter_plan.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )
    version: Mapped[int] = mapped_column(Integer)
    deployment_id: Mapped[str] = mapped_column(String(40))
    code: Mapped[str] = mapped_column(String(60))
    begun_ms: Mapped[int] = mapped_column(BigInteger)
