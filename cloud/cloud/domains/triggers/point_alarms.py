"""Keeps the triggers that the settings of points say in step with them, and with the points that there are.

They are derived in the transaction that changes a setting or takes a catalog, so no two of them can differ.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from sqlalchemy.event import listen
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.limits import MAX_RULES, too_many_rules
from cloud.domains.triggers.linkage_rights import refuse_linkages
from cloud.domains.triggers.models import Trigger, TriggerRule
from cloud.domains.triggers.point_alarm_repository import PointAlarmRepository, Subject
from cloud.domains.triggers.point_rules import Said, rules_of, title_of
from cloud.domains.triggers.rules import evaluated
from cloud.domains.triggers.schemas import LinkageBody, TriggerMode, TriggerRuleBody, TriggerType

log = logging.getLogger(__name__)


class PointAlarms:
    """wake: called after a commit that changed triggers."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        wake: Callable[[], None],
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._commands = commands
        self._wake = wake
        self._clock = clock

    async def refuse_linkages(self, user: CurrentUser, linkages: Collection[LinkageBody]) -> None:
        """Raises NoPermission and NotFound for presets that the user may not have carried out."""
        await refuse_linkages(user, linkages, self._commands, self._devices)

    async def follow(self, session: AsyncSession, device_id: int, *, refuses: bool = False) -> None:
        """Make, change and delete the triggers of a gateway's points. refuses: Conflict when there would be
        more than MAX_RULES; else the rules beyond are left out.
        """
        await session.flush()
        repository = PointAlarmRepository(session)
        if not await repository.concerns(device_id):
            return
        await repository.lock(device_id)
        made = await repository.made(device_id)
        rules = await repository.rules(made.values())
        wanted = {
            subject[2].id: (subject, said)
            for subject in await repository.subjects(device_id)
            if (said := rules_of(subject[0], subject[2]))
        }
        gone = {made[point].id for point in made.keys() - wanted.keys()}
        await repository.delete(gone)
        wanted = await self._within(repository, device_id, wanted, made, rules, refuses=refuses)
        changed = bool(gone)
        new: list[tuple[Trigger, Said]] = []
        for point_id, (subject, said) in wanted.items():
            trigger = made.get(point_id)
            if trigger is None:
                trigger = Trigger(
                    type=TriggerType.DATA,
                    mode=TriggerMode.SINGLE_POINT,
                    interval_s=0,
                    enabled=True,
                    point_id=point_id,
                    created_ms=self._clock(),
                    changed_ms=self._clock(),
                )
                _describe(trigger, subject)
                new.append((trigger, said))
                continue
            is_other = _describe(trigger, subject)
            if await self._keep_rules(repository, trigger.id, said, rules.get(trigger.id, {})) or is_other:
                trigger.changed_ms, changed = self._clock(), True
        await repository.add_triggers(device_id, [trigger for trigger, _ in new])
        await repository.add_rules(
            [_rule(trigger.id, at, body) for trigger, said in new for at, body in said.items()]
        )
        await session.flush()
        if changed or new:
            listen(session.sync_session, "after_commit", lambda _: self._wake(), once=True)

    async def follow_all(self) -> None:
        """At the start: what was set before settings acted, or while their triggers could not be made."""
        async with self._database.reading() as session:
            devices = await PointAlarmRepository(session).devices()
        for device_id in devices:
            async with self._database.session() as session:
                await self.follow(session, device_id)
                await session.commit()

    async def owner_left(self, device_id: int) -> None:
        """Limits are of the equipment and stay with it; linkages went with the presets of who left."""
        async with self._database.session() as session:
            await PointAlarmRepository(session).forget_linkages(device_id)
            await self.follow(session, device_id)
            await session.commit()

    async def _within(
        self,
        repository: PointAlarmRepository,
        device_id: int,
        wanted: dict[int, tuple[Subject, Said]],
        made: dict[int, Trigger],
        rules: dict[int, dict[int, TriggerRule]],
        *,
        refuses: bool,
    ) -> dict[int, tuple[Subject, Said]]:
        """What of it there is place for; those that are there first."""
        had = {point: len(rules.get(trigger.id, ())) for point, trigger in made.items()}
        more = {point: len(said) - had.get(point, 0) for point, (_, said) in wanted.items()}
        if not any(count > 0 for count in more.values()):
            return wanted
        left = MAX_RULES - await repository.count_rules()
        allowed: dict[int, tuple[Subject, Said]] = {}
        for point in sorted(wanted, key=lambda point: more[point]):
            if more[point] > max(left, 0):
                if refuses:
                    raise too_many_rules("alarm_enable")
                continue
            left -= more[point]
            allowed[point] = wanted[point]
        if len(allowed) < len(wanted):
            left_out = len(wanted) - len(allowed)
            log.warning("%d point alarms of gateway %d are beyond %d rules", left_out, device_id, MAX_RULES)
        return allowed

    async def _keep_rules(
        self, repository: PointAlarmRepository, trigger_id: int, said: Said, rules: dict[int, TriggerRule]
    ) -> bool:
        """Those that say the same of values go on; whether any is another one."""
        gone = [rule.id for place, rule in rules.items() if place not in said]
        await repository.delete_rules(gone)
        new, changed = [], bool(gone)
        for place, body in said.items():
            rule, fields = rules.get(place), _fields(body)
            if rule is None:
                new.append(_rule(trigger_id, place, body))
            elif rule.body != fields:
                before = TriggerRuleBody.model_validate(rule.body)
                rule.version += evaluated(before, 0) != evaluated(body, 0)
                rule.body, changed = fields, True
        await repository.add_rules(new)
        return changed or bool(new)


def _describe(trigger: Trigger, subject: Subject) -> bool:
    """What it is called and who set it; whether that is another one."""
    setting, slave, point = subject
    slave_title = slave.title.strip() or slave.name
    said = {
        "title": f"{slave_title[:48]} / {title_of(point)}"[:100].strip(),
        "user_id": setting.alarm_user_id,
        "user_name": setting.alarm_user_name or "",
    }
    is_other = any(getattr(trigger, name) != value for name, value in said.items())
    for name, value in said.items():
        setattr(trigger, name, value)
    return is_other


def _rule(trigger_id: int, place: int, body: TriggerRuleBody) -> TriggerRule:
    return TriggerRule(trigger_id=trigger_id, place=place, version=1, body=_fields(body))


def _fields(body: TriggerRuleBody) -> dict[str, object]:
    return body.model_dump(mode="json", exclude={"id"})
