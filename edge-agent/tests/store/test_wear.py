"""What the store writes to flash: the gauge, and the bound at a thousand samples a second."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from edge_agent.model import Row
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_agent.store.wear import Wear
from edge_agent.system.process import written_bytes

NOW = 1_800_000_000_000
SAMPLES_S = 1000
BLOCK = 50
DAY_S = 86_400


def test_a_day_at_the_present_rate() -> None:
    now, written = 0.0, 0
    wear = Wear(lambda: now, lambda: written)
    for _ in range(500):
        now += 10
        written += 500
        rate = wear.bytes_day()
        assert rate is None if now < 3600 else rate == 50 * DAY_S
    for _ in range(370):
        now += 10
        rate = wear.bytes_day()
    assert rate == 0, "what was written an hour ago is no rate of now"


def test_a_system_that_does_not_count() -> None:
    wear = Wear(lambda: 100.0, lambda: None)
    assert wear.bytes_day() is None


def on_a_disk(folder: Path) -> bool:
    before = written_bytes()
    file = folder / "probe"
    with file.open("wb") as probe:
        probe.write(bytes(1 << 20))
    after = written_bytes()
    file.unlink()
    return before is not None and after is not None and after - before >= 1 << 20


@pytest.mark.parametrize(("interval_s", "commits", "max_gb_day"), [(1, 200, 4.5), (5, 40, 2.0)])
async def test_bytes_to_the_medium_in_a_day(
    tmp_path: Path, interval_s: int, commits: int, max_gb_day: float
) -> None:
    """A thousand samples a second, a commit each interval, a batch acknowledged when the next is there."""
    if not on_a_disk(tmp_path):
        pytest.skip("this file system counts no written bytes: it is in memory")
    noise = random.Random(7)
    async with open_sqlite(tmp_path, 64 << 20, lambda: NOW, time.monotonic) as store:
        committer = Committer(store.outbox, "ab" * 8, interval_s, lambda: NOW)
        before = written_bytes()
        for commit in range(commits):
            for second in range(interval_s):
                t_ms = NOW + (commit * interval_s + second) * 1000
                for block in range(SAMPLES_S // BLOCK):
                    points = tuple(range(block * BLOCK + 1, (block + 1) * BLOCK + 1))
                    values = tuple(round(20 + noise.random() * 5, 1) for _ in points)
                    committer.put(Row(points, t_ms + block * 7, values))
            await committer.flush()
            await store.outbox.forget([(1, store.outbox.state().next_seq - 2)])
    after = written_bytes()
    assert before is not None and after is not None
    gb_day = (after - before) / (commits * interval_s) * DAY_S / 1e9
    assert gb_day <= max_gb_day, f"{gb_day:.2f} GB a day"
    print(f"{interval_s} s commits: {gb_day:.2f} GB a day")
