"""Failures lock for a second, then twice as long each time; they are forgiven after a quarter of an hour."""

from __future__ import annotations

import pytest

from cloud.domains.identity import lockout
from cloud.domains.identity.lockout import Lockout

NOW = 10_000.0


def failed(times: int, *, at: float = NOW, table: Lockout | None = None) -> Lockout:
    table = table or Lockout()
    for _ in range(times):
        table.failed(["ann"], at)
    return table


def lock_s(table: Lockout, at: float = NOW) -> float:
    """How long the key is locked from then on, to a tenth of a second."""
    tenths = 0
    while table.locked(["ann"], at + tenths / 10):
        tenths += 1
    return tenths / 10


def test_five_failures_lock_and_every_further_one_twice_as_long() -> None:
    assert [lock_s(failed(times)) for times in range(1, 9)] == [0, 0, 0, 0, 1, 2, 4, 8]
    assert [lock_s(failed(times)) for times in (14, 15, 60)] == [512, 900, 900]


def test_any_locked_key_locks() -> None:
    table = failed(5)
    assert table.locked(["bob", "ann"], NOW) and not table.locked(["bob"], NOW)
    table.failed(["ann", "bob"], NOW + 1)
    assert (lock_s(table, NOW + 1), table.locked(["bob"], NOW + 1)) == (2, False)


def test_a_success_begins_anew() -> None:
    table = failed(4)
    table.succeeded("ann")
    table.succeeded("nobody")
    assert lock_s(failed(4, table=table)) == 0
    assert lock_s(failed(1, table=table)) == 1


def test_failures_are_forgiven_after_a_quiet_quarter_of_an_hour() -> None:
    table = failed(4)
    assert lock_s(failed(1, at=NOW + 900, table=table), NOW + 900) == 1, "not yet"
    table = failed(4)
    assert lock_s(failed(4, at=NOW + 900.1, table=table), NOW + 900.1) == 0
    assert lock_s(failed(1, at=NOW + 900.1, table=table), NOW + 900.1) == 1


def test_the_quiet_time_begins_when_the_lock_ends() -> None:
    table = failed(5)
    assert lock_s(failed(1, at=NOW + 901, table=table), NOW + 901) == 2
    table = failed(5)
    assert lock_s(failed(1, at=NOW + 901.1, table=table), NOW + 901.1) == 0


def test_of_too_many_keys_those_go_that_are_not_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockout, "REMEMBERED", 3)
    table = failed(5)
    for name in ("b", "c", "d"):
        table.failed([name] * 4, NOW)
    for name in ("c", "d"):
        table.failed([name], NOW)
        assert table.locked([name], NOW)
    assert table.locked(["ann"], NOW)
    table.failed(["b"], NOW)
    assert not table.locked(["b"], NOW), "it was forgotten: the least recent that is not locked"


def test_of_too_many_locked_keys_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockout, "REMEMBERED", 2)
    table = Lockout()
    for name in ("a", "b", "c"):
        table.failed([name] * 5, NOW)
    assert [name for name in "abc" if table.locked([name], NOW)] == ["b", "c"]
