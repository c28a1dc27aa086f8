"""Drafts of gateways that run something else than the draft was made from: put onto what runs, or refused.

Rows of ports, slaves, points and scripts count as one, other sections by field, each from the side that
changed it. The result is the newest version, which everybody sees, edits and deploys; what was saved stays
beside it. Saving it, deploying it or accepting what runs decides for it; until then deploying it has to
name what runs. Where both changed the same, every edit is refused (409, configuration.behind) with the
draft's base, what runs and the first row. The way on: deploy the draft over what runs, discard it, or save
a document whose base is what runs. A draft from before the first report keeps its author and note; its
parent is what was saved.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from cloud.domains.configuration.document import points_of, read, written
from cloud.domains.configuration.general import SECTIONS as GENERAL
from cloud.domains.configuration.models import ConfigurationVersion, Standing
from cloud.domains.configuration.reach import SECTIONS as REACH
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.standing import drop_draft, whose
from cloud.errors import Conflict, ParameterError
from edge_contract.deployment import Document, document_hash
from edge_contract.document.merge import merge, theirs_first
from edge_contract.document.rows import rows_of
from edge_contract.document.tables import TABLES

log = logging.getLogger(__name__)

BEHIND = "configuration.behind"


class Clash(Exception):
    """Draft and gateway changed the same, and not into the same. what: a section, field or row."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True)
class Made:
    """A draft on what its gateway runs. old: the name of what somebody saved; hash, content: of document."""

    old: str
    hash: str
    document: Document
    content: bytes


def is_baseless(standing: Standing) -> bool:
    """Was the draft begun without knowing what the gateway runs?"""
    return standing.draft is not None and standing.draft_base is None


def _is_elsewhere(standing: Standing) -> bool:
    """Does the gateway run something that the draft was not made from, and that is not the draft?"""
    return standing.draft is not None and standing.running not in (None, standing.draft_base, standing.draft)


def rebased(draft: Document, running: Document) -> Document:
    """The rows of a baseless draft among those that run; of the same name the draft's counts, none is lost.

    Of collection and reporting the draft's fields count too: somebody has filled them in. Everything else is
    as it runs. Only the draft's sections that the gateway has not at all come along, but none that says how
    it is reached.
    """
    running = {**running, **{name: rows_of(running, name) for name in TABLES if name in running}}
    base = {name: value for name, value in draft.items() if _is_as_it_runs(name, draft, running)}
    return merge(base, draft, running, theirs_first).document


def _is_as_it_runs(section: str, draft: Document, running: Document) -> bool:
    """Does the draft not count? Then what runs, or that it has none, is the only change."""
    if section in TABLES:
        return not draft[section]
    both = (draft.get(section), running.get(section))
    return section in REACH or (
        section in running and not (section in GENERAL and all(isinstance(each, dict) for each in both))
    )


def merged(base: Document, draft: Document, running: Document) -> Document:
    """What runs, with what the draft changes of its base. Clash where both changed the same row, or the same
    field of another section.
    """
    made = merge(base, draft, running)
    if made.clashes:
        raise Clash(str(made.clashes[0]))
    return made.document


async def rebase(repository: DeployRepository, standing: Standing, now_ms: int) -> Made | None:
    """Put a draft onto what its gateway runs, with its author and note; its standing is locked.

    What somebody saved stays the draft, and what is shown, edited and deployed is a version made of it: so
    whatever the gateway runs next, nothing of it is lost. A baseless draft is that version itself from then
    on. None, and everybody goes on with the draft as it was saved, when that is not needed, or not possible.
    """
    standing.newest = standing.draft or standing.newest
    begins = is_baseless(standing) and standing.running == standing.accepted
    try:
        made = await _made(repository, standing)
    except (Clash, ParameterError) as error:
        log.warning("the draft of %d cannot go onto what it runs: %s", standing.device_id, error)
        return None
    if begins and standing.running in (standing.draft, made.hash if made else None):
        drop_draft(standing)
        standing.newest = standing.running
    elif begins and made is not None:
        standing.draft, standing.draft_base = made.hash, standing.running
    if made is None or standing.draft is None or made.hash == made.old:
        return None
    old = await repository.version(standing.device_id, made.old)
    if await repository.version(standing.device_id, made.hash) is None:
        repository.add(
            ConfigurationVersion(
                device_id=standing.device_id,
                hash=made.hash,
                document=made.content.decode(),
                size=len(made.content),
                points=points_of(made.document),
                origin="cloud",
                parent=made.old,
                author=standing.draft_author or "",
                note=old.note if old else "",
                created_ms=now_ms,
            )
        )
    log.info("the draft %s of %d goes onto what it runs as %s", made.old, standing.device_id, made.hash)
    standing.newest = made.hash
    return made


async def may_follow(repository: DeployRepository, standing: Standing, base: str | None) -> bool:
    """May a draft be made from base? It is the newest version; or it is what runs, and the draft cannot go
    onto that: then whoever names it has looked at both. Conflict for who has not.
    """
    newest, running = standing.newest, standing.running
    if standing.draft is None or newest not in (standing.draft, running) or base not in (newest, running):
        return base == newest
    is_carried = newest != standing.draft  # so says an older version of the cloud too, of one that is not
    try:
        made = await _made(repository, standing)
    except (Clash, ParameterError) as error:
        if is_carried or base == running:
            return not is_carried
        edit = await repository.version(standing.device_id, running or "")
        raise Conflict(
            "the gateway runs something else than the draft was made from, and both change the same",
            field="base",
            rule=running or "null",
            reason=BEHIND,
            arguments={
                **whose(edit),
                "device_id": standing.device_id,
                "base": standing.draft_base or "",
                "what": (error.what if isinstance(error, Clash) else error.field)[:100],
            },
        ) from None
    return base == newest and (not is_carried or (made is not None and made.hash == running))


async def _made(repository: DeployRepository, standing: Standing) -> Made | None:
    """The draft on what runs; None when it need not go there, or what runs is not known yet. Clash,
    ParameterError: it cannot.
    """
    device_id, name, running = standing.device_id, standing.draft, standing.running
    if name is None or running is None or not _is_elsewhere(standing):
        return None
    drafted, runs = [await repository.document(device_id, each) for each in (name, running)]
    base = await repository.document(device_id, standing.draft_base) if standing.draft_base else None
    if drafted is None or runs is None:
        return None
    if base is None and standing.draft_base is not None:
        raise Clash("base")
    return await asyncio.to_thread(_made_of, name, drafted, runs, base)


def _made_of(name: str, drafted: str, runs: str, base: str | None) -> Made:
    """base: text of what the draft was made from; None of a baseless one."""
    draft = read(drafted)
    document = rebased(draft, read(runs)) if base is None else merged(read(base), draft, read(runs))
    return Made(name, document_hash(document), document, written(document, draft["gateway"]["id"]))
