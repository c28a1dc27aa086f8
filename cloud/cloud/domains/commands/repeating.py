"""Commands that get no answer are sent again until they expire: a broker that has no session of a gateway,
as after its start, drops what is for it. A gateway carries out an id once (C-070).
"""

from __future__ import annotations

import logging

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.intake import Intake, message
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.sending import Send
from cloud.errors import NotFound
from cloud.link import LinkDown

log = logging.getLogger(__name__)

REPEAT_MS = 5_000
"""Between two sendings of a command."""

AT_ONCE = 200


class CommandRepeater:
    """send: to the gateway, raises LinkDown."""

    def __init__(self, database: Database, intake: Intake, send: Send, clock: NowMs = now_ms) -> None:
        self._database = database
        self._intake = intake
        self._send = send
        self._clock = clock
        self._repeated_ms: dict[str, int] = {}

    async def repeat(self) -> None:
        """Periodic: to gateways that are online. A write that a newer one to its point follows is left out:
        it would come after that one.
        """
        now = self._clock()
        async with self._database.reading() as session:
            repository = CommandRepository(session, Scope.system())
            unanswered = await repository.unanswered(now - REPEAT_MS, now, AT_ONCE)
            overtaken = await repository.overtaken([row.id for row in unanswered])
        known = self._repeated_ms
        self._repeated_ms = {row.id: known[row.id] for row in unanswered if row.id in known}
        for row in unanswered:
            if row.id in overtaken or self._repeated_ms.get(row.id, 0) > now - REPEAT_MS:
                continue
            try:
                to = await self._intake.addressee(row)
                if to.online:
                    self._repeated_ms[row.id] = now
                    await self._send(to.gateway, message(row, to))
                    log.info("command %s is sent again: no answer yet", row.id)
            except NotFound:
                continue  # its point is gone; it expires
            except LinkDown:
                return
