"""Whom an alarm is for, and quiet hours."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cloud.domains.contacts.routing import AlarmFacts, is_danger, quiet_until, rank, wants
from cloud.domains.contacts.schemas import GroupRule, QuietHours

SHANGHAI, BERLIN = ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin")


def alarm(**fields: Any) -> AlarmFacts:
    known: dict[str, Any] = {"device_id": 5, "projects": frozenset({1, 4}), "alarm_type": 1, "is_over": False}
    return AlarmFacts(**known | fields)


@pytest.mark.parametrize(
    ("rule", "facts", "expected"),
    [
        ({}, {}, True),
        ({"lowest_level": "danger"}, {}, True),
        ({"lowest_level": "danger"}, {"alarm_type": 4}, False),
        ({"lowest_level": "warning"}, {"alarm_type": 4}, True),
        ({"lowest_level": "warning"}, {"alarm_type": 2}, False),
        ({"lowest_level": "info"}, {"alarm_type": 2}, True),
        ({"lowest_level": "danger"}, {"alarm_type": 201}, True),
        ({"alarm_types": [4, 101]}, {"alarm_type": 101}, True),
        ({"alarm_types": [4, 101]}, {}, False),
        ({"gateways": "devices", "device_ids": [4, 5]}, {}, True),
        ({"gateways": "devices", "device_ids": [4]}, {}, False),
        ({"gateways": "projects", "project_ids": [4]}, {}, True),
        ({"gateways": "projects", "project_ids": [5], "device_ids": [5]}, {}, False),
        ({"gateways": "projects", "project_ids": [4]}, {"projects": frozenset()}, False),
        ({"recoveries": False}, {}, True),
        ({"recoveries": False}, {"is_over": True}, False),
        ({"recoveries": True}, {"is_over": True}, True),
        ({}, {"groups": (8,)}, False),
        ({}, {"groups": (8, 7)}, True),
        ({"lowest_level": "danger", "gateways": "devices"}, {"groups": (7,), "alarm_type": 2}, True),
        ({"recoveries": False}, {"groups": (7,), "is_over": True}, False),
    ],
)
def test_who_is_told(rule: dict[str, Any], facts: dict[str, Any], expected: bool) -> None:
    assert wants(7, GroupRule.model_validate(rule), alarm(**facts)) is expected


def test_own_levels_count_as_the_highest_and_do_not_pass_through_quiet_hours() -> None:
    assert [rank(code) for code in (2, 4, 1, 101, 201, 999)] == [1, 2, 3, 3, 3, 3]
    assert [is_danger(code) for code in (2, 4, 1, 101, 201)] == [False, False, True, True, False]


def ms(text: str, zone: ZoneInfo) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


@pytest.mark.parametrize(
    ("start", "end", "now", "until"),
    [
        ("22:00", "07:00", "2026-09-21 21:59:59", None),
        ("22:00", "07:00", "2026-09-21 22:00:00", "2026-09-22 07:00:00"),
        ("22:00", "07:00", "2026-09-22 00:00:00", "2026-09-22 07:00:00"),
        ("22:00", "07:00", "2026-09-22 06:59:59", "2026-09-22 07:00:00"),
        ("22:00", "07:00", "2026-09-22 07:00:00", None),
        ("12:00", "13:30", "2026-09-22 12:00:00", "2026-09-22 13:30:00"),
        ("12:00", "13:30", "2026-09-22 13:30:00", None),
        ("12:00", "13:30", "2026-09-22 11:59:00", None),
        ("00:00", "06:00", "2026-12-31 00:00:00", "2026-12-31 06:00:00"),
        ("20:00", "00:00", "2026-12-31 23:00:00", "2027-01-01 00:00:00"),
    ],
)
@pytest.mark.parametrize("zone", [SHANGHAI, BERLIN])
def test_quiet_hours(start: str, end: str, now: str, until: str | None, zone: ZoneInfo) -> None:
    quiet = QuietHours(start=start, end=end)
    expected = None if until is None else ms(until, zone)
    assert quiet_until(quiet, ms(now, zone), zone) == expected


def test_quiet_hours_over_the_change_of_clocks_and_none_at_all() -> None:
    quiet = QuietHours(start="22:00", end="07:00")
    begin = ms("2026-10-24 22:30:00", BERLIN)
    assert quiet_until(quiet, begin, BERLIN) == begin + 9 * 3_600_000 + 30 * 60_000
    assert quiet_until(None, begin, BERLIN) is None
