"""Every query of parameter plans and of the gateways that they reach."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, delete, false, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.configuration.models import (
    ConfigurationStateRow,
    ConfigurationVersion,
    Deployment,
    DeploymentReceipt,
)
from cloud.domains.configuration.states import FINAL, GIVEN_UP
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import visible, writable
from cloud.domains.parameters.models import ParameterPlan, ParameterPlanGateway
from cloud.domains.parameters.planning import ParameterPlanTarget


@dataclass(frozen=True)
class ParameterPlanOutcome:
    """What a plan asked of a gateway, with its deployment; None where there is none, or it is forgotten."""

    last: ParameterPlanGateway
    device_title: str
    gateway_id: str
    deployment: Deployment | None


@dataclass(frozen=True)
class LastPlan:
    """The plan that asked a gateway last. state: of the deployment, "" without one."""

    gateway: ParameterPlanGateway
    title: str
    state: str


def plan_seen(scope: Scope) -> ColumnElement[bool]:
    """Plans of the user and of everybody below him."""
    return within(scope, ParameterPlan.owner_id) if scope.everything or scope.is_placed else false()


class ParameterPlanRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, row: ParameterPlan) -> None:
        """Afterwards it has its number."""
        self._session.add(row)
        await self._session.flush()

    async def delete(self, row: ParameterPlan) -> None:
        await self._session.delete(row)

    async def plan(self, plan_id: int, *, locked: bool = False) -> ParameterPlan | None:
        query = select(ParameterPlan).where(ParameterPlan.id == plan_id, plan_seen(self._scope))
        return (await self._session.scalars(query.with_for_update() if locked else query)).one_or_none()

    async def page(self, page: int, limit: int, search: str) -> tuple[list[tuple[ParameterPlan, str]], int]:
        """By title, with the names of their owners, and how many match."""
        query = select(ParameterPlan).where(plan_seen(self._scope))
        if search:
            query = query.where(ParameterPlan.title.icontains(search, autoescape=True))
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        named = query.outerjoin(User, User.id == ParameterPlan.owner_id).add_columns(User.user_name)
        named = named.order_by(ParameterPlan.title, ParameterPlan.id)
        rows = await self._session.execute(named.offset((page - 1) * limit).limit(limit))
        return [(row[0], row[1] or "") for row in rows], total

    async def owner_name(self, owner_id: int | None) -> str:
        return (await self._session.scalars(select(User.user_name).where(User.id == owner_id))).first() or ""

    async def count_of(self, owner_id: int | None) -> int:
        """How many an owner has."""
        mine = ParameterPlan.owner_id.is_not_distinct_from(owner_id)
        query = select(func.count()).select_from(ParameterPlan).where(mine)
        return int((await self._session.execute(query)).scalar_one())

    async def missing_projects(self, numbers: Collection[int]) -> bool:
        """Is one of these not a node that the scope sees?"""
        query = select(func.count()).select_from(Project)
        query = query.where(Project.id.in_(numbers), within(self._scope, Project.owner_id))
        return int((await self._session.execute(query)).scalar_one()) < len(set(numbers))

    async def missing_devices(self, numbers: Collection[int]) -> bool:
        """Is one of these not a gateway that the scope sees?"""
        query = select(func.count()).select_from(Device).where(Device.id.in_(numbers), visible(self._scope))
        return int((await self._session.execute(query)).scalar_one()) < len(set(numbers))

    async def targets(
        self, project_ids: Sequence[int], device_ids: Sequence[int], limit: int
    ) -> list[ParameterPlanTarget]:
        """Gateways in these nodes and below, and these gateways, by number; what the scope sees of them."""
        paths = select(Project.path).where(Project.id.in_(project_ids), within(self._scope, Project.owner_id))
        below = [
            Project.path.startswith(path, autoescape=True) for path in await self._session.scalars(paths)
        ]
        inside = select(Project.id).where(or_(false(), *below), within(self._scope, Project.owner_id))
        query = select(
            Device.id,
            Device.display_title,
            Device.gateway_id,
            Device.agent_version,
            and_(Device.online, Device.asleep_until_ms.is_(None)),
            case((writable(self._scope), True), else_=False),
            ConfigurationStateRow.draft,
            ConfigurationStateRow.newest,
            ConfigurationVersion.author,
            ConfigurationVersion.note,
        )
        query = query.outerjoin(ConfigurationStateRow, ConfigurationStateRow.device_id == Device.id)
        is_draft = and_(
            ConfigurationVersion.device_id == Device.id,
            ConfigurationVersion.hash == ConfigurationStateRow.draft,
        )
        query = query.outerjoin(ConfigurationVersion, is_draft)
        query = query.where(
            or_(Device.project_id.in_(inside), Device.id.in_(device_ids)), visible(self._scope)
        )
        rows = await self._session.execute(query.order_by(Device.id).limit(limit))
        return [
            ParameterPlanTarget(
                id=row[0],
                title=row[1],
                gateway_id=row[2],
                agent_version=row[3],
                online=bool(row[4]),
                writable=bool(row[5]),
                draft=row[6],
                newest=row[7],
                draft_author=row[8] or "",
                draft_note=row[9] or "",
            )
            for row in rows
        ]

    async def documents(self, names: Collection[tuple[int, str]]) -> dict[int, str]:
        """Text of a version of each of these gateways."""
        made: dict[int, str] = {}
        for device_id, name in names:
            query = select(ConfigurationVersion.document).where(
                ConfigurationVersion.device_id == device_id, ConfigurationVersion.hash == name
            )
            text = (await self._session.scalars(query)).one_or_none()
            if text is not None:
                made[device_id] = text
        return made

    async def note(self, row: ParameterPlanGateway) -> None:
        """In place of what the plan asked of this gateway before."""
        await self._session.execute(
            delete(ParameterPlanGateway).where(
                ParameterPlanGateway.plan_id == row.plan_id,
                ParameterPlanGateway.device_id == row.device_id,
            )
        )
        self._session.add(row)

    async def open_deployment(self, plan_id: int, device_id: int, version: int) -> Deployment | None:
        """Which this version of the plan asked of a gateway, and which has not ended."""
        query = (
            select(Deployment)
            .join(ParameterPlanGateway, ParameterPlanGateway.deployment_id == Deployment.id)
            .where(
                ParameterPlanGateway.plan_id == plan_id,
                ParameterPlanGateway.device_id == device_id,
                ParameterPlanGateway.version == version,
                Deployment.state.not_in(FINAL | GIVEN_UP),
            )
        )
        return (await self._session.scalars(query)).first()

    async def outcomes(self, plan_id: int, page: int, limit: int) -> tuple[list[ParameterPlanOutcome], int]:
        """Of the gateways that the scope sees, by title, and how many there are."""
        query = (
            select(ParameterPlanGateway, Device.display_title, Device.gateway_id, Deployment)
            .join(Device, Device.id == ParameterPlanGateway.device_id)
            .outerjoin(Deployment, Deployment.id == ParameterPlanGateway.deployment_id)
            .where(ParameterPlanGateway.plan_id == plan_id, visible(self._scope))
        )
        counted = select(func.count()).select_from(
            query.with_only_columns(ParameterPlanGateway.device_id).subquery()
        )
        total = int((await self._session.execute(counted)).scalar_one())
        rows = await self._session.execute(
            query.order_by(Device.title_key, Device.id).offset((page - 1) * limit).limit(limit)
        )
        return [ParameterPlanOutcome(row[0], row[1], row[2], row[3]) for row in rows], total

    async def receipts(self, deployments: Collection[str]) -> dict[str, list[DeploymentReceipt]]:
        """By deployment, the oldest first."""
        query = select(DeploymentReceipt).where(DeploymentReceipt.deployment_id.in_(deployments))
        made: dict[str, list[DeploymentReceipt]] = {}
        for row in await self._session.scalars(query.order_by(DeploymentReceipt.received_ms)):
            made.setdefault(row.deployment_id, []).append(row)
        return made

    async def last_plans(self, device_ids: Collection[int]) -> dict[int, LastPlan]:
        """By gateway; of plans that the scope sees."""
        query = (
            select(ParameterPlanGateway, ParameterPlan.title, Deployment.state)
            .join(ParameterPlan, ParameterPlan.id == ParameterPlanGateway.plan_id)
            .outerjoin(Deployment, Deployment.id == ParameterPlanGateway.deployment_id)
            .where(ParameterPlanGateway.device_id.in_(device_ids), plan_seen(self._scope))
            .order_by(ParameterPlanGateway.begun_ms, ParameterPlanGateway.plan_id)
        )
        rows = await self._session.execute(query)
        return {row[0].device_id: LastPlan(row[0], row[1], row[2] or "") for row in rows}

    async def drafts(self, device_ids: Collection[int]) -> dict[int, str | None]:
        """Names of the drafts of those of these gateways that the scope sees."""
        query = (
            select(Device.id, ConfigurationStateRow.draft)
            .outerjoin(ConfigurationStateRow, ConfigurationStateRow.device_id == Device.id)
            .where(Device.id.in_(device_ids), visible(self._scope))
        )
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def running_and_newest(self, device_id: int, newest: str | None) -> tuple[str | None, str | None]:
        """Text of what a gateway runs and of a version of it; None for what is not known."""
        state = await self._session.get(ConfigurationStateRow, device_id)
        names = {name for name in (state.running if state else None, newest) if name}
        query = select(ConfigurationVersion.hash, ConfigurationVersion.document).where(
            ConfigurationVersion.device_id == device_id, ConfigurationVersion.hash.in_(names)
        )
        texts = {row[0]: row[1] for row in await self._session.execute(query)}
        return texts.get(state.running or "") if state else None, texts.get(newest or "")
