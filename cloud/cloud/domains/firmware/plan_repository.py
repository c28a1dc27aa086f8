"""Every query of plans, and of the gateways that they are for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, case, false, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan, GatewayFirmware
from cloud.domains.firmware.planning import TargetGateway
from cloud.domains.firmware.rollout import PlanState
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import visible, writable
from edge_contract.firmware import FirmwareTarget

AT_ONCE = 500
"""Numbers in one question."""


def plan_seen(scope: Scope) -> ColumnElement[bool]:
    """Plans of the user and of everybody below him."""
    return within(scope, FirmwarePlan.owner_id) if scope.everything or scope.is_placed else false()


def inside_projects(scope: Scope, numbers: Collection[int]) -> ColumnElement[bool]:
    """Gateways of these projects and of all below them, as far as they are seen."""
    chosen = select(Project.path).where(Project.id.in_(numbers)).subquery()
    inside = select(Project.id).join(chosen, Project.path.startswith(chosen.c.path))
    return Device.project_id.in_(inside.where(within(scope, Project.owner_id)))


class PlanRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, row: FirmwarePlan) -> None:
        """Afterwards it has its number."""
        self._session.add(row)
        await self._session.flush()

    async def delete(self, row: FirmwarePlan) -> None:
        """Its upgrades stay as the history of their gateways."""
        await self._session.delete(row)

    async def plan(self, number: int, *, is_locked: bool = False) -> FirmwarePlan | None:
        query = select(FirmwarePlan).where(FirmwarePlan.id == number, plan_seen(self._scope))
        if is_locked:
            query = query.with_for_update()
        return (await self._session.scalars(query)).one_or_none()

    async def plans(
        self, page: int, limit: int, search: str, state: str
    ) -> tuple[list[tuple[FirmwarePlan, FirmwareFile]], int]:
        """Newest first, with their files, and how many match."""
        query = select(FirmwarePlan, FirmwareFile).join(
            FirmwareFile, FirmwareFile.id == FirmwarePlan.firmware_id
        )
        query = query.where(plan_seen(self._scope))
        if state:
            query = query.where(FirmwarePlan.state == state)
        if search:
            texts = [FirmwarePlan.title.icontains(search, autoescape=True)]
            if search.isascii() and search.isdigit() and int(search) < 2**31:
                texts.append(FirmwarePlan.name == int(search))
            query = query.where(or_(*texts))
        total = (await self._session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        query = query.order_by(FirmwarePlan.id.desc()).offset((page - 1) * limit).limit(limit)
        return [(row[0], row[1]) for row in await self._session.execute(query)], int(total)

    async def count_of(self, owner_id: int | None) -> int:
        mine = FirmwarePlan.owner_id.is_(None) if owner_id is None else FirmwarePlan.owner_id == owner_id
        query = select(func.count()).select_from(FirmwarePlan).where(mine)
        return int((await self._session.execute(query)).scalar_one())

    async def running(self) -> list[int]:
        """Plans that go on by themselves."""
        query = select(FirmwarePlan.id).where(
            FirmwarePlan.state == PlanState.RUNNING.value,
            FirmwarePlan.enabled.is_(True) | FirmwarePlan.is_back.is_(True),
        )
        return list(await self._session.scalars(query.order_by(FirmwarePlan.id)))

    async def plans_for(self, device_id: int) -> list[FirmwarePlan]:
        """Enabled plans that the user sees, the newest first; the caller looks which is for a gateway."""
        query = select(FirmwarePlan).where(FirmwarePlan.enabled.is_(True), plan_seen(self._scope))
        return list(await self._session.scalars(query.order_by(FirmwarePlan.id.desc())))

    async def seen_projects(self, numbers: Collection[int]) -> set[int]:
        """Those of these that the user sees."""
        mine = within(self._scope, Project.owner_id)
        return set(await self._session.scalars(select(Project.id).where(Project.id.in_(numbers), mine)))

    async def seen_devices(self, numbers: Collection[int]) -> set[int]:
        """Those of these gateways that the user sees."""
        result: set[int] = set()
        for some in _parts(sorted(numbers)):
            query = select(Device.id).where(Device.id.in_(some), visible(self._scope))
            result |= set(await self._session.scalars(query))
        return result

    async def titles(self, plan: FirmwarePlan, limit: int) -> list[tuple[int, str]]:
        """Of the projects or gateways that a plan names and the user sees, the first ones by number."""
        query: Select[int, str]
        if plan.range == "project":
            mine = within(self._scope, Project.owner_id)
            query = select(Project.id, Project.title).where(Project.id.in_(plan.project_ids[:limit]), mine)
            query = query.order_by(Project.id)
        else:
            chosen = Device.id.in_(plan.device_ids[:limit])
            query = select(Device.id, Device.display_title).where(chosen, visible(self._scope))
            query = query.order_by(Device.id)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def targets(
        self, plan: FirmwarePlan, limit: int, device_id: int | None = None
    ) -> list[TargetGateway]:
        """Gateways in a plan's range that the user sees, those online first. device_id: that one only."""
        query = select(*_TARGET, case((writable(self._scope), 1), else_=0))
        query = query.outerjoin(GatewayFirmware, GatewayFirmware.device_id == Device.id)
        query = query.where(visible(self._scope))
        if plan.created_after_ms is not None:
            query = query.where(Device.created_ms >= plan.created_after_ms)
        if device_id is not None:
            query = query.where(Device.id == device_id)
        targets: list[TargetGateway] = []
        if plan.range == "device":
            for some in _parts(sorted(plan.device_ids)):
                rows = await self._session.execute(query.where(Device.id.in_(some)))
                targets += [_target(*row) for row in rows]
        else:
            inside = inside_projects(self._scope, plan.project_ids)
            query = query.where(inside).order_by(Device.id).limit(AT_ONCE)
            last, count = 0, AT_ONCE
            while count == AT_ONCE and len(targets) < limit:
                rows = await self._session.execute(query.where(Device.id > last))
                some_targets = [_target(*row) for row in rows]
                targets += some_targets
                count = len(some_targets)
                last = some_targets[-1].device_id if some_targets else last
        targets.sort(key=lambda target: (not target.online, target.device_id))
        return targets[:limit]


_TARGET = (
    Device.id,
    Device.online,
    Device.display_title,
    Device.agent_version,
    GatewayFirmware.name,
    GatewayFirmware.model,
    GatewayFirmware.version,
    GatewayFirmware.security_version,
    GatewayFirmware.upgrade_types,
)


def _target(
    device_id: int, online: bool, title: str, agent: str, name: str | None, *rest: Any
) -> TargetGateway:
    *firmware, is_writable = rest
    target = None
    if name is not None:
        model, version, security_version, upgrade_types = firmware
        target = FirmwareTarget(name, model, version, security_version, agent, upgrade_types)
    return TargetGateway(device_id, online, target, bool(is_writable), title)


def _parts(numbers: Sequence[int]) -> list[Sequence[int]]:
    return [numbers[start : start + AT_ONCE] for start in range(0, len(numbers), AT_ONCE)]
