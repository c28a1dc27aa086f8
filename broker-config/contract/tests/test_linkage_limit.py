"""How often rules may write: each for itself, and all of them to one point."""

from __future__ import annotations

import msgspec
import pytest

from edge_contract.alarms.linkage_limit import LINKAGE_WINDOW_MS, MAX_LINKAGE_RUNS, LinkageLimiter
from edge_contract.alarms.rule import Comparison, Operator, Rule
from edge_contract.alarms.state import LinkageState

BEGIN_MS = 1_790_000_000_000


def rules(*numbers: int, version: int = 1) -> list[Rule]:
    over = Comparison(signal="a/b", op=Operator.GREATER, threshold=1.0)
    return [Rule(id=number, version=version, conditions=[over]) for number in numbers]


def written(limiter: LinkageLimiter, rule: int, times: range, target: str = "a/x") -> list[int]:
    return [t_ms for t_ms in times if limiter.admit(rule, "raised", 3, [target], t_ms).may_write]


def every(interval_ms: int, count: int, begin_ms: int = BEGIN_MS) -> range:
    return range(begin_ms, begin_ms + interval_ms * count, interval_ms)


def restarted(limiter: LinkageLimiter, *numbers: int, version: int = 1) -> LinkageLimiter:
    state = msgspec.json.decode(msgspec.json.encode(limiter.state()), type=LinkageState)
    return LinkageLimiter(rules(*numbers, version=version), state)


def test_what_writes_slowly_writes_for_ever() -> None:
    slow = every(LINKAGE_WINDOW_MS // MAX_LINKAGE_RUNS, 500)
    assert written(LinkageLimiter(rules(1), LinkageState()), 1, slow) == list(slow)


def test_a_loop_writes_so_many_times_and_rests_for_the_window() -> None:
    limiter = LinkageLimiter(rules(1), LinkageState())
    loop = every(200, 3 * LINKAGE_WINDOW_MS // 200)
    times = written(limiter, 1, loop)
    first = list(loop)[:MAX_LINKAGE_RUNS]
    rest_ms = first[-1] + 200
    assert times[:MAX_LINKAGE_RUNS] == first
    assert times[MAX_LINKAGE_RUNS] == rest_ms + LINKAGE_WINDOW_MS
    assert len(times) == 3 * MAX_LINKAGE_RUNS


def test_a_rest_is_told_once_when_it_begins_and_once_when_it_is_over() -> None:
    limiter = LinkageLimiter(rules(1), LinkageState())
    began = [limiter.admit(1, "raised", 3, ["a/x"], t_ms, 2).began for t_ms in every(200, 50)]
    (rest,) = [each for each in began if each is not None]
    assert (rest.since_ms, rest.left_out) == (BEGIN_MS + 200 * MAX_LINKAGE_RUNS, 2)
    assert limiter.ended(rest.until_ms - 1) == []
    (over,) = limiter.ended(rest.until_ms)
    assert (over.since_ms, over.left_out) == (rest.since_ms, 2 * (50 - MAX_LINKAGE_RUNS))
    assert limiter.ended(rest.until_ms) == []


def test_a_rest_that_the_next_one_follows_is_told_too() -> None:
    limiter = LinkageLimiter(rules(1), LinkageState())
    times = every(200, MAX_LINKAGE_RUNS + 1)
    written(limiter, 1, times)
    written(limiter, 1, every(200, MAX_LINKAGE_RUNS + 1, times[-1] + LINKAGE_WINDOW_MS))
    assert [each.since_ms for each in limiter.ended(times[-1] + LINKAGE_WINDOW_MS)] == [times[-1]]


def test_rules_share_what_may_be_written_to_one_point() -> None:
    limiter = LinkageLimiter(rules(1, 2, 3), LinkageState())
    for t_ms in every(200, MAX_LINKAGE_RUNS // 2):
        assert written(limiter, 1, range(t_ms, t_ms + 1)) and written(limiter, 2, range(t_ms + 1, t_ms + 2))
    later = range(BEGIN_MS + 60_000, BEGIN_MS + 60_001)
    assert written(limiter, 1, later) == written(limiter, 2, later) == []
    assert written(limiter, 3, later, "a/y") == list(later), "another point"


@pytest.mark.parametrize("version", [1, 2])
def test_a_restart_changes_nothing_but_a_changed_rule_begins_anew(version: int) -> None:
    limiter = LinkageLimiter(rules(1), LinkageState())
    written(limiter, 1, every(200, MAX_LINKAGE_RUNS + 5))
    again = restarted(limiter, 1, version=version)
    later = range(BEGIN_MS + 10_000, BEGIN_MS + 10_001)
    assert written(again, 1, later, "a/y") == ([] if version == 1 else list(later))
    told = [each.left_out for each in again.ended(BEGIN_MS + 10_000)]
    assert told == ([] if version == 1 else [5])


def test_what_is_long_over_is_not_kept() -> None:
    limiter = LinkageLimiter(rules(1, 2), LinkageState())
    written(limiter, 1, every(200, 3))
    written(limiter, 2, range(BEGIN_MS + LINKAGE_WINDOW_MS * 2, BEGIN_MS + LINKAGE_WINDOW_MS * 2 + 1), "a/y")
    limiter.ended(BEGIN_MS + LINKAGE_WINDOW_MS * 2 + 1)
    state = limiter.state()
    assert [each.rule for each in state.rules] == [2]
    assert [each.target for each in state.targets] == ["a/y"]
