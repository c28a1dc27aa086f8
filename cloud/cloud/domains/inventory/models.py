"""Tables of gateways, the slaves behind them and their data points. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    case,
    or_,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column, validates

from cloud.core.natural_order import natural_key
from cloud.db import NUMBERS_ONCE, Base
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from edge_contract.limits import MAX_POSITION_TEXT


def display_title(title: str, binder_title: str) -> str:
    """The title, with the bound title in brackets where that says something else."""
    return title if binder_title in ("", title) else f"{title} ({binder_title})"


def _title_key(context: Any) -> bytes:
    return natural_key(context.get_current_parameters()["title"])


class Device(Base):
    """A gateway. protocol: the specification's code. refusal: why the last hello was not served.

    Its number is never given again: audit, caches and addresses of pages name it for longer than it is there.
    """

    __tablename__ = "device"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    gateway_id: Mapped[str] = mapped_column(String(40), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    title_key: Mapped[bytes] = mapped_column(LargeBinary, default=_title_key, index=True)  # its order
    protocol: Mapped[int] = mapped_column(SmallInteger, default=1)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    secret_hash: Mapped[str] = mapped_column(String(64))
    disabled: Mapped[bool] = mapped_column(Boolean, default=False)
    created_ms: Mapped[int] = mapped_column(BigInteger)

    online: Mapped[bool] = mapped_column(Boolean, default=False)
    since_ms: Mapped[int | None] = mapped_column(BigInteger)
    first_online_ms: Mapped[int | None] = mapped_column(BigInteger)  # None: it never was
    reason: Mapped[str] = mapped_column(String(40), default="never_connected")
    last_ms: Mapped[int | None] = mapped_column(BigInteger)  # last message of any kind
    boot: Mapped[str] = mapped_column(String(16), default="")
    agent_version: Mapped[str] = mapped_column(String(200), default="")
    stream: Mapped[str] = mapped_column(String(16), default="")
    catalog: Mapped[str] = mapped_column(String(16), default="")
    refusal: Mapped[str | None] = mapped_column(String(40))
    refused_ms: Mapped[int | None] = mapped_column(BigInteger)  # when a wrong secret was tried last
    backlog_batches: Mapped[int] = mapped_column(Integer, default=0)
    hours_left: Mapped[float | None] = mapped_column(Float)
    evicted_batches: Mapped[int] = mapped_column(Integer, default=0)
    evicted: Mapped[list[list[int]]] = mapped_column(JSON, default=list)  # newest ranges, by its own word
    evicted_ms: Mapped[int | None] = mapped_column(BigInteger)  # when evicted_batches rose last
    dropped_samples: Mapped[int] = mapped_column(BigInteger, default=0)
    dropped_ms: Mapped[int | None] = mapped_column(BigInteger)
    written_bytes_day: Mapped[int | None] = mapped_column(BigInteger)
    memory_bytes: Mapped[int | None] = mapped_column(BigInteger)  # resident, of the agent's process
    clock_set: Mapped[bool] = mapped_column(Boolean, default=True)
    open_alarms: Mapped[int] = mapped_column(Integer, default=0)  # counted by the alarms with every change

    offline_notify: Mapped[bool] = mapped_column(Boolean, default=False)
    offline_clear_data: Mapped[bool] = mapped_column(Boolean, default=True)
    offline_alarm_delay_s: Mapped[int] = mapped_column(Integer, default=0)
    offline_entry: Mapped[int | None] = mapped_column(Integer)  # open row of the on-offline log

    project_id: Mapped[int | None] = mapped_column(ForeignKey(Project.id, ondelete="SET NULL"), index=True)
    product_id: Mapped[int | None] = mapped_column(ForeignKey(Product.id, ondelete="SET NULL"), index=True)
    mst: Mapped[int] = mapped_column(Integer, default=0)  # device_mst: from 1000 on it counts as GIS-capable
    model: Mapped[str] = mapped_column(String(64), default="", index=True)
    gateway_type: Mapped[int] = mapped_column(SmallInteger, default=3)  # 1 DTU, 2 smart, 3 common
    modbus_type: Mapped[int | None] = mapped_column(SmallInteger)  # 1 Modbus_RTU, 2 Modbus_TCP
    imei: Mapped[str] = mapped_column(String(20), default="")
    iccid: Mapped[str] = mapped_column(String(22), default="")
    binder_title: Mapped[str] = mapped_column(String(200), default="")
    province: Mapped[str] = mapped_column(String(64), default="")
    city: Mapped[str] = mapped_column(String(64), default="")
    district: Mapped[str] = mapped_column(String(64), default="")
    address: Mapped[str] = mapped_column(String(200), default="")
    floorroom: Mapped[str] = mapped_column(String(100), default="")
    remark: Mapped[str] = mapped_column(String(500), default="")
    gis_show: Mapped[bool] = mapped_column(Boolean, default=False)
    auto_position: Mapped[bool] = mapped_column(Boolean, default=False)
    longitude: Mapped[float | None] = mapped_column(Float)  # WGS-84 degrees
    latitude: Mapped[float | None] = mapped_column(Float)
    positioned_ms: Mapped[int | None] = mapped_column(BigInteger)
    scan_bind: Mapped[bool] = mapped_column(Boolean, default=True)
    bind_code: Mapped[str | None] = mapped_column(String(40), unique=True)  # in its QR code
    reports_every_s: Mapped[int] = mapped_column(Integer, default=0)  # by its last hello
    asleep_until_ms: Mapped[int | None] = mapped_column(BigInteger)  # while it saves power
    expire_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)  # until when it is paid for

    @property
    def connected(self) -> bool:
        """Online, and not asleep: what is sent now arrives."""
        return self.online and self.asleep_until_ms is None

    @hybrid_property
    def display_title(self) -> str:
        """As rows that refer to the gateway name it."""
        return display_title(self.title, self.binder_title)

    @display_title.inplace.expression
    @classmethod
    def _display_title(cls) -> ColumnElement[str]:
        same_title = or_(cls.binder_title == "", cls.binder_title == cls.title)
        return case(
            (same_title, cls.title), else_=cls.title.concat(" (").concat(cls.binder_title).concat(")")
        )

    @validates("title")
    def _order_by(self, _name: str, title: str) -> str:
        self.title_key = natural_key(title)
        return title


_QUIET = text("online IS false AND removed IS false")
"""Few among all slaves; the landing page and the counts of states look for them."""


class SlaveDevice(Base):
    """A slave behind a gateway, as the gateway's catalog names it."""

    __tablename__ = "slave_device"
    __table_args__ = (
        UniqueConstraint("device_id", "name"),
        Index("ix_slave_device_silent", "device_id", sqlite_where=_QUIET, postgresql_where=_QUIET),
        NUMBERS_ONCE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    protocol: Mapped[str] = mapped_column(String(64))
    port: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(200))
    online: Mapped[bool] = mapped_column(Boolean, default=False)
    last_good_ms: Mapped[int] = mapped_column(BigInteger, default=0)
    reason: Mapped[str] = mapped_column(String(200), default="")
    since_ms: Mapped[int | None] = mapped_column(BigInteger)  # when online became what it is
    offline_entry: Mapped[int | None] = mapped_column(Integer)  # open row of the on-offline log
    requests: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  # of the last pulse
    removed: Mapped[bool] = mapped_column(Boolean, default=False)


