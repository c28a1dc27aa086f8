"""Refusals of a deployment: what it would break, in words."""

from __future__ import annotations

from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.configuration.reach import reach_of, refusal_of
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.states import Refusal
from cloud.domains.inventory.visibility import not_owner
from cloud.errors import Conflict, NotFound

WORDS = {
    Refusal.NOTHING: "there is no draft to deploy",
    Refusal.UNKNOWN: "the gateway has not said yet what it runs; only force can deploy over it",
    Refusal.LOCAL_EDIT: "the gateway runs a configuration that was changed on it; see it first",
    Refusal.LINK_LOST: "the document has no way to the cloud: nobody could reach the gateway any more",
    Refusal.LINK_CHANGES: "the document changes how the gateway is reached; say that it is to",
}


def refused(reason: Refusal) -> Conflict:
    """The error of a refusal, with the portal's reason code."""
    return Conflict(WORDS[reason], field="base", rule=reason.value, reason=f"deploy.{reason.value}")


async def refuse_astray(
    repository: DeployRepository,
    config_state: ConfigurationStateRow,
    name: str,
    *,
    deliberate: bool,
    owns: bool,
) -> None:
    """Raises NotFound when that version is not stored, Conflict when it leads the gateway away, against what
    runs. owns: only whom the gateway belongs to changes how it is reached (else NoPermission): it gives its
    secret to whoever answers there.
    """
    text = await repository.document(config_state.device_id, name)
    if text is None:
        raise NotFound("configuration")
    running = config_state.running or config_state.accepted
    before = await repository.document(config_state.device_id, running) if running else None
    runs, wanted = reach_of(before) if before else None, reach_of(text)
    if not owns and (runs is None or refusal_of(runs, wanted, deliberate=False) is Refusal.LINK_CHANGES):
        raise not_owner()
    refusal = refusal_of(runs, wanted, deliberate=deliberate)
    if refusal is not None:
        raise refused(refusal)
