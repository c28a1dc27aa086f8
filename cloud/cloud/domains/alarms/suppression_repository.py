"""Every query of suppressions, and of the alarms that they keep quiet."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import ColumnElement, Select, and_, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.core.scope import Scope
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.life_cycle import QUIET, UNRESOLVED, State
from cloud.domains.alarms.models import AlarmEvent, Suppression
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen

SHELVED, MAINTENANCE, OUT_OF_SERVICE = "shelved", "maintenance", "out_of_service"

QUIET_BY = {
    OUT_OF_SERVICE: State.OUT_OF_SERVICE.value,
    MAINTENANCE: State.SUPPRESSED.value,
    SHELVED: State.SHELVED.value,
}
"""State of an alarm by what keeps it quiet; of several the first counts."""

STABLE_MS = 60_000
"""A gateway that is back says within so long what of its slaves is well again."""

Listed = tuple[Suppression, Device, int]
"""With its gateway, and how many alarms stand that it keeps quiet."""


class SuppressionRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def lock(self, device_ids: Iterable[int]) -> dict[int, int | None]:
        """Whoever raises an alarm and whoever suppresses one at these gateways wait for each other. Since
        when they are online; None for one that is not.
        """
        query = select(Device.id, Device.online, Device.since_ms).where(Device.id.in_(set(device_ids)))
        rows = await self._session.execute(query.order_by(Device.id).with_for_update())
        return {row[0]: (row[2] or 0) if row[1] else None for row in rows}

    async def add(self, suppression: Suppression) -> None:
        """Afterwards it has its number."""
        self._session.add(suppression)
        await self._session.flush()

    async def of(self, device_ids: Collection[int], now_ms: int) -> list[Suppression]:
        """Those that last, of gateways."""
        query = select(Suppression).where(Suppression.device_id.in_(device_ids), *_lasts(now_ms))
        return list(await self._session.scalars(query.order_by(Suppression.id)))

    async def resting(self, now_ms: int) -> frozenset[tuple[int, int | None]]:
        """Gateway and rule (None: all of them) of what keeps linkages from acting."""
        query = select(Suppression.device_id, Suppression.kind, Suppression.rule_id)
        query = query.where(Suppression.kind.in_((MAINTENANCE, OUT_OF_SERVICE)), *_lasts(now_ms))
        rows = await self._session.execute(query)
        return frozenset((row[0], None if row[1] == MAINTENANCE else row[2]) for row in rows)

    async def one(self, suppression_id: int, now_ms: int) -> Suppression | None:
        """One that lasts."""
        query = select(Suppression).where(Suppression.id == suppression_id, *_lasts(now_ms))
        query = query.where(seen(self._scope, Suppression.device_id))
        return (await self._session.scalars(query)).one_or_none()

    async def page(
        self, now_ms: int, kind: str, device_id: int | None, page: int, limit: int
    ) -> tuple[list[Listed], int]:
        """Those that last, what ends first first, and how many there are."""
        where: list[ColumnElement[bool]] = []
        if kind:
            where.append(Suppression.kind == kind)
        if device_id is not None:
            where.append(Suppression.device_id == device_id)
        query = self._listed(now_ms, *where)
        total = await self._session.execute(query.with_only_columns(func.count()).order_by(None))
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [(row[0], row[1], row[2]) for row in rows], int(total.scalar_one())

    async def of_event(self, event: AlarmEvent, now_ms: int) -> list[Listed]:
        """Those that last of an event's rule (or outage) and gateway, what ends first first."""
        rule_id = rule_of(event)
        of_rule = Suppression.rule_id.is_(None) if rule_id is None else Suppression.rule_id == rule_id
        where = Suppression.device_id == event.device_id, or_(Suppression.kind == MAINTENANCE, of_rule)
        rows = await self._session.execute(self._listed(now_ms, *where))
        return [(row[0], row[1], row[2]) for row in rows]

    async def of_rules(
        self, rule_ids: Collection[int], device_ids: Collection[int], now_ms: int
    ) -> list[Listed]:
        """Those that last of rules, and maintenance of gateways, what ends first first."""
        of_gateway = and_(Suppression.kind == MAINTENANCE, Suppression.device_id.in_(device_ids))
        where = or_(Suppression.rule_id.in_(rule_ids), of_gateway)
        rows = await self._session.execute(self._listed(now_ms, where))
        return [(row[0], row[1], row[2]) for row in rows]

    def _listed(self, now_ms: int, *where: ColumnElement[bool]) -> Select[Suppression, Device, int]:
        of_rule = or_(
            Suppression.kind == MAINTENANCE,
            AlarmEvent.rule_id == Suppression.rule_id,
            and_(Suppression.rule_id.is_(None), AlarmEvent.rule_id.is_(None)),
        )
        quiet = (
            select(func.count())
            .where(AlarmEvent.device_id == Suppression.device_id, AlarmEvent.state.in_(_values(QUIET)))
            .where(of_rule)
            .scalar_subquery()
        )
        query = select(Suppression, Device, quiet).select_from(Suppression)
        query = query.join(Device, Suppression.device_id == Device.id)
        query = query.where(*_lasts(now_ms), seen(self._scope, Suppression.device_id), *where)
        return query.order_by(Suppression.until_ms, Suppression.id)

    async def expired(self, now_ms: int, max_count: int) -> list[Suppression]:
        """Whose time is over, and that nobody has ended."""
        query = select(Suppression).where(Suppression.ended_ms.is_(None), Suppression.until_ms <= now_ms)
        return list(await self._session.scalars(query.order_by(Suppression.until_ms).limit(max_count)))

    async def unresolved(self, device_ids: Collection[int]) -> list[AlarmEvent]:
        """Alarms of gateways that stand, the oldest first."""
        query = select(AlarmEvent).where(AlarmEvent.device_id.in_(device_ids))
        query = query.where(AlarmEvent.state.in_(_values(UNRESOLVED)))
        return list(await self._session.scalars(query.order_by(AlarmEvent.id)))

    async def stable_again(self, now_ms: int) -> set[int]:
        """Gateways that have been online for STABLE_MS, and have alarms that were quiet because they were
        not, or lie under their outage.
        """
        parent = aliased(AlarmEvent)
        back = and_(Device.online.is_(True), Device.since_ms <= now_ms - STABLE_MS)
        query = select(AlarmEvent.device_id).join(Device, AlarmEvent.device_id == Device.id)
        quiet = query.where(AlarmEvent.state == State.SUPPRESSED.value, back)
        folded = query.join(parent, AlarmEvent.parent_id == parent.id)
        folded = folded.where(AlarmEvent.state.in_(_values(UNRESOLVED)))
        folded = folded.where(parent.recovered_ms <= now_ms - STABLE_MS)
        return set(await self._session.scalars(quiet)) | set(await self._session.scalars(folded))

    async def outages(self, device_ids: Collection[int], since_ms: int) -> set[int]:
        """Numbers of outage alarms of gateways that last, or ended after a time."""
        query = select(AlarmEvent.id).where(*_is_outage(device_ids))
        query = query.where(or_(AlarmEvent.recovered_ms.is_(None), AlarmEvent.recovered_ms > since_ms))
        return set(await self._session.scalars(query))

    async def outages_over(self, device_ids: Collection[int], times_ms: Collection[int]) -> list[AlarmEvent]:
        """Outage alarms of gateways that lasted between the first and last of these times, newest first."""
        if not times_ms:
            return []
        query = select(AlarmEvent).where(*_is_outage(device_ids), AlarmEvent.since_ms <= max(times_ms))
        query = query.where(or_(AlarmEvent.recovered_ms.is_(None), AlarmEvent.recovered_ms >= min(times_ms)))
        return list(await self._session.scalars(query.order_by(AlarmEvent.at_ms.desc())))

    async def silent_slaves(self, device_id: int, since_ms: int) -> list[AlarmEvent]:
        """Alarms that stand of slaves that do not answer, begun since, without a root cause."""
        query = select(AlarmEvent).where(AlarmEvent.device_id == device_id, AlarmEvent.since_ms >= since_ms)
        query = query.where(AlarmEvent.state.in_(_values(UNRESOLVED)), AlarmEvent.parent_id.is_(None))
        return list(
            await self._session.scalars(
                query.where(AlarmEvent.slave_id.is_not(None), AlarmEvent.dsid.is_(None))
            )
        )

    async def events(self, event_ids: Collection[int]) -> list[AlarmEvent]:
        """Events that the scope sees."""
        query = select(AlarmEvent).where(AlarmEvent.id.in_(event_ids))
        query = query.where(seen(self._scope, AlarmEvent.device_id))
        return list(await self._session.scalars(query.order_by(AlarmEvent.id)))

    async def delete_before(self, before_ms: int) -> None:
        await self._session.execute(delete(Suppression).where(Suppression.ended_ms < before_ms))


