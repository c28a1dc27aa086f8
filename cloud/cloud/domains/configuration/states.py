"""Life of a deployment, and what may be deployed over what. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from edge_contract.deployment import FINAL as FINAL_STEPS

GRACE_MS = 30_000
"""A final receipt may be on its way when the gateway's time is over."""


class DeploymentState(StrEnum):
    """created and sent are of the cloud, then the gateway's steps; with the last three the cloud gives up."""

    CREATED = "created"
    SENT = "sent"
    RECEIVED = "received"
    STAGED = "staged"
    SWITCHED = "switched"
    CHECKED = "checked"
    REFUSED = "refused"
    UNCHANGED = "unchanged"
    CONFIRMED = "confirmed"
    REVERTED = "reverted"
    EXPIRED = "expired"  # it waited for its gateway, which did not come
    NETWORK_ERROR = "networkError"  # could not be sent, or no final receipt came in time
    CANCELLED = "cancelled"  # somebody took it back before the gateway said that it has switched


FINAL = frozenset(DeploymentState(step.value) for step in FINAL_STEPS)
GIVEN_UP = frozenset({DeploymentState.EXPIRED, DeploymentState.NETWORK_ERROR, DeploymentState.CANCELLED})
OPEN = (
    DeploymentState.CREATED,
    DeploymentState.SENT,
    DeploymentState.RECEIVED,
    DeploymentState.STAGED,
    DeploymentState.SWITCHED,
)
SENT = OPEN[1:]
"""Sent, and without an end."""

_BY_THE_GATEWAY = frozenset(OPEN[2:])
_IN_PLACE = frozenset(
    {
        DeploymentState.SWITCHED,
        DeploymentState.CONFIRMED,
        DeploymentState.UNCHANGED,
        DeploymentState.NETWORK_ERROR,
    }
)


def may_become(now: DeploymentState, wanted: DeploymentState) -> bool:
    """True when the state may change so. Steps only go forward; what the gateway said last is never changed.

    Giving up is the cloud's guess: a final receipt that comes later is the truth and replaces it. What was
    cancelled and is carried out all the same is open again with the gateway's first word. What it has
    switched to is not cancelled but returned.
    """
    if now in FINAL:
        return False
    if now in GIVEN_UP:
        return wanted in FINAL or (now is DeploymentState.CANCELLED and wanted in _BY_THE_GATEWAY)
    if wanted is DeploymentState.CANCELLED:
        return now is not DeploymentState.SWITCHED
    if wanted in FINAL | GIVEN_UP:
        return True
    return OPEN.index(wanted) > OPEN.index(now)


def gives_up_ms(state: DeploymentState, expires_ms: int, confirm_s: int, check_only: bool) -> int:
    """When the cloud no longer waits for a deployment in this state."""
    if state is DeploymentState.CREATED:
        return expires_ms
    return expires_ms + (0 if check_only else confirm_s * 1000) + GRACE_MS


@dataclass(frozen=True)
class Situation:
    """Hashes, None where there is none: what runs, what was accepted, the draft and what it was made from."""

    running: str | None
    accepted: str | None
    draft: str | None
    draft_base: str | None


class Refusal(StrEnum):
    """Why a deployment is not even sent."""

    NOTHING = "nothing_to_deploy"  # no draft
    UNKNOWN = "unknown_running"  # the gateway has not said yet what it runs
    LOCAL_EDIT = "local_edit"  # it runs something that whoever deploys has not seen
    LINK_LOST = "link_lost"  # with the document the gateway would have no way to the cloud
    LINK_CHANGES = "link_changes"  # it changes how the gateway is reached, and nobody said that it is to


def base_of(situation: Situation, wanted: str, given: str | None) -> str | Refusal:
    """Base to deploy wanted on: the given one, of a draft what it was made from, else what was accepted."""
    expected = given or (situation.draft_base if wanted == situation.draft else situation.accepted)
    if situation.running is None:
        return expected or Refusal.UNKNOWN
    if situation.running in (expected, wanted):
        return situation.running
    return Refusal.LOCAL_EDIT


def is_local_edit(situation: Situation, deployed: str | None, state: DeploymentState | None) -> bool:
    """True when the gateway runs what nobody deployed. deployed, state: its last deployment."""
    if situation.running is None or situation.running == situation.accepted:
        return False
    return not (situation.running == deployed and state in _IN_PLACE)
