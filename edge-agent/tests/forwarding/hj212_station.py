"""A store with a committer and a forwarder to a platform of HJ 212, without field bus; also as a process."""

from __future__ import annotations

import asyncio
import heapq
import math
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from edge_agent.config.model import Point
from edge_agent.forwarding.hj212 import forwarder as module
from edge_agent.forwarding.hj212.forwarder import Hj212Forwarder
from edge_agent.forwarding.hj212.kind import HJ212
from edge_agent.forwarding.services import Services
from edge_agent.model import PointKey, Quality, Row
from edge_agent.points.scale import same_value
from edge_agent.remote.commands import CommandDispatcher
from edge_agent.remote.execution import Execution, FieldAccess
from edge_agent.store.base import Bound, Store
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash, encode

COD, FLOW, PH, MODE = 1, 2, 3, 4
NAMES = {COD: "cod", FLOW: "flow", PH: "ph", MODE: "mode"}
SAMPLE_MS, STEP_MIN = 20_000, 10
SLAVES = [SlaveEntry(name="site", title="Site", protocol="modbus_tcp", port="lan", address="1")]
POINTS = [
    PointEntry(
        id=number, slave="site", name=name, title=name, kind="num", rw="readonly", data_type="float",
        period_ms=SAMPLE_MS,
    )
    for number, name in NAMES.items()
]  # fmt: skip
CATALOG = Catalog(hash=catalog_hash(SLAVES, POINTS), t_ms=1, slaves=SLAVES, points=POINTS)
BEGIN_MS = 1_760_025_600_000
"""2025-10-10 00:00 at +08:00."""
NAME = "bureau"
MN = "010000A8900016F000169DC0"
TYPES = ["rtd", "cou", "min", "avg", "max"]
OPTIONS: dict[str, Any] = {
    "server": "127.0.0.1",
    "mn": MN,
    "pw": "123456",
    "random_max_ms": 1,
    "states": {"1": "M", "2": "C"},
    "mapping": [
        {"factor": "w00000", "point": "site.flow", "types": TYPES},
        {"factor": "w01018", "point": "site.cod", "types": TYPES, "flow": "site.flow", "state": "site.mode"},
        {"factor": "w01001", "point": "site.ph", "types": ["rtd", "min", "avg", "max"], "decimals": 2},
    ],
}


STOPS_S = 60.0


