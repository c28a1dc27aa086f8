"""Hands rules over to the gateways that evaluate them, with what is known of them, and takes them back.

A rule is evaluated here until its gateway has confirmed it. While it is under way nobody evaluates it, at
most PAUSE_MS: what came meanwhile is found again by who goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.commands.service import CommandService
from cloud.domains.triggers.evaluator import Evaluator
from cloud.domains.triggers.gateway_documents import (
    PlannedWrite,
    fitting,
    gateway_rule,
    handed_state,
)
from cloud.domains.triggers.homes import evaluated_by, handed_over, reported
from cloud.domains.triggers.linkage import UserNow
from cloud.domains.triggers.linkage_rights import WRITES
from cloud.domains.triggers.models import RuleHome
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.running import EvaluatedRule
from cloud.errors import CloudError
from cloud.link import LinkDown
from edge_contract.edge_rules import GatewayRule, Rules, RulesReport, RuleWrite, rules_hash
from edge_contract.limits import MAX_RULES_BYTES
from edge_contract.payloads import encode

log = logging.getLogger(__name__)

DELIVER_S = 5.0
"""Interval at which it is looked for rules that are to be sent, and for those that nobody has confirmed."""

PAUSE_MS = 15_000
"""So long rules wait for their gateway; then they go on here."""

AGAIN_MS = 60_000
"""Rules that were not confirmed are sent again after so long."""

SendRules = Callable[[str, Rules], Awaitable[None]]
"""To a gateway; raises LinkDown."""


NOTHING_RESTS: frozenset[tuple[int, int | None]] = frozenset()

Resting = Callable[[AsyncSession], Awaitable[frozenset[tuple[int, int | None]]]]
"""Gateway and rule (None: all of them) of linkages that are not to act: maintenance, out of service."""


class RuleDelivery:
    """One in the full process. end_missing: ends alarms at gateways whose rules are gone. Linkages that rest
    are not sent: a gateway that is away goes on with them until it is back.
    """

    def __init__(
        self,
        database: Database,
        evaluator: Evaluator,
        commands: CommandService,
        user_now: UserNow,
        send: SendRules,
        end_missing: Callable[[], Awaitable[None]],
        resting: Resting,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._evaluator = evaluator
        self._commands = commands
        self._user_now = user_now
        self._send = send
        self._end_missing = end_missing
        self._find_resting = resting
        self._resting = NOTHING_RESTS
        self._delivered = (0, NOTHING_RESTS)  # to all: of which generation of the evaluator, and what rested
        self._clock = clock
        self._delivering = asyncio.Lock()
        self._paused: dict[int, int] = {}  # gateway -> until when
        self._sent: dict[int, tuple[str, int]] = {}  # gateway -> hash, and when it may be sent again

    async def connected(self, gateway: str, takes: bool) -> None:
        """A gateway says whether it can evaluate rules; one that cannot any more gives back what it had."""
        async with self._database.reading() as session:
            noted = await TriggerRepository(session, Scope.system()).noted_home(gateway)
        if noted is not None:
            self._sent.pop(noted.device_id, None)
        if takes is (noted is not None and noted.takes):
            return
        async with self._database.session() as session:
            home = await TriggerRepository(session, Scope.system()).home(gateway, make=takes)
            if home is None:
                return
            home.takes = takes
            await session.commit()
        if takes:
            self._evaluator.wants_refresh()
        else:
            await self._evaluator.refresh()

    async def reported(self, gateway: str, report: RulesReport) -> None:
        """What a gateway holds: these rules are evaluated there from now on."""
        async with self._database.session() as session:
            home = await TriggerRepository(session, Scope.system()).home(gateway)
            if home is None or not home.takes:
                return
            before = home.hash, list(home.rules), list(home.problems)
            reported(home, report)
            is_other = before != (home.hash, home.rules, home.problems)
            number = home.device_id
            await session.commit()
        if is_other or number in self._paused:
            self._paused.pop(number, None)
            await self._evaluator.release(number)
        await self.deliver([number])

    async def deliver(self, only: Collection[int] | None = None) -> None:
        """Periodic, and after each change: send what gateways do not have. only: to these."""
        async with self._delivering:
            await self._end_pauses()
            async with self._database.reading() as session:
                self._resting = await self._find_resting(session)
            if only is None:
                is_same = self._delivered == (self._evaluator.generation, self._resting)
                if is_same and not self._sent:
                    return
                if self._delivered[0] != self._evaluator.generation:
                    await self._end_missing()
                self._delivered = self._evaluator.generation, self._resting
            async with self._database.reading() as session:
                repository = TriggerRepository(session, Scope.system())
                homes = await repository.homes(only)
                gateways = await repository.gateway_names([n for n, home in homes.items() if home.takes])
            for number, home in homes.items():
                await self._forget_returned(home)
                if number in gateways and number not in self._paused:
                    await self._deliver(gateways[number], home)

    async def _end_pauses(self) -> None:
        now = self._clock()
        for number in [number for number, until_ms in self._paused.items() if until_ms <= now]:
            log.warning("gateway %d has not confirmed its rules; they go on in the cloud", number)
            del self._paused[number]
            await self._evaluator.release(number)

    async def _forget_returned(self, home: RuleHome) -> None:
        """Alarms of rules that are evaluated here again are known here."""
        kept = {str(number) for number, _ in [*home.rules, *home.sent_rules]} if home.takes else set()
        if home.takes and home.alarms.keys() <= kept:
            return
        if not home.takes and not (home.rules or home.alarms or home.sent_rules):
            return
        async with self._database.session() as session:
            row = await session.get(RuleHome, home.device_id)
            if row is None:
                return
            row.alarms = {key: alarm for key, alarm in row.alarms.items() if key in kept}
            if not row.takes:
                row.hash = row.sent_hash = None
                row.rules, row.sent_rules = [], []
            await session.commit()

    async def _deliver(self, gateway: str, home: RuleHome) -> None:
        number = home.device_id
        rules = await self._rules(number)
        digest = rules_hash(rules)
        if digest == home.hash or (home.hash is None and not rules):
            self._sent.pop(number, None)
            return
        sent, again_ms = self._sent.get(number, ("", 0))
        if sent == digest and again_ms > self._clock():
            return
        self._sent[number] = digest, self._clock() + AGAIN_MS
        running, wanted = self._evaluator.running, {each.rule.id for each in rules}
        names = running.names
        away = evaluated_by(home)
        new = {each.rule.id for each in rules if (each.rule.id, each.rule.version) not in away}
        state = handed_state(await self._evaluator.pause(number), new, names)
        self._paused[number] = self._clock() + PAUSE_MS
        mine = {**running.groups.get(number, {}), **running.at_gateways.get(number, {})}
        returned = [
            rule_id
            for rule_id, version in home.rules
            if rule_id not in wanted and rule_id in mine and mine[rule_id].rule.version == version
        ]
        async with self._database.session() as session:
            row = await session.get(RuleHome, number)
            if row is None:
                return
            row.sent_hash = digest
            row.sent_rules = [[each.rule.id, each.rule.version] for each in rules]
            handed_over(row, state.rules)
            await session.commit()
        message = Rules(hash=digest, rules=rules, state=state if state.rules else None, returned=returned)
        if len(encode(message)) > MAX_RULES_BYTES:
            message = Rules(hash=digest, rules=rules, returned=returned)
            log.warning("rules of %s begin anew there: what is known of them is too large", gateway)
        try:
            await self._send(gateway, message)
        except LinkDown:
            self._paused[number] = 0
            return
        log.info("%d rules sent to %s", len(rules), gateway)

    async def _rules(self, number: int) -> list[GatewayRule]:
        """What a gateway is to evaluate."""
        running = self._evaluator.running
        mine = {**running.groups.get(number, {}), **running.at_gateways.get(number, {})}
        presets = await self._presets(mine)
        made = [gateway_rule(rule, running.names, presets) for rule in mine.values()]
        return fitting([self._without_resting(number, rule) for rule in made if rule is not None])

    def _without_resting(self, number: int, rule: GatewayRule) -> GatewayRule:
        rests = self._resting.intersection({(number, None), (number, rule.rule.id)})
        return msgspec.structs.replace(rule, linkages=[]) if rests else rule

    async def _presets(
        self, rules: Mapping[int, EvaluatedRule]
    ) -> dict[tuple[int, int], list[PlannedWrite] | None]:
        """With the rights that who saved the trigger has now."""
        linked = [rule for rule in rules.values() if rule.body.linkage]
        if not linked:
            return {}
        wanted = {(rule.trigger_id, linkage.preset_id) for rule in linked for linkage in rule.body.linkage}
        async with self._database.reading() as session:
            owners = await TriggerRepository(session, Scope.system()).owners({each for each, _ in wanted})
        planned: dict[tuple[int, int], list[PlannedWrite] | None] = {}
        for trigger_id, preset_id in sorted(wanted):
            user_id = owners.get(trigger_id)
            user = None if user_id is None else await self._user_now(user_id)
            writes: list[PlannedWrite] | None = None
            if user is not None and user.may(WRITES):
                try:
                    requests = await self._commands.planned(user, CommandBody(preset_id=preset_id))
                    writes = [
                        PlannedWrite(
                            request.to.device_id,
                            RuleWrite(
                                slave=request.to.slave or "", point=request.to.point or "",
                                value=request.value,
                            ),
                        )
                        for request in requests
                    ]  # fmt: skip
                except CloudError:
                    log.debug("preset %d of trigger %d is not for a gateway", preset_id, trigger_id)
            planned[trigger_id, preset_id] = writes
        return planned
