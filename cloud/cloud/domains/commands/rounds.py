"""What commands need each second; one query says whether there is anything."""

from __future__ import annotations

import logging

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.repeating import CommandRepeater
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.service import CommandService

log = logging.getLogger(__name__)

ROUND_S = 1.0


class CommandRounds:
    """A step that fails keeps no other from its turn; it is tried again in the next round."""

    def __init__(self, database: Database, commands: CommandService, repeater: CommandRepeater) -> None:
        self._database = database
        self._of_open = (commands.expire, commands.send_waiting, repeater.repeat)
        self._of_ended = (commands.report_to_audit,)

    async def run(self) -> None:
        """Periodic: expire, send what waits, repeat what has no answer, and report outcomes to the audit."""
        async with self._database.reading() as session:
            are_open, are_due = await CommandRepository(session, Scope.system()).to_do()
        for step in (self._of_open if are_open else ()) + (self._of_ended if are_due else ()):
            try:
                await step()
            except Exception:
                # Supervisor of steps: a database that is away for one is no reason to leave out the others.
                log.exception("commands: %s failed", step.__name__)
