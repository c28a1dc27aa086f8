"""Slaves that have another name in a document than in the one that it was edited from.

A slave that a document calls otherwise is known again by its place on the bus
(edge_contract.document.rename). Templates and settings of points follow in the same transaction.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope

Renamed = Mapping[str, str]
"""New name of a slave by the old one."""


@dataclass(frozen=True)
class Renaming:
    """A document that was stored. base: what it was edited from; name: its own; author: "" for the gateway.

    again: the same was published of what the gateway runs, onto which a draft was rebased.
    """

    scope: Scope
    device_id: int
    base: str
    name: str
    slaves: Renamed
    author: str
    now_ms: int
    again: bool = False


Follow = Callable[[AsyncSession, Renaming], Awaitable[None]]
"""What only the cloud knows of a slave follows, in the transaction that stores the document."""
