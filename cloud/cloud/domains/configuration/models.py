"""Tables of configurations and deployments. Times are UTC milliseconds, names of documents SHA-256."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Float, ForeignKey, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class ConfigurationVersion(Base):
    """One document of a gateway, never changed. document: canonical JSON, exactly what the hash is of.

    origin: cloud, local (the gateway's page) or file; parent: the version that it was made from.
    """

    __tablename__ = "configuration_version"
    __table_args__ = (UniqueConstraint("device_id", "hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
    hash: Mapped[str] = mapped_column(String(64))
    document: Mapped[str] = mapped_column(Text, deferred=True)  # up to 5 MiB: never with a list
    size: Mapped[int] = mapped_column(Integer)
    points: Mapped[int] = mapped_column(Integer)
    origin: Mapped[str] = mapped_column(String(8))
    parent: Mapped[str | None] = mapped_column(String(64))
    author: Mapped[str] = mapped_column(String(64))
    note: Mapped[str] = mapped_column(String(200))
    created_ms: Mapped[int] = mapped_column(BigInteger)


class ConfigurationStateRow(Base):
    """Configuration state of a gateway: what runs, what was accepted, its draft.

    running: what it last said it runs; origin and since_ms: None until known. accepted: what the cloud
    deployed last, or what ran at first contact. newest: what the next edit must be based on. draft: edited
    and not deployed yet; draft_base: what ran when the draft was begun. A newest version beside a draft is
    that draft rebased onto what runs.
    """

    __tablename__ = "configuration_standing"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    running: Mapped[str | None] = mapped_column(String(64))
    origin: Mapped[str | None] = mapped_column(String(8))
    since_ms: Mapped[int | None] = mapped_column(BigInteger)
    accepted: Mapped[str | None] = mapped_column(String(64))
    newest: Mapped[str | None] = mapped_column(String(64))
    draft: Mapped[str | None] = mapped_column(String(64))
    draft_base: Mapped[str | None] = mapped_column(String(64))
    draft_author: Mapped[str | None] = mapped_column(String(64))
    draft_ms: Mapped[int | None] = mapped_column(BigInteger)


class Deployment(Base):
    """One deployment, with who requested it: the audit. base None: forced over whatever ran."""

    __tablename__ = "deployment"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    hash: Mapped[str] = mapped_column(String(64))
    base: Mapped[str | None] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(20), index=True)
    check_only: Mapped[bool] = mapped_column(Boolean, default=False)
    wait: Mapped[bool] = mapped_column(Boolean, default=False)
    confirm_s: Mapped[int] = mapped_column(Integer)
    healthy_share: Mapped[float] = mapped_column(Float)
    user_id: Mapped[int] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    created_ms: Mapped[int] = mapped_column(BigInteger)
    expires_ms: Mapped[int] = mapped_column(BigInteger)
    sent_ms: Mapped[int | None] = mapped_column(BigInteger)
    finished_ms: Mapped[int | None] = mapped_column(BigInteger)
    code: Mapped[str] = mapped_column(String(200), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")


class DeploymentReceipt(Base):
    """What the gateway said of one step, the first time that it said it. t_ms: its clock.

    missing: what it waits for, of the last time. parameters: what became of groups of the machine.
    """

    __tablename__ = "deployment_receipt"

    deployment_id: Mapped[str] = mapped_column(
        ForeignKey("deployment.id", ondelete="CASCADE"), primary_key=True
    )
    step: Mapped[str] = mapped_column(String(20), primary_key=True)
    t_ms: Mapped[int] = mapped_column(BigInteger)
    received_ms: Mapped[int] = mapped_column(BigInteger)
    running: Mapped[str] = mapped_column(String(64))
    code: Mapped[str] = mapped_column(String(200), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")
    faults: Mapped[list[dict[str, str]]] = mapped_column(JSON)
    change: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    missing: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    parameters: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
