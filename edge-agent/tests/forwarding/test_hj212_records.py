"""Every minute, hour and day record once, with the values of its samples, whatever happens to either side."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from pathlib import Path

import pytest

from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.hj212.times import time_text
from edge_agent.model import Quality

from .hj212_platform import Arrived, Platform
from .hj212_station import (
    BEGIN_MS,
    COD,
    FLOW,
    PH,
    SAMPLE_MS,
    STEP_MIN,
    Station,
    SteppedClock,
    opened,
    raw,
    running,
    until,
)

pytestmark = pytest.mark.timeout(240)

OFFSET_MS = 8 * 3_600_000
MINUTE_MS = 60_000
STEP_MS = STEP_MIN * MINUTE_MS
DAY_STEPS = 24 * 60 // STEP_MIN
LENGTHS = {"2051": STEP_MS, "2061": 60 * MINUTE_MS, "2031": 24 * 60 * MINUTE_MS}


def expected(begin_ms: int, length_ms: int, away: dict[int, set[int]], marked: set[int]) -> dict[str, str]:
    """Values of one record from raw samples. away: steps without a value, by point; marked: steps in M."""
    made: dict[str, str] = {"DataTime": time_text(begin_ms, OFFSET_MS)}
    times = range(begin_ms, begin_ms + length_ms, SAMPLE_MS)

    def step(t_ms: int) -> int:
        return (t_ms - BEGIN_MS) // STEP_MS

    def values(number: int) -> list[tuple[int, float]]:
        return [(t, raw(number, t)) for t in times if step(t) not in away.get(number, set())]

    for factor, number, decimals in (("w00000", FLOW, 3), ("w01018", COD, 3), ("w01001", PH, 2)):
        own = values(number)
        if number == COD and any(step(t) not in marked for t, _ in own):
            own = [(t, value) for t, value in own if step(t) not in marked]
        if own:
            mean = sum(value for _, value in own) / len(own)
            seconds = SAMPLE_MS / 1000
            if number == FLOW:
                made[f"{factor}-Cou"] = f"{sum(value for _, value in own) * seconds / 1000:.3f}"
            if number == COD:
                load = sum(value * raw(FLOW, t) for t, value in own) * seconds
                volume = sum(raw(FLOW, t) for t, _ in own) * seconds
                made[f"{factor}-Cou"] = f"{load / 1e6:.3f}"
                mean = load / volume
            made[f"{factor}-Min"] = f"{min(value for _, value in own):.{decimals}f}"
            made[f"{factor}-Avg"] = f"{mean:.{decimals}f}"
            made[f"{factor}-Max"] = f"{max(value for _, value in own):.{decimals}f}"
        bad = {one for one in {step(t) for t in times} if one in away.get(number, set())}
        held = {one for one in {step(t) for t in times} if number == COD and one in marked}
        flags = ["M"] * len(held) + ["B"] * len(bad - held)
        made[f"{factor}-Flag"] = max(flags, key=flags.count) if flags else "N"
    return made


def same(record: dict[str, str], wanted: dict[str, str]) -> bool:
    """Equal texts, but for one unit of the last digit, which the order of a sum may move."""
    if record.keys() != wanted.keys():
        return False
    for name, text in wanted.items():
        if name.endswith(("Time", "Flag")):
            if record[name] != text:
                return False
        elif abs(float(record[name]) - float(text)) > 0.011:
            return False
    return True


def check_all(platform: Platform, steps: int, away: dict[int, set[int]], marked: set[int]) -> None:
    """Every record of whole periods is there, with its values and flags."""
    for cn, length_ms in LENGTHS.items():
        records = platform.of(cn)
        begins = range(BEGIN_MS, BEGIN_MS + steps * STEP_MS - length_ms + 1, length_ms)
        assert sorted(records) == [time_text(begin_ms, OFFSET_MS) for begin_ms in begins]
        for begin_ms in begins:
            wanted = expected(begin_ms, length_ms, away, marked)
            record = records[time_text(begin_ms, OFFSET_MS)]
            assert same(record, wanted), (cn, record, wanted)


def is_anew(parts: list[Arrived]) -> bool:
    """Sent under a second QN. The same one again is the repetition of an unanswered packet: the test's clock
    may pass the time-out while the answer is under way.
    """
    return len({part.header["QN"] for part in parts}) > 1


async def test_two_days_with_outages_and_stops(tmp_path: Path, platform: Platform) -> None:
    """The platform goes away, drops connections before it answers, the agent ends without its last cursor."""
    draw = random.Random(7)
    steps = 2 * DAY_STEPS + 1
    away = {COD: set(range(40, 52)), FLOW: set(), PH: {100}}
    marked = set(range(70, 74))
    number, unsure = 0, set[tuple[str, str, str] | None]()

    def drops(arrived: Arrived) -> bool:
        is_dropped, key = draw.random() < 0.03, (*arrived.key, arrived.header.get("PNO", ""))
        if is_dropped and key in platform.taken:  # a repetition: what is cut off may be the answer
            unsure.add(key)
        return is_dropped

    platform.drops = drops
    while number < steps:
        end = min(number + draw.randint(20, 60), steps)
        async with opened(tmp_path / "data", is_killed=True) as store:
            station = Station(store, SteppedClock(BEGIN_MS + number * STEP_MS), platform.port)
            async with running(station):
                while number < end:
                    outage = draw.random() < 0.1
                    if outage:
                        await platform.stop()
                        unsure.add(platform.last)
                    for _ in range(draw.randint(1, 8)):
                        if number < end:
                            gone = {
                                point: Quality.DEVICE_OFFLINE
                                for point, when in away.items()
                                if number in when
                            }
                            mode = 1 if number in marked else 0
                            await station.step(BEGIN_MS + (number + 1) * STEP_MS, gone, mode)
                            number += 1
                    if outage:
                        await platform.start()
                    await until(station.settled)
            unsure.add(platform.last)
    async with opened(tmp_path / "data") as store:
        station = Station(store, SteppedClock(BEGIN_MS + number * STEP_MS), platform.port)
        async with running(station):
            await station.step(BEGIN_MS + number * STEP_MS + MINUTE_MS)
            await until(station.settled)
            await until(lambda: len(platform.of("2031")) == 2)
            assert station.forwarder.condition()[0] is Condition.UP
            assert station.forwarder.deliveries().delivered > 2 * (DAY_STEPS + 24 + 1)
    check_all(platform, steps, away, marked)
    twice = {key for key, parts in platform.taken.items() if key[0] in LENGTHS and is_anew(parts)}
    assert twice <= unsure, "only where an end may have come between the answer and its note"


async def test_killed_at_random(tmp_path: Path, platform: Platform) -> None:
    """A process that is killed sends again at most what it could not have known to be taken."""
    draw, steps, kills = random.Random(11), 80, 4
    doubtful = set()
    for turn in range(kills + 1):
        words = [sys.executable, "-m", f"{__package__}.hj212_station"]
        process = await asyncio.create_subprocess_exec(
            *words, str(tmp_path / "data"), str(platform.port), str(steps), stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[3],
        )  # fmt: skip
        assert process.stdout is not None
        lines = draw.randint(3, 20) if turn < kills else steps
        for _ in range(lines):
            if not await process.stdout.readline():
                break
        if turn < kills:
            await asyncio.sleep(draw.random() * 0.02)
            process.send_signal(signal.SIGKILL)
            doubtful.add(platform.last)
        await process.wait()
    assert process.returncode == 0
    twice = {key for key, parts in platform.taken.items() if is_anew(parts)}
    assert twice <= doubtful
    for cn in ("2051", "2061"):
        records = platform.of(cn)
        begins = range(BEGIN_MS, BEGIN_MS + (steps - 1) * STEP_MS - LENGTHS[cn] + 1, LENGTHS[cn])
        assert {time_text(begin_ms, OFFSET_MS) for begin_ms in begins} <= records.keys()
        for begin_ms in begins:
            wanted = expected(begin_ms, LENGTHS[cn], {}, set())
            assert same(records[time_text(begin_ms, OFFSET_MS)], wanted)
