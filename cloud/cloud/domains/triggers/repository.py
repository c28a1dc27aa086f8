"""Every query of triggers, their rules and what is known of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import Select, delete, exists, func, or_, select, union, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.chunks import chunked
from cloud.core.scope import Scope
from cloud.domains.inventory.models import DataPoint, Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import seen, visible
from cloud.domains.triggers.models import (
    EvaluationState,
    LinkageRun,
    RuleHome,
    Trigger,
    TriggerGateway,
    TriggerRule,
)
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED, LINKAGE_WINDOW_MS

Place = tuple[Device, SlaveDevice]
PointPlace = tuple[Device, SlaveDevice, DataPoint]
Away = tuple[int, int | None, int, int | None]
"""Gateway, slave (None: the gateway itself), beginning and end (None: it lasts) of an absence."""

LIVE_ONLY = 0
"""Record mode of points that are in no store (C-141)."""


class TriggerRepository:
    """Works on the caller's session; commits nothing. A trigger is seen by who sees all of its gateways."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, trigger: Trigger) -> None:
        """Afterwards it has its number."""
        self._session.add(trigger)
        await self._session.flush()

    async def add_rule(self, rule: TriggerRule) -> None:
        """Afterwards it has its number."""
        self._session.add(rule)
        await self._session.flush()

    async def delete(self, trigger: Trigger) -> None:
        await self._session.delete(trigger)

    async def delete_rules(self, rules: Collection[int]) -> None:
        await self._session.execute(delete(TriggerRule).where(TriggerRule.id.in_(rules)))

    async def trigger(self, trigger_id: int, *, is_locked: bool = False) -> Trigger | None:
        """is_locked: nobody else changes it until the end of the transaction."""
        query = self._triggers().where(Trigger.id == trigger_id)
        if is_locked:
            query = query.with_for_update()
        return (await self._session.scalars(query)).one_or_none()

    async def count_of(self, user_id: int) -> int:
        """Of those that he made himself."""
        query = (
            select(func.count())
            .select_from(Trigger)
            .where(Trigger.user_id == user_id, Trigger.point_id.is_(None))
        )
        return int((await self._session.execute(query)).scalar_one())

    async def page(
        self,
        page: int,
        limit: int,
        search: str,
        device_id: int | None,
        enabled: bool | None,
        origin: str | None = None,
    ) -> tuple[list[Trigger], int]:
        """Newest first, and how many match."""
        query = self._triggers()
        if search:
            query = query.where(Trigger.title.icontains(search, autoescape=True))
        if device_id is not None:
            of_device = select(TriggerGateway.trigger_id).where(TriggerGateway.device_id == device_id)
            query = query.where(Trigger.id.in_(of_device))
        if enabled is not None:
            query = query.where(Trigger.enabled.is_(enabled))
        if origin is not None:
            is_of_point = Trigger.point_id.is_not(None)
            query = query.where(is_of_point if origin == "point" else ~is_of_point)
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(Trigger.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), total

    async def rules(self, triggers: Collection[int]) -> list[TriggerRule]:
        """In their order."""
        query = select(TriggerRule).where(TriggerRule.trigger_id.in_(triggers))
        return list(await self._session.scalars(query.order_by(TriggerRule.trigger_id, TriggerRule.place)))

    async def running(self, max_count: int) -> list[tuple[Trigger, TriggerRule]]:
        """Rules of enabled triggers."""
        query = select(Trigger, TriggerRule).join(TriggerRule, TriggerRule.trigger_id == Trigger.id)
        query = query.where(Trigger.enabled.is_(True)).order_by(TriggerRule.id).limit(max_count)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def watching(
        self, users: Collection[int], devices: Collection[int], max_count: int
    ) -> list[tuple[Trigger, TriggerRule]]:
        """Rules of enabled triggers that these users saved and that look at these gateways."""
        looks = exists().where(TriggerGateway.trigger_id == Trigger.id, TriggerGateway.device_id.in_(devices))
        query = self._triggers().add_columns(TriggerRule)
        query = query.join(TriggerRule, TriggerRule.trigger_id == Trigger.id)
        query = query.where(Trigger.enabled.is_(True), Trigger.user_id.in_(users), looks)
        query = query.order_by(TriggerRule.id).limit(max_count)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def points(self, dsids: Collection[int]) -> dict[int, PointPlace]:
        """Points by number with their slaves and gateways."""
        query = select(Device, SlaveDevice, DataPoint)
        query = query.join(DataPoint, DataPoint.device_id == Device.id)
        query = query.join(SlaveDevice, SlaveDevice.id == DataPoint.slave_id)
        query = query.where(seen(self._scope, DataPoint.device_id))
        known: dict[int, PointPlace] = {}
        async for some in chunked(sorted(dsids)):
            rows = await self._session.execute(query.where(DataPoint.id.in_(some)))
            known |= {row[2].id: (row[0], row[1], row[2]) for row in rows}
        return known

    async def named_points(
        self, device_id: int, names: Collection[tuple[str, str]]
    ) -> dict[tuple[str, str], PointPlace]:
        """Points of a gateway by the names of slave and point, with their places."""
        query = select(Device, SlaveDevice, DataPoint).join(SlaveDevice, SlaveDevice.device_id == Device.id)
        query = query.join(DataPoint, DataPoint.slave_id == SlaveDevice.id).where(Device.id == device_id)
        known: dict[tuple[str, str], PointPlace] = {}
        async for some in chunked(sorted({point for _, point in names})):
            rows = await self._session.execute(query.where(DataPoint.name.in_(some)))
            known |= {(row[1].name, row[2].name): (row[0], row[1], row[2]) for row in rows}
        return {name: place for name, place in known.items() if name in names}

    async def slaves(self, numbers: Collection[int]) -> dict[int, Place]:
        """Slaves by number with their gateways."""
        query = select(Device, SlaveDevice).join(SlaveDevice, SlaveDevice.device_id == Device.id)
        query = query.where(seen(self._scope, SlaveDevice.device_id))
        known: dict[int, Place] = {}
        async for some in chunked(sorted(numbers)):
            rows = await self._session.execute(query.where(SlaveDevice.id.in_(some)))
            known |= {row[1].id: (row[0], row[1]) for row in rows}
        return known

    async def away(self, devices: Collection[int], start_ms: int, end_ms: int) -> list[Away]:
        """Absences of these gateways and their slaves that touch a range."""
        log = OnOfflineLog
        query = select(log.device_id, log.slave_id, log.offline_ms, log.online_ms)
        query = query.where(log.device_id.in_(devices), log.offline_ms < end_ms)
        query = query.where(or_(log.online_ms.is_(None), log.online_ms > start_ms))
        return [(row[0], row[1], row[2], row[3]) for row in await self._session.execute(query)]

    async def set_gateways(self, trigger_id: int, device_ids: Collection[int]) -> None:
        """Which gateways a trigger looks at."""
        await self._session.execute(delete(TriggerGateway).where(TriggerGateway.trigger_id == trigger_id))
        self._session.add_all(
            TriggerGateway(trigger_id=trigger_id, device_id=device_id) for device_id in sorted(device_ids)
        )

    async def gateways(self, trigger_id: int) -> set[int]:
        query = select(TriggerGateway.device_id).where(TriggerGateway.trigger_id == trigger_id)
        return set(await self._session.scalars(query))

    async def of_device(self, device_id: int) -> list[Trigger]:
        """Those that look at a gateway, whoever sees them."""
        query = select(Trigger).join(TriggerGateway, TriggerGateway.trigger_id == Trigger.id)
        return list(await self._session.scalars(query.where(TriggerGateway.device_id == device_id)))

    async def sees(self, device_id: int) -> bool:
        """Does the scope see a gateway?"""
        query = select(Device.id).where(Device.id == device_id, visible(self._scope))
        return (await self._session.execute(query)).first() is not None

    async def count_rules(self) -> int:
        """Of everybody."""
        return int((await self._session.execute(select(func.count(TriggerRule.id)))).scalar_one())

    async def rules_by_level(self, levels: Collection[int]) -> dict[int, int]:
        """How many rules name each of these own levels; without those that none names."""
        named = [TriggerRule.body[name].as_integer() for name in ("alarm_type", "level")]
        pairs = union(*(select(TriggerRule.id, level.label("level")) for level in named)).subquery()
        query = select(pairs.c.level, func.count()).where(pairs.c.level.in_(levels))
        return {row[0]: row[1] for row in await self._session.execute(query.group_by(pairs.c.level))}

    async def delete_without_gateways(self) -> int:
        """Triggers whose gateways are all gone; how many."""
        left = exists().where(TriggerGateway.trigger_id == Trigger.id)
        found = list(await self._session.scalars(select(Trigger.id).where(~left)))
        await self._session.execute(delete(Trigger).where(Trigger.id.in_(found)))
        return len(found)

    async def mark(self) -> tuple[int, int]:
        """Another one after every change of a trigger."""
        query = select(func.count(Trigger.id), func.coalesce(func.max(Trigger.changed_ms), 0))
        row = (await self._session.execute(query)).one()
        return row[0], row[1]

    async def states(self) -> dict[int, str]:
        """What is known, by gateway."""
        rows = await self._session.execute(select(EvaluationState.device_id, EvaluationState.state))
        return {row[0]: row[1] for row in rows}

    async def save_states(self, states: Mapping[int, str], now_ms: int) -> None:
        """By gateway, 0 for the rules over several."""
        if not states:
            return
        on_postgresql = self._session.get_bind().dialect.name == "postgresql"
        insert = (postgresql if on_postgresql else sqlite).insert(EvaluationState)
        new = {name: insert.excluded[name] for name in ("state", "saved_ms")}
        await self._session.execute(
            insert.on_conflict_do_update(index_elements=["device_id"], set_=new),
            [
                {"device_id": device_id, "state": state, "saved_ms": now_ms}
                for device_id, state in states.items()
            ],
        )

    async def forget_states(self, device_ids: Collection[int]) -> None:
        await self._session.execute(delete(EvaluationState).where(EvaluationState.device_id.in_(device_ids)))

    async def online(self, device_ids: Collection[int]) -> dict[int, int]:
        """Of these gateways those that are online, with their report intervals in seconds."""
        query = select(Device.id, Device.reports_every_s).where(Device.online.is_(True))
        known: dict[int, int] = {}
        async for some in chunked(sorted(device_ids)):
            rows = await self._session.execute(query.where(Device.id.in_(some)))
            known |= {row[0]: row[1] for row in rows}
        return known

    async def homes(self, device_ids: Collection[int] | None = None) -> dict[int, RuleHome]:
        """Of gateways that can evaluate rules, by number: of all, or of these."""
        query = select(RuleHome)
        if device_ids is None:
            return {row.device_id: row for row in await self._session.scalars(query)}
        known: dict[int, RuleHome] = {}
        async for some in chunked(sorted(device_ids)):
            rows = await self._session.scalars(query.where(RuleHome.device_id.in_(some)))
            known |= {row.device_id: row for row in rows}
        return known

    async def noted_home(self, gateway: str) -> RuleHome | None:
        """Of a gateway, for who only looks at it."""
        query = select(RuleHome).join(Device, Device.id == RuleHome.device_id)
        return (await self._session.scalars(query.where(Device.gateway_id == gateway))).one_or_none()

    async def home(self, gateway: str, *, make: bool = False) -> RuleHome | None:
        """Of a gateway, for who changes it. make: a claimed one that never had any gets one."""
        number = await self._session.scalar(select(Device.id).where(Device.gateway_id == gateway))
        if number is None:
            return None
        query = select(RuleHome).where(RuleHome.device_id == number).with_for_update()
        row = (await self._session.scalars(query)).one_or_none()
        if row is None and make:
            row = RuleHome(device_id=number, takes=False)
            self._session.add(row)
            await self._session.flush()
        return row

    async def owners(self, triggers: Collection[int]) -> dict[int, int | None]:
        """Who saved each of these triggers last."""
        query = select(Trigger.id, Trigger.user_id)
        known: dict[int, int | None] = {}
        async for some in chunked(sorted(triggers)):
            rows = await self._session.execute(query.where(Trigger.id.in_(some)))
            known |= {row[0]: row[1] for row in rows}
        return known

    async def savers(self, triggers: Collection[int]) -> dict[int, tuple[int | None, str]]:
        """Who saved each of these triggers last: number, and the name that he had then."""
        query = select(Trigger.id, Trigger.user_id, Trigger.user_name).where(Trigger.id.in_(triggers))
        return {row[0]: (row[1], row[2]) for row in await self._session.execute(query)}

    async def gateway_name(self, device_id: int) -> tuple[str, str]:
        """Serial number and title of a gateway."""
        query = select(Device.gateway_id, Device.display_title).where(Device.id == device_id)
        row = (await self._session.execute(query)).one()
        return row[0], row[1]

    async def gateway_names(self, device_ids: Collection[int]) -> dict[int, str]:
        """Serial numbers of gateways that are online."""
        query = select(Device.id, Device.gateway_id).where(Device.online.is_(True))
        known: dict[int, str] = {}
        async for some in chunked(sorted(device_ids)):
            rows = await self._session.execute(query.where(Device.id.in_(some)))
            known |= {row[0]: row[1] for row in rows}
        return known

    def add_run(self, run: LinkageRun) -> None:
        self._session.add(run)

    async def note_rest(self, run: LinkageRun) -> None:
        """The entry of a rest of a rule's linkages, or how many they are by now."""
        query = select(LinkageRun).where(
            LinkageRun.rule_id == run.rule_id,
            LinkageRun.at_ms == run.at_ms,
            LinkageRun.problem == run.problem,
            LinkageRun.trigger_id == run.trigger_id,
        )
        noted = (await self._session.scalars(query)).first()
        if noted is None:
            self._session.add(run)
        else:
            noted.left_out = max(noted.left_out, run.left_out)

    async def runs_of_alarm(self, rule_id: int, raised_ms: int, max_count: int) -> list[LinkageRun]:
        """What came of the linkages of an alarm, the oldest first. Entries of older versions of the cloud
        name no alarm; those of its beginning have its time.
        """
        begun = (LinkageRun.kind == "raised") & (LinkageRun.at_ms == raised_ms)
        query = select(LinkageRun).where(
            LinkageRun.rule_id == rule_id,
            LinkageRun.problem != LINKAGE_LIMITED,
            or_(LinkageRun.raised_ms == raised_ms, LinkageRun.raised_ms.is_(None) & begun),
        )
        return list(await self._session.scalars(query.order_by(LinkageRun.id).limit(max_count)))

    async def rested(self, rule_id: int, version: int, at_ms: int) -> bool:
        """Were the linkages of a rule left out at this time, because they wrote too often?"""
        query = select(LinkageRun.id).where(
            LinkageRun.rule_id == rule_id,
            LinkageRun.problem == LINKAGE_LIMITED,
            or_(LinkageRun.version.is_(None), LinkageRun.version == version),
            LinkageRun.at_ms <= at_ms,
            LinkageRun.at_ms > at_ms - LINKAGE_WINDOW_MS,
        )
        return (await self._session.scalars(query.limit(1))).first() is not None

    async def rests(self, triggers: Collection[int], since_ms: int) -> dict[int, LinkageRun]:
        """The newest entry since then that linkages rest, by trigger."""
        query = select(LinkageRun).where(
            LinkageRun.trigger_id.in_(triggers),
            LinkageRun.problem == LINKAGE_LIMITED,
            LinkageRun.at_ms > since_ms,
        )
        rows = await self._session.scalars(query.order_by(LinkageRun.at_ms, LinkageRun.id))
        return {run.trigger_id: run for run in rows}

    async def due_runs(self, max_count: int) -> list[tuple[LinkageRun, Trigger | None]]:
        """Presets that are to be carried out, the oldest first, with their triggers, None for one that was
        deleted meanwhile.
        """
        query = select(LinkageRun, Trigger).outerjoin(Trigger, Trigger.id == LinkageRun.trigger_id)
        query = query.where(LinkageRun.is_due.is_(True)).order_by(LinkageRun.id).limit(max_count)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def end_run(self, run_id: int, command_id: str | None, problem: str) -> None:
        await self._session.execute(
            update(LinkageRun)
            .where(LinkageRun.id == run_id)
            .values(is_due=False, command_id=command_id, problem=problem)
        )

    async def runs(self, trigger_id: int, page: int, limit: int) -> tuple[list[LinkageRun], int]:
        """What a trigger had carried out, newest first, and how many."""
        query = select(LinkageRun).where(LinkageRun.trigger_id == trigger_id)
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(LinkageRun.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), total

    async def delete_runs_before(self, before_ms: int) -> None:
        await self._session.execute(delete(LinkageRun).where(LinkageRun.noted_ms < before_ms))

    def _triggers(self) -> Select[Trigger]:
        query: Select[Trigger] = select(Trigger)
        if self._scope.everything:
            return query
        unseen = select(TriggerGateway.trigger_id).where(
            TriggerGateway.device_id.not_in(select(Device.id).where(visible(self._scope)))
        )
        return query.where(Trigger.id.not_in(unseen))


def is_live_only(point: DataPoint) -> bool:
    """Are its values in no store?"""
    return point.record == LIVE_ONLY
