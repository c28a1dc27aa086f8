"""Changes of a gateway's configuration state: what it runs, what was accepted, what the next edit begins
with.
"""

from __future__ import annotations

from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.states import Situation
from edge_contract.deployment import Origin


def situation(row: ConfigurationStateRow | None) -> Situation:
    if row is None:
        return Situation(None, None, None, None)
    return Situation(row.running, row.accepted, pending(row), row.draft_base)


def whose(version: ConfigurationVersion | None) -> dict[str, str | int]:
    """Who made it and when, as arguments of a Conflict."""
    if version is None:
        return {"author": "", "origin": "", "changed_ms": 0}
    return {"author": version.author, "origin": version.origin, "changed_ms": version.created_ms}


def pending(row: ConfigurationStateRow) -> str | None:
    """The draft as it is displayed, edited and deployed: as it was saved, or rebased onto what runs."""
    return None if row.draft is None else row.newest or row.draft


def is_rebased(row: ConfigurationStateRow) -> bool:
    """Is the draft rebased onto what runs, and nobody has decided for that yet?"""
    return row.draft is not None and pending(row) != row.draft


def confirm_rebase(row: ConfigurationStateRow) -> None:
    """Somebody has decided for the rebased draft: it is made from what runs now."""
    if is_rebased(row):
        row.draft, row.draft_base = row.newest, row.running


def begin(row: ConfigurationStateRow, base: str | None, name: str, author: str, now_ms: int) -> None:
    """A new draft, made from base: from what runs too when that was under the draft before it."""
    confirm_rebase(row)
    if name == row.running:
        drop_draft(row)
    else:
        if row.draft is None or base != row.draft:
            row.draft_base = base
        row.draft, row.draft_author, row.draft_ms = name, author, now_ms
    row.newest = name


async def observe(
    repository: DeployRepository, row: ConfigurationStateRow, name: str, now_ms: int, *, deployed: bool
) -> bool:
    """The gateway says that it runs this. deployed: by a deployment of ours. True when that has changed.

    What was seen before needs no explanation; anything else is requested from the gateway (origin None).
    """
    if row.running == name and (row.origin is not None or not deployed):
        return False
    row.running, row.since_ms, row.origin = name, now_ms, None
    row.newest = row.draft or row.newest  # a draft rebased onto something else is of no use any more
    if deployed:
        row.origin = Origin.CLOUD.value
    elif name in (row.accepted, row.draft_base):
        version = await repository.version(row.device_id, name)
        row.origin = version.origin if version else None
        if row.origin and name == row.accepted and row.draft is None:
            row.newest = name
    return True


def accept(row: ConfigurationStateRow, name: str) -> None:
    """This is what is meant to run."""
    row.accepted = name
    if name == row.running:
        confirm_rebase(row)
    if row.draft == name:
        drop_draft(row)
    if row.draft is None:
        row.newest = name


def drop_draft(row: ConfigurationStateRow) -> None:
    row.draft = row.draft_base = row.draft_author = row.draft_ms = None
