"""What only the cloud knows of a point, whether it is deployed or not."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Float, ForeignKey, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class PointSetting(Base):
    """Settings of a point of a gateway, by slave and name. None: as if nothing was set.

    line_color: #rrggbb. alarm_mode: single or multi; lower2 and upper2 are of multi. alarm_state: 0 or 1, the
    position of a switch that is an alarm. alarm_linkage: LinkageBody of the triggers.
    alarm_user_id, alarm_user_name: who set the alarm last, with whose rights its linkages write.
    """

    __tablename__ = "point_setting"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    slave: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    line_color: Mapped[str | None] = mapped_column(String(7))
    gis_show: Mapped[bool | None] = mapped_column(Boolean)
    alarm_enable: Mapped[bool | None] = mapped_column(Boolean)
    alarm_mode: Mapped[str | None] = mapped_column(String(8))
    alarm_lower: Mapped[float | None] = mapped_column(Float)
    alarm_upper: Mapped[float | None] = mapped_column(Float)
    alarm_lower2: Mapped[float | None] = mapped_column(Float)
    alarm_upper2: Mapped[float | None] = mapped_column(Float)
    alarm_delay_s: Mapped[int | None] = mapped_column(Integer)
    alarm_state: Mapped[int | None] = mapped_column(SmallInteger)
    alarm_deadband: Mapped[float | None] = mapped_column(Float)
    alarm_off_delay_s: Mapped[int | None] = mapped_column(Integer)
    alarm_linkage: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    alarm_user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    alarm_user_name: Mapped[str | None] = mapped_column(String(64))
    changed_ms: Mapped[int] = mapped_column(BigInteger)
