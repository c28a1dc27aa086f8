"""How many sign-ins an address may try."""

from __future__ import annotations

from cloud.domains.identity.attempts import AT_ONCE, PER_S, REMEMBERED, Attempts


def test_bucket_empties_and_fills() -> None:
    attempts = Attempts()
    assert [attempts.take("a", 0) for _ in range(AT_ONCE + 1)] == [True] * AT_ONCE + [False]
    assert attempts.take("b", 0)
    assert not attempts.take("a", 0.9 / PER_S)
    assert attempts.take("a", 1.1 / PER_S) and not attempts.take("a", 1.1 / PER_S)
    later = 10_000.0
    assert [attempts.take("a", later) for _ in range(AT_ONCE + 1)].count(True) == AT_ONCE


def test_clock_that_goes_back_gives_nothing() -> None:
    attempts = Attempts(at_once=1)
    assert attempts.take("a", 100) and not attempts.take("a", 50)


def test_addresses_are_bounded() -> None:
    attempts = Attempts()
    for number in range(REMEMBERED + 5):
        attempts.take(str(number), 0)
    assert len(attempts._left) == REMEMBERED
