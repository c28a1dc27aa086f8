"""Triggers: lists, making, changing, switching on and off. What they do is decided in evaluator.py."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.service import OwnLevels
from cloud.domains.alarms.suppressions import SuppressionService
from cloud.domains.commands.service import CommandService
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.devices.rights import refuse_read_only
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.homes import home_of
from cloud.domains.triggers.limits import MAX_RULES, too_many_rules
from cloud.domains.triggers.linkage import UserNow
from cloud.domains.triggers.linkage_rights import refuse_linkages
from cloud.domains.triggers.loops import MAX_WATCHING, loops_of, watched
from cloud.domains.triggers.models import Trigger, TriggerRule
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.rows import rest_row, trigger_row
from cloud.domains.triggers.rule_places import gateway_states, homes_of_rules
from cloud.domains.triggers.rules import engine_rule, evaluated
from cloud.domains.triggers.schemas import (
    LinkageRow,
    Origin,
    RuleStateRow,
    TriggerBody,
    TriggerRow,
    TriggerRuleBody,
    TriggerRuleRow,
    subjects,
)
from cloud.domains.triggers.subject_checks import check_levels, checked_subjects
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

MAX_TRIGGERS = 1000
"""Of one user."""

LISTED_REST_MS = 24 * 3_600_000
"""A rest of linkages is shown at its trigger for so long."""

States = Callable[[Collection[int]], Mapping[int, RuleStateRow]]
"""What is known of rules by number, of those that are evaluated."""


class TriggerService:
    """changed: the evaluator takes the triggers anew; states: see States; own_levels: of alarms, which the
    platform has.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        groups: ContactGroupService,
        suppressions: SuppressionService,
        changed: Callable[[], Awaitable[None]],
        states: States,
        user_now: UserNow,
        own_levels: OwnLevels,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._commands = commands
        self._groups = groups
        self._suppressions = suppressions
        self._changed = changed
        self._states = states
        self._user_now = user_now
        self._own_levels = own_levels
        self._clock = clock

    async def page(
        self,
        user: CurrentUser,
        page: int,
        limit: int,
        search: str,
        device_id: int | None,
        enabled: bool | None,
        origin: Origin | None = None,
    ) -> Page[TriggerRow]:
        """Triggers of whose gateways the user sees all, newest first."""
        async with self._database.reading() as session:
            repository = TriggerRepository(session, user.scope)
            triggers, total = await repository.page(page, limit, search, device_id, enabled, origin)
        return Page(rows=await self._rows(user.scope, triggers), total=total)

    async def trigger(self, user: CurrentUser, trigger_id: int) -> TriggerRow:
        """One trigger. Raises NotFound."""
        async with self._database.reading() as session:
            trigger = await _existing(TriggerRepository(session, user.scope), trigger_id)
        return (await self._rows(user.scope, [trigger]))[0]

    async def create(self, user: CurrentUser, body: TriggerBody) -> TriggerRow:
        """Make a trigger. Raises NotFound for a point, slave, preset or contact group that is not seen,
        ParameterError that names the condition and the rule it breaks, NoPermission when a gateway is shared
        read only or a linkage may not write, Conflict when the user has MAX_TRIGGERS.
        """
        return await self._save(user, None, body)

    async def change(
        self, user: CurrentUser, trigger_id: int, body: TriggerBody, base: int | None = None
    ) -> TriggerRow:
        """Replace a trigger; a rule that says the same of values keeps its state. base: changed_ms as the
        editor saw it, None for whatever there is. Raises NotFound, ParameterError for a rule of another
        trigger, Conflict for one of a point's settings or one that was changed since base, and the errors of
        create.
        """
        return await self._save(user, trigger_id, body, base)

    async def enable(self, user: CurrentUser, trigger_id: int, enabled: bool) -> TriggerRow:
        """Switch on or off; alarms of one that is switched off end. Raises NotFound, NoPermission and
        Conflict for one of a point's settings.
        """
        async with self._database.session() as session:
            trigger = await _changeable(session, user, trigger_id)
            before, title = trigger.enabled, trigger.title
            trigger.enabled, trigger.changed_ms = enabled, max(self._clock(), trigger.changed_ms + 1)
            await session.commit()
        record_change({"enabled": before}, {"enabled": enabled}, title=title)
        await self._changed()
        return await self.trigger(user, trigger_id)

    async def delete(self, user: CurrentUser, trigger_id: int) -> None:
        """Delete a trigger; its alarms end, the events stay. Raises as enable()."""
        async with self._database.session() as session:
            repository = TriggerRepository(session, user.scope)
            trigger = await _changeable(session, user, trigger_id)
            title = trigger.title
            await repository.delete(trigger)
            await session.commit()
        record_change({"title": title}, {})
        log.info("trigger %d deleted by %s", trigger_id, user.name)
        await self._changed()

    async def access_taken(self, device_id: int) -> None:
        """Somebody may not see a gateway any more: what he saved is switched off, for its alarms and linkages
        would tell him of it. What a point's settings say goes on, without his linkages.
        """
        async with self._database.reading() as session:
            triggers = await TriggerRepository(session, Scope.system()).of_device(device_id)
        own = [each for each in triggers if each.enabled and each.point_id is None]
        blind = [each.id for each in own if not await self._sees(each, device_id)]
        if not blind:
            return
        async with self._database.session() as session:
            for trigger in await TriggerRepository(session, Scope.system()).of_device(device_id):
                if trigger.id in blind:
                    trigger.enabled, trigger.changed_ms = False, self._clock()
            await session.commit()
        log.info("triggers %s switched off: who saved them sees gateway %d no more", blind, device_id)
        await self._changed()

    async def owner_left(self, device_id: int) -> None:
        """What he prepared is not for who has the gateway next."""
        async with self._database.session() as session:
            repository = TriggerRepository(session, Scope.system())
            for trigger in await repository.of_device(device_id):
                if trigger.point_id is None:
                    await repository.delete(trigger)
            await session.commit()
        await self._changed()

    async def _sees(self, trigger: Trigger, device_id: int) -> bool:
        user = None if trigger.user_id is None else await self._user_now(trigger.user_id)
        if user is None:
            return False
        async with self._database.reading() as session:
            return await TriggerRepository(session, user.scope).sees(device_id)

    async def linkage_runs(
        self, user: CurrentUser, trigger_id: int, page: int, limit: int
    ) -> Page[LinkageRow]:
        """What a trigger had carried out, newest first. Raises NotFound."""
        async with self._database.reading() as session:
            repository = TriggerRepository(session, user.scope)
            await _existing(repository, trigger_id)
            runs, total = await repository.runs(trigger_id, page, limit)
        return Page(rows=[LinkageRow.model_validate(run, from_attributes=True) for run in runs], total=total)

    async def _save(
        self, user: CurrentUser, trigger_id: int | None, body: TriggerBody, base: int | None = None
    ) -> TriggerRow:
        for place, rule in enumerate(body.rules):
            engine_rule(1, 1, body.interval_s, rule, place)
        check_levels(body.rules, await self._own_levels())
        linkages = [linkage for rule in body.rules for linkage in rule.linkage]
        await refuse_linkages(user, linkages, self._commands, self._devices)
        await self._groups.refuse_unseen(
            user.scope, {number for rule in body.rules for number in rule.groups}
        )
        now = self._clock()
        async with self._database.session() as session:
            repository = TriggerRepository(session, user.scope)
            gateways = await checked_subjects(repository, body.rules)
            await refuse_read_only(session, user, sorted(gateways))
            if trigger_id is not None:
                trigger = await _changeable(session, user, trigger_id)
                _refuse_moved(trigger, base)
                now = max(now, trigger.changed_ms + 1)  # each change has a time of its own
            else:
                if await repository.count_of(user.id) >= MAX_TRIGGERS:
                    raise Conflict(
                        f"at most {MAX_TRIGGERS} triggers",
                        field="title",
                        rule="too many",
                        reason="trigger.too_many",
                        arguments={"most": MAX_TRIGGERS},
                    )
                if await repository.count_rules() + len(body.rules) > MAX_RULES:
                    raise too_many_rules("rules")
                trigger = Trigger(created_ms=now)
            interval_before_s = trigger.interval_s if trigger_id is not None else body.interval_s
            trigger.title, trigger.type, trigger.mode = body.title, int(body.type), int(body.mode)
            trigger.interval_s, trigger.enabled = body.interval_s, body.enabled
            trigger.user_id, trigger.user_name, trigger.changed_ms = user.id, user.name, now
            await repository.add(trigger)
            await self._save_rules(repository, trigger.id, body, interval_before_s)
            await repository.set_gateways(trigger.id, gateways)
            await session.commit()
            number = trigger.id
        log.info("trigger %d saved by %s", number, user.name)
        await self._changed()
        return await self.trigger(user, number)

    async def _save_rules(
        self, repository: TriggerRepository, trigger_id: int, body: TriggerBody, interval_before_s: int
    ) -> None:
        """Those that stay keep their numbers; one that says something else of values gets a new version."""
        before = {rule.id: rule for rule in await repository.rules([trigger_id])}
        for place, rule in enumerate(body.rules):
            fields = rule.model_dump(mode="json", exclude={"id"})
            if rule.id is None:
                await repository.add_rule(
                    TriggerRule(trigger_id=trigger_id, place=place, version=1, body=fields)
                )
                continue
            there = before.pop(rule.id, None)
            if there is None:
                raise ParameterError(f"rules.{place}.id", "a rule of this trigger, each once")
            if evaluated(rule_body(there), interval_before_s) != evaluated(rule, body.interval_s):
                there.version += 1
            there.place, there.body = place, fields
        await repository.delete_rules(before)

    async def _rows(self, scope: Scope, triggers: list[Trigger]) -> list[TriggerRow]:
        """One session after the other: other services have theirs."""
        numbers = [trigger.id for trigger in triggers]
        async with self._database.reading() as session:
            rules = await TriggerRepository(session, scope).rules(numbers)
        bodies = {rule.id: rule_body(rule) for rule in rules}
        wanted = subjects(list(bodies.values()))
        linked = {linkage.preset_id for body in bodies.values() for linkage in body.linkage}
        presets = await self._commands.presets.named(scope, linked)
        targets = await self._commands.presets.targets(linked)
        named = {number for body in bodies.values() for number in body.groups}
        gone = named - set(await self._groups.titles(Scope.system(), named))
        titles = await self._groups.titles(scope, named)
        owners = {trigger.user_id for trigger in triggers if trigger.user_id is not None}
        written = {preset.device_id for preset in presets}
        now = self._clock()
        async with self._database.reading() as session:
            repository = TriggerRepository(session, scope)
            points = await repository.points({number for kind, number in wanted if kind == "point"})
            slaves = await repository.slaves({number for kind, number in wanted if kind == "slave"})
            homes = await homes_of_rules(repository, bodies, points, slaves)
            watching = watched(await repository.watching(owners, written, MAX_WATCHING) if written else ())
            rests = await repository.rests(numbers, now - LISTED_REST_MS)
        devices = {place[0].id for place in (*points.values(), *slaves.values())}
        suppressions = await self._suppressions.of_rules(scope, bodies, devices)
        states = {**gateway_states(rules, homes), **self._states(list(bodies))}
        return [
            trigger_row(
                trigger,
                [
                    TriggerRuleRow(
                        **bodies[rule.id].model_dump(exclude={"id"}),
                        id=rule.id,
                        version=rule.version,
                        home=home_of(homes.get(rule.id), rule.id, rule.version),
                        state=states.get(rule.id),
                    )
                    for rule in rules
                    if rule.trigger_id == trigger.id
                ],
                points,
                slaves,
                presets,
                gone,
                titles,
                loops_of(
                    trigger.user_id,
                    [bodies[rule.id] for rule in rules if rule.trigger_id == trigger.id],
                    targets,
                    watching,
                ),
                rest_row(rests.get(trigger.id), now),
                suppressions,
            )
            for trigger in triggers
        ]


def rule_body(rule: TriggerRule) -> TriggerRuleBody:
    """What a stored rule says."""
    return TriggerRuleBody.model_validate({**rule.body, "id": rule.id})


def _refuse_moved(trigger: Trigger, base: int | None) -> None:
    if base is not None and base != trigger.changed_ms:
        raise Conflict(
            "the trigger was changed by somebody else meanwhile",
            field="base",
            rule=str(trigger.changed_ms),
            reason="trigger.moved",
            arguments={"user": trigger.user_name, "changed_ms": trigger.changed_ms},
        )


async def _changeable(session: AsyncSession, user: CurrentUser, trigger_id: int) -> Trigger:
    repository = TriggerRepository(session, user.scope)
    trigger = await _existing(repository, trigger_id, is_locked=True)
    await refuse_read_only(session, user, sorted(await repository.gateways(trigger_id)))
    if trigger.point_id is not None:
        raise Conflict("the trigger says a point's settings", reason="trigger.of_point")
    return trigger


async def _existing(repository: TriggerRepository, trigger_id: int, *, is_locked: bool = False) -> Trigger:
    trigger = await repository.trigger(trigger_id, is_locked=is_locked)
    if trigger is None:
        raise NotFound("trigger")
    return trigger
