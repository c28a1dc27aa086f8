"""The tree of templates and their versions.

Moving into a group of somebody else hands over what is moved.
"""

from __future__ import annotations

import logging

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.templates.content import GATEWAY, POINT
from cloud.domains.templates.link_repository import LinkRepository
from cloud.domains.templates.ready import READY, rows
from cloud.domains.templates.repository import Found, TemplateRepository
from cloud.domains.templates.schemas import (
    ChangeTemplate,
    CopyTemplate,
    CreateTemplate,
    MoveTemplate,
    ReadyTemplate,
    SaveVersion,
    TemplateDocument,
    TemplateRow,
    TemplateVersionDocument,
    TemplateVersionRow,
)
from cloud.domains.templates.tree import MAX_DEPTH, MAX_NODES, add_node, depth, full, group
from cloud.domains.templates.versions import document_of, keep_version, own, template, version_row
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

EMPTY: dict[str, TemplateDocument] = {
    POINT: {"points": []},
    GATEWAY: {"ports": [], "slaves": [], "points": [], "templates": {}, "defaults": {}},
}


class TemplateService:
    """A node belongs to whom its parent belongs to, at the top to who made it. Those above him change it too;
    those below him use what is shared. What the scope does not see is not found.
    """

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def nodes(self, scope: Scope, category: str) -> list[TemplateRow]:
        """The whole tree of a category, at most MAX_NODES."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, scope)
            return await _template_rows(repository, await repository.nodes(MAX_NODES, category=category))

    async def row(self, scope: Scope, template_id: int) -> TemplateRow:
        """A node as a list has it. Raises NotFound for one that the user does not see."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, scope)
            found = await repository.nodes(1, template_id=template_id)
            if not found:
                raise NotFound("template")
            return (await _template_rows(repository, found))[0]

    def ready(self, user: CurrentUser) -> list[ReadyTemplate]:
        """What the platform brings along."""
        return [
            ReadyTemplate(
                name=each.name,
                zh=each.zh,
                en=each.en,
                protocol=each.protocol,
                points=len(rows(each.name, "en")),
            )
            for each in READY.values()
        ]

    async def create(
        self, user: CurrentUser, body: CreateTemplate, document: TemplateDocument | None = None
    ) -> TemplateRow:
        """A node; a template begins with version 1 of this document, empty without one.

        Raises ParameterError for content that its kind does not have.
        """
        if body.kind == "group" and (body.protocol or body.source):
            raise ParameterError("kind", "a group has neither protocol nor content")
        if body.category == GATEWAY and body.protocol:
            raise ParameterError("protocol", "only a point template has one")
        async with self._database.session() as session:
            repository = TemplateRepository(session, user.scope)
            node = await add_node(repository, user, body, self._clock())
            if body.kind == "template":
                content = EMPTY[body.category] if document is None else document
                await keep_version(
                    repository, user, node, SaveVersion(document=content, base=0), self._clock()
                )
            await session.commit()
        record_change({}, {"title": body.title, "category": body.category, "kind": body.kind})
        log.info("template %d %r made by %s", node.id, body.title, user.name)
        return await self.row(user.scope, node.id)

    async def change(self, user: CurrentUser, template_id: int, body: ChangeTemplate) -> TemplateRow:
        """Title, remark, and whether those below may use it."""
        async with self._database.session() as session:
            repository = TemplateRepository(session, user.scope)
            node = await own(repository, template_id)
            before = {"title": node.title, "remark": node.remark, "shared": node.shared}
            for each in await repository.subtree(node) if body.shared is not None else ():
                each.shared = bool(body.shared)
            node.title = body.title if body.title is not None else node.title
            node.remark = body.remark if body.remark is not None else node.remark
            after = {"title": node.title, "remark": node.remark, "shared": node.shared}
            await session.commit()
        record_change(before, after)
        return await self.row(user.scope, template_id)

    async def move(self, user: CurrentUser, template_id: int, body: MoveTemplate) -> TemplateRow:
        """Under another group of the same category; what is moved then belongs to that group's owner.

        Raises Conflict when the tree would be too deep, too large or a circle.
        """
        async with self._database.session() as session:
            repository = TemplateRepository(session, user.scope)
            node = await own(repository, template_id)
            parent = await group(repository, body.parent_id, node.category)
            below = await repository.subtree(node)
            if parent is not None and parent.path.startswith(node.path):
                raise Conflict("a group cannot be put into itself", reason="template.into_itself")
            height = max(each.path.count("/") for each in below) - node.path.count("/") + 1
            if height + (depth(parent)) > MAX_DEPTH:
                raise Conflict(f"at most {MAX_DEPTH} levels", reason="template.too_deep")
            owner = node.owner_id if parent is None else parent.owner_id
            if owner != node.owner_id and await repository.count_of(owner) + len(below) > MAX_NODES:
                raise full()
            node.parent_id = None if parent is None else parent.id
            await repository.flush()
            await repository.move(node, f"{parent.path if parent else '/'}{node.id}/", owner_id=owner)
            others = [
                each.id
                for each in await repository.children(node.parent_id, node.category, owner)
                if each.id != node.id
            ]
            others.insert(len(others) if body.place is None else body.place, node.id)
            await repository.order(others)
            await session.commit()
        record_change({}, {"parent_id": body.parent_id, "place": body.place})
        return await self.row(user.scope, template_id)

    async def copy(self, user: CurrentUser, template_id: int, body: CopyTemplate) -> TemplateRow:
        """A template of the user's own with the newest version's content."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node = await template(repository, template_id)
            document = await document_of(repository, template_id, node.newest)
            mine = bool(await repository.changeable([node.parent_id])) if node.parent_id else False
        parent_id = body.parent_id if body.parent_id is not None else (node.parent_id if mine else None)
        made = CreateTemplate(
            category="gateway" if node.category == GATEWAY else "point",
            title=body.title,
            parent_id=parent_id,
            protocol=node.protocol,
            remark=node.remark,
        )
        return await self.create(user, made, document)

    async def remove(self, user: CurrentUser, template_id: int, *, detach: bool) -> None:
        """Conflict for a group that holds something, for a point template that gateway templates name, and
        for one that gateways use, unless detach: their rows then become their own.
        """
        async with self._database.session() as session:
            repository = TemplateRepository(session, user.scope)
            node = await own(repository, template_id)
            if len(await repository.subtree(node)) > 1:
                raise Conflict("the group is not empty", reason="template.group_full")
            if titles := await repository.naming(template_id, 5):
                names = ", ".join(titles)
                raise Conflict(
                    f"gateway templates name it: {names}",
                    reason="template.named",
                    arguments={"titles": names},
                )
            used = await _uses(session, template_id)
            if used and not detach:
                raise Conflict(
                    "gateways use it",
                    field="detach",
                    rule="true",
                    reason="template.in_use",
                    arguments={"count": used},
                )
            await repository.delete(node)
            await session.commit()
        record_change({"title": node.title}, {})
        log.info("template %d %r removed by %s", template_id, node.title, user.name)

    async def versions(
        self, scope: Scope, template_id: int, page: int, limit: int
    ) -> Page[TemplateVersionRow]:
        """The newest first."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, scope)
            await template(repository, template_id)
            found, total = await repository.versions(template_id, page, limit)
        return Page(rows=[version_row(each) for each in found], total=total)

    async def version(self, scope: Scope, template_id: int, number: int) -> TemplateVersionDocument:
        """A version with its document. Raises NotFound without such a version."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, scope)
            await template(repository, template_id)
            found = await repository.version(template_id, number)
            if found is None:
                raise NotFound("version")
            document = await document_of(repository, template_id, number)
        return TemplateVersionDocument(version=version_row(found), document=document)

    async def save(self, user: CurrentUser, template_id: int, body: SaveVersion) -> TemplateVersionRow:
        """A new version, or the newest when nothing differs. Conflict when somebody was faster.

        Raises NotFound for a group.
        """
        async with self._database.session() as session:
            repository = TemplateRepository(session, user.scope)
            node = await own(repository, template_id)
            if node.kind != "template":
                raise NotFound("template")
            row = await keep_version(repository, user, node, body, self._clock())
            await session.commit()
        record_change({"version": body.base}, {"version": row.number})
        return version_row(row)


async def _template_rows(repository: TemplateRepository, nodes: list[Found]) -> list[TemplateRow]:
    mine = await repository.changeable({node.id for node, *_ in nodes})
    parents = await repository.among({node.parent_id for node, *_ in nodes if node.parent_id is not None})
    return [
        TemplateRow(
            template_id=node.id,
            parent_id=node.parent_id if node.parent_id in parents else None,
            kind="group" if node.kind == "group" else "template",
            category="gateway" if node.category == GATEWAY else "point",
            title=node.title,
            protocol=node.protocol,
            remark=node.remark,
            owner=owner or "",
            shared=node.shared,
            writes=node.id in mine,
            place=node.place,
            newest=node.newest,
            points=points or 0,
            slaves=slaves or 0,
            created_ms=node.created_ms,
        )
        for node, owner, points, slaves in nodes
    ]


async def _uses(session: AsyncSession, template_id: int) -> int:
    """How many gateways use it, whoever sees them."""
    links = LinkRepository(session, Scope.system())
    found = await links.in_force(await links.candidates(template_id))
    return sum(any(each.template_id == template_id for each in used.values()) for used in found.values())
