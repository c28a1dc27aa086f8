"""A gateway's outbox with three forwarders in simulated time, until it is killed. Run by forwarder_down.py.

cloud and file take every batch and keep it durably before they acknowledge it; down never comes. Lines:
"c SEQ" after a commit, "s BYTES" the size of the outbox's file.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sys
import time
from pathlib import Path

from edge_agent.store.base import Bound, Outbox, StoredBatch
from edge_agent.store.sqlite import FILE, open_sqlite

STORE_BYTES = 64 << 20
DOWN_BYTES = 32 << 20
"""Holds a month of batches; small has a thousandth of it, and moves on by its own rule."""
SMALL_BYTES = 32 << 10
PAYLOAD_BYTES = 300
MINUTE_S = 60
CATALOG = "ab" * 8


class FileTarget:
    """Numbers of batches in a file of its own, as a medium or a server keeps them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a+b")
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        self._file.truncate(self._file.tell() - len(lines[-1]))
        self.newest = int(lines[-2]) if len(lines) > 1 else 0

    def keep(self, batches: list[StoredBatch]) -> None:
        fresh = [batch.seq for batch in batches if batch.seq > self.newest]
        self._file.write(b"".join(b"%d\n" % seq for seq in fresh))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.newest = max([self.newest, *fresh])


async def write(folder: Path, begin_ms: int, batches: int) -> None:
    """Go on where the outbox ends, one batch a simulated minute, until there are so many."""
    logging.getLogger("edge_agent").setLevel(logging.ERROR)  # that small loses is what it is for
    noise = random.Random()
    passed_s = 0.0

    def now_ms() -> int:
        return begin_ms + round(passed_s * 1000)

    async with open_sqlite(folder, STORE_BYTES, now_ms, lambda: passed_s) as store:
        small, down = Bound("small", max_bytes=SMALL_BYTES), Bound("down", max_bytes=DOWN_BYTES)
        await store.outbox.attach([Bound("file", start="oldest"), down, small])
        file: Outbox = store.outbox.consumer("file")
        cloud_target, file_target = FileTarget(folder / "cloud.txt"), FileTarget(folder / "file.txt")
        while (seq := store.outbox.state().next_seq) <= batches:
            passed_s = float(seq * MINUTE_S)
            await store.outbox.append(StoredBatch(seq, now_ms(), 1, noise.randbytes(PAYLOAD_BYTES)), CATALOG)
            print("c", seq, flush=True)
            if noise.random() < 0.2:
                cloud_target.keep(await store.outbox.following(0, 999))
                await store.outbox.forget([(1, cloud_target.newest)])
            if noise.random() < 0.2:
                file_target.keep(await file.following(file.position().upto_seq, 999))
                file.passed(file_target.newest)
            if seq % 500 == 0:
                print("s", (folder / FILE).stat().st_size, flush=True)
        cloud_target.keep(await store.outbox.following(0, 9999))
        file_target.keep(await file.following(file.position().upto_seq, 9999))
        held = [await store.outbox.consumer(name).numbers(0, batches) for name in ("down", "small")]
        for name, numbers in zip(("down", "small"), held, strict=True):
            lost = store.outbox.consumer(name).state().evicted_batches
            print(name, numbers[0] if numbers else 0, len(numbers), lost, flush=True)
    print("end", int(time.process_time()), flush=True)


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
