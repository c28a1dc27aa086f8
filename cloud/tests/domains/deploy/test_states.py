"""Pure: life of a deployment, its base, and what a local edit is."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.configuration.states import (
    FINAL,
    GIVEN_UP,
    OPEN,
    SENT,
    DeploymentState,
    Refusal,
    Situation,
    base_of,
    gives_up_ms,
    is_local_edit,
    may_become,
)


def test_what_the_gateway_said_last_never_changes() -> None:
    assert all(not may_become(final, other) for final in FINAL for other in DeploymentState)
    assert {
        DeploymentState.CHECKED,
        DeploymentState.REFUSED,
        DeploymentState.UNCHANGED,
        DeploymentState.CONFIRMED,
        DeploymentState.REVERTED,
    } == FINAL


def test_steps_only_go_forward() -> None:
    for earlier, later in itertools.combinations(OPEN, 2):
        assert may_become(earlier, later)
        assert not may_become(later, earlier)
    assert not any(may_become(state, state) for state in DeploymentState)


def test_a_late_final_receipt_replaces_giving_up_and_nothing_else_does() -> None:
    for state in GIVEN_UP - {DeploymentState.CANCELLED}:
        assert {other for other in DeploymentState if may_become(state, other)} == FINAL


def test_what_is_not_on_trial_yet_can_be_cancelled_and_any_step_of_the_gateway_opens_it_again() -> None:
    steps = {DeploymentState.RECEIVED, DeploymentState.STAGED, DeploymentState.SWITCHED}
    assert {state for state in DeploymentState if may_become(state, DeploymentState.CANCELLED)} == set(
        OPEN
    ) - {DeploymentState.SWITCHED}
    assert {
        other for other in DeploymentState if may_become(DeploymentState.CANCELLED, other)
    } == FINAL | steps


@given(st.permutations(list(DeploymentState)))
def test_any_order_of_arrival_ends_in_one_final_state(arrivals: list[DeploymentState]) -> None:
    state = DeploymentState.CREATED
    for arrival in arrivals:
        if may_become(state, arrival):
            state = arrival
    assert state is next(arrival for arrival in arrivals if arrival in FINAL)


def test_when_the_cloud_gives_up() -> None:
    assert gives_up_ms(DeploymentState.CREATED, 1000, 300, False) == 1000
    assert gives_up_ms(DeploymentState.SENT, 1000, 300, False) == 1000 + 300_000 + 30_000
    assert gives_up_ms(DeploymentState.SENT, 1000, 300, True) == 1000 + 30_000, (
        "a final receipt is on its way"
    )


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
        ("l", "a", DeploymentState.CONFIRMED, True),
        ("c", "c", DeploymentState.SWITCHED, False),
        ("c", "c", DeploymentState.NETWORK_ERROR, False),
        ("c", "c", DeploymentState.REFUSED, True),
        ("c", "c", DeploymentState.REVERTED, True),
    ],
)
def test_local_edit(
    running: str | None, deployed: str | None, state: DeploymentState | None, local: bool
) -> None:
    assert is_local_edit(Situation(running, "a", None, None), deployed, state) is local


def test_what_was_sent_has_no_end_yet() -> None:
    assert {*SENT, DeploymentState.CREATED} == set(OPEN) and DeploymentState.CREATED not in SENT
    assert DeploymentState.SENT in SENT
