"""Events of this domain, apart from core's because they carry its own types."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.bus import DurableEvent
from cloud.domains.deploy.renames import Renaming


@dataclass(frozen=True)
class DocumentRenamed(DurableEvent):
    """A new document with renamed slaves; published in the transaction that stores it."""

    session: AsyncSession
    renaming: Renaming


@dataclass(frozen=True)
class RowsRenamed(DurableEvent):
    """An edit of rows that renamed slaves; published in the transaction that stores the draft."""

    session: AsyncSession
    renaming: Renaming
