"""The tree of projects: seen, made, changed, moved, deleted."""

from __future__ import annotations

import logging

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.identity.limits import ResourceLimits
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.ownership import user_limits
from cloud.domains.inventory.project_models import Project
from cloud.domains.projects.repository import ProjectRepository
from cloud.domains.projects.schemas import (
    GatewayCounts,
    MoveBody,
    NodeKind,
    ProjectBody,
    ProjectChange,
    ProjectNode,
    ProjectTree,
)
from cloud.domains.projects.tree import MAX_DEPTH, Tally, depth_of, ordered, placed, rolled_up
from cloud.errors import Conflict, NotFound, ParameterError, Thing

log = logging.getLogger(__name__)

MAX_LISTED = 5000
MAX_OF_OWNER = 1000

NOWHERE = 0
"""As move_to of a deletion: nodes go to the top, gateways into no project."""


class ProjectService:
    """What the user does not see is not found, as if it were not there."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def tree(self, user: CurrentUser) -> ProjectTree:
        """Every node that the user sees, with its gateways that he sees."""
        async with self._database.reading() as session:
            repository = ProjectRepository(session, user.scope)
            found = await repository.nodes(MAX_LISTED + 1)
            tallies = await repository.tallies()
        names = {node.id: name for node, name in found[:MAX_LISTED]}
        nodes = [node for node, _ in found[:MAX_LISTED]]
        own = {number: tally for number, tally in tallies.items() if number is not None}
        totals = rolled_up(nodes, own)
        return ProjectTree(
            nodes=[
                _node(node, names[node.id], totals.get(node.id, Tally()), names) for node in ordered(nodes)
            ],
            none=_counts(tallies.get(None, Tally())),
            truncated=len(found) > MAX_LISTED,
        )

    async def add(self, user: CurrentUser, body: ProjectBody) -> ProjectNode:
        """A new node, the last of its siblings. It belongs to whose its parent is, at the top to the user.

        Raises Conflict when the owner has as many as one may have.
        """
        async with self._database.session() as session:
            repository, limits = ProjectRepository(session, user.scope), user_limits(session, user.scope)
            await limits.lock()
            parent = await self._group(repository, body.parent_id)
            owner_id = (None if user.scope.everything else user.id) if parent is None else parent.owner_id
            if await repository.owned_by(owner_id) >= MAX_OF_OWNER:
                raise Conflict(
                    f"at most {MAX_OF_OWNER} projects and groups of one user",
                    reason="project.too_many",
                    arguments={"most": MAX_OF_OWNER},
                )
            if body.kind == NodeKind.PROJECT:
                await limits.take("projects", owner_id)
            if parent is not None:
                await repository.lock([parent.path])
                _check_depth(depth_of(parent.path) + 1)
            siblings = await repository.children(body.parent_id, owner_id)
            node = Project(
                parent_id=body.parent_id,
                kind=body.kind.value,
                title=body.title,
                remark=body.remark,
                owner_id=owner_id,
                place=siblings[-1].place + 1 if siblings else 0,
                created_ms=self._clock(),
            )
            repository.add(node)
            await repository.flush()
            node.path = f"{parent.path if parent else '/'}{node.id}/"
            await session.commit()
        log.info("%s %d added by %s", node.kind, node.id, user.name)
        record_change({}, _fields(node))
        return await self.node(user, node.id)

    async def change(self, user: CurrentUser, project_id: int, body: ProjectChange) -> ProjectNode:
        """Another title or remark."""
        async with self._database.session() as session:
            node = await _existing(ProjectRepository(session, user.scope), project_id)
            before = _fields(node)
            for name, value in body.model_dump(exclude_none=True).items():
                setattr(node, name, value)
            await session.commit()
        record_change(before, _fields(node))
        return await self.node(user, project_id)

    async def move(self, user: CurrentUser, project_id: int, body: MoveBody) -> ProjectNode:
        """Elsewhere in the tree, with everything below. Into a tree of another owner it becomes his: Conflict
        when it holds gateways that he does not see.
        """
        async with self._database.session() as session:
            repository, limits = ProjectRepository(session, user.scope), user_limits(session, user.scope)
            await limits.lock()
            node = await _existing(repository, project_id)
            parent = await self._group(repository, body.parent_id)
            await repository.lock([node.path, parent.path if parent else "/"])
            before = _fields(node)
            await self._rehang(repository, limits, node, parent)
            siblings = await repository.children(body.parent_id, node.owner_id)
            order = placed([one.id for one in siblings], node.id, body.place)
            rank = {number: place for place, number in enumerate(order)}
            for sibling in siblings:
                sibling.place = rank[sibling.id]
            await session.commit()
        log.info("%s %d moved by %s", node.kind, project_id, user.name)
        record_change(before, _fields(node))
        return await self.node(user, project_id)

    async def delete(self, user: CurrentUser, project_id: int, move_to: int | None) -> None:
        """Conflict while it holds something, unless move_to says where that goes: a project takes gateways, a
        group takes nodes, NOWHERE is the top or no project.

        Raises ParameterError when move_to is what is deleted.
        """
        async with self._database.session() as session:
            repository, limits = ProjectRepository(session, user.scope), user_limits(session, user.scope)
            await limits.lock()
            node = await _existing(repository, project_id)
            if move_to == project_id:
                raise ParameterError("move_to", "not what is deleted", reason="project.circle")
            target = await _existing(repository, move_to, "move_to") if move_to else None
            await repository.lock([node.path, target.path if target else "/"])
            children = await repository.children(node.id, node.owner_id)
            devices = await repository.held(node.id)
            if (children or devices) and move_to is None:
                raise Conflict(
                    f"it holds {len(children)} nodes and {devices} gateways",
                    reason="project.not_empty",
                    arguments={"nodes": len(children), "devices": devices},
                )
            if children:
                await self._empty(repository, limits, children, _takes(target, NodeKind.GROUP))
            if devices:
                await self._hand_over(repository, node, _takes(target, NodeKind.PROJECT))
            node = await _existing(repository, project_id)
            before = _fields(node)
            await repository.delete(node)
            await session.commit()
        log.info("%s %d deleted by %s", node.kind, project_id, user.name)
        record_change(before, {})

    async def node(self, user: CurrentUser, project_id: int) -> ProjectNode:
        """One node with its counts."""
        async with self._database.reading() as session:
            repository = ProjectRepository(session, user.scope)
            node = await _existing(repository, project_id)
            found = await repository.nodes(MAX_LISTED, node.path)
            tallies = await repository.tallies()
            parent = None if node.parent_id is None else await repository.node(node.parent_id)
        own = {number: tally for number, tally in tallies.items() if number is not None}
        totals = rolled_up([each for each, _ in found], own)
        names = {each.id: name for each, name in found}
        known = names if parent is None else {**names, parent.id: ""}
        return _node(node, names[node.id], totals.get(node.id, Tally()), known)

    async def _group(self, repository: ProjectRepository, parent_id: int | None) -> Project | None:
        if parent_id is None:
            return None
        return _takes(await _existing(repository, parent_id), NodeKind.GROUP, "parent_id")

    async def _rehang(
        self, repository: ProjectRepository, limits: ResourceLimits, node: Project, parent: Project | None
    ) -> None:
        """Below another node, or at the top, where it stays its owner's."""
        if node.parent_id == (parent.id if parent else None):
            return
        if parent is not None and parent.path.startswith(node.path):
            raise ParameterError("parent_id", "not the node itself nor one below it", reason="project.circle")
        above = parent.path if parent else "/"
        owner_id = parent.owner_id if parent else node.owner_id
        moved = await repository.subtree(node.path)
        deepest = max(depth_of(one.path) for one in moved)
        _check_depth(depth_of(above) + deepest - depth_of(node.path) + 1)
        if owner_id != node.owner_id and (strange := await repository.strange(node.path, owner_id)):
            raise Conflict(
                f"{strange} gateways in it are of nobody below the other tree's owner",
                reason="project.strange_devices",
                arguments={"devices": strange},
            )
        if owner_id != node.owner_id:
            projects = sum(one.kind == NodeKind.PROJECT for one in moved)
            await limits.take("projects", owner_id, projects, was=node.owner_id)
        old = node.path
        node.parent_id = parent.id if parent else None
        await repository.flush()
        await repository.rehang(old, f"{above}{node.id}/", owner_id)

    async def _empty(
        self,
        repository: ProjectRepository,
        limits: ResourceLimits,
        children: list[Project],
        target: Project | None,
    ) -> None:
        places = await repository.children(target.id if target else None, children[0].owner_id)
        place = places[-1].place + 1 if places else 0
        numbers = [child.id for child in children]
        for offset, number in enumerate(numbers):
            child = await _existing(repository, number)
            await self._rehang(repository, limits, child, target)
            child.place = place + offset
            await repository.flush()

    async def _hand_over(self, repository: ProjectRepository, node: Project, target: Project | None) -> None:
        if target is not None and (strange := await repository.strange(node.path, target.owner_id)):
            raise Conflict(
                f"{strange} gateways in it are of nobody below the other project's owner",
                reason="project.strange_devices",
                arguments={"devices": strange},
            )
        await repository.empty_into(node.id, target.id if target else None)


