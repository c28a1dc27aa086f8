"""Links go along when a slave gets another name."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.deploy.renames import Renaming
from cloud.domains.templates.link_repository import LinkRepository


async def follow_renames(session: AsyncSession, renaming: Renaming) -> None:
    """A renamed slave uses the same version of its template, and the same points of it are its own."""
    repository = LinkRepository(session, renaming.scope)
    links = await repository.of_document(renaming.device_id, renaming.base)
    if not links.keys() & renaming.slaves.keys():
        return
    moved = {renaming.slaves.get(slave, slave): each for slave, each in links.items()}
    await repository.put(renaming.device_id, renaming.name, moved, renaming.author, renaming.now_ms)
