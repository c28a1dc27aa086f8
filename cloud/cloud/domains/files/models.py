"""What was uploaded. The bytes lie in the data folder, named by their SHA-256."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class StoredFile(Base):
    """One upload of a user for one kind of use; equal bytes may have several rows. width, height: pixels."""

    __tablename__ = "stored_file"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    user_id: Mapped[int] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )
    form: Mapped[str] = mapped_column(String(8))  # png, jpg, gif or svg
    size: Mapped[int] = mapped_column(Integer)  # bytes
    width: Mapped[int] = mapped_column(SmallInteger)
    height: Mapped[int] = mapped_column(SmallInteger)
    created_ms: Mapped[int] = mapped_column(BigInteger, index=True)