class SteppedClock:
    """Time goes on when the test says so; short pauses end at once."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic(self) -> float:
        return self._now_ms / 1000

    async def sleep(self, seconds: float) -> None:
        if seconds < 0.1:
            await asyncio.sleep(0)
            return
        done = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._now_ms + round(seconds * 1000), self._count, done))
        await done

    def advance(self, to_ms: int) -> None:
        self._now_ms = to_ms
        while self._sleepers and self._sleepers[0][0] <= to_ms:
            _, _, done = heapq.heappop(self._sleepers)
            if not done.done():
                done.set_result(None)


def raw(number: int, t_ms: int) -> float:
    """What the instrument of a point reads at a time; binary fractions, so that sums are exact."""
    turn = t_ms / 60_000 / (7 + number)
    return round((10 * number + math.sin(turn) * 3) * 64) / 64


class Station:
    """field: what commands on points reach."""

    def __init__(
        self,
        store: Store,
        clock: SteppedClock,
        port: int,
        folder: Path | None = None,
        *,
        set_clock: bool = False,
        field: FieldAccess | None = None,
        **options: Any,
    ) -> None:
        self.store, self.clock = store, clock
        self.committer = Committer(store.outbox, CATALOG.hash, 1.0, clock.now_ms)
        self.packets: list[tuple[str, str, str]] = []  # target, direction and text, as a trace gets them
        services = SimpleNamespace(
            store=store,
            folder=folder or Path("no-passwords"),
            clock=clock,
            trace=SimpleNamespace(
                packet=lambda target, direction, text: self.packets.append((target, direction, text()))
            ),
            catalog=CATALOG,
            commands_of=lambda name: dispatcher(store, clock, field, name),
            configuration=SimpleNamespace(
                storage=SimpleNamespace(commit_interval_s=1.0), system=SimpleNamespace(set_clock=set_clock)
            ),
        )
        made = HJ212.options_of({**OPTIONS, "port": port, **options})
        self.outbox = store.outbox.consumer(NAME)
        self.forwarder = Hj212Forwarder(NAME, made, cast("Services", services), self.outbox)

    async def put(self, row: Row) -> None:
        self.committer.put(row)

    async def step(self, to_ms: int, away: dict[int, Quality] | None = None, mode: int = 0) -> None:
        """Samples up to that time in one batch, and it is that late."""
        t_ms = self.clock.now_ms()
        for number, quality in (away or {}).items():
            self.committer.put(Row((number,), t_ms, (None,), (quality,)))
        self.committer.put(Row((MODE,), t_ms, (mode,)))
        present = [number for number in (COD, FLOW, PH) if number not in (away or {})]
        for at_ms in range(t_ms, to_ms, SAMPLE_MS):
            if present:
                self.committer.put(Row(tuple(present), at_ms, tuple(raw(one, at_ms) for one in present)))
        await self.committer.flush()
        self.clock.advance(to_ms)

    async def settled(self) -> bool:
        """Every batch is read, and nothing waits."""
        newest = self.store.outbox.state().next_seq - 1
        is_read = self.forwarder._read_seq >= newest
        return is_read and not await self.store.target_records.count_waiting(NAME)


def dispatcher(store: Store, clock: SteppedClock, field: FieldAccess | None, name: str) -> CommandDispatcher:
    """Of a target, with the points of the catalog."""
    assert field is not None
    points = {
        PointKey("site", name): Point(slave="site", name=name, data_type="float", rw="readwrite")
        for name in NAMES.values()
    }
    execution = Execution(points, field, same_value, clock)
    return CommandDispatcher(execution, store.journal.of_source(name), lambda key: None, f"target {name}")


def make(folder: Path) -> None:
    folder.mkdir(exist_ok=True)


@asynccontextmanager
async def opened(folder: Path, *, is_killed: bool = False) -> AsyncIterator[Store]:
    """is_killed: cursors of the last moment are not written at the end."""
    module.RETRY_S = (0.02, 0.05)
    make(folder)
    async with open_sqlite(folder, 64 << 20, lambda: time.time_ns() // 1_000_000, time.monotonic) as store:
        await store.catalogs.keep(CATALOG.hash, encode(CATALOG))
        await store.outbox.attach([Bound(NAME, start="oldest")])
        yield store
        if is_killed:
            store.outbox.write_cursors = lambda: asyncio.sleep(0)  # type: ignore[attr-defined]


@asynccontextmanager
async def running(station: Station) -> AsyncIterator[None]:
    task = asyncio.ensure_future(station.forwarder.run())
    try:
        yield
        assert not task.done(), task.exception()
    finally:
        task.cancel()
        _, running_on = await asyncio.wait([task], timeout=STOPS_S)
        assert not running_on, "it does not stop"


async def until(condition: Any, seconds: float = 90.0) -> None:
    """condition: a function, or a coroutine function."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return
        assert time.monotonic() < deadline, "not in time"
        await asyncio.sleep(0.005)


async def steps(station: Station, count: int = 1) -> None:
    for _ in range(count):
        await station.step(station.clock.now_ms() + STEP_MIN * 60_000)


async def pass_time(station: Station, condition: Any, step_ms: int = 1000) -> None:
    """Time goes on until it holds."""

    def look() -> Any:
        station.clock.advance(station.clock.now_ms() + step_ms)
        return condition()

    await until(look)


async def main(folder: Path, port: int, last: int) -> None:
    """Until killed or done: step after step; prints the number of each that has settled."""
    async with opened(folder) as store:
        begin = store.outbox.state().next_seq - 1
        clock = SteppedClock(BEGIN_MS + begin * STEP_MIN * 60_000)
        station = Station(store, clock, port, rtd_interval_s=0)
        async with running(station):
            for number in range(begin, last):
                await station.step(BEGIN_MS + (number + 1) * STEP_MIN * 60_000)
                await until(station.settled)
                print(number + 1, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
