"""Tables of contacts and their groups. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class Contact(Base):
    """A person who can be told of alarms. An address is empty when there is none."""

    __tablename__ = "contact"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    phone: Mapped[str] = mapped_column(String(40))
    email: Mapped[str] = mapped_column(String(200))
    wechat: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(2))
    enabled: Mapped[bool] = mapped_column(Boolean)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class ContactGroup(Base):
    """Contacts and what they are told of. body: a GroupRule; robots: kind to its RobotAddress.

    saved_for: owner_id of when it was saved last, 0 for the platform: given to somebody else it is silent
    until he saves it.
    """

    __tablename__ = "contact_group"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    saved_for: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(String(100))
    enabled: Mapped[bool] = mapped_column(Boolean)
    body: Mapped[dict[str, Any]] = mapped_column(JSON)
    robots: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class ContactGroupMember(Base):
    """A contact in a group of the same owner."""

    __tablename__ = "contact_group_member"

    group_id: Mapped[int] = mapped_column(
        ForeignKey("contact_group.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    contact_id: Mapped[int] = mapped_column(
        ForeignKey("contact.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )
