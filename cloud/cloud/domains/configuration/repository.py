"""Every query of configurations and deployments."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.configuration.models import (
    ConfigurationStateRow,
    ConfigurationVersion,
    Deployment,
    DeploymentReceipt,
)
from cloud.domains.configuration.states import OPEN, SENT, DeploymentState
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen


class DeployRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: ConfigurationVersion | Deployment | DeploymentReceipt) -> None:
        self._session.add(row)

    async def locked(self, device_id: int) -> ConfigurationStateRow:
        """The configuration state of a gateway, made when missing. Every change of this domain takes this
        lock first.
        """
        table: Any = ConfigurationStateRow.__table__
        on_postgresql = self._session.get_bind().dialect.name == "postgresql"
        insert: Any = postgresql.insert(table) if on_postgresql else sqlite.insert(table)
        await self._session.execute(insert.values(device_id=device_id).on_conflict_do_nothing())
        query = (
            select(ConfigurationStateRow)
            .where(ConfigurationStateRow.device_id == device_id)
            .with_for_update()
        )
        return (await self._session.scalars(query)).one()

    async def config_state(self, device_id: int) -> ConfigurationStateRow | None:
        query = select(ConfigurationStateRow).where(
            ConfigurationStateRow.device_id == device_id, seen(self._scope, ConfigurationStateRow.device_id)
        )
        return (await self._session.scalars(query)).one_or_none()

    async def unexplained(self, limit: int) -> list[int]:
        """Gateways that run something of which the cloud does not know who made it."""
        query = select(ConfigurationStateRow.device_id).where(
            ConfigurationStateRow.running.is_not(None), ConfigurationStateRow.origin.is_(None)
        )
        return list(await self._session.scalars(query.order_by(ConfigurationStateRow.device_id).limit(limit)))

    async def to_rebase(self, behind: int, limit: int) -> list[tuple[int, str, str, str]]:
        """Gateways with numbers behind this one that run a document which is here and which their draft was
        not made from, nor visibly rebased onto; with that draft, what runs, and the newest version.
        """
        query = (
            select(
                ConfigurationStateRow.device_id,
                ConfigurationStateRow.draft,
                ConfigurationStateRow.running,
                ConfigurationStateRow.newest,
            )
            .join(
                ConfigurationVersion,
                and_(
                    ConfigurationVersion.device_id == ConfigurationStateRow.device_id,
                    ConfigurationVersion.hash == ConfigurationStateRow.running,
                ),
            )
            .where(
                ConfigurationStateRow.device_id > behind,
                ConfigurationStateRow.draft.is_not(None),
                ConfigurationStateRow.draft != ConfigurationStateRow.running,
                or_(
                    ConfigurationStateRow.draft_base.is_(None),
                    ConfigurationStateRow.draft_base != ConfigurationStateRow.running,
                ),
                or_(
                    ConfigurationStateRow.newest == ConfigurationStateRow.draft,
                    ConfigurationStateRow.newest == ConfigurationStateRow.running,
                ),
            )
        )
        rows = await self._session.execute(query.order_by(ConfigurationStateRow.device_id).limit(limit))
        return [(row[0], str(row[1]), str(row[2]), str(row[3])) for row in rows]

    async def version(self, device_id: int, name: str) -> ConfigurationVersion | None:
        query = select(ConfigurationVersion).where(
            self._versions_of(device_id), ConfigurationVersion.hash == name
        )
        return (await self._session.scalars(query)).one_or_none()

    async def document(self, device_id: int, name: str) -> str | None:
        """Canonical JSON of a version."""
        query = select(ConfigurationVersion.document).where(
            self._versions_of(device_id), ConfigurationVersion.hash == name
        )
        return (await self._session.scalars(query)).one_or_none()

    async def versions(self, device_id: int, page: int, limit: int) -> tuple[list[ConfigurationVersion], int]:
        """Newest first, without their documents, and how many there are."""
        mine = self._versions_of(device_id)
        total = select(func.count()).select_from(ConfigurationVersion).where(mine)
        query = select(ConfigurationVersion).where(mine).order_by(ConfigurationVersion.id.desc())
        rows = await self._session.scalars(query.offset((page - 1) * limit).limit(limit))
        return list(rows), int((await self._session.execute(total)).scalar_one())

    async def forget_versions(self, device_id: int, keep: int, needed: set[str]) -> None:
        """Delete all but the newest so many and those that are needed."""
        mine = ConfigurationVersion.device_id == device_id
        query = select(ConfigurationVersion.id).where(mine, ConfigurationVersion.hash.not_in(needed))
        old = list(await self._session.scalars(query.order_by(ConfigurationVersion.id.desc()).offset(keep)))
        if old:
            await self._session.execute(delete(ConfigurationVersion).where(ConfigurationVersion.id.in_(old)))

    async def deployment(self, deployment_id: str) -> Deployment | None:
        query = select(Deployment).where(Deployment.id == deployment_id, self._seen)
        return (await self._session.scalars(query.execution_options(populate_existing=True))).one_or_none()

    async def latest(self, device_id: int, name: str | None = None) -> Deployment | None:
        """The deployment, not check, on trial or under way, else the last; with a name, of that version."""
        query = select(Deployment).where(*self._deployments_of(device_id))
        if name is not None:
            query = query.where(Deployment.hash == name)
        on_trial = Deployment.state == DeploymentState.SWITCHED.value
        order = (case((on_trial, 0), (Deployment.state.in_(_OPEN), 1), else_=2), *_newest_first)
        return (await self._session.scalars(query.order_by(*order).limit(1))).one_or_none()

    async def unfinished(self, device_id: int) -> list[Deployment]:
        """Deployments, not checks, that may still change what runs."""
        query = select(Deployment).where(
            Deployment.device_id == device_id,
            Deployment.check_only.is_(False),
            Deployment.state.in_(_OPEN),
        )
        return list(await self._session.scalars(query))

    async def page(self, device_id: int, page: int, limit: int) -> tuple[list[Deployment], int]:
        """Deployments without checks, newest first, and how many there are."""
        mine = self._deployments_of(device_id)
        total = select(func.count()).select_from(Deployment).where(*mine)
        query = select(Deployment).where(*mine).order_by(*_newest_first)
        rows = await self._session.scalars(query.offset((page - 1) * limit).limit(limit))
        return list(rows), int((await self._session.execute(total)).scalar_one())

    async def tasks(
        self, page: int, limit: int, search: str, is_open: bool | None
    ) -> tuple[list[tuple[Deployment, Device]], int]:
        """Deployments of all gateways without checks, newest first, and how many match."""
        query = select(Deployment, Device).join(Device, Deployment.device_id == Device.id)
        query = query.where(Deployment.check_only.is_(False), self._seen)
        if search:
            columns = (Device.display_title, Device.gateway_id, Deployment.user_name)
            query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        if is_open is not None:
            query = query.where(Deployment.state.in_(_OPEN) if is_open else Deployment.state.not_in(_OPEN))
        counted = select(func.count()).select_from(query.with_only_columns(Deployment.id).subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        rows = await self._session.execute(
            query.order_by(*_newest_first).offset((page - 1) * limit).limit(limit)
        )
        return [(row[0], row[1]) for row in rows], total

    async def receipts(self, deployment_id: str) -> list[DeploymentReceipt]:
        query = select(DeploymentReceipt).where(DeploymentReceipt.deployment_id == deployment_id)
        return list(await self._session.scalars(query))

    async def receipt(self, deployment_id: str, step: str) -> DeploymentReceipt | None:
        return await self._session.get(DeploymentReceipt, (deployment_id, step))

    async def past_expiry(self, now_ms: int, limit: int) -> list[Deployment]:
        """Unfinished deployments and checks whose expiry has passed."""
        query = select(Deployment).where(Deployment.state.in_(_OPEN), Deployment.expires_ms < now_ms)
        return list(await self._session.scalars(query.order_by(Deployment.expires_ms).limit(limit)))

    async def to_reach(self, behind: str, now_ms: int, limit: int) -> list[Deployment]:
        """Of online gateways, with ids behind this one: deployments that wait to be sent, and those that were
        and have not ended.
        """
        waits = and_(Deployment.state == DeploymentState.CREATED.value, Deployment.wait.is_(True))
        query = (
            select(Deployment)
            .join(Device, Deployment.device_id == Device.id)
            .where(
                Device.online.is_(True),
                Device.asleep_until_ms.is_(None),
                Deployment.id > behind,
                Deployment.check_only.is_(False),
                Deployment.expires_ms > now_ms,
                or_(waits, Deployment.state.in_([state.value for state in SENT])),
            )
        )
        return list(await self._session.scalars(query.order_by(Deployment.id).limit(limit)))

    @property
    def _seen(self) -> ColumnElement[bool]:
        return seen(self._scope, Deployment.device_id)

    def _deployments_of(self, device_id: int) -> tuple[ColumnElement[bool], ...]:
        """Those of a gateway that were more than a check."""
        return (Deployment.device_id == device_id, Deployment.check_only.is_(False), self._seen)

    def _versions_of(self, device_id: int) -> ColumnElement[bool]:
        mine = ConfigurationVersion.device_id == device_id
        return and_(mine, seen(self._scope, ConfigurationVersion.device_id))


_OPEN = [state.value for state in OPEN]
_newest_first = (Deployment.created_ms.desc(), Deployment.id)
