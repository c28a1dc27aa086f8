"""Queries of the landing page, counted in the database and bounded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.core.scope import Scope
from cloud.domains.configuration.models import ConfigurationStateRow, Deployment
from cloud.domains.configuration.states import DeploymentState
from cloud.domains.devices import states
from cloud.domains.devices.filters import ANSWERING, SILENT, has_slave, of_status
from cloud.domains.forwarding.models import ForwardingTarget
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.inventory.visibility import seen, visible

FIRST_GATEWAYS = 10
"""Among the points of so many gateways the first choice is made."""

FAILED = (
    DeploymentState.REFUSED,
    DeploymentState.REVERTED,
    DeploymentState.EXPIRED,
    DeploymentState.NETWORK_ERROR,
)
FAILED_FOR_MS = 7 * 86_400_000
"""A failed deployment is told for a week, while it is the gateway's last."""


_PLACED = and_(Device.longitude.is_not(None), Device.latitude.is_not(None))


def _kind() -> ColumnElement[str]:
    """Of Device: its status, but of an offline one the part of offline that it is."""
    kinds = (states.DISABLED, states.NEVER_CONNECTED, states.AWAY, states.ALARM)
    whens = [(and_(*of_status(kind)), kind) for kind in kinds]
    silent = has_slave(*SILENT)
    partly = (and_(silent, has_slave(*ANSWERING)), states.PARTLY)
    return case(*whens, partly, (silent, states.SILENT), else_=states.ONLINE)


@dataclass(frozen=True)
class Silent:
    """A silent slave of a connected gateway."""

    slave: SlaveDevice
    device: Device


