"""The life cycle as a table: every combination of facts, and every step between two of them."""

from __future__ import annotations

from itertools import product

import pytest

from cloud.domains.alarms.life_cycle import (
    ACTIVE,
    BY_A_USER,
    QUIET,
    TO_ACKNOWLEDGE,
    TRANSITIONS,
    UNRESOLVED,
    Change,
    Facts,
    State,
    is_allowed,
    is_announced,
    state_of,
)

N, U, A, R, L = State.NORMAL, State.UNACKNOWLEDGED, State.ACKNOWLEDGED, State.RETURNED, State.LATCHED
SHELVED, SUPPRESSED, OUT = State.SHELVED, State.SUPPRESSED, State.OUT_OF_SERVICE

EVERY = [
    Facts(quiet, is_over, is_acknowledged, is_latched, is_folded)
    for quiet in ("", *sorted(QUIET))
    for is_over, is_acknowledged, is_latched, is_folded in product((False, True), repeat=4)
]


@pytest.mark.parametrize(
    ("is_over", "is_acknowledged", "is_latched", "state"),
    [
        (False, False, False, U),
        (False, True, False, A),
        (True, False, False, R),
        (True, True, False, N),
        (False, False, True, U),
        (False, True, True, A),
        (True, False, True, L),
        (True, True, True, N),
    ],
)
def test_state_of_an_alarm_that_is_not_quiet(
    is_over: bool, is_acknowledged: bool, is_latched: bool, state: State
) -> None:
    assert state_of(Facts("", is_over, is_acknowledged, is_latched)) is state


@pytest.mark.parametrize("quiet", sorted(QUIET))
def test_state_of_a_quiet_alarm(quiet: State) -> None:
    stands = [(False, False, False), (False, True, False), (False, True, True), (True, False, True)]
    for facts in stands:
        assert state_of(Facts(quiet, *facts)) is quiet
    for facts in ((True, False, False), (True, True, False), (True, True, True)):
        assert state_of(Facts(quiet, *facts)) is N


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ((False, False, False), U),
        ((False, True, False), A),
        ((True, False, False), N),
        ((True, True, False), N),
        ((True, False, True), L),
    ],
)
def test_what_is_over_under_its_root_cause_needs_no_acknowledging(
    facts: tuple[bool, bool, bool], state: State
) -> None:
    assert state_of(Facts("", *facts, is_folded=True)) is state


def test_groups_of_states() -> None:
    assert {U, A, L} == ACTIVE
    assert {SHELVED, SUPPRESSED, OUT} == QUIET
    assert UNRESOLVED == ACTIVE | QUIET
    assert {U, R, L, SHELVED, SUPPRESSED, OUT} == TO_ACKNOWLEDGE
    said = {Change.HANDLED, Change.FALSE_ALARM, Change.REOPENED, Change.NOTED}
    assert {Change.ACKNOWLEDGED, *said} == BY_A_USER


def _steps(change: Change) -> set[tuple[State, State]]:
    """Every step that the columns of an alarm can make by a change."""
    steps = set()
    for before, after in product(EVERY, EVERY):
        others = (before.is_over == after.is_over, before.is_acknowledged == after.is_acknowledged)
        if (before.is_latched, before.is_folded) != (after.is_latched, after.is_folded):
            continue
        if change is Change.CLEARED:
            is_step = not before.is_over and after.is_over and others[1] and before.quiet == after.quiet
        elif change is Change.ACKNOWLEDGED:
            is_step = not before.is_acknowledged and after.is_acknowledged and others[0]
            is_step = is_step and before.quiet == after.quiet and state_of(before) is not N
        elif change is Change.RESTORED:
            is_step = bool(before.quiet) and not after.quiet and all(others)
            is_step = is_step and state_of(before) in UNRESOLVED
        else:
            is_step = after.quiet == change.value and before.quiet != change.value and all(others)
            is_step = is_step and state_of(before) in UNRESOLVED
        if is_step:
            steps.add((state_of(before), state_of(after)))
    return steps


@pytest.mark.parametrize(
    "change",
    [
        Change.CLEARED,
        Change.ACKNOWLEDGED,
        Change.RESTORED,
        Change.SHELVED,
        Change.SUPPRESSED,
        Change.OUT_OF_SERVICE,
    ],
)
def test_the_table_has_the_steps_that_can_happen_and_no_other(change: Change) -> None:
    possible = _steps(change)
    assert possible
    for before, after in product(State, State):
        mine = (before, after)
        if before is after and before in QUIET and change.value == before.value:
            continue  # shelved anew
        assert is_allowed(change, *mine) == (mine in possible), mine


def test_an_alarm_begins_unacknowledged_or_quiet() -> None:
    for before, after in product(State, State):
        assert is_allowed(Change.RAISED, before, after) == (before is N and after in {U, *QUIET})


@pytest.mark.parametrize("change", [Change.FOLDED, Change.UNFOLDED])
def test_folding_changes_no_state(change: Change) -> None:
    for before, after in product(State, State):
        assert is_allowed(change, before, after) == (before is after and before in UNRESOLVED)


@pytest.mark.parametrize("change", [Change.HANDLED, Change.FALSE_ALARM, Change.REOPENED])
def test_handling_is_apart(change: Change) -> None:
    for before, after in product(State, State):
        assert is_allowed(change, before, after) == (before is after)


def test_every_change_is_in_the_table() -> None:
    assert set(TRANSITIONS) == set(Change)


@pytest.mark.parametrize(
    ("quiet", "parent_id", "told"), [("", None, True), ("shelved", None, False), ("", 3, False)]
)
def test_who_is_told(quiet: str, parent_id: int | None, told: bool) -> None:
    assert is_announced(quiet, parent_id) is told
