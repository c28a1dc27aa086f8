"""One gateway and its templates: put in, listed, detached; and how each gateway differs from a template.

A point may leave the template of its slave (template_own_point): its row is the gateway's own then, as long
as it is there; `attach` takes that back. A linked template that the user does not see is listed without its
title.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

from cloud.core.changes import record_change
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.rows import row_of, with_rows
from cloud.domains.templates.apply_plan import refuse_protocol
from cloud.domains.templates.applying import used_by, wanted_version
from cloud.domains.templates.content import GATEWAY, POINT, Reference
from cloud.domains.templates.drafts import OpenedDraft, Plan, TemplateDrafts
from cloud.domains.templates.link_repository import LinkRepository, Links
from cloud.domains.templates.planning import Planned, planned
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.schemas import (
    Applied,
    Attach,
    Detach,
    GatewayLink,
    Instantiate,
    Override,
    UsageRow,
    UsePointTemplate,
)
from cloud.domains.templates.usage import usage_of, usages
from cloud.domains.templates.version_cache import VersionCache
from cloud.domains.templates.versions import template
from cloud.errors import NoPermission, NotFound, ParameterError
from edge_contract.deployment import Document
from edge_contract.document.rows import Key, rows_of
from edge_contract.document.values import flat, nested


class UsingService:
    """Changes of a gateway need one that the user may change; drafts only, never what runs."""

    def __init__(self, database: Database, devices: DeviceService, drafts: TemplateDrafts) -> None:
        self._database = database
        self._devices = devices
        self._drafts = drafts

    async def links(self, scope: Scope, device_id: int) -> list[GatewayLink]:
        """What a gateway's draft uses."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            used = (await LinkRepository(session, scope).in_force([device_id]))[device_id]
            repository = TemplateRepository(session, scope)
            nodes = {each.template_id: await repository.node(each.template_id) for each in used.values()}
        rows = []
        for slave, each in sorted(used.items()):
            node = nodes[each.template_id]
            title, newest = (node.title, node.newest) if node else (None, None)
            rows.append(
                GatewayLink(
                    slave=slave,
                    template_id=each.template_id,
                    title=title,
                    version=each.number,
                    newest=newest,
                    own=sorted(each.own),
                )
            )
        return rows

    async def usage(self, user: CurrentUser, template_id: int, page: int, limit: int) -> Page[UsageRow]:
        """Gateways that use a template, with what they have otherwise."""
        async with self._database.reading() as session:
            node = await template(TemplateRepository(session, user.scope), template_id)
            links = LinkRepository(session, user.scope)
            using = await used_by(links, template_id)
            gateways = await links.gateways(using)
            shown = gateways[(page - 1) * limit : page * limit]
            writable = await links.writable([each.device_id for each in shown])
            versions = VersionCache(TemplateRepository(session, user.scope))
            rows = []
            for gateway in shown:
                opened = await self._drafts.opened(session, user, gateway.device_id, gateway.gateway)
                rows.append(
                    UsageRow(
                        device_id=gateway.device_id,
                        device_title=gateway.title,
                        gateway_id=gateway.gateway,
                        writes=gateway.device_id in writable,
                        slaves=await usages(node.id, node.category, opened, versions),
                    )
                )
        return Page(rows=rows, total=len(gateways))

    async def instantiate(self, user: CurrentUser, device_id: int, body: Instantiate) -> Applied:
        """Put a gateway template into a draft with the gateway's own values over it."""
        await self._devices.changeable(user, device_id)
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node, wanted = await wanted_version(repository, body.gateway_template_id, body.version, GATEWAY)

        async def plan(opened: OpenedDraft, versions: VersionCache) -> Planned:
            steps, frame = await versions.gateway_steps(opened.links, wanted)
            made = await asyncio.to_thread(
                lambda: planned(opened.document, opened.links, steps, frame, keep=True)
            )
            document = with_values(made.document, body.values)
            return Planned(document, made.links, made.outcomes)

        return await self._apply(user, device_id, plan, _note(node.title, wanted))

    async def use_points(self, user: CurrentUser, device_id: int, body: UsePointTemplate) -> Applied:
        """Put a point template into a slave; points that it has of its own stay."""
        await self._devices.changeable(user, device_id)
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node, wanted = await wanted_version(repository, body.point_template_id, body.version, POINT)

        async def plan(opened: OpenedDraft, versions: VersionCache) -> Planned:
            refuse_protocol(node, row_of(opened.document, "slaves", (body.slave,)))
            step = await versions.slave_step(body.slave, opened.links, wanted)
            return await asyncio.to_thread(
                lambda: planned(opened.document, opened.links, [step], None, keep=body.keep_overrides)
            )

        return await self._apply(user, device_id, plan, _note(node.title, wanted))

    async def detach(self, user: CurrentUser, device_id: int, body: Detach) -> Applied:
        """The rows stay and become the gateway's own; NotFound when it uses none, or has no such point.

        Raises ParameterError for single points of a whole gateway.
        """
        slave = body.slave or ""
        if body.points is not None and not slave:
            raise ParameterError("points", "only of a slave")

        async def plan(opened: OpenedDraft, versions: VersionCache) -> Planned:
            """Raises NotFound when the slave uses no template."""
            if slave not in opened.links:
                raise NotFound("template")
            links = {name: each for name, each in opened.links.items() if name != slave}
            if body.points is not None:
                link = opened.links[slave]
                own = link.own | _points_there(opened.document, slave, body.points)
                links[slave] = replace(link, own=own)
            return Planned(opened.document, links)

        return await self._apply(user, device_id, plan, "")

    async def attach(self, user: CurrentUser, device_id: int, body: Attach) -> Applied:
        """Let rows that are there count as made with a version, as before they were detached.

        Raises ParameterError for own points of a whole gateway.
        """
        slave, category = body.slave or "", GATEWAY if body.slave is None else POINT
        if body.own and not slave:
            raise ParameterError("own", "only of a slave")
        await self._devices.changeable(user, device_id)
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node, wanted = await wanted_version(repository, body.template_id, body.version, category)

        async def plan(opened: OpenedDraft, versions: VersionCache) -> Planned:
            own = _points_there(opened.document, slave, body.own)
            if slave:
                refuse_protocol(node, row_of(opened.document, "slaves", (slave,)))
            return Planned(opened.document, {**opened.links, slave: replace(wanted, own=own)})

        return await self._apply(user, device_id, plan, "")

    async def overrides(
        self, user: CurrentUser, device_id: int, slave: str, page: int, limit: int
    ) -> Page[Override]:
        """What a slave, or the gateway (""), has otherwise than its template; NotFound without one that the
        user sees.
        """
        gateway = await self._devices.gateway_of(user.scope, device_id)
        async with self._database.reading() as session:
            opened = await self._drafts.opened(session, user, device_id, gateway)
            link = opened.links.get(slave)
            repository = TemplateRepository(session, user.scope)
            if link is None or await repository.node(link.template_id) is None:
                raise NotFound("template")
            shown = await usage_of(slave, opened, link, VersionCache(repository))
        rows = shown.overrides[(page - 1) * limit : page * limit]
        return Page(rows=rows, total=len(shown.overrides))

    async def adopt(self, user: CurrentUser, device_id: int, links: Links) -> Applied:
        """A template was made from what these slaves have: from now on they use it."""

        async def plan(opened: OpenedDraft, versions: VersionCache) -> Planned:
            return Planned(opened.document, {**opened.links, **links})

        return await self._drafts.apply(user, device_id, plan, "")

    async def source(self, user: CurrentUser, device_id: int) -> OpenedDraft:
        """A gateway's newest document and what it uses, for a template made from it."""
        gateway = await self._devices.gateway_of(user.scope, device_id)
        async with self._database.reading() as session:
            return await self._drafts.opened(session, user, device_id, gateway)

    async def _apply(self, user: CurrentUser, device_id: int, plan: Plan, note: str) -> Applied:
        if not user.may("DeviceTemplate"):
            raise NoPermission("DeviceTemplate")
        applied = await self._drafts.apply(user, device_id, plan, note)
        record_change({}, {"hash": applied.hash, "state": applied.state})
        return applied


def with_values(
    document: Document, values: Mapping[Literal["ports", "slaves"], Mapping[str, Mapping[str, Any]]]
) -> Document:
    """The document with fields of its ports and slaves set, by dotted names; ParameterError for no such
    row.
    """
    for section, rows in values.items():
        known = {str(row.get("name")): row for row in rows_of(document, section)}
        changed: dict[Key, dict[str, Any]] = {}
        for name, fields in rows.items():
            path = f"values.{section}.{name}"
            if name not in known:
                raise ParameterError(path, "must be a row of the template")
            if "name" in fields:
                raise ParameterError(f"{path}.name", "stays as it is")
            changed[(name,)] = nested({**flat(known[name]), **flat(fields)})
        document = with_rows(document, section, changed=changed)
    return document


def _points_there(document: Document, slave: str, names: Collection[str]) -> frozenset[str]:
    """These points of a slave; NotFound for one that it has not."""
    there = {str(row.get("name")) for row in rows_of(document, "points") if row.get("slave") == slave}
    if not there.issuperset(names):
        raise NotFound("data point")
    return frozenset(names)


def _note(title: str, wanted: Reference) -> str:
    return f"{title} v{wanted.number}"[:200]
