"""The values that rules pass on from the cloud."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.schemas import CommandBody, CommandOrigin
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.exchange.models import ExchangeRule
from cloud.domains.exchange.repository import ExchangeRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import CloudError, NoPermission, NotFound
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.series_table import columns_of
from edge_contract.exchange import UNFIT, Flow, RunningRule, converted
from edge_contract.model import Value, sort_of
from edge_contract.payloads import CommandState

log = logging.getLogger(__name__)

RUN_S = 0.5
"""Interval at which waiting values become commands."""

REFRESH_S = 10.0
"""Rules that another process changed count after so long."""

MAX_RUNNING = 10_000

WRITES = "Device/cmd"
"""The permission of who writes a value, by a rule too."""

ACCESS_PASSWORD = "access_password"  # noqa: S105 - a code: nobody gave the one that the gateway has now
NO_RIGHT, NO_USER, REFUSED = "no_right", "no_user", "refused"

UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user with the permissions that he has now; None for one that is disabled or gone."""


@dataclass(frozen=True)
class CloudRule(RunningRule):
    """granted: access password that its user gave for the target's gateway. title: for the command log."""

    user_id: int | None
    target_device: int
    granted: int | None
    title: str


class ExchangeRunner:
    """Knows every rule that is switched on; those run here that run_here() names. A rule writes with the
    rights of who saved it last, as they are at that moment.

    turn: held while values become commands, and while rules change or move. generation: rises
    with each change of rules; renewed: those that are new or others by now, until somebody clears it.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        user_now: UserNow,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self.turn = asyncio.Lock()
        self.flow: Flow[CloudRule] = Flow()
        self.rows: Sequence[ExchangeRule] = ()
        self.generation = 0
        self.renewed: set[int] = set()
        self._database = database
        self._devices = devices
        self._commands = commands
        self._user_now = user_now
        self._clock = clock
        self._here: frozenset[int] = frozenset()
        self._unstored: set[int] = set()  # sources

    async def refresh(self) -> None:
        """Periodic, and after each change: which rules there are."""
        async with self._database.reading() as session:
            repository = ExchangeRepository(session, Scope.system())
            rows = await repository.running(MAX_RUNNING)
            unstored = await repository.unstored([row.source_dsid for row in rows])
        rules = {row.id: _rule(row) for row in rows}
        async with self.turn:
            self.rows, self._unstored = rows, unstored
            if rules == self.flow.rules:
                return
            self.renewed |= {number for number, rule in rules.items() if self.flow.rules.get(number) != rule}
            self.flow.replace(rules.values())
            self.generation += 1

    def run_here(self, rules: Iterable[int]) -> None:
        """These and no others."""
        self._here = frozenset(rules)

    def note_values(self, columns: Sequence[SeriesColumn]) -> None:
        """Newer values of a gateway. Late data is none: it says nothing about now."""
        if not self.flow.of_source:
            return
        for column in columns_of(columns, self.flow.of_source):
            self.flow.take(column.series, column.values[-1], int(column.qualities[-1]))

    def note_received(self, columns: Sequence[SeriesColumn]) -> None:
        """Values that are not stored, or not yet. Only points count that never are: that somebody watches a
        point changes nothing here.
        """
        if self._unstored:
            self.note_values(columns_of(columns, self._unstored))

    async def run(self) -> None:
        """Periodic: what waits becomes commands."""
        async with self.turn:
            for rule in self.flow.ready(self._clock()):
                if rule.id in self._here:
                    await self._pass_on(rule)

    async def _pass_on(self, rule: CloudRule) -> None:
        value = self.flow.begin(rule, self._clock())
        try:
            problem, command_id, sent = await self._send(rule, value)
        except Exception:
            # One rule's failure (a database that is away) must not lose what the others have to send.
            log.exception("exchange rule %d could not be carried out", rule.id)
            self.flow.miss(rule)
            return
        if problem:
            log.info("exchange rule %d sent nothing: %s", rule.id, problem)
        async with self._database.asynchronous_commit() as session:
            await ExchangeRepository(session, Scope.system()).note(
                rule.id,
                last_ms=self._clock(),
                last_value=sent,
                last_command=command_id,
                last_problem=problem,
            )
            await session.commit()

    async def _send(self, rule: CloudRule, value: Value) -> tuple[str, str | None, Value]:
        """Problem, command, and the value that was to be written."""
        user = None if rule.user_id is None else await self._user_now(rule.user_id)
        if user is None:
            return NO_USER, None, value
        wanted = value
        try:
            if not user.may(WRITES):
                raise NoPermission(WRITES)
            await self._devices.owners(user.scope, [rule.source])
            target = await self._devices.target(user.scope, rule.target)
            sort = sort_of(target.kind, target.data_type)
            wanted = converted(rule, value, sort)
            if wanted is None:
                return UNFIT[sort], None, value
            if rule.granted is not None:
                user = replace(user, granted={rule.target_device: rule.granted})
            if await self._devices.access_passwords.problem(user, rule.target_device):
                return ACCESS_PASSWORD, None, wanted
            body = CommandBody(dsid=rule.target, value=wanted)
            origin = CommandOrigin(kind="exchange", id=rule.id, title=rule.title)
            reference = await self._commands.request(user, body, f"exchange {rule.id}", origin)
        except (NoPermission, NotFound):
            return NO_RIGHT, None, wanted
        except CloudError:
            self.flow.miss(rule)
            return REFUSED, None, wanted
        if reference.status == CommandState.NETWORK_ERROR:
            self.flow.miss(rule)
        return "", reference.id, wanted


def _rule(row: ExchangeRule) -> CloudRule:
    return CloudRule(
        id=row.id,
        source=row.source_dsid,
        target=row.target_dsid,
        ratio=row.ratio,
        bias=row.bias,
        every_ms=row.every_s * 1000,
        user_id=row.user_id,
        target_device=row.target_device_id,
        granted=row.granted_password_ms,
        title=row.title,
    )
