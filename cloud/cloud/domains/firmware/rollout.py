"""A rollout as a state machine: what may be done with a plan, and what a running one does next. Pure.

    draft --start--> running --(every wave succeeded)--> finished --start: new gateways--> running
                     |   ^                               finished --retry--> running
    errors, too few  |   | resume, retry, rollback
    succeed, pause   v   |
                     paused --cancel--> cancelled --start, retry, rollback--> running

A rollout goes wave by wave: the first one is the canary group. It goes forward, or back (`is_back`) to what
each gateway ran before; backwards there is one wave, with the same brake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class PlanState(StrEnum):
    """Of a plan."""

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class PlanAction(StrEnum):
    """What somebody does with a plan."""

    APPROVE = "approve"
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    ROLLBACK = "rollback"
    CANCEL = "cancel"
    CHANGE = "change"
    DELETE = "delete"


_DRAFT, _RUNNING, _PAUSED = PlanState.DRAFT, PlanState.RUNNING, PlanState.PAUSED
_OVER = frozenset({PlanState.FINISHED, PlanState.CANCELLED})

ALLOWED = {
    PlanAction.APPROVE: frozenset({_DRAFT, _PAUSED}) | _OVER,
    PlanAction.START: frozenset({_DRAFT}) | _OVER,
    PlanAction.PAUSE: frozenset({_RUNNING}),
    PlanAction.RESUME: frozenset({_PAUSED}),
    PlanAction.RETRY: frozenset({_RUNNING, _PAUSED}) | _OVER,
    PlanAction.ROLLBACK: frozenset({_RUNNING, _PAUSED}) | _OVER,
    PlanAction.CANCEL: frozenset({_RUNNING, _PAUSED}),
    PlanAction.CHANGE: frozenset({_DRAFT, _PAUSED}) | _OVER,
    PlanAction.DELETE: frozenset({_DRAFT}) | _OVER,
}
"""In which states an action is possible."""

SCOPE_FIRST, SCOPE_WAVES, SCOPE_ALL = 1, 2, 3
"""plan_upgrade_scope: plan_control_count gateways and no more; those first and the others in waves; all, the
first group as large as canary_of says."""

CANARY_SHARE = 0.01
MAX_CANARY = 20
MAX_WAVES = 100


def actions(state: PlanState, *, is_back: bool, wants_approval: bool) -> list[PlanAction]:
    """What is possible now. wants_approval: it has to be approved, and is not."""
    pointless = {PlanAction.ROLLBACK, PlanAction.START} if is_back else set()
    if not wants_approval:
        pointless |= {PlanAction.APPROVE}
    return [action for action in PlanAction if state in ALLOWED[action] and action not in pointless]


def canary_of(total: int) -> int:
    """Gateways of the first wave at scope 3."""
    return min(MAX_CANARY, max(1, math.ceil(total * CANARY_SHARE)))


def wave_sizes(total: int, scope: int, control_count: int | None, growth: float, max_wave: int) -> list[int]:
    """Gateways of each wave, the canary group first; none for no gateways."""
    if total <= 0:
        return []
    first = min(total, canary_of(total) if control_count is None else control_count)
    sizes = [first]
    if scope == SCOPE_FIRST:
        return sizes
    size, left = float(first), total - first
    while left:
        size = min(max(size * growth, 1.0), float(max_wave))
        take = left if len(sizes) == MAX_WAVES - 1 else min(left, math.floor(size))
        sizes.append(take)
        left -= take
    return sizes


@dataclass(frozen=True)
class WaveCounts:
    """Gateways of a wave by how their newest attempt stands. failed: that count; excused: that do not."""

    waiting: int = 0
    under_way: int = 0
    watching: int = 0
    succeeded: int = 0
    failed: int = 0
    excused: int = 0
    missed: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """Of all that were planned and can take it."""
        return self.pending + self.succeeded + self.failed + self.excused + self.missed

    @property
    def pending(self) -> int:
        """Of which the end is not known."""
        return self.waiting + self.under_way + self.watching

    @property
    def counted(self) -> int:
        """Of which success is expected."""
        return self.pending + self.succeeded + self.failed


@dataclass(frozen=True)
class Thresholds:
    """success_share: of a wave, until the next one begins; error_share: more of a wave stops the rollout."""

    success_share: float
    error_share: float


class Next(StrEnum):
    """What a running rollout does."""

    WAIT = "wait"
    ADVANCE = "advance"
    PAUSE = "pause"
    FINISH = "finish"


ERRORS, TOO_FEW, NOBODY = "errors", "too_few", "nobody"
"""Why a rollout pauses by itself."""


@dataclass(frozen=True)
class Decision:
    """reason: of a pause."""

    step: Next
    reason: str = ""


def decide(waves: Sequence[WaveCounts], current: int, thresholds: Thresholds) -> Decision:
    """waves: all of them; current: the one under way, later ones have not begun.

    The share of errors is of all gateways of a wave, and strictly above it the rollout stops: of a canary of
    one gateway its failure. Gateways that did not come count neither as success nor as error.
    """
    begun = waves[: current + 1]
    if any(wave.failed > wave.total * thresholds.error_share for wave in begun if wave.failed):
        return Decision(Next.PAUSE, ERRORS)
    if not begun:
        return Decision(Next.FINISH)
    wave = begun[-1]
    is_last = current + 1 >= len(waves)
    if wave.counted == 0 and not wave.excused and not is_last and current == 0:
        return Decision(Next.PAUSE, NOBODY)
    if wave.succeeded >= math.ceil(wave.counted * thresholds.success_share - 1e-9):
        if not is_last:
            return Decision(Next.ADVANCE)
        return Decision(Next.WAIT if any(each.pending for each in begun) else Next.FINISH)
    if wave.pending == 0:
        return Decision(Next.PAUSE, TOO_FEW)
    return Decision(Next.WAIT)


def orders_now(waves: Sequence[WaveCounts], current: int, at_once: int, error_share: float) -> int:
    """How many more gateways may get their order: at_once have one at the same time.

    Once one has failed, no more than what stops the rollout when all of them fail.
    """
    begun = waves[: current + 1]
    under_way = sum(wave.under_way for wave in begun)
    room = at_once
    for wave in begun:
        if wave.failed:
            room = min(room, math.floor(wave.total * error_share) + 1 - wave.failed)
    return max(0, room - under_way)
