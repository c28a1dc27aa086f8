"""Every query of commands and presets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, literal_column, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.core.chunks import chunked
from cloud.core.scope import Scope
from cloud.domains.commands.models import CommandPreset, CommandRow
from cloud.domains.commands.schemas import NamedPreset
from cloud.domains.commands.states import WAITING
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen
from edge_contract.payloads import CommandAction, CommandState, Outcome

# A partial index is found by a condition that stands in the query, not by one that is given to it.
UNKNOWN: ColumnElement[str] = literal_column(f"'{Outcome.UNKNOWN.value}'")


PEOPLE = "people"
"""Origin of what somebody requested, as a filter."""


class CommandRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, CommandRow.device_id)

    def add_all(self, rows: Iterable[CommandRow]) -> None:
        self._session.add_all(rows)

    async def command(self, command_id: str) -> CommandRow | None:
        query = select(CommandRow).where(CommandRow.id == command_id, self._seen)
        return (await self._session.scalars(query.with_for_update())).one_or_none()

    async def commands(self, ids: Sequence[str]) -> list[CommandRow]:
        """Those that there are, to be changed; in one order, so that no two callers lock each other."""
        query = select(CommandRow).where(CommandRow.id.in_(ids)).order_by(CommandRow.id)
        return list(await self._session.scalars(query.with_for_update()))

    async def statuses(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        columns = CommandRow.id, CommandRow.status, CommandRow.outcome
        query = select(*columns).where(CommandRow.id.in_(ids), self._seen)
        return {row[0]: (row[1], row[2]) for row in await self._session.execute(query)}

    async def of_request(self, user_id: int, request_id: str) -> CommandRow | None:
        """The first command that a user's request made."""
        query = select(CommandRow).where(CommandRow.user_id == user_id, CommandRow.request_id == request_id)
        return (await self._session.scalars(query.where(self._seen))).one_or_none()

    async def ids_of_batch(self, batch_id: str) -> list[str]:
        query = select(CommandRow.id).where(CommandRow.batch_id == batch_id, self._seen)
        return list(await self._session.scalars(query.order_by(CommandRow.id)))

    async def note_sending(self, ids: Collection[str], at_ms: int | None) -> None:
        """Commands that wait are given to the broker from now on; or with None surely were not."""
        query = update(CommandRow).where(CommandRow.id.in_(ids))
        await self._session.execute(
            query.where(CommandRow.status == CommandState.CREATE.value).values(sent_ms=at_ms)
        )

    async def audit_due(self, limit: int) -> list[CommandRow]:
        """Commands that have ended and that the audit has no outcome of yet, the oldest first."""
        query = select(CommandRow).where(CommandRow.audit_due.is_(True)).order_by(CommandRow.finished_ms)
        return list(await self._session.scalars(query.limit(limit)))

    async def of_batches(self, batch_ids: Collection[str]) -> list[CommandRow]:
        query = select(CommandRow).where(CommandRow.batch_id.in_(batch_ids))
        return list(await self._session.scalars(query.order_by(CommandRow.id)))

    async def batches_of(self, ids: Collection[str]) -> list[tuple[str, CommandRow]]:
        """Commands of the batches of these commands, in order, each with the id that named its batch."""
        named = aliased(CommandRow)
        query = select(named.id, CommandRow).join(CommandRow, CommandRow.batch_id == named.batch_id)
        query = query.where(named.id.in_(ids), self._seen).order_by(named.id, CommandRow.id)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def mark_reported(self, outcomes: Mapping[str, str]) -> None:
        """Of commands by id, with the outcome that was reported: one that has another meanwhile stays due."""
        for command_id, outcome in outcomes.items():
            query = update(CommandRow).where(CommandRow.id == command_id, CommandRow.outcome == outcome)
            await self._session.execute(query.values(audit_due=False))

    async def page(
        self,
        page: int,
        limit: int,
        device_id: int | None,
        batch_id: str | None,
        status: str,
        *,
        origin: str | None = None,
        origin_id: int | None = None,
    ) -> tuple[list[CommandRow], int]:
        """Newest first, and how many there are. origin: PEOPLE, or a kind of rule; origin_id: one of them."""
        query = select(CommandRow).where(self._seen)
        if device_id is not None:
            query = query.where(CommandRow.device_id == device_id)
        if batch_id is not None:
            query = query.where(CommandRow.batch_id == batch_id)
        if status:
            query = query.where(CommandRow.status == status)
        if origin == PEOPLE:  # what the cloud requests itself is of nobody
            query = query.where(CommandRow.origin_kind.is_(None), CommandRow.user_id != 0)
        elif origin is not None:
            query = query.where(CommandRow.origin_kind == origin)
        if origin_id is not None:
            query = query.where(CommandRow.origin_id == origin_id)
        total = int(
            (await self._session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        )
        query = query.order_by(CommandRow.created_ms.desc(), CommandRow.id)
        return list(await self._session.scalars(query.offset((page - 1) * limit).limit(limit))), total

    async def counts(self, batch_id: str) -> tuple[dict[str, int], dict[str, int]]:
        """Commands of a batch by status, and those that have ended by outcome."""
        query = select(CommandRow.status, CommandRow.outcome, func.count())
        query = query.where(CommandRow.batch_id == batch_id, self._seen)
        counts: Counter[str] = Counter()
        outcomes: Counter[str] = Counter()
        for status, outcome, number in await self._session.execute(
            query.group_by(CommandRow.status, CommandRow.outcome)
        ):
            counts[status] += number
            if outcome:
                outcomes[outcome] += number
        return dict(counts), dict(outcomes)

    async def to_do(self) -> tuple[bool, bool]:
        """Whether any command is without its end, and whether the audit lacks the outcome of one."""
        is_open = CommandRow.status.in_([state.value for state in WAITING])
        query = select(exists().where(is_open), exists().where(CommandRow.audit_due.is_(True)))
        are_open, are_due = (await self._session.execute(query)).one()
        return bool(are_open), bool(are_due)

    async def expired(self, before_ms: int, limit: int) -> list[str]:
        """Commands that nobody answered in time."""
        waiting = [state.value for state in WAITING]
        query = select(CommandRow.id).where(CommandRow.status.in_(waiting), CommandRow.expires_ms < before_ms)
        return list(await self._session.scalars(query.limit(limit)))

    async def unanswered(self, before_ms: int, now_ms: int, limit: int) -> list[CommandRow]:
        """Commands sent before that have not expired, the oldest first."""
        query = select(CommandRow).where(
            CommandRow.status == CommandState.SEND.value,
            CommandRow.sent_ms <= before_ms,
            CommandRow.expires_ms > now_ms,
        )
        query = query.order_by(CommandRow.created_ms, CommandRow.id)
        return list(await self._session.scalars(query.limit(limit)))

    async def unknown_writes(self, since_ms: int, limit: int) -> list[CommandRow]:
        """Writes of unknown effect that ended since and of which no result came, the newest first."""
        query = select(CommandRow).where(
            CommandRow.outcome == UNKNOWN,
            CommandRow.finished_ms > since_ms,
            CommandRow.action == CommandAction.WRITE.value,
            CommandRow.latency_ms.is_(None),
            CommandRow.dsid.is_not(None),
        )
        return list(await self._session.scalars(query.order_by(CommandRow.finished_ms.desc()).limit(limit)))

    async def overtaken(self, ids: Collection[str]) -> set[str]:
        """Those of these writes after which another was requested of the same point that has not failed."""
        newer = aliased(CommandRow)
        later = or_(
            newer.created_ms > CommandRow.created_ms,
            (newer.created_ms == CommandRow.created_ms) & (newer.id > CommandRow.id),
        )
        exists = (
            select(newer.id)
            .where(
                newer.device_id == CommandRow.device_id,
                newer.dsid == CommandRow.dsid,
                newer.action == CommandAction.WRITE.value,
                newer.outcome != Outcome.FAILED.value,
                later,
            )
            .exists()
        )
        return set(await self._session.scalars(select(CommandRow.id).where(CommandRow.id.in_(ids), exists)))

    async def waiting(self, now_ms: int, limit: int) -> list[CommandRow]:
        """Commands that wait for their gateway, the oldest first, those of a batch in its order."""
        query = select(CommandRow).where(
            CommandRow.status == CommandState.CREATE.value,
            CommandRow.wait.is_(True),
            CommandRow.expires_ms > now_ms,
        )
        query = query.order_by(CommandRow.created_ms, CommandRow.id)
        return list(await self._session.scalars(query.limit(limit)))


class PresetRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, CommandPreset.device_id)

    def add(self, row: CommandPreset) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def delete(self, row: CommandPreset) -> None:
        await self._session.delete(row)

    async def preset(self, preset_id: int) -> CommandPreset | None:
        query = select(CommandPreset).where(CommandPreset.id == preset_id, self._seen)
        return (await self._session.scalars(query)).one_or_none()

    async def titled(self, device_id: int, title: str) -> CommandPreset | None:
        query = self._of(device_id).where(CommandPreset.title == title)
        return (await self._session.scalars(query)).one_or_none()

    async def of_device(self, device_id: int) -> list[CommandPreset]:
        return list(await self._session.scalars(self._of(device_id).order_by(CommandPreset.title)))

    async def unchanged(self, preset_ids: Collection[int], since_ms: int) -> list[CommandPreset]:
        """Those of these presets that nobody has changed since."""
        query = select(CommandPreset).where(CommandPreset.id.in_(preset_ids), self._seen)
        return list(await self._session.scalars(query.where(CommandPreset.changed_ms <= since_ms)))

    async def writes(self, preset_ids: Collection[int]) -> dict[int, list[dict[str, Any]]]:
        """What presets write, as it is stored."""
        query = select(CommandPreset.id, CommandPreset.writes).where(self._seen)
        known: dict[int, list[dict[str, Any]]] = {}
        async for some in chunked(sorted(preset_ids)):
            rows = await self._session.execute(query.where(CommandPreset.id.in_(some)))
            known |= {row[0]: row[1] for row in rows}
        return known

    async def named(self, preset_ids: Collection[int]) -> list[NamedPreset]:
        query = select(CommandPreset.id, CommandPreset.title, Device.id, Device.display_title)
        query = query.join(Device, Device.id == CommandPreset.device_id)
        query = query.where(CommandPreset.id.in_(preset_ids), self._seen)
        return [
            NamedPreset(id=row[0], title=row[1], device_id=row[2], device_title=row[3])
            for row in await self._session.execute(query)
        ]

    def _of(self, device_id: int) -> Select[CommandPreset]:
        return select(CommandPreset).where(CommandPreset.device_id == device_id, self._seen)
