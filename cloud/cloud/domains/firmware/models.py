"""Tables of firmware: keys, files, plans, and the upgrades of each gateway. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class FirmwareKey(Base):
    """A public key by which firmware is taken. owner_id: NULL for a key of the installation. It goes with its
    owner: what somebody trusted must not become what all trust.
    """

    __tablename__ = "firmware_key"
    __table_args__ = (UniqueConstraint("owner_id", "key_id"), NUMBERS_ONCE)

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    key_id: Mapped[str] = mapped_column(String(64))
    public_key: Mapped[str] = mapped_column(String(44))  # Ed25519, base64
    user_name: Mapped[str] = mapped_column(String(64))
    created_ms: Mapped[int] = mapped_column(BigInteger)


class FirmwareFile(Base):
    """A verified file; its bytes lie in the data folder by their SHA-256.

    manifest: as it was signed, canonical JSON; the columns beside it are for lists. public_key: by which it
    was verified.
    """

    __tablename__ = "firmware_file"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    size: Mapped[int] = mapped_column(BigInteger)  # bytes of the file
    file_name: Mapped[str] = mapped_column(String(200))
    name: Mapped[str] = mapped_column(String(64))
    version: Mapped[int] = mapped_column(Integer)
    version_text: Mapped[str] = mapped_column(String(40))
    upgrade_type: Mapped[int] = mapped_column(SmallInteger)
    manifest: Mapped[str] = mapped_column(Text)
    public_key: Mapped[str] = mapped_column(String(44))
    user_name: Mapped[str] = mapped_column(String(64))
    created_ms: Mapped[int] = mapped_column(BigInteger)


class FirmwarePlan(Base):
    """Who gets which file, and how fast. name: the specification's whole number. rules: a PlanRules.

    version: rises with each change of what the plan says; approved_version: of what a second person approved.
    state: rollout.PlanState; reason: why it is paused; is_back: it brings back what ran before. wave: the one
    under way. user_id: who started it last, with whose rights it goes on; granted: which access passwords
    (their changed_ms) he gave, by gateway. changed_by: who changed it last. wave_ms: when the wave began.
    """

    __tablename__ = "firmware_plan"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    name: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(String(100))
    enabled: Mapped[bool] = mapped_column(Boolean)
    range: Mapped[str] = mapped_column(String(8))  # project or device
    project_ids: Mapped[list[int]] = mapped_column(JSON)
    device_ids: Mapped[list[int]] = mapped_column(JSON)
    created_after_ms: Mapped[int | None] = mapped_column(BigInteger)
    scope: Mapped[int] = mapped_column(SmallInteger)
    control_count: Mapped[int | None] = mapped_column(Integer)
    firmware_id: Mapped[int] = mapped_column(ForeignKey("firmware_file.id", ondelete="RESTRICT"), index=True)
    rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    version: Mapped[int] = mapped_column(Integer)
    changed_by: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    changed_name: Mapped[str] = mapped_column(String(64))
    approved_version: Mapped[int | None] = mapped_column(Integer)
    approved_name: Mapped[str] = mapped_column(String(64), default="")
    state: Mapped[str] = mapped_column(String(10), default="draft", index=True)
    reason: Mapped[str] = mapped_column(String(40), default="")
    is_back: Mapped[bool] = mapped_column(Boolean, default=False)
    wave: Mapped[int] = mapped_column(Integer, default=0)
    wave_ms: Mapped[int | None] = mapped_column(BigInteger)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    user_name: Mapped[str] = mapped_column(String(64), default="")
    granted: Mapped[dict[str, int]] = mapped_column(JSON, default=dict)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    started_ms: Mapped[int | None] = mapped_column(BigInteger)
    finished_ms: Mapped[int | None] = mapped_column(BigInteger)


_OPEN = text("is_open IS true")


class GatewayUpgrade(Base):
    """One attempt to bring a file to a gateway; the rows of a gateway are its history.

    is_open: ordered, and its end is not known; a gateway has one such row. is_newest: of this plan, gateway
    and direction. excused: its failure does not count any more, because somebody went on. upgrade_id: of the
    order (C-204). watch_ms: until when it is watched after it was confirmed. before, after: gate.Evidence;
    worse: what of it was worse. plan_id: NULL when the plan is gone; plan_name stays.
    """

    __tablename__ = "firmware_upgrade"
    __table_args__ = (
        Index("ix_firmware_upgrade_plan", "plan_id", "is_back", "state"),
        Index(
            "uq_firmware_upgrade_open",
            "device_id",
            unique=True,
            sqlite_where=_OPEN,
            postgresql_where=_OPEN,
        ),
        NUMBERS_ONCE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    plan_id: Mapped[int | None] = mapped_column(ForeignKey("firmware_plan.id", ondelete="SET NULL"))
    plan_name: Mapped[int] = mapped_column(Integer)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    firmware_id: Mapped[int | None] = mapped_column(
        ForeignKey("firmware_file.id", ondelete="SET NULL"), index=True
    )
    wave: Mapped[int] = mapped_column(Integer)
    attempt: Mapped[int] = mapped_column(Integer, default=1)
    is_back: Mapped[bool] = mapped_column(Boolean, default=False)
    is_newest: Mapped[bool] = mapped_column(Boolean, default=True)
    excused: Mapped[bool] = mapped_column(Boolean, default=False)
    state: Mapped[str] = mapped_column(String(12), default="waiting")
    is_open: Mapped[bool] = mapped_column(Boolean, default=False)
    upgrade_id: Mapped[str | None] = mapped_column(String(40), unique=True)
    from_version: Mapped[int | None] = mapped_column(Integer)
    to_version: Mapped[int] = mapped_column(Integer)
    version_text: Mapped[str] = mapped_column(String(40))
    size: Mapped[int] = mapped_column(BigInteger)
    done: Mapped[int] = mapped_column(BigInteger, default=0)
    code: Mapped[str] = mapped_column(String(40), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")
    window: Mapped[list[int] | None] = mapped_column(JSON(none_as_null=True))
    expires_ms: Mapped[int | None] = mapped_column(BigInteger)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    ordered_ms: Mapped[int | None] = mapped_column(BigInteger)
    step_ms: Mapped[int | None] = mapped_column(BigInteger)
    watch_ms: Mapped[int | None] = mapped_column(BigInteger)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    worse: Mapped[list[str]] = mapped_column(JSON, default=list)


class GatewayFirmware(Base):
    """What a gateway said that it runs and can take; no row: it takes no firmware."""

    __tablename__ = "gateway_firmware"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    name: Mapped[str] = mapped_column(String(64))
    model: Mapped[str] = mapped_column(String(64))
    version: Mapped[int] = mapped_column(Integer)
    version_text: Mapped[str] = mapped_column(String(200))
    security_version: Mapped[int] = mapped_column(Integer)
    upgrade_types: Mapped[list[int]] = mapped_column(JSON)
    upgrade_id: Mapped[str | None] = mapped_column(String(40))
    step: Mapped[str | None] = mapped_column(String(12))
    reported_ms: Mapped[int] = mapped_column(BigInteger)
