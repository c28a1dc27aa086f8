"""A rollout as a pure state machine: waves, thresholds, and how many get their order at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.firmware.rollout import (
    ERRORS,
    MAX_WAVES,
    NOBODY,
    TOO_FEW,
    Decision,
    Next,
    PlanAction,
    PlanState,
    Thresholds,
    WaveCounts,
    actions,
    decide,
    orders_now,
    wave_sizes,
)

LIMITS = Thresholds(success_share=0.9, error_share=0.1)
Counts = WaveCounts


@pytest.mark.parametrize(
    ("total", "scope", "count", "growth", "max_wave", "sizes"),
    [
        (0, 2, 5, 3, 100, []),
        (10, 1, 4, 3, 100, [4]),
        (3, 1, 4, 3, 100, [3]),
        (100, 2, 2, 3, 100, [2, 6, 18, 54, 20]),
        (100, 2, 2, 3, 10, [2, 6, 10, 10, 10, 10, 10, 10, 10, 10, 10, 2]),
        (10, 2, 1, 1.5, 100, [1, 1, 2, 3, 3]),
        (50, 3, None, 10, 1000, [1, 10, 39]),
        (2000, 3, None, 3, 1000, [20, 60, 180, 540, 1000, 200]),
        (100_000, 3, None, 10, 1000, None),
    ],
)
def test_waves_grow(
    total: int, scope: int, count: int | None, growth: float, max_wave: int, sizes: list[int] | None
) -> None:
    made = wave_sizes(total, scope, count, growth, max_wave)
    if sizes is not None:
        assert made == sizes
    assert len(made) <= MAX_WAVES
    assert scope == 1 or sum(made) == total


@given(
    total=st.integers(0, 5000),
    count=st.integers(1, 500),
    growth=st.floats(1, 10),
    max_wave=st.integers(1, 2000),
)
def test_waves_hold_every_gateway_once_and_none_is_empty(
    total: int, count: int, growth: float, max_wave: int
) -> None:
    sizes = wave_sizes(total, 2, count, growth, max_wave)
    assert sum(sizes) == total
    assert all(size > 0 for size in sizes)
    assert len(sizes) <= MAX_WAVES


@pytest.mark.parametrize(
    ("waves", "current", "decision"),
    [
        ([], 0, Decision(Next.FINISH)),
        ([Counts(waiting=1), Counts(waiting=9)], 0, Decision(Next.WAIT)),
        ([Counts(under_way=1), Counts(waiting=9)], 0, Decision(Next.WAIT)),
        ([Counts(watching=1), Counts(waiting=9)], 0, Decision(Next.WAIT)),
        ([Counts(succeeded=1), Counts(waiting=9)], 0, Decision(Next.ADVANCE)),
        ([Counts(failed=1), Counts(waiting=9)], 0, Decision(Next.PAUSE, ERRORS)),
        ([Counts(failed=1, waiting=9)], 0, Decision(Next.WAIT)),  # as much as is allowed, not more
        ([Counts(failed=2, waiting=8)], 0, Decision(Next.PAUSE, ERRORS)),
        ([Counts(failed=1, succeeded=9), Counts(waiting=5)], 0, Decision(Next.ADVANCE)),
        ([Counts(excused=3, succeeded=9, watching=1), Counts(waiting=5)], 0, Decision(Next.ADVANCE)),
        ([Counts(missed=1), Counts(waiting=9)], 0, Decision(Next.PAUSE, NOBODY)),
        ([Counts(skipped=3), Counts(waiting=9)], 0, Decision(Next.PAUSE, NOBODY)),
        ([Counts(excused=1), Counts(waiting=9)], 0, Decision(Next.ADVANCE)),  # somebody went on
        ([Counts(succeeded=1), Counts(missed=9), Counts(waiting=1)], 1, Decision(Next.ADVANCE)),
        ([Counts(succeeded=1, missed=5), Counts(waiting=9)], 0, Decision(Next.ADVANCE)),
        ([Counts(succeeded=8, failed=1, excused=1)], 0, Decision(Next.PAUSE, TOO_FEW)),
        ([Counts(succeeded=1), Counts(succeeded=9, under_way=1)], 1, Decision(Next.WAIT)),
        ([Counts(succeeded=9, waiting=1), Counts(succeeded=9)], 1, Decision(Next.WAIT)),
        ([Counts(succeeded=1), Counts(succeeded=9)], 1, Decision(Next.FINISH)),
        ([Counts(missed=9)], 0, Decision(Next.FINISH)),
        # gateways of a wave that is over may still fail
        ([Counts(succeeded=18, failed=3), Counts(waiting=9)], 1, Decision(Next.PAUSE, ERRORS)),
    ],
)
def test_what_a_rollout_does_next(waves: list[WaveCounts], current: int, decision: Decision) -> None:
    assert decide(waves, current, LIMITS) == decision


@pytest.mark.parametrize(
    ("waves", "current", "room"),
    [
        ([Counts(waiting=100)], 0, 10),
        ([Counts(waiting=90, under_way=7)], 0, 3),
        ([Counts(waiting=90, under_way=12)], 0, 0),
        ([Counts(succeeded=10, under_way=4), Counts(waiting=9)], 1, 6),
        ([Counts(waiting=90, under_way=9, failed=1)], 0, 1),  # with 11 failures of 100 it stops
        ([Counts(waiting=98, under_way=1, failed=1)], 0, 9),
        ([Counts(waiting=18, under_way=1, failed=1)], 0, 1),
    ],
)
def test_after_a_failure_no_more_get_an_order_than_would_stop_it(
    waves: list[WaveCounts], current: int, room: int
) -> None:
    assert orders_now(waves, current, at_once=10, error_share=0.1) == room


@given(total=st.integers(1, 500), at_once=st.integers(1, 50), error_share=st.floats(0, 0.5))
def test_a_file_that_fails_everywhere_reaches_few(total: int, at_once: int, error_share: float) -> None:
    """All that get an order fail one after the other; it stops within the threshold, and those at once."""
    waiting, under_way, failed = total, 0, 0
    while True:
        wave = WaveCounts(waiting=waiting, under_way=under_way, failed=failed)
        if decide([wave], 0, Thresholds(0.9, error_share)).step is not Next.WAIT:
            break
        room = min(waiting, orders_now([wave], 0, at_once, error_share))
        waiting, under_way = waiting - room, under_way + room
        assert under_way, "it waits for nobody"
        under_way, failed = under_way - 1, failed + 1
    reached = failed + under_way
    assert reached <= max(at_once, int(total * error_share) + 1)


def test_what_can_be_done_with_a_plan() -> None:
    def possible(state: PlanState, *, is_back: bool = False, wants_approval: bool = False) -> set[PlanAction]:
        return set(actions(state, is_back=is_back, wants_approval=wants_approval))

    assert possible(PlanState.DRAFT) == {PlanAction.START, PlanAction.CHANGE, PlanAction.DELETE}
    assert possible(PlanState.RUNNING) == {
        PlanAction.PAUSE,
        PlanAction.RETRY,
        PlanAction.ROLLBACK,
        PlanAction.CANCEL,
    }
    assert PlanAction.DELETE not in possible(PlanState.PAUSED)
    assert possible(PlanState.DRAFT, wants_approval=True) >= {PlanAction.APPROVE}
    assert PlanAction.ROLLBACK in possible(PlanState.FINISHED)
    assert not {PlanAction.ROLLBACK, PlanAction.START} & possible(PlanState.FINISHED, is_back=True)
