"""Gateway templates for many drafts at once: applied by name, and kept with what their caller keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.templates.content import GATEWAY, SECTIONS, Reference
from cloud.domains.templates.link_repository import LinkRepository, Links
from cloud.domains.templates.planning import Planned, planned, present
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.version_cache import VersionCache
from edge_contract.deployment import Document
from edge_contract.document.rows import Key, key_of

MAX_KNOWN = 50_000
"""Gateway templates and their groups that are known by their names."""


@dataclass(frozen=True)
class GatewayTemplate:
    """A node of the tree. path: "/1/4/", from the root to itself. newest: version of a template."""

    number: int
    path: str
    title: str
    is_group: bool
    newest: int


def may_apply(user: CurrentUser) -> bool:
    """As for every application of a template."""
    return user.may("DeviceTemplate") and user.may("DeviceManage")


class TemplateBatch:
    """A unit of work on the caller's session; commits nothing. Its caller makes sure that the user may change
    the gateways, and that `may_lay`.
    """

    def __init__(self, session: AsyncSession, user: CurrentUser) -> None:
        self._repository = TemplateRepository(session, user.scope)
        self._links = LinkRepository(session, user.scope)
        self._versions = VersionCache(self._repository)

    async def gateway_templates(self) -> list[GatewayTemplate]:
        """With the groups that they lie in."""
        found = await self._repository.nodes(MAX_KNOWN, category=GATEWAY)
        return [
            GatewayTemplate(node.id, node.path, node.title, node.kind == "group", node.newest)
            for node, *_ in found
        ]

    async def links(self, device_ids: Collection[int]) -> dict[int, Links]:
        """What the newest document of each gateway uses."""
        return await self._links.in_force(device_ids)

    async def apply(self, wanted: Reference, document: Document, links: Links) -> Planned:
        """A gateway template on a draft that need not use it yet; what the gateway has otherwise stays.
        CloudError when the two do not go together.
        """
        now = present(links, document)
        steps, frame = await self._versions.gateway_steps(now, wanted)
        return await asyncio.to_thread(lambda: planned(document, now, steps, frame, keep=True))

    async def rows_of(self, links: Links) -> dict[str, set[Key]]:
        """Keys of the rows that a gateway has from its gateway template, by section."""
        parts = await self._versions.parts(links[""])
        found = {name: {key_of(name, row) for row in getattr(parts, name)} for name in SECTIONS}
        for (slave,) in found["slaves"] & {(name,) for name in links}:
            rows = await self._versions.points(links[slave], slave)
            found["points"] |= {key_of("points", row) for row in rows}
        return found

    async def moved(self, seen: Mapping[int, tuple[str | None, Links]]) -> list[int]:
        """Gateways whose newest document, or what it uses, is not what was seen."""
        newest = await self._links.newest(seen, locked=True)
        links = await self._links.in_force(seen)
        return [number for number, was in seen.items() if (newest[number], links[number]) != was]

    async def are_there(self, sets: Sequence[Links]) -> bool:
        """Are all versions of these sets still there, and does the user see the gateway templates?"""
        wanted = {links[""].template_id for links in sets if "" in links}
        versions = {(each.template_id, each.number) for links in sets for each in links.values()}
        there = [await self._repository.version(*each) is not None for each in versions]
        return all(there) and wanted <= await self._repository.among(wanted)

    async def put(self, sets: Mapping[int, tuple[str, Links]], author: str, now_ms: int) -> None:
        """What one document of each gateway uses, by the document's name; the document is kept already."""
        await self._links.put_all(sets, author, now_ms)
