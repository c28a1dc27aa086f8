"""What a domain says of its tables, so that domains below it need not import them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement
from sqlalchemy.orm import InstrumentedAttribute

from cloud.core.scope import Scope


@dataclass(frozen=True)
class OwnedTable:
    """Rows that belong to a user. owner: column of his number; NULL is the platform.

    limit: of which resource's limit the rows that match counted use a place, "" of none. keeps_owner: a user
    who has such rows is not deleted. of_platform: column to the value that rows get before they become the
    platform's.
    """

    owner: InstrumentedAttribute[int | None]
    limit: str = ""
    counted: tuple[ColumnElement[bool], ...] = ()
    keeps_owner: bool = False
    of_platform: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class NamedTable:
    """Rows by whose numbers requests name things. kind: the audit's word for one. seen: by a scope."""

    kind: str
    number: InstrumentedAttribute[int]
    title: InstrumentedAttribute[str]
    seen: Callable[[Scope], ColumnElement[bool]]
