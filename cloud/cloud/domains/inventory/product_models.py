"""The table of products. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class Product(Base):
    """A kind of device that a factory makes. code: the product id that its makers print; key_hash: SHA-256
    of its API key, which is returned once.
    """

    __tablename__ = "product"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(40), unique=True)
    title: Mapped[str] = mapped_column(String(100))
    key_hash: Mapped[str] = mapped_column(String(64), default="")
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    remark: Mapped[str] = mapped_column(String(500), default="")
    created_ms: Mapped[int] = mapped_column(BigInteger)
