"""Changes of a gateway's standing: what it runs, what was accepted, what the next edit begins with."""

from __future__ import annotations

from cloud.domains.configuration.models import ConfigurationVersion, Standing
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.states import Situation
from edge_contract.deployment import Origin


def situation(row: Standing | None) -> Situation:
    if row is None:
        return Situation(None, None, None, None)
    return Situation(row.running, row.accepted, pending(row), row.draft_base)


def whose(version: ConfigurationVersion | None) -> dict[str, str | int]:
    """Who made it and when, as a Conflict tells it."""
    if version is None:
        return {"author": "", "origin": "", "changed_ms": 0}
    return {"author": version.author, "origin": version.origin, "changed_ms": version.created_ms}


def pending(row: Standing) -> str | None:
    """The draft as it is shown, edited and deployed: as it was saved, or put onto what runs."""
    return None if row.draft is None else row.newest or row.draft


def is_carried(row: Standing) -> bool:
    """Is the draft put onto what runs, and nobody has decided for that yet?"""
    return row.draft is not None and pending(row) != row.draft


def settle(row: Standing) -> None:
    """Somebody has decided for the draft as it was put onto what runs: it was made from that now."""
    if is_carried(row):
        row.draft, row.draft_base = row.newest, row.running


def begin(row: Standing, base: str | None, name: str, author: str, now_ms: int) -> None:
    """A new draft, made from base: from what runs too when that was under the draft before it."""
    settle(row)
    if name == row.running:
        drop_draft(row)
    else:
        if row.draft is None or base != row.draft:
            row.draft_base = base
        row.draft, row.draft_author, row.draft_ms = name, author, now_ms
    row.newest = name


async def observe(
    repository: DeployRepository, row: Standing, name: str, now_ms: int, *, deployed: bool
) -> bool:
    """The gateway says that it runs this. deployed: by a deployment of ours. True when that is news.

    What was seen before needs no explanation; of anything else the gateway is asked (origin None).
    """
    if row.running == name and (row.origin is not None or not deployed):
        return False
    row.running, row.since_ms, row.origin = name, now_ms, None
    row.newest = row.draft or row.newest  # put onto something else it is of no use any more
    if deployed:
        row.origin = Origin.CLOUD.value
    elif name in (row.accepted, row.draft_base):
        version = await repository.version(row.device_id, name)
        row.origin = version.origin if version else None
        if row.origin and name == row.accepted and row.draft is None:
            row.newest = name
    return True


def accept(row: Standing, name: str) -> None:
    """This is what is meant to run."""
    row.accepted = name
    if name == row.running:
        settle(row)
    if row.draft == name:
        drop_draft(row)
    if row.draft is None:
        row.newest = name


def drop_draft(row: Standing) -> None:
    row.draft = row.draft_base = row.draft_author = row.draft_ms = None
