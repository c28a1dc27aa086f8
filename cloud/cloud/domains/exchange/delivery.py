"""Hands rules of one gateway over to it, with what went last of each, and takes them back.

While a rule is under way nobody runs it, at most PAUSE_MS: the cloud stops before the gateway begins, and
begins when the gateway has confirmed that it has stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from cloud.core.clock import NowMs, now_ms
from cloud.core.gateway_work import (
    LIMIT,
    Assignment,
    Confirmations,
    HomeKind,
    WorkHome,
    holding,
    is_as_noted,
    note_report,
)
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.exchange.gateway_results import note_results
from cloud.domains.exchange.homes import COMMAND_OPEN, GATEWAY_CODES, home_of_both
from cloud.domains.exchange.models import ExchangeHome, ExchangeRule
from cloud.domains.exchange.repository import End, ExchangeRepository
from cloud.domains.exchange.runner import ACCESS_PASSWORD, NO_RIGHT, NO_USER, WRITES, ExchangeRunner, UserNow
from cloud.link import LinkDown
from edge_contract.exchange_rules import (
    ExchangeEnd,
    ExchangeReport,
    ExchangeRules,
    ExchangeState,
    exchange_hash,
)
from edge_contract.exchange_rules import ExchangeRule as GatewayRule
from edge_contract.limits import MAX_EXCHANGE_RULES, MAX_TEXT
from edge_contract.model import Value
from edge_contract.payloads import CommandState

log = logging.getLogger(__name__)

DELIVER_S = 2.0
"""Interval at which it is looked for rules that are to move, and for gateways that have not confirmed."""

RIGHTS_MS = 60_000
"""Who saved a rule may write, and what points are called, is looked at again after so long."""

OPEN = frozenset({CommandState.CREATE.value, CommandState.SEND.value})

SendRules = Callable[[str, ExchangeRules], Awaitable[None]]
"""To a gateway; raises LinkDown."""


@dataclass(frozen=True)
class _Prepared:
    """What a gateway is to run."""

    numbers: Sequence[int]
    rules: Sequence[GatewayRule]
    hash: str


class ExchangeDelivery:
    """One in the full process, whose homes it alone writes."""

    def __init__(
        self,
        database: Database,
        runner: ExchangeRunner,
        devices: DeviceService,
        commands: CommandService,
        user_now: UserNow,
        send: SendRules,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._runner = runner
        self._devices = devices
        self._commands = commands
        self._user_now = user_now
        self._send = send
        self._clock = clock
        self._homes: dict[int, ExchangeHome] | None = None
        self._confirmations = Confirmations()
        self._looked = (-1, 0)  # generation of the rules, and when
        self._rights: Mapping[int, str] = {}
        self._ends: Mapping[int, End] = {}
        self._prepared: dict[int, _Prepared] = {}
        self._are_open = False

    async def connected(self, gateway: str, takes: bool) -> None:
        """A gateway says whether it can run rules; one that cannot any more has none."""
        async with self._database.reading() as session:
            noted = await ExchangeRepository(session, Scope.system()).noted_home(gateway)
        if is_as_noted(noted, takes):
            if noted is not None and takes:
                self._confirmations.end(noted.device_id)
                self._look_again()
            return
        async with self._runner.turn:
            async with self._database.session() as session:
                home = await ExchangeRepository(session, Scope.system()).home(gateway, make=takes)
                if home is None:
                    return
                home.takes, home.problems = takes, {}
                if not takes:
                    home.hash = home.sent_hash = None
                    home.numbers, home.sent_numbers = [], []
                await session.commit()
            (await self._known())[home.device_id] = home
            self._confirmations.end(home.device_id)
            self._look_again()

    async def reported(self, gateway: str, report: ExchangeReport) -> None:
        """What a gateway holds, and what its rules did: all of it is committed, or nothing."""
        async with self._runner.turn:
            async with self._database.session() as session:
                repository = ExchangeRepository(session, Scope.system())
                home = await repository.home(gateway)
                if home is None or not home.takes:
                    return
                before = home.hash, list(home.numbers), dict(home.problems)
                problems = {each.rule: each.code for each in report.problems}
                note_report(home, report.hash, problems, GATEWAY_CODES)
                is_other = before != (home.hash, home.numbers, home.problems)
                noted = await note_results(session, repository, home.device_id, report.results)
                await session.commit()
            (await self._known())[home.device_id] = home
            for result in noted:
                is_missed = result.outcome != "done"
                self._runner.flow.resume(result.rule, result.source, self._clock(), missed=is_missed)
            if is_other or self._looked[0] != self._runner.generation:
                self._look_again()
                await self._deliver()

    async def deliver(self) -> None:
        """Periodic, and after each change: send what gateways do not have, and say which rules run here."""
        async with self._runner.turn:
            await self._deliver()

    def _look_again(self) -> None:
        self._looked = (-1, 0)

    async def _deliver(self) -> None:
        now = self._clock()
        is_new = self._looked[0] != self._runner.generation or now >= self._looked[1] + RIGHTS_MS
        if not (is_new or self._confirmations or self._are_open):
            return
        homes = await self._known()
        if is_new:
            await self._look(homes)
            self._looked = self._runner.generation, now
        assignments = {row.id: self._assigned(row, homes) for row in self._runner.rows}
        await self._leave_out(assignments, homes)
        wanted: dict[int, list[int]] = defaultdict(list)
        for number, assigned in assignments.items():
            if assigned.device_id is not None:
                wanted[assigned.device_id].append(number)
        for device_id in sorted(homes.keys() & (wanted.keys() | holding(homes) | set(self._confirmations))):
            await self._deliver_to(homes[device_id], wanted[device_id])
            await asyncio.sleep(0)  # others have their turn between two gateways
        await self._decide(assignments, wanted, homes)

    async def _look(self, homes: Mapping[int, ExchangeHome]) -> None:
        """Rights and names, as they are now."""
        for home in homes.values():
            home.problems = {
                rule: code for rule, code in home.problems.items() if int(rule) not in self._runner.renewed
            }
        self._runner.renewed.clear()
        rights: dict[tuple[int | None, int, int | None], str] = {}
        known: dict[int, str] = {}
        dsids: set[int] = set()
        for row in self._runner.rows:
            if home_of_both(row, homes).device_id is None:
                continue
            key = row.user_id, row.target_device_id, row.granted_password_ms
            if key not in rights:
                rights[key] = await self._right(*key)
            known[row.id] = rights[key]
            dsids |= {row.source_dsid, row.target_dsid}
        self._rights = known
        self._prepared.clear()
        async with self._database.reading() as session:
            self._ends = await ExchangeRepository(session, Scope.system()).ends(dsids)

    async def _right(self, user_id: int | None, device_id: int, granted: int | None) -> str:
        """Why a rule of this user may not write to the gateway, as a code."""
        user = None if user_id is None else await self._user_now(user_id)
        if user is None:
            return NO_USER
        if not user.may(WRITES) or not await self._devices.may_change(user, device_id):
            return NO_RIGHT
        if granted is not None:
            user = replace(user, granted={device_id: granted})
        return ACCESS_PASSWORD if await self._devices.access_passwords.problem(user, device_id) else ""

    def _assigned(self, row: ExchangeRule, homes: Mapping[int, ExchangeHome]) -> Assignment:
        assigned = home_of_both(row, homes)
        if assigned.device_id is None:
            return assigned
        if {row.source_dsid, row.target_dsid} - self._ends.keys():
            return Assignment(None, NO_RIGHT)
        right = self._rights.get(row.id, NO_RIGHT)
        return Assignment(None, right) if right else assigned

    async def _leave_out(self, assignments: dict[int, Assignment], homes: Mapping[int, ExchangeHome]) -> None:
        """What a gateway has no room for, and rules whose newest command goes on: it must not come after what
        the gateway writes.
        """
        counts: dict[int, int] = defaultdict(int)
        joining: list[int] = []
        now = self._clock()
        sent = {
            device_id for device_id in self._confirmations if self._confirmations.is_fresh(device_id, now)
        }
        for number, assigned in sorted(assignments.items()):
            if assigned.device_id is None:
                continue
            counts[assigned.device_id] += 1
            if counts[assigned.device_id] > MAX_EXCHANGE_RULES:
                assignments[number] = Assignment(None, LIMIT)
            elif assigned.device_id not in sent and number not in homes[assigned.device_id].numbers:
                joining.append(number)
        self._are_open = False
        if not joining:
            return
        async with self._database.reading() as session:
            newest = await ExchangeRepository(session, Scope.system()).newest_commands(joining)
        statuses = await self._commands.statuses(Scope.system(), list(newest.values()))
        for number, command in newest.items():
            if statuses.get(command, ("",))[0] in OPEN:
                assignments[number] = Assignment(None, COMMAND_OPEN)
                self._are_open = True

    async def _deliver_to(self, home: ExchangeHome, wanted: Sequence[int]) -> None:
        prepared, now = self._prepare(home.device_id, wanted), self._clock()
        digest = prepared.hash
        if digest == home.hash or (home.hash is None and not wanted):
            self._confirmations.end(home.device_id)
            return
        if not self._confirmations.is_to_send(home.device_id, digest, now):
            return
        homes = await self._known()
        async with self._database.session() as session:
            gateway = await ExchangeRepository(session, Scope.system()).online_gateway(home.device_id)
            row = await session.get(ExchangeHome, home.device_id)
            if row is None:
                homes.pop(home.device_id, None)
                return
            row.sent_hash, row.sent_numbers, row.problems = digest, list(wanted), home.problems
            await session.commit()
        homes[home.device_id] = row
        self._confirmations.sends(home.device_id, digest, now, is_online=gateway is not None)
        if gateway is None:
            return
        try:
            states = self._states(set(wanted) - set(home.numbers))
            await self._send(gateway, ExchangeRules(hash=digest, rules=list(prepared.rules), states=states))
            log.info("%d rules of data exchange sent to %s", len(wanted), gateway)
        except LinkDown:
            self._confirmations.failed(home.device_id, digest, now)

    def _prepare(self, device_id: int, numbers: Sequence[int]) -> _Prepared:
        known = self._prepared.get(device_id)
        if known is None or known.numbers != numbers:
            rules = self._documents(numbers)
            known = self._prepared[device_id] = _Prepared(numbers, rules, exchange_hash(rules))
        return known

    def _documents(self, numbers: Sequence[int]) -> list[GatewayRule]:
        rules = self._runner.flow.rules
        return [
            GatewayRule(
                id=number,
                title=rules[number].title[:MAX_TEXT],
                source=self._end(rules[number].source),
                target=self._end(rules[number].target),
                ratio=rules[number].ratio,
                bias=rules[number].bias,
                every_s=rules[number].every_ms // 1000,
            )
            for number in numbers
        ]

    def _end(self, dsid: int) -> ExchangeEnd:
        _, slave, point = self._ends[dsid]
        return ExchangeEnd(slave=slave.name, point=point.name)

    def _states(self, numbers: Collection[int]) -> list[ExchangeState]:
        """What went last of rules that have run here."""
        now = self._clock()
        return [
            ExchangeState(
                rule=number, sent=_cut(state.sent), ago_ms=max(now - state.sent_ms, 0), missed=state.missed
            )
            for number, state in sorted(self._runner.flow.states.items())
            if number in numbers and state.sent_ms is not None
        ]

    async def _decide(
        self,
        assignments: Mapping[int, Assignment],
        wanted: Mapping[int, Collection[int]],
        homes: Mapping[int, ExchangeHome],
    ) -> None:
        """Which rules run here from now on, and what lists say of each."""
        places = self._confirmations.places(assignments, wanted, homes, self._clock())
        self._runner.run_here(number for number, place in places.items() if place.kind is HomeKind.CLOUD)
        await self._note(places)

    async def _note(self, places: Mapping[int, WorkHome]) -> None:
        others = [
            row
            for row in self._runner.rows
            if row.id in places
            and (row.home, row.home_reason) != (places[row.id].kind, places[row.id].reason)
        ]
        if not others:
            return
        async with self._database.session() as session:
            repository = ExchangeRepository(session, Scope.system())
            for row in others:
                place = places[row.id]
                row.home, row.home_reason = place.kind.value, place.reason
                await repository.note(row.id, home=row.home, home_reason=row.home_reason)
            await session.commit()

    async def _known(self) -> dict[int, ExchangeHome]:
        if self._homes is None:
            async with self._database.reading() as session:
                self._homes = await ExchangeRepository(session, Scope.system()).homes()
        return self._homes


def _cut(value: Value) -> Value:
    return value[:MAX_TEXT] if isinstance(value, str) else value
