"""Templates made from something: a ready one, what a gateway has, or a file; and written to a file."""

from __future__ import annotations

import asyncio
import logging

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.rows import row_of
from cloud.domains.templates.content import (
    GATEWAY,
    POINT,
    Reference,
    off_slave,
    references_of,
    without_secrets,
)
from cloud.domains.templates.drafts import OpenedDraft
from cloud.domains.templates.link_repository import Links
from cloud.domains.templates.merge import overrides_of
from cloud.domains.templates.ready import READY, rows
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.schemas import (
    CreateTemplate,
    ImportTemplate,
    PointTemplateFile,
    SaveVersion,
    Source,
    TemplateDocument,
    TemplateFile,
    TemplateRow,
)
from cloud.domains.templates.service import TemplateService
from cloud.domains.templates.tree import add_node
from cloud.domains.templates.using import UsingService
from cloud.domains.templates.version_cache import VersionCache
from cloud.domains.templates.versions import document_of, keep_version, template
from cloud.errors import NoPermission, ParameterError
from edge_contract.document.rows import rows_of

log = logging.getLogger(__name__)


class MakingService:
    """What is read from a gateway needs only that the user sees it; secrets stay behind."""

    def __init__(
        self, database: Database, templates: TemplateService, using: UsingService, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._templates = templates
        self._using = using
        self._clock = clock

    async def create(self, user: CurrentUser, body: CreateTemplate) -> TemplateRow:
        """A node of the tree, with what its source has.

        Raises ParameterError for a source that does not fit, NoPermission when its link may not be made.
        """
        source = body.source
        if source is None:
            return await self._templates.create(user, body)
        if source.ready is not None:
            return await self._from_ready(user, body, source)
        if source.device_id is None:
            raise ParameterError("source", "ready or device_id")
        if (source.slave is not None) != (body.category == POINT):
            raise ParameterError("source.slave", "of a point template, and only there")
        if source.link and not user.may("DeviceManage"):
            raise NoPermission("DeviceManage")
        opened = await self._using.source(user, source.device_id)
        if source.slave is not None:
            slave = row_of(opened.document, "slaves", (source.slave,))
            points = [row for row in rows_of(opened.document, "points") if row.get("slave") == source.slave]
            document: TemplateDocument = {"points": [without_secrets(row) for row in off_slave(points)]}
            body = body.model_copy(update={"protocol": str(slave.get("protocol", ""))[:64], "source": None})
        else:
            document = await self._of_gateway(user, opened)
            body = body.model_copy(update={"source": None})
        made = await self._templates.create(user, body, document)
        if source.link:
            links: Links = {source.slave or "": Reference(made.template_id, 1)}
            await self._using.adopt(user, source.device_id, links)
        return made

    async def export(self, user: CurrentUser, template_id: int) -> TemplateFile:
        """The newest version, with the point templates that it names."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node = await template(repository, template_id)
            document = await document_of(repository, template_id, node.newest)
            named: dict[str, PointTemplateFile] = {}
            for slave, each in references_of(document).items():
                key = f"{each.template_id}-{each.number}"
                if key not in named:
                    other = await repository.node(each.template_id)
                    named[key] = PointTemplateFile(
                        title=other.title if other else f"{node.title} {slave}"[:100],
                        protocol=other.protocol if other else "",
                        document=await document_of(repository, each.template_id, each.number),
                        slaves=[],
                    )
                named[key].slaves.append(slave)
        return TemplateFile(
            category="gateway" if node.category == GATEWAY else "point",
            title=node.title,
            protocol=node.protocol,
            remark=node.remark,
            document={name: part for name, part in document.items() if name != "templates"},
            templates=named,
        )

    async def from_file(self, user: CurrentUser, body: ImportTemplate) -> TemplateRow:
        """All of a file or nothing. Point templates in a gateway template's file go to the top of the
        tree.

        Raises ParameterError for a file of another form.
        """
        file = body.file
        if file.category == POINT and file.templates:
            raise ParameterError("file.templates", "only a gateway template names others")
        if "templates" in file.document:
            raise ParameterError("file.document.templates", "stands beside the document")
        now = self._clock()
        async with self._database.session() as session:
            repository = TemplateRepository(session, user.scope)
            document = dict(file.document)
            named: dict[str, dict[str, int]] = {}
            for each in file.templates.values():
                words = CreateTemplate(category="point", title=each.title, protocol=each.protocol)
                node = await add_node(repository, user, words, now)
                await keep_version(repository, user, node, SaveVersion(document=each.document, base=0), now)
                named |= {slave: {"template_id": node.id, "version": 1} for slave in each.slaves}
            if file.category == GATEWAY:
                document["templates"] = named
            words = CreateTemplate(
                category=file.category,
                title=body.title or file.title,
                parent_id=body.parent_id,
                protocol=file.protocol if file.category == POINT else "",
                remark=file.remark,
            )
            node = await add_node(repository, user, words, now)
            await keep_version(repository, user, node, SaveVersion(document=document, base=0), now)
            await session.commit()
        record_change({}, {"title": node.title, "category": node.category})
        log.info("template %d %r imported by %s", node.id, node.title, user.name)
        return await self._templates.row(user.scope, node.id)

    async def _from_ready(self, user: CurrentUser, body: CreateTemplate, source: Source) -> TemplateRow:
        ready = READY.get(source.ready or "")
        if ready is None or body.category != POINT:
            raise ParameterError("source.ready", f"one of {', '.join(READY)}, of a point template")
        points = await asyncio.to_thread(rows, ready.name, source.language)
        body = body.model_copy(update={"protocol": ready.protocol, "source": None})
        return await self._templates.create(user, body, {"points": points})

    async def _of_gateway(self, user: CurrentUser, opened: OpenedDraft) -> TemplateDocument:
        """Slaves whose points are a visible point template's, unchanged, name it; others have rows of their
        own.
        """
        points = rows_of(opened.document, "points")
        slaves = rows_of(opened.document, "slaves")
        named: dict[str, dict[str, int]] = {}
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            versions = VersionCache(repository)
            for slave, link in opened.links.items():
                if not slave or await repository.node(link.template_id) is None:
                    continue
                here = [row for row in points if row.get("slave") == slave]
                differs = overrides_of(await versions.points(link, slave), here)
                if not differs.count() and not differs.own:
                    named[slave] = {"template_id": link.template_id, "version": link.number}
        own = [row for row in points if row.get("slave") not in named]
        return {
            "ports": [without_secrets(row) for row in rows_of(opened.document, "ports")],
            "slaves": [without_secrets(row) for row in slaves],
            "points": [without_secrets(row) for row in own],
            "templates": named,
            "defaults": {},
        }
