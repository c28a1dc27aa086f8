"""Pure: life of a deployment, its base, and what a local edit is."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.configuration.states import (
    FINAL,
    GIVEN_UP,
    GRACE_MS,
    OPEN,
    Refusal,
    Situation,
    State,
    base_of,
    gives_up_ms,
    is_local_edit,
    may_become,
)


def test_what_the_gateway_said_last_never_changes() -> None:
    assert all(not may_become(final, other) for final in FINAL for other in State)
    assert {State.CHECKED, State.REFUSED, State.UNCHANGED, State.CONFIRMED, State.REVERTED} == FINAL


def test_steps_only_go_forward() -> None:
    for earlier, later in itertools.combinations(OPEN, 2):
        assert may_become(earlier, later)
        assert not may_become(later, earlier)
    assert not any(may_become(state, state) for state in State)


def test_a_late_final_receipt_replaces_giving_up_and_nothing_else_does() -> None:
    for state in GIVEN_UP - {State.CANCELLED}:
        assert {other for other in State if may_become(state, other)} == FINAL


def test_what_is_not_on_trial_yet_can_be_cancelled_and_any_step_of_the_gateway_opens_it_again() -> None:
    steps = {State.RECEIVED, State.STAGED, State.SWITCHED}
    assert {state for state in State if may_become(state, State.CANCELLED)} == set(OPEN) - {State.SWITCHED}
    assert {other for other in State if may_become(State.CANCELLED, other)} == FINAL | steps


@given(st.permutations(list(State)))
def test_any_order_of_arrival_ends_in_one_final_state(arrivals: list[State]) -> None:
    state = State.CREATED
    for arrival in arrivals:
        if may_become(state, arrival):
            state = arrival
    assert state is next(arrival for arrival in arrivals if arrival in FINAL)


def test_when_the_cloud_gives_up() -> None:
    assert gives_up_ms(State.CREATED, 1000, 300, False) == 1000
    assert gives_up_ms(State.SENT, 1000, 300, False) == 1000 + 300_000 + GRACE_MS
    assert gives_up_ms(State.SENT, 1000, 300, True) == 1000 + GRACE_MS


@pytest.mark.parametrize(
    ("running", "accepted", "draft", "draft_base", "wanted", "given_base", "found"),
    [
        ("a", "a", "c", "a", "c", None, "a"),  # a draft on what runs
        ("a", "a", None, None, "old", None, "a"),  # back to an older version
        ("l", "a", "c", "a", "c", None, Refusal.LOCAL_EDIT),
        ("l", "a", "c", "a", "old", None, Refusal.LOCAL_EDIT),
        ("l", "a", "c", "a", "c", "l", "l"),  # it was seen
        ("l", "a", "c", "l", "c", None, "l"),  # the draft was made from it
        ("l", "a", "c", "l", "old", None, Refusal.LOCAL_EDIT),
        ("a", "a", "c", "a", "c", "x", Refusal.LOCAL_EDIT),
        ("l", "a", None, None, "l", None, "l"),  # what runs is what is wanted
        (None, None, "c", None, "c", None, Refusal.UNKNOWN),
        (None, "a", "c", None, "c", "x", "x"),
        (None, "a", None, None, "old", None, "a"),
    ],
)
def test_base(
    running: str | None,
    accepted: str | None,
    draft: str | None,
    draft_base: str | None,
    wanted: str,
    given_base: str | None,
    found: str,
) -> None:
    assert base_of(Situation(running, accepted, draft, draft_base), wanted, given_base) == found


@pytest.mark.parametrize(
    ("running", "deployed", "state", "local"),
    [
        ("a", None, None, False),
        (None, None, None, False),
        ("l", None, None, True),
        ("l", "a", State.CONFIRMED, True),
        ("c", "c", State.SWITCHED, False),
        ("c", "c", State.NETWORK_ERROR, False),
        ("c", "c", State.REFUSED, True),
        ("c", "c", State.REVERTED, True),
    ],
)
def test_local_edit(running: str | None, deployed: str | None, state: State | None, local: bool) -> None:
    assert is_local_edit(Situation(running, "a", None, None), deployed, state) is local
