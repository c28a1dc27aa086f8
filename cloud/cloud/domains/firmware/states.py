"""Life of one upgrade of one gateway. Pure.

    waiting -> ordered -> downloading -> verified -> installed -> trial -> (confirmed) watching -> succeeded
       |          |            any of them: refused, rolled back, silent, or worse when watched -> failed
       |          + never answered, and its time is over -> missed
       + the gateway did not come -> missed; it cannot take the file, or somebody cancelled -> skipped

failed and missed are guesses when they are the cloud's own: what the gateway says later is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from edge_contract.upgrade import UpgradeStep


class UpgradeState(StrEnum):
    """How far an upgrade came."""

    WAITING = "waiting"
    ORDERED = "ordered"
    DOWNLOADING = "downloading"
    VERIFIED = "verified"
    INSTALLED = "installed"
    TRIAL = "trial"
    WATCHING = "watching"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    MISSED = "missed"
    SKIPPED = "skipped"


OPEN = (
    UpgradeState.ORDERED,
    UpgradeState.DOWNLOADING,
    UpgradeState.VERIFIED,
    UpgradeState.INSTALLED,
    UpgradeState.TRIAL,
)
"""The gateway has an order, and its end is not known."""

ENDED = frozenset({UpgradeState.SUCCEEDED, UpgradeState.FAILED, UpgradeState.MISSED, UpgradeState.SKIPPED})

SILENT, NO_ANSWER, EXPIRED, OFFLINE, CANCELLED = "silent", "no_answer", "expired", "offline", "cancelled"
WRONG_VERSION, WORSE, UNCHANGED = "wrong_version", "worse", "unchanged"
GUESSES = frozenset({SILENT, NO_ANSWER})
"""Codes of ends that the cloud assumes."""

ANSWER_MS = 5 * 60_000
"""A gateway that is connected says within this time that it has an order."""
TRIAL_MS = 5 * 60_000
"""Above the time of a trial: the launcher's guard, restarts, and the way of the report."""
LATE_MS = 15 * 60_000
"""After an order's expiry on the cloud's clock; the gateway's own may differ."""


@dataclass(frozen=True)
class UpgradeChange:
    """What becomes of an upgrade. code: why it ended."""

    state: UpgradeState
    code: str = ""


def after_report(
    now: UpgradeState, known_code: str, step: UpgradeStep, code: str, *, fits: bool, watched: bool
) -> UpgradeChange | None:
    """What a report changes; None: nothing. fits: the gateway runs the version that was ordered.

    Steps only go forward, and what the gateway said last of all is not changed.
    """
    if now not in OPEN and not (now in ENDED and known_code in GUESSES):
        return None
    if step is UpgradeStep.CONFIRMED:
        if not fits:
            return UpgradeChange(UpgradeState.FAILED, WRONG_VERSION)
        is_watched = watched and code != UNCHANGED
        return UpgradeChange(UpgradeState.WATCHING if is_watched else UpgradeState.SUCCEEDED, code)
    if step in (UpgradeStep.ROLLED_BACK, UpgradeStep.REFUSED):
        return UpgradeChange(UpgradeState.FAILED, code or step.value)
    if now not in OPEN:
        return None  # it was given up, and may end well all the same
    wanted = UpgradeState(step.value)
    return UpgradeChange(wanted) if OPEN.index(wanted) > OPEN.index(now) else None


def overdue(
    now: UpgradeState,
    now_ms: int,
    step_ms: int,
    expires_ms: int,
    confirm_s: int,
    connected_ms: int | None,
) -> UpgradeChange | None:
    """What the cloud assumes of an open upgrade; None: it waits on. step_ms: of the newest step.

    connected_ms: since when the gateway is connected, None: it is not.
    """
    if now is UpgradeState.TRIAL:
        late = now_ms > step_ms + confirm_s * 1000 + TRIAL_MS
        return UpgradeChange(UpgradeState.FAILED, SILENT) if late else None
    if now is UpgradeState.ORDERED:
        if connected_ms is not None and now_ms > max(step_ms, connected_ms) + ANSWER_MS:
            return UpgradeChange(UpgradeState.FAILED, NO_ANSWER)
        return UpgradeChange(UpgradeState.MISSED, NO_ANSWER) if now_ms > expires_ms + LATE_MS else None
    return UpgradeChange(UpgradeState.FAILED, SILENT) if now_ms > expires_ms + LATE_MS else None
