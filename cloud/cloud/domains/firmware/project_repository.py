"""Every query of what the gateways of projects run."""

from __future__ import annotations

from sqlalchemy import Select, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.models import FirmwarePlan, GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.plan_repository import plan_seen
from cloud.domains.firmware.project_versions import ProjectCounts, Release
from cloud.domains.firmware.rollout import PlanState
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import visible


class ReleaseRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def nodes(self, limit: int) -> list[Project]:
        """Those near the top first."""
        query = select(Project).where(within(self._scope, Project.owner_id))
        query = query.order_by(func.length(Project.path), Project.place, Project.id)
        return list(await self._session.scalars(query.limit(limit)))

    async def counts(self) -> dict[int | None, ProjectCounts]:
        """By the project that gateways are in; None: in none."""
        release = (GatewayFirmware.name, GatewayFirmware.version, GatewayFirmware.version_text)
        online = func.sum(case((Device.online.is_(True), 1), else_=0))
        query = select(Device.project_id, *release, func.count(), online)
        query = query.outerjoin(GatewayFirmware, GatewayFirmware.device_id == Device.id)
        query = query.where(visible(self._scope)).group_by(Device.project_id, *release)
        result: dict[int | None, ProjectCounts] = {}
        for project_id, name, version, version_text, count, up in await self._session.execute(query):
            counts = result.setdefault(project_id, ProjectCounts())
            counts.gateways += int(count)
            counts.online += int(up)
            if name is not None:
                counts.versions[Release(name, version, version_text)] += int(count)
        for project_id, plan_id, count in await self._session.execute(self._plans()):
            result.setdefault(project_id, ProjectCounts()).plans[plan_id] += int(count)
        return result

    async def plans(self) -> dict[int, FirmwarePlan]:
        """Those that run or are paused."""
        query = select(FirmwarePlan).where(plan_seen(self._scope), _UNDER_WAY)
        return {plan.id: plan for plan in await self._session.scalars(query)}

    def _plans(self) -> Select[int | None, int, int]:
        query = select(Device.project_id, FirmwarePlan.id, func.count())
        query = query.select_from(GatewayUpgrade).join(Device, Device.id == GatewayUpgrade.device_id)
        query = query.join(FirmwarePlan, FirmwarePlan.id == GatewayUpgrade.plan_id)
        query = query.where(
            GatewayUpgrade.is_newest.is_(True),
            GatewayUpgrade.is_back == FirmwarePlan.is_back,
            plan_seen(self._scope),
            visible(self._scope),
            _UNDER_WAY,
        )
        return query.group_by(Device.project_id, FirmwarePlan.id)


_UNDER_WAY = FirmwarePlan.state.in_([PlanState.RUNNING.value, PlanState.PAUSED.value])
