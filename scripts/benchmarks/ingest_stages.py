"""What scripts/bench measures of the cloud's own part of a flood: CPU a sample by stage, without a broker.

Messages are fed to the connection as a broker would send them, so nothing but the cloud's process is paid
for, and two versions can be compared in turns on a machine that others use too.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.ingest import Figures
from cloud.db import Database
from cloud.domains.telemetry.newest import LastSample, take_newer
from cloud.link import Link, LinkHooks
from cloud.link.broker_connection import MAX_UNACKNOWLEDGED, BrokerAddress, InFlight
from cloud.link.direct_connection import DirectConnection
from cloud.link.packets import publish
from cloud.migrations import upgrade
from cloud.settings import Settings
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.topics import Message, topic
from firmware_sim.gateways.signals import Signals
from firmware_sim.gateways.snapshot import Snapshots

GATEWAYS = int(os.environ.get("EDGE_BENCH_GATEWAYS", "1000"))
POINTS = 50
BATCHES = 40
CHUNK_MESSAGES = 500
"""Messages that one reading of the socket brings."""
CATALOG = "00000000000000cd"


def messages(now_ms: int) -> list[bytes]:
    """PUBLISH packets in the order in which a thousand gateways send them, mixed."""
    packets: list[list[bytes]] = []
    for number in range(GATEWAYS):
        name = f"gw-{number:04}"
        signals, writer = Signals(1, name, POINTS), Snapshots(f"{number + 1:016x}", CATALOG, POINTS)
        where, first_ms = topic(name, Message.LIVE), now_ms - 1000 * BATCHES
        packets.append(
            [
                publish(
                    where, seq, writer.write(seq, first_ms + 1000 * seq, signals.raw(first_ms + 1000 * seq))
                )
                for seq in range(1, BATCHES + 1)
            ]
        )
    chance, mixed = random.Random(1), list[bytes]()
    for at in range(0, BATCHES, 8):  # a window's worth of each, then the next
        part = [packet for of_one in packets for packet in of_one[at : at + 8]]
        owners = [number for number in range(GATEWAYS) for _ in range(8)]
        chance.shuffle(owners)
        queues = [iter(of_one[at : at + 8]) for of_one in packets]
        assert len(part) == len(owners)
        mixed += [next(queues[owner]) for owner in owners]
    return mixed


class Transport(asyncio.Transport):
    """Takes everything; counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0

    def write(self, data: Any) -> None:
        self.sent += len(data)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def hooks(newest: dict[int, LastSample]) -> LinkHooks:
    """A domain that knows every catalog and keeps the last values."""

    async def series_of(gateway: str, catalog: str) -> dict[int, int]:
        first = int(gateway[3:]) * POINTS
        return {point: first + point for point in range(1, POINTS + 1)}

    async def on_stored(gateway: str, columns: Sequence[SeriesColumn], is_late: bool) -> None:
        take_newer(newest, columns, is_late, time.time_ns() // 1_000_000)

    async def unused(*_: object) -> None: ...

    known: dict[str, Any] = {field.name: unused for field in fields(LinkHooks)}
    return LinkHooks(**known | {"series_of": series_of, "on_stored": on_stored, "admits": lambda *_: True})


def url_of(folder: Path) -> str:
    return f"sqlite+aiosqlite:///{folder}/cloud.db"


class Stages:
    """A link that is not started; its steps are called one by one."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(url_of(folder))
        self.store = EmbeddedTimeSeries(folder / "ts.db")
        self.newest: dict[int, LastSample] = {}
        settings = Settings(_env_file=None, data_dir=folder, broker="embedded")  # type: ignore[call-arg]
        self.link = Link(settings, self.database, hooks(self.newest), lambda *_: None, self.store)  # type: ignore[arg-type]
        self.connection = DirectConnection(
            BrokerAddress("", 0, "cloud", ""), (), self.link._route, InFlight()
        )
        self.connection._keep_alive = lambda: None  # type: ignore[method-assign]
        self.connection.connection_made(Transport())
        self.link._client.post = self.post  # type: ignore[method-assign]

    def post(self, topic: str, payload: bytes) -> None:
        """What an acknowledgement to a gateway costs, without a broker that answers it."""
        self.connection.post(topic, payload)
        self.connection._pending.clear()

    async def land(self, packets: Sequence[bytes]) -> None:
        """Read, commit, acknowledge; as much waits as a flood has waiting."""
        ingest = self.link._ingest
        for at in range(0, len(packets), CHUNK_MESSAGES):
            self.connection.data_received(b"".join(packets[at : at + CHUNK_MESSAGES]))
            is_last = at + CHUNK_MESSAGES >= len(packets)
            while len(ingest._queue) > (0 if is_last else MAX_UNACKNOWLEDGED - CHUNK_MESSAGES):
                await ingest.take(ingest._group())
                await asyncio.sleep(0)

    async def keep(self) -> None:
        """Bring everything to the time series and the domains."""
        while await self.link._write_behind.write_some():
            pass


async def _stages(folder: Path) -> Figures:
    made = Stages(folder)
    await made.store.start()
    packets = messages(time.time_ns() // 1_000_000)
    samples = (len(packets) - GATEWAYS) * POINTS
    await made.land(packets[:GATEWAYS])  # what happens once
    await made.keep()
    packets = packets[GATEWAYS:]
    figures: Figures = {"samples": samples}
    steps: dict[str, Callable[[], Awaitable[None]]] = {
        "landed": lambda: made.land(packets),
        "stored": made.keep,
    }
    for name, step in steps.items():
        cpu, own, wall = time.process_time(), time.thread_time(), time.perf_counter()
        await step()
        figures |= {
            f"{name}: CPU microseconds a sample": 1e6 * (time.process_time() - cpu) / samples,
            f"{name}: of the event loop's thread": 1e6 * (time.thread_time() - own) / samples,
            f"{name}: microseconds a sample": 1e6 * (time.perf_counter() - wall) / samples,
        }
    assert len(made.newest) == GATEWAYS * POINTS
    await made.store.close()
    await made.database.close()
    return figures


def ingest_stages() -> Figures:
    """CPU of the cloud for each sample of a flood: landed durably, then stored; no broker, one process."""
    folder = Path(tempfile.mkdtemp())
    try:
        upgrade(url_of(folder))
        return uvloop.run(_stages(folder))
    finally:
        shutil.rmtree(folder)


INGEST_STAGE_BENCHMARKS = {"ingest_stages": ingest_stages}
