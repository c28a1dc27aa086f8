"""Tables of the project tree. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class Project(Base):
    """A node: a project, which holds gateways, or a group, which holds nodes. kind: project or group.

    It belongs to a user, as gateways do; one without an owner is the platform's. path: "/1/4/", from the
    root to the node itself, so that a subtree is one comparison.
    """

    __tablename__ = "project"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="RESTRICT"), index=True)
    path: Mapped[str] = mapped_column(String(300), default="", index=True)
    kind: Mapped[str] = mapped_column(String(8))
    title: Mapped[str] = mapped_column(String(100))
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    place: Mapped[int] = mapped_column(Integer, default=0)  # among its siblings
    remark: Mapped[str] = mapped_column(String(500), default="")
    created_ms: Mapped[int] = mapped_column(BigInteger)