class OverviewRepository:
    """Works on the caller's session; changes nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def states(self) -> dict[str, int]:
        """Gateways by status; offline ones as away, never_connected and disabled. asleep: those of online."""
        kinds = select(_kind().label("kind")).select_from(Device).where(visible(self._scope)).subquery()
        query = select(kinds.c.kind, func.count()).group_by(kinds.c.kind)
        counts = {row[0]: int(row[1]) for row in await self._session.execute(query)}
        asleep = select(Device.id).where(visible(self._scope), *of_status(states.ASLEEP))
        return {**counts, states.ASLEEP: await self._count(asleep)}

    async def dots(self, limit: int) -> list[tuple[Device, str]]:
        """Gateways that have a place, with their status as `states` counts it; the worst first."""
        kind = _kind()
        needs = case(
            {states.AWAY: 0, states.ALARM: 0, states.SILENT: 0, states.PARTLY: 1}, value=kind, else_=2
        )
        query = select(Device, kind).where(visible(self._scope), _PLACED).order_by(needs, Device.id)
        return [(row[0], row[1]) for row in await self._session.execute(query.limit(limit))]

    async def targets_down(self) -> int:
        """Forwarding targets in trouble."""
        return await self._count(
            select(ForwardingTarget).where(
                ForwardingTarget.in_trouble, seen(self._scope, ForwardingTarget.device_id)
            )
        )

    async def placed(self) -> tuple[int, int]:
        """How many have a place, and how many have none."""
        query = select(func.count().filter(_PLACED), func.count()).select_from(Device)
        placed, every = (await self._session.execute(query.where(visible(self._scope)))).one()
        return int(placed), int(every) - int(placed)

    async def away(self, limit: int) -> list[Device]:
        """Gateways that were there and are not, the newest absence first."""
        query = select(Device).where(visible(self._scope), *of_status(states.AWAY))
        query = query.order_by(func.coalesce(Device.since_ms, 0).desc(), Device.id).limit(limit)
        return list(await self._session.scalars(query))

    async def silent(self, limit: int) -> tuple[list[Silent], int]:
        """Silent slaves of connected gateways, the newest silence first, and how many there are."""
        numbered = select(SlaveDevice.id, func.count().over().label("total"))
        numbered = numbered.join(Device, SlaveDevice.device_id == Device.id)
        numbered = numbered.where(*SILENT, Device.online.is_(True), seen(self._scope, SlaveDevice.device_id))
        order = (func.coalesce(SlaveDevice.since_ms, 0).desc(), SlaveDevice.id)
        best = numbered.order_by(*order).limit(limit).subquery()
        query = select(SlaveDevice, Device, best.c.total).join(best, SlaveDevice.id == best.c.id)
        query = query.join(Device, SlaveDevice.device_id == Device.id).order_by(*order)
        rows = (await self._session.execute(query)).all()
        return [Silent(row[0], row[1]) for row in rows], int(rows[0][2]) if rows else 0

    async def bus_counts(self, device_ids: Collection[int]) -> dict[int, tuple[int, int, int]]:
        """By gateway: slaves, those that are silent, those that answer."""
        query = select(
            SlaveDevice.device_id,
            func.count(),
            func.count().filter(*SILENT),
            func.count().filter(*ANSWERING),
        )
        query = query.where(SlaveDevice.device_id.in_(device_ids), SlaveDevice.removed.is_(False))
        rows = await self._session.execute(query.group_by(SlaveDevice.device_id))
        return {row[0]: (int(row[1]), int(row[2]), int(row[3])) for row in rows}

    async def losing(self, now_ms: int, limit: int) -> tuple[list[Device], dict[str, int]]:
        """Connected gateways whose clock is not set, whose store fills, or that lost something of late; and
        how many there are by code, in the order of `states.presence`.
        """
        recent_ms = now_ms - states.RECENT_MS
        query = select(Device).where(
            visible(self._scope),
            Device.online.is_(True),
            or_(
                Device.clock_set.is_(False),
                Device.hours_left < states.STORE_SCARCE_H,
                Device.dropped_ms > recent_ms,
                Device.evicted_ms > recent_ms,
            ),
        )
        code = case(
            (Device.clock_set.is_(False), "clock_not_set"),
            (Device.dropped_ms > recent_ms, "samples_dropped"),
            (Device.evicted_ms > recent_ms, "store_full"),
            else_="store_filling",
        )
        codes = query.with_only_columns(code.label("code")).subquery()
        counted = select(codes.c.code, func.count()).group_by(codes.c.code)
        totals = {row[0]: int(row[1]) for row in await self._session.execute(counted)}
        return list(await self._session.scalars(query.order_by(Device.id).limit(limit))), totals

    async def deployments(
        self, now_ms: int, limit: int
    ) -> tuple[list[tuple[Deployment, Device]], int, list[tuple[Deployment, Device]], int]:
        """Last deployments of gateways that failed, and deployments on trial; of each also how many."""
        deployment, later = Deployment, aliased(Deployment)
        base = select(deployment, Device).join(Device, deployment.device_id == Device.id)
        base = base.where(visible(self._scope), deployment.check_only.is_(False))
        newer = select(later.id).where(
            later.device_id == deployment.device_id,
            later.check_only.is_(False),
            or_(
                later.created_ms > deployment.created_ms,
                and_(later.created_ms == deployment.created_ms, later.id < deployment.id),
            ),
        )
        failed = base.where(
            deployment.state.in_([state.value for state in FAILED]),
            deployment.created_ms > now_ms - FAILED_FOR_MS,
            ~newer.exists(),
        )
        trial = base.where(deployment.state == DeploymentState.SWITCHED.value)
        both: list[Any] = []
        for query in (failed, trial):
            rows = await self._session.execute(query.order_by(deployment.created_ms.desc()).limit(limit))
            both += [[(row[0], row[1]) for row in rows], await self._count(query)]
        return both[0], both[1], both[2], both[3]

    async def drafts(self, limit: int) -> tuple[list[tuple[ConfigurationStateRow, Device]], int]:
        """Drafts that nobody has deployed, the newest first."""
        query = select(ConfigurationStateRow, Device).join(
            Device, ConfigurationStateRow.device_id == Device.id
        )
        query = query.where(visible(self._scope), ConfigurationStateRow.draft.is_not(None))
        rows = await self._session.execute(
            query.order_by(func.coalesce(ConfigurationStateRow.draft_ms, 0).desc()).limit(limit)
        )
        return [(row[0], row[1]) for row in rows], await self._count(query)

    async def titles(self, gateways: Collection[str]) -> dict[str, Device]:
        """By serial number those of these connected gateways that the scope sees."""
        query = select(Device).where(visible(self._scope), Device.gateway_id.in_(gateways))
        return {row.gateway_id: row for row in await self._session.scalars(query)}

    async def points(self, dsids: Sequence[int]) -> list[Row[DataPoint, SlaveDevice, Device]]:
        """Those of these points that there are, in this order."""
        query = self._joined().where(DataPoint.id.in_(dsids))
        by_id = {row[0].id: row for row in await self._session.execute(query)}
        return [by_id[dsid] for dsid in dsids if dsid in by_id]

    async def first_points(self, limit: int) -> list[Row[DataPoint, SlaveDevice, Device]]:
        """Numbers of the first gateways, connected ones first: those with limits before others."""
        gateways = select(Device.id).where(visible(self._scope), Device.first_online_ms.is_not(None))
        gateways = gateways.order_by(Device.online.desc(), Device.id).limit(FIRST_GATEWAYS)
        query = self._joined().where(DataPoint.device_id.in_(gateways), DataPoint.kind == "num")
        limited = case((or_(DataPoint.min.is_not(None), DataPoint.max.is_not(None)), 0), else_=1)
        order = (Device.online.desc(), limited, DataPoint.device_id, DataPoint.id)
        return list(await self._session.execute(query.order_by(*order).limit(limit)))

    async def quiet(self, limit: int) -> list[Device]:
        """Gateways that were heard longest ago, as the list sorts them."""
        query = select(Device).where(visible(self._scope), Device.last_ms.is_not(None))
        return list(await self._session.scalars(query.order_by(Device.last_ms, Device.id).limit(limit)))

    async def newest(self) -> Device | None:
        """The gateway that was heard last."""
        query = select(Device).where(visible(self._scope), Device.last_ms.is_not(None))
        return (await self._session.scalars(query.order_by(Device.last_ms.desc()).limit(1))).one_or_none()

    async def watched(self, device_ids: Collection[int], limit: int) -> dict[int, str]:
        """Status of these gateways and of the first so many."""
        query = select(Device.id, _kind()).where(visible(self._scope))
        first = query.order_by(Device.id).limit(limit)
        named = query.where(Device.id.in_(device_ids))
        return {
            row[0]: states.OFFLINE if row[1] in states.OFFLINE_PARTS else row[1]
            for asked in (first, named)
            for row in await self._session.execute(asked)
        }

    def _joined(self) -> Any:
        query = select(DataPoint, SlaveDevice, Device).join(SlaveDevice, DataPoint.slave_id == SlaveDevice.id)
        query = query.join(Device, DataPoint.device_id == Device.id)
        return query.where(visible(self._scope), DataPoint.removed.is_(False))

    async def _count(self, query: Any) -> int:
        counted = query.with_only_columns(func.count()).order_by(None)
        return int((await self._session.execute(counted)).scalar_one())
