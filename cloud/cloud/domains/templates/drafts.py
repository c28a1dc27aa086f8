"""A gateway's draft with the templates that it uses: read together, changed together."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import MOVED, Drafts, NewDraft
from cloud.domains.deploy.renames import Renaming
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.rows import empty
from cloud.domains.templates.link_repository import LinkRepository, Links
from cloud.domains.templates.merge import MergeOutcome
from cloud.domains.templates.planning import Planned, present
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.schemas import Applied, SlaveChange
from cloud.domains.templates.version_cache import VersionCache
from cloud.errors import Conflict
from edge_contract.deployment import Document

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""When others change the same draft at the same time."""

CHANGE, NONE = "change", "none"

MAX_NAMES = 50
"""Of rows that are named one by one in an answer."""


@dataclass(frozen=True)
class OpenedDraft:
    """The newest configuration of a gateway. base: its name, None when there is none yet."""

    base: str | None
    document: Document
    links: Links


Plan = Callable[[OpenedDraft, VersionCache], Awaitable[Planned]]


class TemplateDrafts:
    """changed: told the gateway whose configuration stands differently now."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        changed: Callable[[int], Awaitable[None]],
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._changed = changed
        self._clock = clock

    async def opened(
        self, session: AsyncSession, user: CurrentUser, device_id: int, gateway: str
    ) -> OpenedDraft:
        """Of a gateway that the user is known to see."""
        name, text = await Drafts(session, user, self._clock()).newest(device_id)
        links = (await LinkRepository(session, user.scope).in_force([device_id]))[device_id]
        document = await asyncio.to_thread(read, text) if text else empty(gateway)
        return OpenedDraft(name, document, present(links, document))

    async def apply(self, user: CurrentUser, device_id: int, plan: Plan, note: str) -> Applied:
        """Change a draft and what it uses in one transaction, or nothing. NotFound, NoPermission,
        ParameterError and Conflict as for any change of a draft.
        """
        gateway = (await self._devices.changeable(user, device_id)).gateway_id
        for left in reversed(range(ATTEMPTS)):
            async with self._database.reading() as session:
                opened = await self.opened(session, user, device_id, gateway)
                made = await plan(opened, VersionCache(TemplateRepository(session, user.scope)))
            content = await asyncio.to_thread(written, made.document, gateway)
            try:
                return await self._keep(user, device_id, opened, made, content, note)
            except Conflict as moved:
                if moved.reason != MOVED or not left:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _keep(
        self,
        user: CurrentUser,
        device_id: int,
        opened: OpenedDraft,
        made: Planned,
        content: bytes,
        note: str,
    ) -> Applied:
        changes = opened.base is None or hashlib.sha256(content).hexdigest() != opened.base
        relinks = made.links != opened.links
        name = opened.base or ""
        if changes or relinks:
            async with self._database.session() as session:
                if changes:
                    kept = NewDraft(made.document, content, opened.base, note)
                    name = (await Drafts(session, user, self._clock()).keep(device_id, kept)).hash
                links = LinkRepository(session, user.scope)
                await links.put(device_id, name, made.links, user.name, self._clock())
                await session.commit()
        if changes:
            log.info("configuration of device %d: %s applies templates as %s", device_id, user.name, name)
            await self._changed(device_id)
        state = CHANGE if changes or relinks else NONE
        return Applied(state=state, hash=name, slaves=changes_of(made))


def changes_of(made: Planned) -> list[SlaveChange]:
    """By slave, as answers have it."""
    return [
        SlaveChange(
            slave=slave,
            version=made.links[slave].number if slave in made.links else 0,
            added=_count(outcomes, "added"),
            changed=_count(outcomes, "changed"),
            removed=_count(outcomes, "removed"),
            kept=_count(outcomes, "overridden"),
            clashes=[name for each in outcomes for name in each.clashes][:MAX_NAMES],
            orphans=[name for each in outcomes for name in each.orphans][:MAX_NAMES],
        )
        for slave, outcomes in made.outcomes.items()
    ]


def _count(outcomes: list[MergeOutcome], what: str) -> int:
    return sum(len(getattr(each, what)) for each in outcomes)


async def follow_renames(session: AsyncSession, renaming: Renaming) -> None:
    """A renamed slave uses the same version of its template, and the same points of it are its own."""
    repository = LinkRepository(session, renaming.scope)
    links = await repository.of_document(renaming.device_id, renaming.base)
    if not links.keys() & renaming.slaves.keys():
        return
    moved = {renaming.slaves.get(slave, slave): each for slave, each in links.items()}
    await repository.put(renaming.device_id, renaming.name, moved, renaming.author, renaming.now_ms)
