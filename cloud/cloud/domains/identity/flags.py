"""The cloud configuration as permissions read it."""

from __future__ import annotations

from cloud.db import Database
from cloud.domains.identity.models import DictionaryEntry
from cloud.domains.identity.permissions import CloudFlags

CLOUD_CONFIG = "CDCF"


class FlagReader:
    """Asks the database each time; Grants remembers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def flags(self) -> CloudFlags:
        """The defaults where nothing was set."""
        async with self._database.reading() as session:
            row = await session.get(DictionaryEntry, CLOUD_CONFIG)
        given = {} if row is None else row.value
        return CloudFlags(**{name: int(given[name]) for name in CloudFlags._fields if name in given})