async def _existing(repository: ProjectRepository, project_id: int, what: Thing = "project") -> Project:
    node = await repository.node(project_id)
    if node is None:
        raise NotFound(what)
    return node


def _takes(node: Project | None, kind: NodeKind, field: str = "move_to") -> Project | None:
    if node is not None and node.kind != kind:
        raise ParameterError(field, f"a {kind.value}", reason=f"project.no_{kind.value}")
    return node


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Conflict(
            f"at most {MAX_DEPTH} levels", reason="project.too_deep", arguments={"most": MAX_DEPTH}
        )


def _counts(tally: Tally) -> GatewayCounts:
    return GatewayCounts(devices=tally.devices, online=tally.online, alarm=tally.alarm, silent=tally.silent)


def _node(node: Project, owner: str, tally: Tally, known: dict[int, str]) -> ProjectNode:
    return ProjectNode(
        id=node.id,
        parent_id=node.parent_id if node.parent_id in known else None,
        kind=NodeKind(node.kind),
        title=node.title,
        remark=node.remark,
        owner_id=node.owner_id,
        owner_name=owner,
        place=node.place,
        created_ms=node.created_ms,
        **_counts(tally).model_dump(),
    )


def _fields(node: Project) -> dict[str, int | str | None]:
    """What a change may name."""
    return {name: getattr(node, name) for name in ("kind", "title", "remark", "parent_id", "place")}
