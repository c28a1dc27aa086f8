"""What stops an action of a plan that its state would allow. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from cloud.domains.firmware.rollout import PlanAction


class Hindrance(StrEnum):
    """In the order in which they are named. The portal has words for each."""

    NO_URL = "no_url"
    DISABLED = "disabled"
    NOT_APPROVED = "not_approved"
    KEY_GONE = "key_gone"
    SAME_PERSON = "same_person"
    EMPTY_RANGE = "empty_range"
    NOBODY_FITS = "nobody_fits"
    NOBODY_MORE = "nobody_more"
    NOTHING_FAILED = "nothing_failed"
    NOTHING_MOVED = "nothing_moved"


TEXTS = {
    Hindrance.NO_URL: "set EDGE_FIRMWARE_URL to where gateways reach this cloud, https://host",
    Hindrance.DISABLED: "the plan is not enabled",
    Hindrance.NOT_APPROVED: "a second person must approve the plan",
    Hindrance.KEY_GONE: "the key of its file is not trusted any more",
}

ORDERS = frozenset({PlanAction.START, PlanAction.RESUME, PlanAction.RETRY, PlanAction.ROLLBACK})
"""Actions by which gateways get orders."""


@dataclass(frozen=True)
class PlanFacts:
    """How a plan stands for one user. is_ready: it is known where gateways load files. is_approved: or it
    needs no approval. is_own_change: the user changed it last.
    """

    is_ready: bool
    is_back: bool
    enabled: bool
    is_approved: bool
    is_trusted: bool
    is_own_change: bool


def ordering_hindrances(facts: PlanFacts, action: PlanAction | None) -> list[Hindrance]:
    """Why nothing may be ordered. action: None for one gateway by itself. The way back is open to a plan
    that is disabled, not approved, or whose key is not trusted any more.
    """
    stopped = [] if facts.is_ready else [Hindrance.NO_URL]
    if facts.is_back or action is PlanAction.ROLLBACK:
        return stopped
    holds = {
        Hindrance.DISABLED: facts.enabled,
        Hindrance.NOT_APPROVED: facts.is_approved,
        Hindrance.KEY_GONE: facts.is_trusted,
    }
    return [*stopped, *(each for each, is_well in holds.items() if not is_well)]


def hindrances(
    facts: PlanFacts, allowed: Collection[PlanAction], nobody: Mapping[PlanAction, Hindrance]
) -> dict[Hindrance, list[PlanAction]]:
    """What stops which of the allowed actions. nobody: actions that would reach no gateway, and why."""
    stopped: dict[Hindrance, list[PlanAction]] = {each: [] for each in Hindrance}
    for action in allowed:
        if action is PlanAction.APPROVE and facts.is_own_change:
            stopped[Hindrance.SAME_PERSON].append(action)
        for each in ordering_hindrances(facts, action) if action in ORDERS else ():
            stopped[each].append(action)
        if action in nobody:
            stopped[nobody[action]].append(action)
    return {each: actions for each, actions in stopped.items() if actions}


def nobody_to_start(*, fitting: bool, left: bool, planned: bool) -> Hindrance | None:
    """Why a start would order nothing. fitting: some gateway can take the file; left: some gateway of the
    range is not in the plan yet; planned: some is.
    """
    if fitting:
        return None
    if left:
        return Hindrance.NOBODY_FITS
    return Hindrance.NOBODY_MORE if planned else Hindrance.EMPTY_RANGE
