"""Reading the newest configuration of a gateway, and keeping what was made of it as its draft.

A draft that cannot be rebased onto what its gateway runs is edited by nobody (409, configuration.behind);
settings are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import MOVED, Drafts, NewDraft
from cloud.domains.deploy.renames import Follow, Renaming
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.rows import empty
from cloud.errors import Conflict, ParameterError
from edge_contract.deployment import Document
from edge_contract.document.masking import masked, unmasked
from edge_contract.document.references import newly_unresolved
from edge_contract.document.rename import renamed_in_place

log = logging.getLogger(__name__)

SAVES_AT_ONCE = 3
"""What is kept beside a draft asks for points and presets, on a second connection of the pool: so many savers
leave it some.
"""

ATTEMPTS = 3
"""Of a change that names no base, when others change the same gateway at the same time."""

Change = Callable[[Document], Document]
Beside = Callable[[AsyncSession, Document, Document], Awaitable[None]]
"""What is kept in the same transaction; told the document before and after."""


@dataclass(frozen=True)
class OpenedConfiguration:
    """The newest configuration of a gateway. base: its name, None when there is none yet."""

    base: str | None
    document: Document = field(repr=False)
    changeable: bool


def _changed(before: Document, change: Change) -> Document:
    document: Document = unmasked(change(before), before)
    for reference in newly_unresolved(before, document):
        name = ".".join(filter(None, (reference.slave, reference.point)))
        raise ParameterError(reference.field, f"names {name}, which would be removed")
    return document


class Editing:
    """changed: told the gateway whose configuration stands differently now. follow: told of slaves that have
    another name.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        changed: Callable[[int], Awaitable[None]],
        clock: NowMs = now_ms,
        follow: Sequence[Follow] = (),
    ) -> None:
        self._database = database
        self._devices = devices
        self._changed = changed
        self._clock = clock
        self._follow = follow
        self._turns = asyncio.Semaphore(SAVES_AT_ONCE)

    async def opened(self, user: CurrentUser, device_id: int) -> OpenedConfiguration:
        """For reading; secrets are masked for whom it does not belong to."""
        gateway = await self._devices.gateway_of(user.scope, device_id)
        changeable = user.may("DeviceManage") and await self._devices.may_change(user, device_id)
        readable = changeable and await self._devices.owns(user, [device_id])
        base, document = await self._newest(user, device_id, gateway)
        return OpenedConfiguration(base, document if readable else masked(document), changeable)

    async def begun_with(self, user: CurrentUser, device_id: int, base: str) -> Document | None:
        """The version that an edit began with, to compare rows; None when it is not there any more."""
        await self._devices.gateway_of(user.scope, device_id)
        async with self._database.reading() as session:
            text = await Drafts(session, user, self._clock()).version(device_id, base)
        return await asyncio.to_thread(read, text) if text else None

    async def only_author(self, user: CurrentUser, device_id: int, base: str) -> str:
        """As Drafts.only_author."""
        async with self._database.reading() as session:
            return await Drafts(session, user, self._clock()).only_author(device_id, base)

    async def keep(
        self,
        user: CurrentUser,
        device_id: int,
        base: str | None,
        change: Change,
        *,
        any_base: bool = False,
        note: str = "",
        beside: Beside | None = None,
    ) -> tuple[str, Document]:
        """Name and document of the new draft; Conflict when base is not the newest version any more, and
        ParameterError at the field that names a slave or point which the change removes.

        any_base: the change is one of whatever is the newest.
        """
        gateway = (await self._devices.changeable(user, device_id)).gateway_id
        for left in reversed(range(ATTEMPTS)):
            newest, before = await self._newest(user, device_id, gateway)
            if not any_base:
                await self._refuse_moved(user, device_id, base)
            document = await asyncio.to_thread(_changed, before, change)
            content = await asyncio.to_thread(written, document, gateway)
            try:
                async with self._turns, self._database.session(beside=True) as session:
                    drafts = Drafts(session, user, self._clock())
                    name = newest
                    if newest is None or document != before:
                        name = (await drafts.keep(device_id, NewDraft(document, content, newest, note))).hash
                        await self._rename(session, user, device_id, (newest, name), before, document)
                    if beside is not None:
                        await beside(session, before, document)
                    await session.commit()
            except Conflict as moved:
                if moved.reason != MOVED or not any_base or not left:
                    raise
                continue
            break
        if name != newest:
            log.info("configuration of %s: %s saves rows as %s on %s", gateway, user.name, name, newest)
            await self._changed(device_id)
        return name or "", document

    async def _rename(
        self,
        session: AsyncSession,
        user: CurrentUser,
        device_id: int,
        edited: tuple[str | None, str],
        before: Document,
        document: Document,
    ) -> None:
        base, name = edited
        slaves = renamed_in_place(before, document)
        if base is None or not slaves:
            return
        renaming = Renaming(user.scope, device_id, base, name, slaves, user.name, self._clock())
        for follow in self._follow:
            await follow(session, renaming)

    async def _newest(self, user: CurrentUser, device_id: int, gateway: str) -> tuple[str | None, Document]:
        async with self._database.reading() as session:
            name, text = await Drafts(session, user, self._clock()).newest(device_id)
        return name, await asyncio.to_thread(read, text) if text else empty(gateway)

    async def _refuse_moved(self, user: CurrentUser, device_id: int, base: str | None) -> None:
        async with self._database.reading() as session:
            await Drafts(session, user, self._clock()).refuse_moved(device_id, base)
