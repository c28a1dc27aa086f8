"""Every query of options. Those of a user are asked for by his number and nobody else's."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.identity.models import DictionaryEntry
from cloud.domains.options.models import PlatformOption, UserOption

Option = PlatformOption | DictionaryEntry | UserOption

_KEYS = {PlatformOption: ["name"], DictionaryEntry: ["key"], UserOption: ["user_id", "name"]}


class OptionRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def platform(self, name: str) -> PlatformOption | None:
        return await self._session.get(PlatformOption, name)

    async def entry(self, key: str) -> DictionaryEntry | None:
        return await self._session.get(DictionaryEntry, key)

    async def of_user(self, user_id: int, name: str) -> UserOption | None:
        return await self._session.get(UserOption, (user_id, name))

    async def of_all_users(self, name: str) -> list[Any]:
        """Every user's value of an option."""
        return list(await self._session.scalars(select(UserOption.value).where(UserOption.name == name)))

    async def put(self, table: type[Option], **columns: Any) -> Any:
        """Add a row or replace the one with its key, also when somebody else does so at this moment.

        The value that was there before; None for none.
        """
        insert = postgresql.insert if self._session.get_bind().dialect.name == "postgresql" else sqlite.insert
        keys = _KEYS[table]
        old = await self._session.get(table, tuple(columns[key] for key in keys))
        changes = {name: value for name, value in columns.items() if name not in keys}
        statement = insert(table).values(**columns)
        await self._session.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes))
        return getattr(old, "value", None)
