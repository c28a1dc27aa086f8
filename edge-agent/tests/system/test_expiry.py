"""How long samples stay, and when a clock is believed."""

from __future__ import annotations

from edge_agent.system.expiry import Expiry, SteadyClock

NOW = 1_790_000_000_000
DAY = 86_400_000


def test_samples_stay_for_their_days() -> None:
    expiry = Expiry(30, NOW, 50.0)
    assert expiry.before_ms(NOW + 3_599_999, 3649.999) is None
    assert expiry.before_ms(NOW + 3_600_000, 3650.0) == NOW + 3_600_000 - 30 * DAY


def test_a_clock_is_believed_after_an_hour_without_a_jump() -> None:
    for moved_ms, believed in ((0, True), (60_000, True), (-60_000, True), (60_001, False), (-60_001, False)):
        clock = SteadyClock(NOW, 0.0)
        at = NOW + 3_600_000 + moved_ms
        assert clock.believed_ms(at, 3600.0) == (at if believed else None), moved_ms
        assert clock.believed_ms(at + 3_599_000, 7199.0) == (at + 3_599_000 if believed else None)
        assert clock.believed_ms(at + 3_600_000, 7200.0) == at + 3_600_000, "an hour after the jump"


def test_small_steps_are_no_jump() -> None:
    clock = SteadyClock(NOW, 0.0)
    for minute in range(60):
        clock.believed_ms(NOW + minute * 119_000, minute * 60.0)
    assert clock.believed_ms(NOW + 60 * 119_000, 3600.0) == NOW + 60 * 119_000
