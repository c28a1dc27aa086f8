"""Drafts of many gateways at once, in a few statements: on SQLite nobody else writes meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.configuration.drafts import KEEP_VERSIONS, forget
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.configuration.rebase import may_follow
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.state_changes import begin
from cloud.domains.identity.schemas import CurrentUser

AT_ONCE = 400
"""Rows that one statement names."""


@dataclass(frozen=True)
class BatchDraft:
    """A new draft. hash, points: of the document; content: its bytes, as document.written made them."""

    base: str | None
    hash: str
    content: bytes
    points: int


class DraftBatch:
    """A unit of work as drafts.Drafts; its caller makes sure that the user may change the gateways."""

    def __init__(
        self, session: AsyncSession, user: CurrentUser, now_ms: int, keep: int = KEEP_VERSIONS
    ) -> None:
        self._session = session
        self._user = user
        self._now_ms = now_ms
        self._keep = keep

    async def keep(self, drafts: Mapping[int, BatchDraft]) -> list[int]:
        """Store the drafts by gateway. Returns the gateways whose newest version is another than the draft's
        base; then nothing may be committed. Raises Conflict when a draft cannot be rebased onto what its
        gateway runs.
        """
        numbers = list(drafts)
        moved: list[int] = []
        for at in range(0, len(numbers), AT_ONCE):
            some = {number: drafts[number] for number in numbers[at : at + AT_ONCE]}
            moved += await self._keep_some(some)
        return moved

    async def _keep_some(self, drafts: Mapping[int, BatchDraft]) -> list[int]:
        config_states = await self._locked(list(drafts))
        repository = DeployRepository(self._session, self._user.scope)
        moved = [
            number
            for number, draft in drafts.items()
            if not await may_follow(repository, config_states[number], draft.base)
        ]
        if moved:
            return moved
        known = await self._known(drafts)
        for number, draft in drafts.items():
            if (number, draft.hash) not in known:
                self._session.add(self._version(number, draft))
            begin(config_states[number], draft.base, draft.hash, self._user.name, self._now_ms)
        await self._session.flush()
        for number in await self._full(list(drafts)):
            await forget(repository, config_states[number], self._keep)
        return []

    async def _locked(self, numbers: Sequence[int]) -> dict[int, ConfigurationStateRow]:
        """In the order of their numbers, so that two batches never wait for each other."""
        table: Any = ConfigurationStateRow.__table__
        on_postgresql = self._session.get_bind().dialect.name == "postgresql"
        insert: Any = postgresql.insert(table) if on_postgresql else sqlite.insert(table)
        rows = [{"device_id": number} for number in sorted(numbers)]
        await self._session.execute(insert.values(rows).on_conflict_do_nothing())
        query = (
            select(ConfigurationStateRow)
            .where(ConfigurationStateRow.device_id.in_(numbers))
            .order_by(ConfigurationStateRow.device_id)
        )
        locked = await self._session.scalars(query.with_for_update())
        return {row.device_id: row for row in locked}

    async def _known(self, drafts: Mapping[int, BatchDraft]) -> set[tuple[int, str]]:
        """Versions that are there already."""
        pairs = [(number, draft.hash) for number, draft in drafts.items()]
        version = (ConfigurationVersion.device_id, ConfigurationVersion.hash)
        rows = await self._session.execute(select(*version).where(tuple_(*version).in_(pairs)))
        return {(number, name) for number, name in rows}

    async def _full(self, numbers: Sequence[int]) -> list[int]:
        """Gateways with more versions than are to be stored."""
        column = ConfigurationVersion.device_id
        query = select(column).where(column.in_(numbers)).group_by(column).having(func.count() > self._keep)
        return list(await self._session.scalars(query))

    def _version(self, number: int, draft: BatchDraft) -> ConfigurationVersion:
        return ConfigurationVersion(
            device_id=number,
            hash=draft.hash,
            document=draft.content.decode(),
            size=len(draft.content),
            points=draft.points,
            origin="cloud",
            parent=draft.base,
            author=self._user.name,
            note="",
            created_ms=self._now_ms,
        )
