"""Changes of a gateway's standing: what it runs, what was accepted, what the next edit begins with."""

from __future__ import annotations

from cloud.domains.deploy.models import Standing
from cloud.domains.deploy.repository import DeployRepository
from cloud.domains.deploy.states import Situation
from edge_contract.deployment import Origin


def situation(row: Standing | None) -> Situation:
    if row is None:
        return Situation(None, None, None, None)
    return Situation(row.running, row.accepted, row.draft, row.draft_base)


async def observe(
    repository: DeployRepository, row: Standing, name: str, now_ms: int, *, deployed: bool
) -> bool:
    """The gateway says that it runs this. deployed: by a deployment of ours. True when that is news.

    What was seen before needs no explanation; of anything else the gateway is asked (origin None).
    """
    if row.running == name and (row.origin is not None or not deployed):
        return False
    row.running, row.since_ms, row.origin = name, now_ms, None
    if deployed:
        row.origin = Origin.CLOUD.value
    elif name in (row.accepted, row.draft_base):
        version = await repository.version(row.device_id, name)
        row.origin = version.origin if version else None
        if row.origin and name == row.accepted:
            row.newest = row.draft or name
    return True


def accept(row: Standing, name: str) -> None:
    """This is what is meant to run."""
    row.accepted = name
    if row.draft == name:
        drop_draft(row)
    if row.draft is None:
        row.newest = name


def drop_draft(row: Standing) -> None:
    row.draft = row.draft_base = row.draft_author = row.draft_ms = None
