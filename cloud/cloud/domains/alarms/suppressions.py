"""Keeping alarms quiet for a time: shelving, maintenance, out of service. Each ends by itself."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change, touch
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.event_publisher import Announce, EventPublisher, unannounced
from cloud.domains.alarms.history import AlarmHistory
from cloud.domains.alarms.models import Suppression
from cloud.domains.alarms.quieting import Quieting
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.rows import suppression_row
from cloud.domains.alarms.schemas import (
    MAX_SHELVED_S,
    MaintenanceBody,
    Outcome,
    RuleSuppressBody,
    SuppressBody,
    SuppressionRow,
)
from cloud.domains.alarms.suppression_repository import (
    MAINTENANCE,
    OF_NOTHING,
    SHELVED,
    SuppressionRepository,
    rule_of,
)
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import read_only
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

log = logging.getLogger(__name__)

LOOK_S = 10.0
"""What has run out is announced after so long."""

MAX_AT_ONCE = 500
MAX_OF_GATEWAY = 500
"""Suppressions that last at one gateway."""

KEEP_MS = 397 * 24 * 3_600_000
"""13 months, as alarms."""

KEEPER = "Device/save"
"""Maintenance of a gateway is its keeper's to declare: its linkages rest."""


class SuppressionService:
    """changed: called with the gateways whose alarms are others now, after the commit."""

    def __init__(
        self,
        database: Database,
        publisher: EventPublisher,
        changed: Callable[[int], Awaitable[None]],
        announce: Announce = unannounced,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._changed = changed
        self._clock = clock
        self._quieting = Quieting(AlarmHistory(publisher, clock=clock), announce, clock=clock)

    async def page(
        self, user: CurrentUser, kind: str, device_id: int | None, page: int, limit: int
    ) -> Page[SuppressionRow]:
        """Those that last, what ends first first."""
        async with self._database.reading() as session:
            repository = SuppressionRepository(session, user.scope)
            found, total = await repository.page(self._clock(), kind, device_id, page, limit)
        return Page(rows=[suppression_row(*each) for each in found], total=total)

    async def of_rules(
        self, scope: Scope, rule_ids: Collection[int], device_ids: Collection[int]
    ) -> list[SuppressionRow]:
        """Those that last of these rules, and maintenance of these gateways; what ends first first."""
        async with self._database.reading() as session:
            repository = SuppressionRepository(session, scope)
            found = await repository.of_rules(rule_ids, device_ids, self._clock())
        return [suppression_row(*each) for each in found]

    async def suppress(self, user: CurrentUser, body: SuppressBody) -> Outcome:
        """Shelve, or take out of service, the rules of events at their gateways, an outage alarm's outages.
        Events that are not his to change, or of no rule and no outage, are skipped; when that is all of
        them, raises NotFound, NoPermission or Conflict of the first one.
        """
        _check(body)
        async with self._database.session() as session:
            alarms = AlarmRepository(session, user.scope)
            events = [each for each in await alarms.locked_many(set(body.ids)) if rule_of(each) != OF_NOTHING]
            if not events:
                await _refuse(alarms, body.ids[0])
            targets = {(each.device_id, each.rule_id): each.title for each in events}
            for (device_id, rule_id), title in targets.items():
                await self._add(session, user, body, body.kind, device_id, rule_id, title)
            devices = {each.device_id for each in events}
            done = [each.id for each in events]
            await self._quieting.reconcile(session, devices, user, body.reason)
            await session.commit()
        await self._announce_change(user, devices, body.kind, body.duration_s, body.reason)
        return Outcome(done=done, skipped=sorted(set(body.ids) - set(done)))

    async def suppress_rule(
        self, user: CurrentUser, rule_id: int, title: str, device_ids: Collection[int], body: RuleSuppressBody
    ) -> list[int]:
        """The same of a rule at its gateways, which whoever calls has looked at; the suppressions' numbers.
        Raises ParameterError.
        """
        _check(body)
        async with self._database.session() as session:
            made = [
                (await self._add(session, user, body, body.kind, device_id, rule_id, title)).id
                for device_id in sorted(device_ids)
            ]
            await self._quieting.reconcile(session, device_ids, user, body.reason)
            await session.commit()
        await self._announce_change(user, device_ids, body.kind, body.duration_s, body.reason)
        return made

    async def maintain(self, user: CurrentUser, device_id: int, body: MaintenanceBody) -> SuppressionRow:
        """From now on a gateway is in maintenance. Raises NotFound, NoPermission when it is shared read only,
        Conflict when it has too many suppressions.
        """
        async with self._database.session() as session:
            device = await _writable(AlarmRepository(session, user.scope), device_id)
            made = await self._add(session, user, body, MAINTENANCE, device_id, None, "")
            await self._quieting.reconcile(session, [device_id], user, body.reason)
            row = suppression_row(made, device, 0)
            await session.commit()
        await self._announce_change(user, [device_id], MAINTENANCE, body.duration_s, body.reason)
        return row

    async def end(self, user: CurrentUser, suppression_id: int) -> None:
        """Unshelve, end a maintenance, put back into service. Raises NotFound and NoPermission."""
        now = self._clock()
        async with self._database.session() as session:
            one = await SuppressionRepository(session, user.scope).one(suppression_id, now)
            if one is None:
                raise NotFound("suppression")
            if one.kind == MAINTENANCE and not user.may(KEEPER):
                raise NoPermission(KEEPER)
            await _writable(AlarmRepository(session, user.scope), one.device_id)
            one.ended_ms, one.ended_name = now, user.name
            device_id, kind, title = one.device_id, one.kind, one.title
            await session.flush()
            await self._quieting.reconcile(session, [device_id], user)
            await session.commit()
        touch(device_id=device_id)
        record_change({"kind": kind, "title": title}, {})
        log.info("%s %d of device %d ended by %s", kind, suppression_id, device_id, user.name)
        await self._changed(device_id)

    async def look(self) -> None:
        """Periodic: end what has run out; announce what stands and is quiet no more."""
        now = self._clock()
        async with self._database.session() as session:
            repository = SuppressionRepository(session, Scope.system())
            expired = await repository.expired(now, MAX_AT_ONCE)
            devices = {each.device_id for each in expired} | await repository.stable_again(now)
            if not devices:
                return
            await repository.lock(devices)
            for each in expired:
                each.ended_ms = each.until_ms
            await session.flush()
            await self._quieting.reconcile(session, devices)
            await session.commit()
        for device_id in sorted(devices):
            await self._changed(device_id)

    async def owner_left(self, device_id: int) -> None:
        """What he kept quiet is not for who has the gateway next."""
        now = self._clock()
        async with self._database.session() as session:
            repository = SuppressionRepository(session, Scope.system())
            await repository.lock([device_id])
            for each in await repository.of([device_id], now):
                each.ended_ms = now
            await session.flush()
            await self._quieting.reconcile(session, [device_id])
            await session.commit()

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete what ended more than 13 months ago."""
        async with self._database.session() as session:
            await SuppressionRepository(session, Scope.system()).delete_before(now_ms - KEEP_MS)
            await session.commit()

    async def _add(
        self,
        session: AsyncSession,
        user: CurrentUser,
        body: SuppressBody | RuleSuppressBody | MaintenanceBody,
        kind: str,
        device_id: int,
        rule_id: int | None,
        title: str,
    ) -> Suppression:
        """In place of one that lasts of the same."""
        now = self._clock()
        repository = SuppressionRepository(session, Scope.system())
        await repository.lock([device_id])
        lasting = await repository.of([device_id], now)
        for each in lasting:
            if (each.kind, each.rule_id) == (kind, rule_id):
                each.ended_ms, each.ended_name = now, user.name
        if len(lasting) >= MAX_OF_GATEWAY:
            raise Conflict(
                "too many suppressions", field="ids", rule=f"at most {MAX_OF_GATEWAY} of a gateway",
                reason="alarm.too_many_suppressions", arguments={"most": MAX_OF_GATEWAY},
            )  # fmt: skip
        made = Suppression(
            kind=kind, device_id=device_id, rule_id=rule_id, title=title, reason=body.reason,
            user_id=user.id, user_name=user.name, begin_ms=now, until_ms=now + body.duration_s * 1000,
        )  # fmt: skip
        await repository.add(made)
        return made

    async def _announce_change(
        self, user: CurrentUser, device_ids: Collection[int], kind: str, duration_s: int, reason: str
    ) -> None:
        record_change({}, {"kind": kind, "duration_s": duration_s, "reason": reason})
        for device_id in sorted(device_ids):
            touch(device_id=device_id)
            log.info("%s of device %d for %d s by %s", kind, device_id, duration_s, user.name)
            await self._changed(device_id)


def _check(body: SuppressBody | RuleSuppressBody) -> None:
    if body.kind == SHELVED and body.duration_s > MAX_SHELVED_S:
        raise ParameterError("duration_s", f"at most {MAX_SHELVED_S} of what is shelved")


async def _refuse(alarms: AlarmRepository, event_id: int) -> None:
    event = await alarms.locked(event_id)
    if event is None:
        raise NotFound("alarm")
    if not await alarms.is_writable(event.device_id):
        raise read_only()
    raise Conflict(
        "nothing to suppress", field="ids", rule="of a rule or an outage", reason="alarm.not_of_rule"
    )


async def _writable(alarms: AlarmRepository, device_id: int) -> Device:
    device = await alarms.seen_gateway(device_id)
    if device is None:
        raise NotFound("device")
    if not await alarms.is_writable(device_id):
        raise read_only()
    return device
