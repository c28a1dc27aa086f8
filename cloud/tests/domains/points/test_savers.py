"""How many save drafts at once."""

from __future__ import annotations

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.points.editing import SAVES_AT_ONCE, Editing
from edge_contract.deployment import Document

from .conftest import ALICE, Site

SAVERS = 4 * SAVES_AT_ONCE
WORK_S = 0.05


async def test_savers_leave_connections_for_what_they_ask_beside(site: Site) -> None:
    editing = Editing(site.services.database, site.services.devices, site._tell, site.services.clock)
    at_work, highest, ended = 0, 0, 0

    async def ask(session: AsyncSession, before: Document, after: Document) -> None:
        nonlocal at_work, highest, ended
        at_work += 1
        highest = max(highest, at_work)
        async with site.services.database.reading():
            await asyncio.sleep(WORK_S)
        at_work -= 1
        ended += 1

    base = await site.begin()
    saves = (editing.keep(ALICE, 1, base, lambda document: document, beside=ask) for _ in range(SAVERS))
    await asyncio.gather(*saves)
    assert ended == SAVERS
    assert highest <= SAVES_AT_ONCE
