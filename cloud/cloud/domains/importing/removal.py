"""Gateways that a replacing import removes, because its file does not name them.

Of a replacing import with a sheet of devices: the importer's own gateways, of one project or all, that no
row names. They are deleted after everything else is stored, one by one, because each has a broker, tunnels
and a connection to end; a run that was cut goes on with those that are left. What became another's since
stays and is counted.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, NamedTuple

from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.repository import ImportRepository
from cloud.domains.importing.schemas import RemoveDevices
from cloud.domains.importing.workfile import Result
from cloud.domains.jobs.run import JobFailed, Run
from cloud.errors import CloudError, NotFound

log = logging.getLogger(__name__)

RemoveGateway = Callable[[CurrentUser, int], Awaitable[None]]
"""Deletes a gateway of the user's, with everything of it."""

MAX_LOOKED_AT = 10_000
MAX_REMOVED = 1000
"""Of one import: each of them is told to the broker."""


class Going(NamedTuple):
    """A gateway that is to be removed, as the preview saw it."""

    device_id: int
    gateway: str
    title: str

    def result(self) -> Result:
        cells: list[list[Any]] = [["device_title", self.title, None, "", {}]]
        return Result("removed", "devices", 0, self.gateway, [], cells)


class Removals:
    """Only gateways that belong to the user himself, never those below him or shared with him."""

    def __init__(self, database: Database, remove: RemoveGateway) -> None:
        self._database = database
        self._remove = remove

    async def check(self, user: CurrentUser, wanted: RemoveDevices) -> None:
        """NotFound: a project that the user does not see."""
        if wanted.project_id is None:
            return
        async with self._database.reading() as session:
            if not await ImportRepository(session, user.scope).sees_project(wanted.project_id):
                raise NotFound("project")

    async def missing(self, user: CurrentUser, wanted: RemoveDevices, named: Collection[str]) -> list[Going]:
        """Those that the file does not name in any row; JobFailed for more than an import may remove."""
        found = await self._own(user, wanted)
        going = [each for each in found.values() if each.gateway not in named]
        if len(found) > MAX_LOOKED_AT or len(going) > MAX_REMOVED:
            raise JobFailed("import.too_many_removals", str(MAX_REMOVED))
        return going

    async def carry_out(self, run: Run, wanted: RemoveDevices, going: Sequence[Going]) -> dict[str, Any]:
        """removed, kept: how many of them are gone now, and how many are not.

        One after the other, as people delete them: each has a broker, tunnels and a connection to end. One
        that is another's by now, or in another project, stays.
        """
        own = await self._own(run.user, wanted)
        kept = 0
        for at, each in enumerate(going):
            await run.progress(at, len(going))
            if each.device_id not in own:
                kept += await self._is_there(run.user, each)
                continue
            try:
                await self._remove(run.user, each.device_id)
            except NotFound:
                continue
            except CloudError as error:
                log.warning("an import does not remove gateway %s: %s", each.gateway, error)
                kept += 1
        return {"removed": len(going) - kept, "kept": kept}

    async def _own(self, user: CurrentUser, wanted: RemoveDevices) -> dict[int, Going]:
        async with self._database.reading() as session:
            repository = ImportRepository(session, user.scope)
            rows = await repository.own(wanted.project_id, MAX_LOOKED_AT + 1)
        return {row[0]: Going(*row) for row in rows}

    async def _is_there(self, user: CurrentUser, each: Going) -> bool:
        async with self._database.reading() as session:
            return bool(await ImportRepository(session, user.scope).numbered([each.device_id]))
