"""What costs much is counted once for all who ask within a bound, and never told when it is older."""

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


async def test_what_is_too_old_is_counted_anew_and_waited_for_by_all() -> None:
    clock, count = Clock(), Counter()
    known: Remembered[int] = Remembered(30_000, 2, clock)
    await known.of("a", count)
    clock.pass_s(31)
    count.gate.clear()
    asking = [asyncio.ensure_future(known.of("a", count)) for _ in range(3)]
    assert await known.soon("a", count, 0.01) is None
    assert not any(one.done() for one in asking)
    count.gate.set()
    assert await asyncio.gather(*asking) == [2, 2, 2]
    assert await known.soon("a", count, 0.01) == 2


async def test_a_figure_is_as_old_as_the_beginning_of_its_count() -> None:
    clock, count = Clock(), Counter()
    known: Remembered[int] = Remembered(30_000, 2, clock)
    count.gate.clear()
    asking = asyncio.ensure_future(known.of("a", count))
    await asyncio.sleep(0)
    clock.pass_s(20)
    count.gate.set()
    assert await asking == 1
    clock.pass_s(9)
    assert await known.of("a", count) == 1
    clock.pass_s(2)
    assert await known.of("a", count) == 2


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
