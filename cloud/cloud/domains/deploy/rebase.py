"""Drafts that were begun before their gateway said what it runs: rows on a base that nobody knew."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from cloud.domains.deploy.document import points_of, read, written
from cloud.domains.deploy.models import ConfigurationVersion, Standing
from cloud.domains.deploy.reach import SECTIONS as REACH
from cloud.domains.deploy.repository import DeployRepository
from cloud.domains.deploy.standing import drop_draft
from cloud.errors import ParameterError
from edge_contract.deployment import Document, document_hash

log = logging.getLogger(__name__)

ROWS = ("ports", "slaves", "points", "scripts")


def is_baseless(standing: Standing) -> bool:
    """Was the draft begun without knowing what the gateway runs?"""
    return standing.draft is not None and standing.draft_base is None


def rebased(draft: Document, running: Document) -> Document:
    """The draft's rows among those that run; of the same name the draft's counts, and none is lost.

    Everything else is as it runs. Only the draft's sections that the gateway has not at all come along, but
    none that says how it is reached.
    """
    made = {name: value for name, value in draft.items() if name not in running and name not in REACH}
    made |= running
    for section in ROWS:
        rows = _merged(section, _rows(draft, section), _rows(running, section))
        if rows or section in running:
            made[section] = rows
        else:
            made.pop(section, None)
    return made


async def rebase(
    repository: DeployRepository, standing: Standing, gateway: str, running: Document, now_ms: int
) -> bool:
    """Put a baseless draft onto what its gateway runs, with its author and note; its standing is locked.

    False, and the draft is as it was, when it is none, or both together are more than a document may be.
    """
    name = standing.draft
    text = await repository.document(standing.device_id, name) if name else None
    if name is None or text is None or not is_baseless(standing):
        return False
    document = await asyncio.to_thread(lambda: rebased(read(text), running))
    try:
        content = await asyncio.to_thread(written, document, gateway)
    except ParameterError as error:
        log.warning("the draft of %s cannot go onto what it runs: %s", gateway, error)
        return False
    made, old = document_hash(document), await repository.version(standing.device_id, name)
    if await repository.version(standing.device_id, made) is None:
        repository.add(
            ConfigurationVersion(
                device_id=standing.device_id,
                hash=made,
                document=content.decode(),
                size=len(content),
                points=points_of(document),
                origin="cloud",
                parent=name,
                author=standing.draft_author or "",
                note=old.note if old else "",
                created_ms=now_ms,
            )
        )
    log.info("the draft %s of %s goes onto what it runs as %s", name, gateway, made)
    if made == standing.running:
        drop_draft(standing)
    else:
        standing.draft, standing.draft_base = made, standing.running
    standing.newest = made
    return True


def _rows(document: Mapping[str, Any], section: str) -> list[Any]:
    rows = document.get(section)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _merged(section: str, drafted: list[Any], running: list[Any]) -> list[Any]:
    """In the order of what runs, new ones behind it."""
    by_key = {_key(section, row): row for row in drafted}
    kept = [by_key.pop(_key(section, row), row) for row in running]
    return [*kept, *by_key.values()]


def _key(section: str, row: Mapping[str, Any]) -> tuple[object, object]:
    return (row.get("slave") if section == "points" else None), row.get("name")
