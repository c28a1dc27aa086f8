"""How fast one socket may ask."""

from __future__ import annotations

import pytest

from cloud.realtime.clients import MAX_SUBSCRIPTIONS
from cloud.realtime.rate_limit import BURST, PER_S, MessageRate


def test_a_page_is_not_held_up_and_a_flood_is() -> None:
    now = [0.0]
    pace = MessageRate(lambda: now[0])
    assert [pace.wait_s(ids) for ids in (0, 2000, 2000, MAX_SUBSCRIPTIONS - 4000)] == [0, 0, 0, 0]
    now[0] += 60
    served = 0
    while now[0] < 660:
        now[0] += pace.wait_s(2000)
        served += 2000
    assert served <= 600 * PER_S + BURST + 2000


def test_beats_and_single_points_never_wait() -> None:
    now = [0.0]
    pace = MessageRate(lambda: now[0])
    for _ in range(1000):
        now[0] += 0.1
        assert pace.wait_s(1) == 0


def test_what_a_message_costs_and_how_fast_that_is_made_good() -> None:
    now = [100.0]
    pace = MessageRate(lambda: now[0])
    assert (BURST, PER_S) == (6000, 600)
    assert pace.wait_s(5975) == 0  # 25 of the message itself
    assert pace.wait_s(35) == pytest.approx(0.1)
    now[0] += 0.1
    assert pace.wait_s(575) == pytest.approx(1)
    now[0] += 3
    assert pace.wait_s(1175) == pytest.approx(0, abs=1e-9)
    now[0] += 1000
    assert pace.wait_s(5976) == pytest.approx(1 / 600)
