"""Where the platform's own levels of alarms are used."""

from __future__ import annotations

from collections.abc import Collection

from cloud.core.events import AlarmLevelsRemoved
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.service import check_platform
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.schemas import LevelUses
from cloud.errors import Conflict


class AlarmLevelUses:
    """Counts everybody's rules, switched off ones too, and standing alarms: only the platform may ask."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self, user: CurrentUser, levels: Collection[int]) -> list[LevelUses]:
        """Of these levels those that are used. Raises NoPermission for who is no user of the platform."""
        check_platform(user)
        return await self._used(levels)

    async def refuse_used(self, event: AlarmLevelsRemoved) -> None:
        """Handler: raises Conflict that names the first level that is in use."""
        for used in await self._used(event.titles):
            raise Conflict(
                f"level {used.level} is used by {used.rules} rules and {used.alarms} alarms",
                field="value",
                rule="levels that nothing uses",
                reason="alarm_level.in_use",
                arguments={"title": event.titles[used.level], "rules": used.rules, "alarms": used.alarms},
            )

    async def _used(self, levels: Collection[int]) -> list[LevelUses]:
        async with self._database.reading() as session:
            rules = await TriggerRepository(session, Scope.system()).rules_by_level(levels)
            alarms = await AlarmRepository(session, Scope.system()).unresolved_by_level(levels)
        return [
            LevelUses(level=level, rules=rules.get(level, 0), alarms=alarms.get(level, 0))
            for level in sorted(rules.keys() | alarms.keys())
        ]
