"""The machine's own clock is set while the agent's store runs: libfaketime moves what the process sees."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edge_agent.store.base import StoredBatch
from edge_agent.store.sqlite import open_sqlite
from edge_contract import batch

LIBRARY = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
PROGRAM = """
import asyncio, sys, time
from pathlib import Path
from edge_agent.model import Quality, Row
from edge_agent.store.clock_gate import ClockGate
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_agent.system.clock import SystemClock

async def main(folder):
    clock = SystemClock()
    async with open_sqlite(folder, 1 << 20, clock.now_ms, clock.monotonic) as store:
        committer = Committer(store.outbox, "ab" * 8, 0.05, clock.now_ms)
        gate = ClockGate(committer, clock)
        tasks = [asyncio.create_task(committer.run()), asyncio.create_task(gate.run())]
        value = 0
        while not (folder / "stop").exists():
            before = time.monotonic()
            t_ms = clock.now_ms()
            after = time.monotonic()
            gate.put(Row((1,), t_ms, (value,)))
            print(value, before * 1000, after * 1000, store.outbox.state().batches, flush=True)
            value += 1
            await asyncio.sleep(0.05)
        await committer.flush()
asyncio.run(main(Path(sys.argv[1])))
"""
TOLERANCE_MS = 10
"""Of the clocks' resolution and of moving a time by their difference."""


@pytest.mark.clause("C-054")
@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
def test_the_clock_is_set_while_samples_are_collected(tmp_path: Path) -> None:
    now_file = tmp_path / "now"
    now_file.write_text("@1970-01-01 00:00:10")
    env = {
        **os.environ,
        "LD_PRELOAD": str(LIBRARY[0]),
        "FAKETIME_TIMESTAMP_FILE": str(now_file),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with (tmp_path / "said").open("w") as said:
        running = subprocess.Popen(words, env=env, stdout=said)
    wait_for(lambda: len(said_in(tmp_path)) > 8)
    unset = said_in(tmp_path)
    (tmp_path / "set").write_text("+0")
    (tmp_path / "set").replace(now_file)  # it is read while it is written
    offset_ms = max(time.time() - time.monotonic() for _ in range(100)) * 1000
    wait_for(lambda: len(said_in(tmp_path)) > len(unset) + 12)
    (tmp_path / "stop").touch()
    assert running.wait(30) == 0
    written = said_in(tmp_path)
    assert {batches for *_, batches in unset} == {"0"}, "committed nothing"
    held = asyncio.run(batches_in(tmp_path))
    samples = [
        (value, t_ms, int(quality))
        for one in held
        for column in batch.decode(one.payload)[1]
        for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]
    assert [value for value, _, _ in samples] == [int(value) for value, *_ in written], "none lost, in order"
    for (_, t_ms, _), (_, before_ms, after_ms, _) in zip(samples, written, strict=True):
        assert float(before_ms) - TOLERANCE_MS <= t_ms - offset_ms <= float(after_ms) + TOLERANCE_MS
    assert {quality for _, _, quality in samples[: len(unset)]} == {8}
    assert samples[-1][2] == 0


def said_in(folder: Path) -> list[list[str]]:
    """Whole lines: value, monotonic milliseconds before and after its time was read, committed batches."""
    whole, _, _ = (folder / "said").read_text().rpartition("\n")
    return [line.split() for line in whole.splitlines()]


async def batches_in(folder: Path) -> list[StoredBatch]:
    async with open_sqlite(folder, 1 << 20, lambda: 0, time.monotonic) as store:
        return await store.outbox.following(0, 1000)


def wait_for(done: object, timeout_s: float = 60.0) -> None:
    assert callable(done)
    deadline = time.monotonic() + timeout_s
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)
