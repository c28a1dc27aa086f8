"""What a gateway's word makes of a target that was or was not in trouble."""

from __future__ import annotations

import pytest

from cloud.domains.forwarding.trouble import TargetTrouble, alarm_origin, trouble_after
from edge_contract.targets import TargetState

NOW = 1_790_000_000_000
HELD_MS = 120_000
SINCE_MS = NOW - 3_600_000
"""By the gateway's clock, which is an hour slow."""


def said(condition: str, since_ms: int = SINCE_MS) -> TargetState:
    return TargetState(name="bureau", kind="hj212", condition=condition, since_ms=since_ms)


def test_down_begins_at_the_report_and_is_trouble_after_the_time() -> None:
    first = trouble_after(None, said("down"), NOW)
    assert first == TargetTrouble("down", SINCE_MS, NOW)
    assert trouble_after(first, said("down"), NOW + HELD_MS - 1) == first
    later = trouble_after(first, said("down"), NOW + HELD_MS)
    assert later == TargetTrouble("down", SINCE_MS, NOW, in_trouble=True)
    assert trouble_after(later, said("down"), NOW + 1) == later, "also when the clock goes back"


@pytest.mark.parametrize("condition", ["up", "off"])
def test_taking_data_or_being_off_ends_it(condition: str) -> None:
    for before in (None, TargetTrouble("down", 1, NOW), TargetTrouble("down", 1, NOW, in_trouble=True)):
        assert trouble_after(before, said(condition), NOW + HELD_MS) == TargetTrouble(condition, SINCE_MS)


def test_a_connection_begins_no_trouble_and_ends_none() -> None:
    assert trouble_after(None, said("connected"), NOW) == TargetTrouble("connected", SINCE_MS)
    for in_trouble in (False, True):
        down = TargetTrouble("down", 1, NOW, in_trouble)
        assert trouble_after(down, said("connected"), NOW + 2 * HELD_MS) == TargetTrouble(
            "connected", SINCE_MS, NOW, in_trouble
        )


@pytest.mark.parametrize(("stood_ms", "from_ms"), [(HELD_MS - 1, NOW), (HELD_MS, NOW + 10 * HELD_MS)])
def test_a_long_connection_was_idle(stood_ms: int, from_ms: int) -> None:
    before = TargetTrouble("connected", SINCE_MS, NOW)
    after = trouble_after(before, said("down", SINCE_MS + stood_ms), NOW + 10 * HELD_MS)
    assert (after.trouble_since_ms, after.in_trouble) == (from_ms, from_ms == NOW)


def test_an_alarm_that_stands_outlives_an_idle_connection() -> None:
    before = TargetTrouble("connected", SINCE_MS, NOW, in_trouble=True)
    after = trouble_after(before, said("down", SINCE_MS + 9 * HELD_MS), NOW + 10 * HELD_MS)
    assert (after.trouble_since_ms, after.in_trouble) == (NOW, True)


def test_down_after_down_goes_on() -> None:
    before = TargetTrouble("down", SINCE_MS, NOW)
    after = trouble_after(before, said("down", SINCE_MS + 9 * HELD_MS), NOW + 1)
    assert (after.trouble_since_ms, after.in_trouble) == (NOW, False)


def test_a_condition_that_is_not_known_changes_nothing() -> None:
    before = TargetTrouble("down", 1, NOW, in_trouble=True)
    assert trouble_after(before, said("asleep"), NOW) == TargetTrouble(
        "asleep", SINCE_MS, NOW, in_trouble=True
    )
    assert trouble_after(None, said("asleep"), NOW) == TargetTrouble("asleep", SINCE_MS)


def test_the_origin_fits_and_is_of_one_trouble() -> None:
    trouble = TargetTrouble("down", 1, 9_999_999_999_999, in_trouble=True)
    origins = {
        alarm_origin(2**31 - 1, "n" * 64, trouble), alarm_origin(2**31 - 1, "m" * 64, trouble),
        alarm_origin(7, "n" * 64, trouble), alarm_origin(7, "n" * 64, TargetTrouble("down", 1, 5)),
    }  # fmt: skip
    assert len(origins) == 4
    assert max(map(len, origins)) <= 70
    assert alarm_origin(7, "n" * 64, TargetTrouble("connected", 2, 5)) in origins
