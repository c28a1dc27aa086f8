"""Tables of templates. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class TemplateNode(Base):
    """A node of the tree: a group, which holds nodes, or a template. category: point or gateway.

    It belongs to a user, as gateways do; one without an owner is the platform's. shared: those below its
    owner may use it too. protocol: of a point template. newest: number of its newest version, 0 for none.
    path: "/1/4/", from the root to the node itself.
    """

    __tablename__ = "template_node"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    parent_id: Mapped[int | None] = mapped_column(
        ForeignKey("template_node.id", ondelete="RESTRICT"), index=True
    )
    path: Mapped[str] = mapped_column(String(120), default="", index=True)
    kind: Mapped[str] = mapped_column(String(8))
    category: Mapped[str] = mapped_column(String(8))
    title: Mapped[str] = mapped_column(String(100))
    protocol: Mapped[str] = mapped_column(String(64), default="")
    remark: Mapped[str] = mapped_column(String(500), default="")
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    shared: Mapped[bool] = mapped_column(Boolean, default=False)
    place: Mapped[int] = mapped_column(Integer, default=0)  # among its siblings
    newest: Mapped[int] = mapped_column(Integer, default=0)
    created_ms: Mapped[int] = mapped_column(BigInteger)


class TemplateVersion(Base):
    """One content of a template, never changed. document: canonical JSON, what the hash is of."""

    __tablename__ = "template_version"
    __table_args__ = (UniqueConstraint("template_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    template_id: Mapped[int] = mapped_column(ForeignKey("template_node.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(Integer)
    hash: Mapped[str] = mapped_column(String(64))
    document: Mapped[str] = mapped_column(Text, deferred=True)
    points: Mapped[int] = mapped_column(Integer)
    slaves: Mapped[int] = mapped_column(Integer)
    author: Mapped[str] = mapped_column(String(64))
    note: Mapped[str] = mapped_column(String(200))
    created_ms: Mapped[int] = mapped_column(BigInteger)


class TemplateReference(Base):
    """A point template that a version of a gateway template names."""

    __tablename__ = "template_reference"

    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("template_version.id", ondelete="CASCADE"), index=True)
    slave: Mapped[str] = mapped_column(String(64))
    template_id: Mapped[int] = mapped_column(ForeignKey("template_node.id", ondelete="CASCADE"), index=True)
    number: Mapped[int] = mapped_column(Integer)


class TemplateSet(Base):
    """Which templates one configuration document of a gateway was made with: of it, and of what is edited
    from it, until a later document has a set of its own. hash: the document's name.
    """

    __tablename__ = "template_set"
    __table_args__ = (UniqueConstraint("device_id", "hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
    hash: Mapped[str] = mapped_column(String(64))
    author: Mapped[str] = mapped_column(String(64))
    set_ms: Mapped[int] = mapped_column(BigInteger)


class TemplateOwnPoint(Base):
    """A point of a linked slave that left the template."""

    __tablename__ = "template_own_point"

    set_id: Mapped[int] = mapped_column(
        ForeignKey("template_set.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    slave: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)


class TemplateLink(Base):
    """A template that a set names. slave: the slave with its points; "" for the gateway template."""

    __tablename__ = "template_link"

    set_id: Mapped[int] = mapped_column(
        ForeignKey("template_set.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    slave: Mapped[str] = mapped_column(String(64), primary_key=True)
    template_id: Mapped[int] = mapped_column(ForeignKey("template_node.id", ondelete="CASCADE"), index=True)
    number: Mapped[int] = mapped_column(Integer)
