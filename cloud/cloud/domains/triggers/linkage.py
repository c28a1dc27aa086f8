"""Presets that rules have carried out, with the rights that who saved the trigger has at that moment."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.schemas import CommandBody, CommandOrigin
from cloud.domains.commands.service import CommandService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.linkage_rights import WRITES
from cloud.domains.triggers.models import LinkageRun, Trigger
from cloud.domains.triggers.repository import TriggerRepository
from cloud.errors import CloudError, NoPermission, NotFound

log = logging.getLogger(__name__)

TOO_LATE_MS = 60_000
"""A linkage that the cloud was away for is not made up: what it answers to is long over."""

KEEP_MS = 397 * 24 * 3_600_000
"""As alarms."""

MAX_AT_ONCE = 200

NO_USER, NO_RIGHT, REFUSED, TOO_LATE, FAILED = "no_user", "no_right", "refused", "too_late", "failed"
DELETED = "deleted"

UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user with the permissions that he has now; None for one that is disabled or gone."""


class Linkages:
    """A run is noted with the transition that it answers to; its command is requested under the run's number,
    so that it is requested once however often this is tried.
    """

    def __init__(
        self, database: Database, commands: CommandService, user_now: UserNow, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._commands = commands
        self._user_now = user_now
        self._clock = clock

    async def carry_out(self) -> None:
        """All that are due, one after the other."""
        while due := await self._due():
            for run, trigger in due:
                command_id, problem = await self._request(run, trigger)
                if problem:
                    log.info("linkage %d of trigger %d: %s", run.id, run.trigger_id, problem)
                async with self._database.session() as session:
                    await TriggerRepository(session, Scope.system()).end_run(run.id, command_id, problem)
                    await session.commit()

    async def _due(self) -> list[tuple[LinkageRun, Trigger | None]]:
        async with self._database.reading() as session:
            return await TriggerRepository(session, Scope.system()).due_runs(MAX_AT_ONCE)

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete what is older than 13 months."""
        async with self._database.session() as session:
            await TriggerRepository(session, Scope.system()).delete_runs_before(now_ms - KEEP_MS)
            await session.commit()

    async def _request(self, run: LinkageRun, trigger: Trigger | None) -> tuple[str | None, str]:
        """The first command, and why there is none."""
        if trigger is None:
            return None, DELETED
        if self._clock() - run.noted_ms > TOO_LATE_MS:
            return None, TOO_LATE
        user = None if trigger.user_id is None else await self._user_now(trigger.user_id)
        if user is None:
            return None, NO_USER
        if not user.may(WRITES):
            return None, NO_RIGHT
        body = CommandBody(preset_id=run.preset_id, request_id=f"linkage-{run.id:08d}")
        try:
            origin = CommandOrigin(kind="trigger", id=trigger.id, title=trigger.title)
            reference = await self._commands.request(user, body, f"trigger {trigger.id}", origin)
        except (NoPermission, NotFound):
            return None, NO_RIGHT
        except CloudError:
            return None, REFUSED
        except Exception:
            # One linkage's failure must not keep the others from being carried out.
            log.exception("linkage %d of trigger %d failed", run.id, trigger.id)
            return None, FAILED
        return reference.id, ""
