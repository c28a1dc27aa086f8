"""The states of a deployment, pure."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.config import state as states
from edge_agent.config.state import ActiveVersion, ConfigurationState, Order, Trial
from edge_contract.deployment import Fault, Origin, Receipt, Step

NOW = 1_800_000_000_000
OLD, NEW = ActiveVersion("a" * 64, Origin.FILE, 1), ActiveVersion("b" * 64, Origin.CLOUD, NOW)
ORDER = Order("deploy-01", True, NOW + 60_000)
AGAIN = msgspec.structs.replace(OLD, since_ms=NOW)
TRIAL = Trial(ORDER, OLD, NOW + 30_000, 30, 0.9, True, [("boiler", "t")])


def receipt(step: Step, name: str = ORDER.id) -> Receipt:
    return Receipt(id=name, step=step, t_ms=NOW, running=NEW.hash)


def on_trial() -> ConfigurationState:
    return states.switched(states.accepted(ConfigurationState(OLD), ORDER), NEW, TRIAL)


def test_confirmed_keeps_the_way_back_for_later() -> None:
    done = states.confirmed(on_trial(), receipt(Step.CONFIRMED))
    assert (done.running, done.previous, done.trial, done.under_way) == (NEW, OLD, None, None)
    assert done.past[0].receipt.step is Step.CONFIRMED
    assert not done.past[0].acknowledged


def test_reverted_says_what_runs() -> None:
    done = states.reverted(on_trial(), "points", "why" * 100, NOW)
    assert (done.running, done.trial) == (AGAIN, None), "it runs since the return"
    last = done.past[0].receipt
    assert (last.step, last.code, last.running) == (Step.REVERTED, "points", OLD.hash)
    assert len(last.detail) == 200


@pytest.mark.clause("C-094")
def test_a_trial_goes_on_after_one_kill_and_is_left_after_two() -> None:
    once = states.started(on_trial(), NOW, clock_set=True)
    assert once.running == NEW
    assert once.trial is not None
    twice = states.started(once, NOW, clock_set=True)
    assert twice.running == AGAIN
    assert (twice.past[0].receipt.step, twice.past[0].receipt.code) == (Step.REVERTED, "crash")


@pytest.mark.clause("C-094")
def test_a_trial_whose_time_passed_while_the_agent_was_dead_is_left() -> None:
    late = states.started(on_trial(), TRIAL.deadline_ms + 1, clock_set=True)
    assert late.running.hash == OLD.hash
    in_time = states.started(on_trial(), TRIAL.deadline_ms, clock_set=True)
    assert in_time.running == NEW and in_time.trial is not None and in_time.trial.starts == 2
    unset = states.started(on_trial(), 5, clock_set=False)
    assert unset.running == NEW, "a clock that is not set says nothing about the time"


@pytest.mark.clause("C-094")
def test_killed_before_the_switch_it_has_ended_and_nothing_changed() -> None:
    killed = states.started(states.accepted(ConfigurationState(OLD), ORDER), NOW, clock_set=True)
    assert (killed.running, killed.under_way) == (OLD, None)
    assert killed.past[0].receipt.step is Step.REVERTED
    before_1970 = states.started(states.accepted(ConfigurationState(OLD), ORDER), -5, clock_set=False)
    assert before_1970.past[0].receipt.t_ms == 0, "what a receipt can say"


@pytest.mark.clause("C-096")
def test_the_first_outcome_counts_and_can_be_requested_again() -> None:
    once = states.finished(ConfigurationState(OLD), ORDER, receipt(Step.REFUSED), NOW)
    assert states.finished(once, ORDER, receipt(Step.CONFIRMED), NOW) == once
    noted = states.acknowledged(once, {ORDER.id})
    assert noted.past[0].acknowledged
    assert states.acknowledged(noted, {"another-1"}) is noted
    assert not states.reopened(noted, ORDER.id).past[0].acknowledged


def test_a_local_deployment_is_never_reported_to_the_cloud() -> None:
    local = Order("local-01", False, NOW)
    once = states.finished(ConfigurationState(OLD), local, receipt(Step.REFUSED, local.id), NOW)
    assert once.past[0].acknowledged
    assert states.reopened(once, local.id).past[0].acknowledged


def test_what_is_remembered_is_bounded_and_never_forgets_what_could_come_again() -> None:
    state = ConfigurationState(OLD)
    for number in range(300):
        order = Order(f"deploy-{number:03}", True, NOW + 1000 if number < 120 else NOW - 1)
        fault = [Fault(field="f", rule="r")]
        bad = Receipt(id=order.id, step=Step.REFUSED, t_ms=NOW, running=OLD.hash, faults=fault)
        state = states.finished(state, order, bad, NOW)
    assert len(state.past) <= states.MAX_OUTCOMES
    known = {one.order.id for one in state.past}
    assert {f"deploy-{number:03}" for number in range(250, 300)} <= known
    assert [one.order.id for one in state.past if one.receipt.faults] == [
        f"deploy-{number}" for number in range(295, 300)
    ]


def test_up_to_200_outcomes_of_deployments_that_could_come_again_are_stored() -> None:
    """Of expired ones the last 50: the cloud does not send those again."""

    def after(count: int, expires_ms: int) -> list[str]:
        state = ConfigurationState(OLD)
        for number in range(count):
            order = Order(f"deploy-{number:03}", True, expires_ms)
            state = states.finished(state, order, receipt(Step.REFUSED, order.id), NOW)
        return [one.order.id for one in state.past]

    assert after(220, NOW + 1) == [f"deploy-{number:03}" for number in range(20, 220)]
    assert after(60, NOW) == [f"deploy-{number:03}" for number in range(10, 60)]


def test_a_deployment_and_a_version_are_looked_up_by_their_names() -> None:
    state = ConfigurationState(OLD)
    for number in range(3):
        order = Order(f"deploy-{number}", True, NOW)
        state = states.finished(state, order, receipt(Step.REFUSED, order.id), NOW)
    found = state.outcome("deploy-1")
    assert found is not None and found.order.id == "deploy-1"
    assert state.outcome("deploy-3") is None
    record = state.record(OLD.hash)
    assert record is not None and (record.hash, record.t_ms) == (OLD.hash, OLD.since_ms)


@given(
    st.lists(
        st.sampled_from(["accept", "switch", "confirm", "revert", "start", "late", "finish", "replace"]),
        max_size=12,
    )
)
def test_whatever_happens_one_known_version_runs_and_a_trial_has_a_way_back(moves: list[str]) -> None:
    now = ConfigurationState(OLD)
    for move in moves:
        match move:
            case "accept" if now.trial is None:
                now = states.accepted(now, ORDER)
            case "switch" if now.trial is None:
                now = states.switched(now, NEW, msgspec.structs.replace(TRIAL, back=now.running))
            case "confirm":
                now = states.confirmed(now, receipt(Step.CONFIRMED))
            case "revert":
                now = states.reverted(now, "link", "", NOW)
            case "start":
                now = states.started(now, NOW, clock_set=True)
            case "late":
                now = states.started(now, TRIAL.deadline_ms + 1, clock_set=True)
            case "finish" if now.trial is None:
                now = states.finished(now, ORDER, receipt(Step.REFUSED), NOW)
            case "replace":
                now = states.replaced(now, OLD, "file", NOW)
        assert now.running.hash in (OLD.hash, NEW.hash)
        assert now.running.hash in now.needed()
        assert now.trial is None or now.trial.back.hash in now.needed()
        assert msgspec.json.decode(msgspec.json.encode(now), type=ConfigurationState) == now


def test_versions_are_recorded_with_how_they_came_and_fared() -> None:
    left = states.reverted(on_trial(), "slaves", "silent: boiler", NOW)
    old, new = left.record(OLD.hash), left.record(NEW.hash)
    assert old is not None and (old.origin, old.failed) == (Origin.FILE, "")
    assert new is not None and (new.origin, new.failed, new.detail) == (
        Origin.CLOUD,
        "slaves",
        "silent: boiler",
    )
    held = states.switched(left, NEW, TRIAL).record(NEW.hash)
    assert held is not None and not held.failed, "a new trial is a new chance"
    for number in range(100):
        left = states.replaced(left, ActiveVersion(f"{number:064}", Origin.LOCAL, NOW), "", NOW)
    assert [one.hash for one in left.records] == [f"{number:064}" for number in range(60, 100)], "the last 40"
    assert left.record("c" * 64) is None


def test_a_state_and_its_parts_never_change() -> None:
    kinds = (
        ActiveVersion, Order, Trial, states.VersionRecord, states.PastDeployment, ConfigurationState,
    )  # fmt: skip
    assert [kind for kind in kinds if not kind.__struct_config__.frozen] == []