OF_NOTHING = 0
"""In place of a rule: of an event of no rule that is no outage alarm; only maintenance keeps it quiet."""


def rule_of(event: AlarmEvent) -> int | None:
    """Number of an event's rule, None of an outage alarm, OF_NOTHING of all else."""
    if event.rule_id is None and event.alarm_type != AlarmType.ONLINE_OFFLINE:
        return OF_NOTHING
    return event.rule_id


def quiet_of(suppressions: Iterable[Suppression], rule_id: int | None) -> tuple[str, Suppression | None]:
    """What keeps an alarm of a rule (as rule_of says) quiet, and how; empty when nothing does."""
    mine = [each for each in suppressions if each.kind == MAINTENANCE or each.rule_id == rule_id]
    for kind, quiet in QUIET_BY.items():
        for each in mine:
            if each.kind == kind:
                return quiet, each
    return "", None


def cause_of(outages: Iterable[AlarmEvent], device_id: int, since_ms: int) -> int | None:
    """The outage alarm of a gateway, of these, that lasted when something began there."""
    for outage in outages:
        begun_ms, ended_ms = outage.since_ms or 0, outage.recovered_ms
        if (
            outage.device_id == device_id
            and begun_ms <= since_ms
            and (ended_ms is None or ended_ms >= since_ms)
        ):
            return outage.id
    return None


def _lasts(now_ms: int) -> tuple[ColumnElement[bool], ...]:
    return Suppression.ended_ms.is_(None), Suppression.until_ms > now_ms


def _values(states: Iterable[State]) -> list[str]:
    return sorted(state.value for state in states)


def _is_outage(device_ids: Collection[int]) -> tuple[ColumnElement[bool], ...]:
    kind = int(AlarmType.ONLINE_OFFLINE)
    return (
        AlarmEvent.device_id.in_(device_ids),
        AlarmEvent.alarm_type == kind,
        AlarmEvent.rule_id.is_(None),
    )
