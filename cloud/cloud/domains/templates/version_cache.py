"""Contents of template versions, read once while gateways are gone through."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import msgspec

from cloud.domains.templates.content import GATEWAY, Parts, Reference, expanded, on_slave, references_of
from cloud.domains.templates.link_repository import Links
from cloud.domains.templates.planning import Frame, SlaveStep
from cloud.domains.templates.repository import TemplateRepository
from edge_contract.deployment import Document
from edge_contract.document.rows import Row, rows_of


class VersionCache:
    """A version that is not there any more counts as empty: what was made with it became the gateway's
    own.
    """

    def __init__(self, repository: TemplateRepository) -> None:
        self._repository = repository
        self._read: dict[tuple[int, int], Document] = {}

    async def document(self, reference: Reference) -> Document:
        key = (reference.template_id, reference.number)
        if key not in self._read:
            text = await self._repository.text(*key)
            self._read[key] = await asyncio.to_thread(msgspec.json.decode, text) if text else {}
        return self._read[key]

    async def points(self, reference: Reference, slave: str) -> list[Row]:
        """Of a point template, on a slave, without those that left it there."""
        rows = rows_of(await self.document(reference), "points")
        return on_slave([row for row in rows if row.get("name") not in reference.own], slave)

    async def parts(self, reference: Reference) -> Parts:
        """Of a gateway template with the points of those that it names."""
        document = await self.document(reference)
        named = references_of(document)
        given = {slave: rows_of(await self.document(each), "points") for slave, each in named.items()}
        return expanded(document, given)

    async def slave_step(self, slave: str, links: Links, wanted: Reference) -> SlaveStep:
        """A point template for a slave."""
        now = links.get(slave)
        wanted = _with_own(wanted, now)
        before = await self.points(now, slave) if now else []
        return SlaveStep(slave, before, await self.points(wanted, slave), wanted)

    async def gateway_steps(self, links: Links, wanted: Reference) -> tuple[list[SlaveStep], Frame]:
        """A gateway template. A slave whose points have a newer version of the same template keeps that
        one.
        """
        now = links.get("")
        before = await self.parts(now) if now else Parts()
        after = await self.parts(wanted)
        named = references_of(await self.document(wanted))
        steps = []
        for slave in dict.fromkeys(str(row.get("name")) for row in (*after.slaves, *before.slaves)):
            here, there = links.get(slave), named.get(slave)
            if here and there and here.template_id == there.template_id and here.number > there.number:
                there = here
            there = _with_own(there, here) if there else None
            known = await self.points(here, slave) if here else before.of_slave(slave)
            rows = await self.points(there, slave) if there else after.of_slave(slave)
            steps.append(SlaveStep(slave, known, rows, there))
        return steps, Frame(before, after, wanted)

    async def steps(
        self, category: str, links: Links, wanted: Reference
    ) -> tuple[list[SlaveStep], Frame | None]:
        """A version for everything in a gateway that uses its template."""
        if category == GATEWAY:
            return await self.gateway_steps(links, wanted)
        using = [slave for slave, each in links.items() if slave and each.template_id == wanted.template_id]
        return [await self.slave_step(slave, links, wanted) for slave in using], None


def _with_own(wanted: Reference, now: Reference | None) -> Reference:
    """Points that left a template stay outside of its other versions too."""
    if now is None or now.template_id != wanted.template_id:
        return wanted
    return replace(wanted, own=now.own)
