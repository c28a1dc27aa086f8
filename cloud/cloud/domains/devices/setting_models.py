"""What the cloud alone knows of a point, whether it is deployed or not."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Float, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class PointSetting(Base):
    """Settings of a point of a gateway, by slave and name. None: as if nothing was set.

    line_color: #rrggbb. alarm_mode: single or multi; lower2 and upper2 are of multi.
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
    changed_ms: Mapped[int] = mapped_column(BigInteger)
