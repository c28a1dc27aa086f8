"""How the portal looks at one host name."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class Customization(Base):
    """domain: a host name, or "default" for every other one. Pictures are URLs of files of this cloud."""

    __tablename__ = "customization"

    domain: Mapped[str] = mapped_column(String(253), primary_key=True)
    platform_title: Mapped[str] = mapped_column(String(100), default="")
    browser_title: Mapped[str] = mapped_column(String(100), default="")
    tkloc: Mapped[str] = mapped_column(String(200), default="")
    icp: Mapped[str] = mapped_column(String(100), default="")
    logo: Mapped[str] = mapped_column(String(200), default="")
    background: Mapped[str] = mapped_column(String(200), default="")
    carousel: Mapped[list[str]] = mapped_column(JSON, default=list)
    demo: Mapped[bool] = mapped_column(Boolean, default=False)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))
