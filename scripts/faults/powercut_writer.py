"""The store under load, until it is killed: says on standard output what is durable. Run by powercut.py.

Lines: "c VALUE" after a commit that holds every value up to it; "f SEQ" before batches up to it are
forgotten; "h VALUE" after the local history has noted it.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from pathlib import Path

from edge_agent.history.base import StoredSample
from edge_agent.history.place import Disk
from edge_agent.history.storing import note, noted_on, seal
from edge_agent.model import PointKey, Row
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite

STORE_BYTES = 16 << 20
HISTORY_BYTES = 4 << 20
CATALOG = "ab" * 8
KEY = PointKey("load", "count")
HELD_BATCHES = 300
"""The cloud confirms what is older: deleting belongs to the load."""
SEAL_EVERY = 40


def now_ms() -> int:
    return time.time_ns() // 1_000_000


async def write(folder: Path, value: int, stored: int) -> None:
    """Count on from value in the outbox and from stored in the history, for ever."""
    noise = random.Random(value)
    shelf = Disk(folder / "history.sqlite", HISTORY_BYTES, lambda _: True, now_ms).open()
    waiting = noted_on(shelf)
    async with open_sqlite(folder, STORE_BYTES, now_ms, time.monotonic) as store:
        committer = Committer(store.outbox, CATALOG, 1.0, now_ms)
        while True:
            for _ in range(noise.randrange(1, 60)):
                value += 1
                committer.put(Row((1, 2), now_ms(), (value, noise.random())))
            await committer.flush()
            if not committer.state().full:
                print("c", value, flush=True)
            state = store.outbox.state()
            if state.batches > HELD_BATCHES:
                last = state.next_seq - HELD_BATCHES // 2
                print("f", last, flush=True)
                await store.outbox.forget([(1, last)])
            stored += 1
            fresh = [StoredSample(KEY, stored, stored, 0)]
            note(shelf, fresh)
            print("h", stored, flush=True)
            waiting += fresh
            if len(waiting) >= SEAL_EVERY:
                seal(shelf, waiting)
                waiting = []


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
