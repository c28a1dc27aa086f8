"""Options of the platform and of each user, and the cloud configuration.

user_config keeps quick entries in the order of position, renumbered when stored.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import ValidationError

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.events import AlarmLevelsRemoved
from cloud.db import Database
from cloud.domains.identity.flags import CLOUD_CONFIG
from cloud.domains.identity.models import DictionaryEntry
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.maps import MapBaseOption
from cloud.domains.options.models import PlatformOption, UserOption
from cloud.domains.options.repository import Option, OptionRepository
from cloud.domains.options.schemas import (
    MAX_VALUE_BYTES,
    PLATFORM_OPTIONS,
    USER_OPTIONS,
    AlarmLevelsOption,
    CloudConfig,
    PlatformOptionBody,
    QuickEntriesOption,
    UserOptionBody,
)
from cloud.errors import NoPermission, ParameterError

log = logging.getLogger(__name__)

QUICK_ENTRIES = "user_config"


def _nobody_counts() -> None:
    """For a process in which nothing depends on the cloud configuration."""


async def _unused(_removed: AlarmLevelsRemoved) -> None:
    """For a process in which nothing names a level of alarms."""


class OptionService:
    """changed: told when the cloud configuration is another one, so that permissions count at once; removing:
    told before levels of alarms go.
    """

    def __init__(
        self,
        database: Database,
        changed: Callable[[], None] = _nobody_counts,
        removing: Callable[[AlarmLevelsRemoved], Awaitable[None]] = _unused,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._changed = changed
        self._removing = removing
        self._clock = clock

    async def option(self, name: str) -> PlatformOptionBody:
        """An option of the platform, or its default."""
        async with self._database.reading() as session:
            row = await OptionRepository(session).platform(name)
        stored = {} if row is None else {"value": row.value}
        try:
            return PLATFORM_OPTIONS.validate_python({"name": name, **stored})
        except ValidationError:  # kept by an older version with other rules
            log.warning("option %s does not fit its form; its default counts", name)
            return PLATFORM_OPTIONS.validate_python({"name": name})

    async def tile_origins(self) -> tuple[str, ...]:
        """Where the portal's pages may load the map's ground from; () when it is this site."""
        option = await self.option("map_base")
        return option.value.origins() if isinstance(option, MapBaseOption) else ()

    async def put_option(self, user: CurrentUser, body: PlatformOptionBody) -> None:
        """Replace an option of the platform. Raises Conflict when a level of alarms in use would go."""
        check_platform(user)
        if isinstance(body, AlarmLevelsOption):
            await self._refuse_used(body)
        value = body.model_dump(mode="json")["value"]
        row = {"name": body.name, "value": value, "changed_ms": self._clock(), "user_name": user.name}
        before = await self._put(PlatformOption, row)
        record_change({} if before is None else {"value": before}, {"value": value}, name=body.name)
        log.info("option %s changed by %s", body.name, user.name)

    async def _refuse_used(self, body: AlarmLevelsOption) -> None:
        before = await self.option("alarm_levels")
        left = {level.id for level in body.value}
        levels = before.value if isinstance(before, AlarmLevelsOption) else []
        if removed := {level.id: level.title for level in levels if level.id not in left}:
            await self._removing(AlarmLevelsRemoved(removed))

    async def cloud_config(self) -> CloudConfig:
        """What the whole installation offers."""
        async with self._database.reading() as session:
            row = await OptionRepository(session).entry(CLOUD_CONFIG)
        return CloudConfig() if row is None else CloudConfig.model_validate(row.value)

    async def put_cloud_config(self, user: CurrentUser, value: CloudConfig) -> None:
        """Change what the whole installation offers; it counts with the next call."""
        check_platform(user)
        row = {"key": CLOUD_CONFIG, "value": value.model_dump(), "changed_ms": self._clock()}
        before = await self._put(DictionaryEntry, row | {"user_name": user.name})
        record_change(before or CloudConfig().model_dump(), value.model_dump(), key=CLOUD_CONFIG)
        self._changed()
        log.info("cloud configuration changed by %s: %s", user.name, value)

    async def user_option(self, user: CurrentUser, name: str) -> UserOptionBody:
        """The user's own option, or its default."""
        async with self._database.reading() as session:
            row = await OptionRepository(session).of_user(user.id, name)
        stored = {} if row is None else {"value": row.value}
        try:
            return USER_OPTIONS.validate_python({"name": name, **stored})
        except ValidationError:  # kept by an older version with other rules
            log.warning("option %s of user %d does not fit its form; its default counts", name, user.id)
            return USER_OPTIONS.validate_python({"name": name})

    async def put_user_option(self, user: CurrentUser, body: UserOptionBody) -> UserOptionBody:
        """Replace the user's own option; ParameterError when it is too large. Returns it as it is kept."""
        if isinstance(body, QuickEntriesOption):
            entries = sorted(body.value, key=lambda entry: entry.position)
            body = QuickEntriesOption(
                value=[entry.model_copy(update={"position": place}) for place, entry in enumerate(entries)]
            )
        value = body.model_dump(mode="json")["value"]
        size = len(json.dumps(value, ensure_ascii=False).encode())
        if size > MAX_VALUE_BYTES:
            raise ParameterError("value", f"at most {MAX_VALUE_BYTES} bytes as JSON")
        row = {"user_id": user.id, "name": body.name, "value": value, "changed_ms": self._clock()}
        before = await self._put(UserOption, row)
        record_change({} if before is None else {"value": before}, {"value": value}, name=body.name)
        return body

    async def icons(self) -> set[str]:
        """Addresses of pictures that somebody's quick entries show."""
        async with self._database.reading() as session:
            values = await OptionRepository(session).of_all_users(QUICK_ENTRIES)
        return {str(entry.get("icon", "")) for entries in values for entry in entries}

    async def _put(self, table: type[Option], row: dict[str, Any]) -> Any:
        """The value that was there before, None for none."""
        async with self._database.session() as session:
            before = await OptionRepository(session).put(table, **row)
            await session.commit()
        return before


def check_platform(user: CurrentUser) -> None:
    """Raises NoPermission for who is no user of the platform."""
    """Rules may give the permission to others; these changes are the platform's all the same."""
    if user.user_type != PLATFORM:
        raise NoPermission("SystemSetting")