class DeviceShare(Base):
    """Another user's part in a gateway. role: owner or visitor; writes: read and write, else read only."""

    __tablename__ = "device_share"

    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(8))
    writes: Mapped[bool] = mapped_column(Boolean, default=False)
    created_ms: Mapped[int] = mapped_column(BigInteger)


class OnOfflineLog(Base):
    """A time without a gateway, or without one of its slaves. online_ms: None while it lasts."""

    __tablename__ = "on_offline_log"
    __table_args__ = (Index("ix_on_offline_log_device", "device_id", "offline_ms"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
    slave_id: Mapped[int | None] = mapped_column(
        ForeignKey("slave_device.id", ondelete="CASCADE"), index=True
    )
    offline_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    online_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)
    noted_ms: Mapped[int] = mapped_column(BigInteger, default=0, index=True)  # when this row began
    reason: Mapped[str] = mapped_column(String(200))


class DataPoint(Base):
    """A data point; its id is the dsid, the number of its time series. It goes with its gateway only, because
    history needs it, and its number is never given again: the series of the one before is still stored.
    """

    __tablename__ = "data_point"
    __table_args__ = (UniqueConstraint("slave_id", "name"), NUMBERS_ONCE)

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    slave_id: Mapped[int] = mapped_column(ForeignKey("slave_device.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(3))
    rw: Mapped[str] = mapped_column(String(10))
    data_type: Mapped[str] = mapped_column(String(64))
    unit: Mapped[str] = mapped_column(String(200))
    decimals: Mapped[int | None] = mapped_column(SmallInteger)
    period_ms: Mapped[int] = mapped_column(BigInteger)
    record: Mapped[int] = mapped_column(SmallInteger)
    min: Mapped[float | None] = mapped_column(Float)
    max: Mapped[float | None] = mapped_column(Float)
    selector: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    on_text: Mapped[str] = mapped_column(String(MAX_POSITION_TEXT), default="", server_default="")
    off_text: Mapped[str] = mapped_column(String(MAX_POSITION_TEXT), default="", server_default="")
    removed: Mapped[bool] = mapped_column(Boolean, default=False)
    removed_ms: Mapped[int | None] = mapped_column(BigInteger)  # when a catalog left it out


class DeadSeries(Base):
    """A point of a gateway that was deleted, whose samples are still stored: they go next."""

    __tablename__ = "dead_series"

    dsid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class CatalogEntry(Base):
    """What a catalog's point numbers mean. points: JSON object of number (as text) to dsid."""

    __tablename__ = "catalog"

    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), primary_key=True)
    hash: Mapped[str] = mapped_column(String(16), primary_key=True)
    received_ms: Mapped[int] = mapped_column(BigInteger)
    points: Mapped[dict[str, int]] = mapped_column(JSON)


class AccessPassword(Base):
    """Required with every write to the gateway; no row: none is required. Argon2id."""

    __tablename__ = "access_password"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    password_hash: Mapped[str] = mapped_column(String(200))
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))
