"""Rebases drafts of gateways that run something else than the draft was made from, or refuses it.

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
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.configuration.reach import SECTIONS as REACH
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.state_changes import drop_draft, whose
from cloud.errors import Conflict, ParameterError
from edge_contract.deployment import Document, document_hash
from edge_contract.document.merge import merge, theirs_first
from edge_contract.document.rows import rows_of
from edge_contract.document.tables import TABLES

log = logging.getLogger(__name__)

BEHIND = "configuration.behind"


class MergeConflict(Exception):
    """Draft and gateway changed the same, and not into the same. what: a section, field or row."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True)
class RebasedDraft:
    """A draft on what its gateway runs. old: the name of what somebody saved; hash, content: of document."""

    old: str
    hash: str
    document: Document
    content: bytes


def is_baseless(config_state: ConfigurationStateRow) -> bool:
    """Was the draft begun without knowing what the gateway runs?"""
    return config_state.draft is not None and config_state.draft_base is None


def _needs_rebase(config_state: ConfigurationStateRow) -> bool:
    """Does the gateway run something that the draft was not made from, and that is not the draft?"""
    return config_state.draft is not None and config_state.running not in (
        None,
        config_state.draft_base,
        config_state.draft,
    )


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
    """What runs, with what the draft changes of its base. Raises MergeConflict where both changed the same
    row, or the same field of another section.
    """
    made = merge(base, draft, running)
    if made.clashes:
        raise MergeConflict(str(made.clashes[0]))
    return made.document


async def rebase(
    repository: DeployRepository, config_state: ConfigurationStateRow, now_ms: int
) -> RebasedDraft | None:
    """Rebase a draft onto what its gateway runs, with its author and note; its configuration state is locked.

    What somebody saved stays the draft, and what is displayed, edited and deployed is a version made of it:
    so whatever the gateway runs next, nothing of it is lost. A baseless draft is that version itself from
    then on. None, and everybody goes on with the draft as it was saved, when that is not needed, or not
    possible.
    """
    config_state.newest = config_state.draft or config_state.newest
    begins = is_baseless(config_state) and config_state.running == config_state.accepted
    try:
        made = await _rebased_draft(repository, config_state)
    except (MergeConflict, ParameterError) as error:
        log.warning("the draft of %d cannot be rebased onto what it runs: %s", config_state.device_id, error)
        return None
    if begins and config_state.running in (config_state.draft, made.hash if made else None):
        drop_draft(config_state)
        config_state.newest = config_state.running
    elif begins and made is not None:
        config_state.draft, config_state.draft_base = made.hash, config_state.running
    if made is None or config_state.draft is None or made.hash == made.old:
        return None
    old = await repository.version(config_state.device_id, made.old)
    if await repository.version(config_state.device_id, made.hash) is None:
        repository.add(
            ConfigurationVersion(
                device_id=config_state.device_id,
                hash=made.hash,
                document=made.content.decode(),
                size=len(made.content),
                points=points_of(made.document),
                origin="cloud",
                parent=made.old,
                author=config_state.draft_author or "",
                note=old.note if old else "",
                created_ms=now_ms,
            )
        )
    log.info(
        "the draft %s of %d is rebased onto what it runs as %s", made.old, config_state.device_id, made.hash
    )
    config_state.newest = made.hash
    return made


async def may_follow(
    repository: DeployRepository, config_state: ConfigurationStateRow, base: str | None
) -> bool:
    """May a draft be made from base? It is the newest version; or it is what runs, and the draft cannot be
    rebased onto that: then its editor has seen both. Raises Conflict for an editor who has not.
    """
    newest, running = config_state.newest, config_state.running
    if (
        config_state.draft is None
        or newest not in (config_state.draft, running)
        or base not in (newest, running)
    ):
        return base == newest
    is_rebased = newest != config_state.draft  # so says an older version of the cloud too, of one that is not
    try:
        made = await _rebased_draft(repository, config_state)
    except (MergeConflict, ParameterError) as error:
        if is_rebased or base == running:
            return not is_rebased
        edit = await repository.version(config_state.device_id, running or "")
        raise Conflict(
            "the gateway runs something else than the draft was made from, and both change the same",
            field="base",
            rule=running or "null",
            reason=BEHIND,
            arguments={
                **whose(edit),
                "device_id": config_state.device_id,
                "base": config_state.draft_base or "",
                "what": (error.what if isinstance(error, MergeConflict) else error.field)[:100],
            },
        ) from None
    return base == newest and (not is_rebased or (made is not None and made.hash == running))


async def _rebased_draft(
    repository: DeployRepository, config_state: ConfigurationStateRow
) -> RebasedDraft | None:
    """The draft on what runs; None when it needs no rebase, or what runs is not known yet. Raises
    MergeConflict or ParameterError when it cannot be rebased.
    """
    device_id, name, running = config_state.device_id, config_state.draft, config_state.running
    if name is None or running is None or not _needs_rebase(config_state):
        return None
    drafted, runs = [await repository.document(device_id, each) for each in (name, running)]
    base = await repository.document(device_id, config_state.draft_base) if config_state.draft_base else None
    if drafted is None or runs is None:
        return None
    if base is None and config_state.draft_base is not None:
        raise MergeConflict("base")
    return await asyncio.to_thread(_rebased_from, name, drafted, runs, base)


def _rebased_from(name: str, drafted: str, runs: str, base: str | None) -> RebasedDraft:
    """base: text of what the draft was made from; None of a baseless one."""
    draft = read(drafted)
    document = rebased(draft, read(runs)) if base is None else merged(read(base), draft, read(runs))
    return RebasedDraft(name, document_hash(document), document, written(document, draft["gateway"]["id"]))
