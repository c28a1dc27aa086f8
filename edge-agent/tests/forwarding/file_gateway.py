"""A store with a committer and file forwarders, without field bus and cloud; also as a process."""

from __future__ import annotations

import asyncio
import csv
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from edge_agent.forwarding.file import forwarder as module
from edge_agent.forwarding.file.config import FileOptions
from edge_agent.forwarding.file.forwarder import FileForwarder
from edge_agent.forwarding.services import Services
from edge_agent.model import Row
from edge_agent.store.base import Bound, Store
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_agent.system.clock import SystemClock
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash, encode

SLAVES = [SlaveEntry(name="boiler", title="Boiler", protocol="modbus_tcp", port="lan", address="1")]
POINTS = [
    PointEntry(id=number, slave="boiler", name=name, title=name, kind="num", rw="readonly", data_type="float")
    for number, name in ((1, "t"), (2, "p"))
]
CATALOG = Catalog(hash=catalog_hash(SLAVES, POINTS), t_ms=1, slaves=SLAVES, points=POINTS)
BEGIN_MS = 1_760_000_000_000


class Gateway:
    """clock: of the forwarders. put() counts up; its samples are one second apart."""

    def __init__(self, store: Store, data: Path, begin: int = 0) -> None:
        self.store = store
        self.clock = SystemClock()
        self.committer = Committer(store.outbox, CATALOG.hash, 1.0, self.clock.now_ms)
        services = SimpleNamespace(store=store, clock=self.clock, folder=data)
        self._services = cast("Services", services)
        self.number = begin

    def forwarder(self, name: str, folder: Path, **options: Any) -> FileForwarder:
        return FileForwarder(
            name, FileOptions(folder=str(folder), **options), self._services, self.store.outbox.consumer(name)
        )

    async def put(self, count: int = 1) -> None:
        for _ in range(count):
            self.number += 1
            self.committer.put(Row((1, 2), BEGIN_MS + self.number * 1000, (self.number, -self.number)))
            await self.committer.flush()


def make(folder: Path) -> None:
    folder.mkdir(exist_ok=True)


@asynccontextmanager
async def gateway(data: Path, *names: str, begin: int = 0) -> AsyncIterator[Gateway]:
    """names: of consumers."""
    module.GATHER_S = 0.01
    module.RETRY_S = (0.01, 0.05)
    make(data)
    clock = SystemClock()
    async with open_sqlite(data, 64 << 20, clock.now_ms, time.monotonic) as store:
        await store.catalogs.keep(CATALOG.hash, encode(CATALOG))
        await store.outbox.attach([Bound(name, start="oldest") for name in names])
        yield Gateway(store, data, begin)


@asynccontextmanager
async def running(forwarder: FileForwarder) -> AsyncIterator[None]:
    task = asyncio.ensure_future(forwarder.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled(), task.exception()


async def until(condition: Any, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        await asyncio.sleep(0.01)


def rows_in(folder: Path) -> list[dict[str, str]]:
    """Every row of every file, finished ones first."""
    result: list[dict[str, str]] = []
    for path in sorted(folder.iterdir(), key=lambda path: (path.suffix == ".part", path.name)):
        text = path.read_text()
        if ".jsonl" in path.name:
            result += [json.loads(line) for line in text.splitlines()]
        else:
            result += csv.DictReader(text.splitlines())
    return result


async def main(data: Path, folder: Path, begin: int) -> None:
    """Until killed: number after number; prints each that was committed. The medium of "down" is missing."""
    async with gateway(data, "usb", "sum", "down", begin=begin) as made:
        usb = made.forwarder("usb", folder, rotate_s=10)
        total = made.forwarder("sum", folder, what="aggregates", period_s=10, format="jsonl")
        down = made.forwarder("down", folder / "missing")
        tasks = [asyncio.ensure_future(one.run()) for one in (usb, total, down)]
        while not any(task.done() for task in tasks):
            await made.put()
            print(made.number, flush=True)
            if made.number % 7 == 0:
                state = made.store.outbox.state()
                await made.store.outbox.forget([(state.first_seq, state.next_seq - 3)])
            await asyncio.sleep(0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
