"""Sends commands to the broker, and moves them from one state to the next.

For a gateway that is asleep (it saves power) a command ends with the code asleep, as for one that is
offline.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from cloud.core.clock import NowMs
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.intake import Addressee, message, status_of
from cloud.domains.commands.metrics import FINISHED
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.states import may_become, outcome_of
from cloud.link import LinkDown
from edge_contract.payloads import Command, CommandState, Outcome

log = logging.getLogger(__name__)

LINK_DOWN = "link_down"

Send = Callable[[str, Command], Awaitable[None]]
Pushed = Callable[[int, CommandStatus], Awaitable[None]]


@dataclass(frozen=True)
class StateChange:
    """What a command becomes. sent: whether the broker may have taken it; None: as the row says."""

    state: CommandState
    code: str = ""
    sent: bool | None = None


class CommandSender:
    """send: to the gateway, raises LinkDown; pushed: called with the gateway's number and the command."""

    def __init__(self, database: Database, send: Send, pushed: Pushed, clock: NowMs) -> None:
        self._database = database
        self._send = send
        self._pushed = pushed
        self._clock = clock
        self._under_way: set[str] = set()

    async def dispatch(self, ready: Sequence[tuple[CommandRow, Addressee]]) -> None:
        """Send in this order. Once the link has failed it is not tried for the rest."""
        changes: dict[str, StateChange] = {}
        unsent: list[str] = []
        failed: LinkDown | None = None
        mine = [(row, to) for row, to in ready if row.id not in self._under_way]
        self._under_way.update(row.id for row, _ in mine)
        try:
            # A process that ends while it sends must not call a command unsent that the broker has.
            await self._note_sending([row.id for row, _ in mine], self._clock())
            for row, to in mine:
                taken = False
                try:
                    if failed is None:
                        await self._send(to.gateway, message(row, to))
                        changes[row.id] = StateChange(CommandState.SEND)
                except LinkDown as error:
                    log.warning("command %s could not be sent: %s", row.id, error)
                    failed, taken = error, error.may_have_sent
                if failed is None:
                    continue
                if not row.wait:
                    changes[row.id] = StateChange(CommandState.NETWORK_ERROR, LINK_DOWN, sent=taken)
                elif row.sent_ms is None and not taken:
                    unsent.append(row.id)
            await self.change(changes)
            await self._note_sending(unsent, None)
        finally:
            self._under_way.difference_update(row.id for row, _ in mine)

    async def _note_sending(self, ids: Collection[str], at_ms: int | None) -> None:
        if ids:
            async with self._database.asynchronous_commit() as session:
                await CommandRepository(session, Scope.system()).note_sending(ids, at_ms)
                await session.commit()

    async def change(self, changes: Mapping[str, StateChange]) -> None:
        """Move commands to new states where their state machine allows it; one transaction for all."""
        if not changes:
            return
        changed = []
        async with self._database.session() as session:
            for row in await CommandRepository(session, Scope.system()).commands(list(changes)):
                change = changes[row.id]
                if may_become(CommandState(row.status), change.state):  # else the result was faster
                    self.become(row, change)
                    changed.append(row)
            await session.commit()
        for row in changed:
            await self._pushed(row.device_id, status_of(row))

    def become(self, row: CommandRow, change: StateChange, reported: Outcome | None = None) -> None:
        """Set a command's state. reported: the outcome that the gateway reported."""
        row.status, row.code = change.state.value, change.code
        if change.state is CommandState.SEND:
            row.sent_ms = self._clock()
            return
        sent = row.sent_ms is not None if change.sent is None else change.sent
        row.finished_ms = self._clock()
        row.outcome = outcome_of(row.action, change.state, change.code, reported, sent=sent).value
        row.audit_due = bool(row.user_id)  # what the cloud requests itself has no row in the audit
        if not sent:
            row.sent_ms = None
        FINISHED.labels(change.state.value).inc()
