"""Every query of commands."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.states import WAITING
from edge_contract.payloads import CommandState


class CommandRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, row: CommandRow) -> None:
        self._session.add(row)

    async def command(self, command_id: str) -> CommandRow | None:
        return await self._session.get(CommandRow, command_id, with_for_update=True)

    async def page(self, device_id: int, page: int, limit: int) -> tuple[list[CommandRow], int]:
        """Newest first, and how many there are."""
        mine = CommandRow.device_id == device_id
        total = select(func.count()).select_from(CommandRow).where(mine)
        query = select(CommandRow).where(mine).order_by(CommandRow.created_ms.desc(), CommandRow.id)
        rows = await self._session.scalars(query.offset((page - 1) * limit).limit(limit))
        return list(rows), int((await self._session.execute(total)).scalar_one())

    async def expired(self, before_ms: int, limit: int) -> list[CommandRow]:
        """Commands that nobody answered in time."""
        waiting = [state.value for state in WAITING]
        query = select(CommandRow).where(CommandRow.status.in_(waiting), CommandRow.expires_ms < before_ms)
        return list(await self._session.scalars(query.limit(limit).with_for_update(skip_locked=True)))

    async def kept(self, now_ms: int, limit: int) -> list[CommandRow]:
        """Commands that wait for their gateway, the oldest first."""
        query = select(CommandRow).where(
            CommandRow.status == CommandState.CREATE.value,
            CommandRow.wait.is_(True),
            CommandRow.expires_ms > now_ms,
        )
        return list(await self._session.scalars(query.order_by(CommandRow.created_ms).limit(limit)))
