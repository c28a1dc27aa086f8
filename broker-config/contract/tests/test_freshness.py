"""One rule for how long a value is believed; the portal is held against the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge_contract.freshness import quality_now, stale_after_ms, unread_after_ms
from edge_contract.limits import OFFLINE_AFTER_S

CASES = json.loads((Path(__file__).resolve().parents[1] / "freshness.json").read_text(encoding="utf-8"))
NOW_MS = 1_790_000_000_000


@pytest.mark.clause("C-063", "C-140", "C-146")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_quality_that_a_sample_has_by_now(case: dict[str, Any]) -> None:
    heard = case["heard_ago_ms"]
    found = quality_now(
        case["quality"],
        NOW_MS - case["age_ms"],
        period_ms=case["period_ms"],
        record=case["record"],
        online=case["online"],
        heard_ms=0 if heard is None else NOW_MS - heard,
        now_ms=NOW_MS,
        report_ms=case.get("report_ms", 0),
    )
    assert found == case["judged"]


@pytest.mark.clause("C-140")
def test_what_a_gateway_says_itself_comes_before_the_cloud_gives_up() -> None:
    for period_ms in (10, 1000, 60_000):
        assert unread_after_ms(period_ms) < stale_after_ms(period_ms, 1) < stale_after_ms(period_ms, 2)
    assert stale_after_ms(1000, 2) < OFFLINE_AFTER_S * 1000


def test_how_long_a_value_is_believed() -> None:
    """Three periods and two seconds at the gateway, five at the cloud; half a minute more for its pulse."""
    assert (unread_after_ms(1000), unread_after_ms(60_000)) == (5000, 182_000)
    assert (stale_after_ms(1000, 1), stale_after_ms(60_000, 1)) == (8000, 185_000)
    assert (stale_after_ms(1000, 0), stale_after_ms(1000, 2), stale_after_ms(1000, 2, 500)) == (
        38_000,
        38_000,
        38_500,
    )
