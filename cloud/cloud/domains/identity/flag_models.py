"""The dictionary, whose entry CDCF is the cloud configuration. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class DictionaryEntry(Base):
    """An entry of the dictionary; without a row it has its default."""

    __tablename__ = "dictionary_entry"

    key: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))
