"""Collection and reporting of a gateway: read from its configuration, changed in its draft."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import Drafts, NewDraft
from cloud.domains.configuration.general import general_of, with_fields
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.identity.schemas import CurrentUser


class GeneralDrafts:
    """A unit of work that commits nothing; its caller has made sure that the user may change the gateway."""

    def __init__(self, session: AsyncSession, user: CurrentUser, now_ms: int) -> None:
        self._drafts = Drafts(session, user, now_ms)

    async def values(self, device_id: int) -> dict[str, Any]:
        """As its newest configuration says."""
        _, text = await self._drafts.newest(device_id)
        return await asyncio.to_thread(general_of, text)

    async def prepared(self, device_id: int, gateway: str, wanted: Mapping[str, Any]) -> Prepared:
        """A change of the newest configuration, checked and not stored yet. Raises Conflict when nobody may
        edit that, ParameterError for fields that contradict each other.
        """
        base, text = await self._drafts.editable(device_id)
        return await asyncio.to_thread(_prepared, base, text, gateway, dict(wanted))

    async def keep(self, device_id: int, change: Prepared) -> None:
        """Store a prepared change as the draft. Raises Conflict as Drafts.keep."""
        if change.draft is not None:
            await self._drafts.keep(device_id, change.draft)


async def general_values(
    session: AsyncSession, scope: Scope, device_id: int
) -> tuple[dict[str, Any], list[str]]:
    """The fields of the draft, else of what runs; and those that are others there than in what runs."""
    repository = DeployRepository(session, scope)
    config_state = await repository.config_state(device_id)
    names = (config_state.newest, config_state.running) if config_state else (None, None)
    texts = [await repository.document(device_id, name) if name else None for name in names]
    newest, running = [await asyncio.to_thread(general_of, text) for text in texts]
    return newest, [name for name, value in newest.items() if value != running[name]]


class Prepared:
    """before: what the fields that are to be others had. draft: None when no field changes."""

    def __init__(self, before: dict[str, Any], draft: NewDraft | None) -> None:
        self.before = before
        self.draft = draft


def _prepared(base: str | None, text: str | None, gateway: str, wanted: dict[str, Any]) -> Prepared:
    held = general_of(text)
    changed = {name: value for name, value in wanted.items() if held[name] != value}
    if not changed:
        return Prepared({}, None)
    document = with_fields(read(text) if text else {"gateway": {"id": gateway}}, changed)
    draft = NewDraft(document, written(document, gateway), base)
    return Prepared({name: held[name] for name in changed}, draft)
