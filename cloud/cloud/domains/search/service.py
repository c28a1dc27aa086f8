"""The best of each kind that the asker may look into."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.search.repository import SearchRepository
from cloud.domains.search.schemas import SearchResults

MAX_WORDS = 6
"""More are not looked for; each is a comparison with every row."""

KINDS = {
    "devices": "Monitor.DeviceMonitor",
    "slaves": "Monitor.DeviceMonitor",
    "points": "Monitor.DeviceMonitor",
    "projects": "ProjectManage",
    "users": "auth.User",
}
"""Kind to the permission of the list that it leads to."""

Finder = Callable[[Sequence[str], int], Awaitable[Sequence[BaseModel]]]


class SearchService:
    """Reads what the caller's scope sees."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, user: CurrentUser, text: str, limit: int) -> SearchResults:
        """limit: of each kind. A text of blanks alone finds nothing."""
        words = text.split()[:MAX_WORDS]
        matches: dict[str, Sequence[Any]] = {kind: [] for kind in KINDS}
        more: list[str] = []
        if words:
            async with self._database.reading() as session:
                finders = _finders(SearchRepository(session, user.scope))
                for kind in (kind for kind, permission in KINDS.items() if user.may(permission)):
                    rows = await finders[kind](words, limit + 1)
                    matches[kind] = rows[:limit]
                    if len(rows) > limit:
                        more.append(kind)
        return SearchResults(**{kind: list(rows) for kind, rows in matches.items()}, more=more)


def _finders(repository: SearchRepository) -> Mapping[str, Finder]:
    return {
        "devices": repository.devices,
        "slaves": repository.slaves,
        "points": repository.points,
        "projects": repository.projects,
        "users": repository.users,
    }
