"""Every query of the tree and of the gateways in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.devices import states
from cloud.domains.devices.filters import SILENT, has_slave, of_status
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import owned, visible, writable
from cloud.domains.projects.tree import Tally

AT_ONCE = 500
"""Numbers in one question."""


@dataclass(frozen=True)
class Member:
    """A gateway of a subtree. draft: hash of what would be deployed."""

    id: int
    title: str
    gateway_id: str
    online: bool
    draft: str | None
    writable: bool


class ProjectRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: Project) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def delete(self, row: Project) -> None:
        await self._session.delete(row)
        await self._session.flush()

    async def node(self, project_id: int) -> Project | None:
        query = select(Project).where(Project.id == project_id, self._seen)
        return (await self._session.scalars(query)).one_or_none()

    async def nodes(self, limit: int, below: str = "/") -> list[tuple[Project, str]]:
        """With the names of their owners, "" for the platform's; those near the top first. below: a path."""
        query = select(Project, User.user_name).outerjoin(User, Project.owner_id == User.id)
        query = query.where(self._seen, Project.path.startswith(below))
        query = query.order_by(func.length(Project.path), Project.place, Project.id)
        return [(row[0], row[1] or "") for row in await self._session.execute(query.limit(limit))]

    async def tallies(self) -> dict[int | None, Tally]:
        """Gateways that the scope sees, by the project that they are in."""
        alarm = and_(*of_status(states.ALARM))
        silent = and_(Device.online.is_(True), ~alarm, has_slave(*SILENT))
        query = select(
            Device.project_id,
            func.count(),
            func.sum(case((Device.online.is_(True), 1), else_=0)),
            func.sum(case((alarm, 1), else_=0)),
            func.sum(case((silent, 1), else_=0)),
        )
        query = query.where(visible(self._scope)).group_by(Device.project_id)
        return {
            project: Tally(*(int(count) for count in counts))
            for project, *counts in await self._session.execute(query)
        }

    async def lock(self, paths: Iterable[str]) -> None:
        """Rows on the way to these nodes: two moves never cross. Read what is decided on after this."""
        numbers = {int(part) for path in paths for part in path.split("/") if part}
        query = select(Project).where(Project.id.in_(numbers)).order_by(Project.id).with_for_update()
        await self._session.scalars(query.execution_options(populate_existing=True))

    async def children(self, parent_id: int | None, owner_id: int | None) -> list[Project]:
        """Of a node; at the top those of one owner."""
        query = select(Project).where(Project.parent_id == parent_id)
        if parent_id is None:
            mine = Project.owner_id.is_(None) if owner_id is None else Project.owner_id == owner_id
            query = select(Project).where(Project.parent_id.is_(None), mine)
        return list(await self._session.scalars(query.order_by(Project.place, Project.id)))

    async def subtree(self, path: str) -> list[Project]:
        """The node of a path with everything below it."""
        query = select(Project).where(Project.path.startswith(path), self._seen)
        return list(await self._session.scalars(query))

    async def owned_by(self, owner_id: int | None) -> int:
        """How many nodes a user has."""
        mine = Project.owner_id.is_(None) if owner_id is None else Project.owner_id == owner_id
        query = select(func.count()).select_from(Project).where(mine)
        return int((await self._session.execute(query)).scalar_one())

    async def rehang(self, old: str, new: str, owner_id: int | None) -> None:
        """A subtree's paths begin otherwise and belong to somebody else now."""
        path = literal(new).concat(func.substr(Project.path, len(old) + 1))
        below = update(Project).where(Project.path.startswith(old)).values(path=path, owner_id=owner_id)
        await self._session.execute(below.execution_options(synchronize_session=False))
        moved = select(Project).where(Project.path.startswith(new))
        await self._session.scalars(moved.execution_options(populate_existing=True))

    async def held(self, project_id: int) -> int:
        """Gateways that are in this very node."""
        query = select(func.count()).select_from(Device).where(Device.project_id == project_id)
        return int((await self._session.execute(query)).scalar_one())

    async def strange(self, path: str, owner_id: int | None) -> int:
        """Gateways in a subtree that belong to nobody below this user."""
        if owner_id is None:
            return 0
        above = select(User.path).where(User.id == owner_id).scalar_subquery()
        his = Device.owner_id.in_(select(User.id).where(User.path.startswith(above)))
        inside = Device.project_id.in_(select(Project.id).where(Project.path.startswith(path)))
        query = select(func.count()).select_from(Device).where(inside, func.coalesce(~his, True))
        return int((await self._session.execute(query)).scalar_one())

    async def put(self, device_ids: Collection[int], project_id: int | None) -> None:
        """Gateways into a project, or out of theirs."""
        numbers = list(device_ids)
        for start in range(0, len(numbers), AT_ONCE):
            part = update(Device).where(Device.id.in_(numbers[start : start + AT_ONCE]))
            await self._session.execute(part.values(project_id=project_id))

    async def empty_into(self, from_id: int, project_id: int | None) -> None:
        """Every gateway of a node goes elsewhere."""
        await self._session.execute(
            update(Device).where(Device.project_id == from_id).values(project_id=project_id)
        )

    async def gateways(self, device_ids: Collection[int]) -> dict[int, tuple[Device, bool, bool]]:
        """Of these those that the scope sees: the row, may it be changed, is it of him or somebody below."""
        by_device: dict[int, tuple[Device, bool, bool]] = {}
        numbers = list(device_ids)
        for start in range(0, len(numbers), AT_ONCE):
            part = numbers[start : start + AT_ONCE]
            query = select(
                Device,
                case((writable(self._scope), True), else_=False),
                case((owned(self._scope), True), else_=False),
            )
            rows = await self._session.execute(query.where(Device.id.in_(part), visible(self._scope)))
            by_device |= {row[0].id: (row[0], bool(row[1]), bool(row[2])) for row in rows}
        return by_device

    async def below(self, owner_id: int) -> set[int]:
        """A user with everybody below him."""
        above = select(User.path).where(User.id == owner_id).scalar_subquery()
        return set(await self._session.scalars(select(User.id).where(User.path.startswith(above))))

    async def members(self, path: str, limit: int) -> list[Member]:
        """Gateways of a subtree that the scope sees, by number."""
        inside = select(Project.id).where(Project.path.startswith(path), self._seen)
        query = select(
            Device.id,
            Device.display_title,
            Device.gateway_id,
            and_(Device.online, Device.asleep_until_ms.is_(None)),
            ConfigurationStateRow.draft,
            case((writable(self._scope), True), else_=False),
        )
        query = query.outerjoin(ConfigurationStateRow, ConfigurationStateRow.device_id == Device.id)
        query = query.where(Device.project_id.in_(inside), visible(self._scope))
        rows = await self._session.execute(query.order_by(Device.id).limit(limit))
        return [Member(row[0], row[1], row[2], bool(row[3]), row[4], bool(row[5])) for row in rows]

    @property
    def _seen(self) -> ColumnElement[bool]:
        return within(self._scope, Project.owner_id)
