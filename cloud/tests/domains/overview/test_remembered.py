"""What costs much is counted once for all, and anew beside who asks."""

from __future__ import annotations

import asyncio

import pytest

from cloud.domains.overview.remembered import Remembered

from ...conftest import Clock


class Counter:
    def __init__(self) -> None:
        self.counted = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.fails = False

    async def __call__(self) -> int:
        self.counted += 1
        await self.gate.wait()
        if self.fails:
            raise RuntimeError("away")
        return self.counted


async def test_those_who_ask_together_wait_for_one_count() -> None:
    clock, count = Clock(), Counter()
    known: Remembered[int] = Remembered(60_000, 2, clock)
    assert await asyncio.gather(*(known.of("a", count) for _ in range(5))) == [1] * 5
    clock.pass_s(59)
    assert await known.of("a", count) == 1


async def test_who_asks_later_gets_what_is_known_while_it_is_counted_anew() -> None:
    clock, count = Clock(), Counter()
    known: Remembered[int] = Remembered(60_000, 2, clock)
    await known.of("a", count)
    clock.pass_s(61)
    count.gate.clear()
    assert await known.of("a", count) == 1
    count.gate.set()
    await asyncio.sleep(0.01)
    assert await known.of("a", count) == 2
    clock.pass_s(601)
    assert await known.of("a", count) == 3  # too old to be told


async def test_a_failure_is_not_kept_and_the_least_used_goes() -> None:
    clock, count = Clock(), Counter()
    known: Remembered[int] = Remembered(60_000, 2, clock)
    count.fails = True
    with pytest.raises(RuntimeError):
        await known.of("a", count)
    count.fails = False
    assert await known.of("a", count) == 2
    await known.of("b", count)
    await known.of("c", count)
    assert await known.of("a", count) == 5
