"""How many sign-ins an address may try."""

from __future__ import annotations

from cloud.domains.identity.attempts import Attempts


def test_bucket_empties_and_fills() -> None:
    attempts = Attempts()
    assert [attempts.take("a", 0) for _ in range(120 + 1)] == [True] * 120 + [False]
    assert attempts.take("b", 0)
    assert not attempts.take("a", 0.45)
    assert attempts.take("a", 0.55) and not attempts.take("a", 0.55)
    later = 10_000.0
    assert [attempts.take("a", later) for _ in range(120 + 1)].count(True) == 120


def test_clock_that_goes_back_gives_nothing() -> None:
    attempts = Attempts(at_once=1)
    assert attempts.take("a", 100) and not attempts.take("a", 50)


def test_addresses_are_bounded() -> None:
    attempts = Attempts()
    for number in range(10_005):
        attempts.take(str(number), 0)
    assert len(attempts._left) == 10_000
