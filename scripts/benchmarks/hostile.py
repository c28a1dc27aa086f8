"""Other tenants beside one hostile gateway: how long their batches and requests take with and without it.

The application runs in this process on SQLite; messages are handed to the link as its connection does. So no
broker's own limits stand between, and the same file measures another checkout: PYTHONPATH=CHECKOUT/cloud:
CHECKOUT/broker-config/contract scripts/bench hostile.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from benchmarks.hostile_attacks import ATTACKS, Payloads, large_catalog, now_ms, own_catalog
from cloud import migrations
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.telemetry.service import TelemetryService
from cloud.link import Link
from cloud.link.broker_connection import Incoming
from cloud.main import create_app
from cloud.settings import Settings
from edge_contract import batch
from edge_contract.model import Sample, rows_of
from edge_contract.payloads import Ack, Catalog, decode
from edge_contract.topics import Message, topic

PASSWORD = "correct!horse1"  # noqa: S105
HOSTILE = "gw-hostile"
OTHERS = [f"gw-other-{n}" for n in range(4)]
EVERY_S = 0.05
"""Between two batches of each other gateway, and between two requests."""

LEAST = 5
"""Batches of each other gateway and requests in a round, however short it is: a machine that stood still
for the whole round has measured nothing.
"""

OUTSTANDING = 500
"""Messages of the hostile gateway that the link has not acknowledged to the broker."""

QUIET_TIMEOUT_S = 60.0

Figures = dict[str, float | int | str]


@dataclass
class Times:
    """Seconds that the others waited: for acknowledgements, for stored batches, for their requests."""

    acknowledged: list[float] = field(default_factory=list)
    stored: list[float] = field(default_factory=list)
    request: list[float] = field(default_factory=list)

    def quantile(self, name: str, share: float) -> float:
        """NaN without any."""
        values = sorted(getattr(self, name))
        return values[min(int(len(values) * share), len(values) - 1)] if values else float("nan")

    def extend(self, other: Times) -> None:
        for name in WAITS:
            getattr(self, name).extend(getattr(other, name))


WAITS = ("acknowledged", "stored", "request")


@dataclass(frozen=True)
class Beginning:
    """A data folder with the tenants, their gateways and catalogs; the tenants' sessions; OTHERS' catalog."""

    folder: Path
    headers: dict[str, dict[str, str]]
    catalog: str


class Arena:
    """A running application with the gateways OTHERS of one tenant and HOSTILE of another.

    clock: by which waits are measured. Processor time of the process tells how much work was put before
    others, whatever else the machine does.
    """

    def __init__(
        self, app: Any, client: httpx.AsyncClient, clock: Callable[[], float], begun: Beginning
    ) -> None:
        self.clock = clock
        self.client = client
        self.services = app.state.services
        self.link = self.services[Link]
        self.headers = begun.headers
        self.folder = begun.folder
        self.catalog = begun.catalog
        self._seq = 0
        self._sent: dict[tuple[str, int], float] = {}
        self._unstored: dict[int, float] = {}
        self._times = Times()

    async def prepare(self) -> None:
        """Wait until every gateway of the beginning is served, and note what the others get."""
        async with asyncio.timeout(QUIET_TIMEOUT_S):
            while not all(self._is_admitted(name) for name in (*OTHERS, HOSTILE)):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        self.link._client.post = self._posted
        note_stored = self.services[TelemetryService].stored

        async def stored(gateway: str, columns: Any, late: bool) -> None:
            self._stored(gateway, columns)
            await note_stored(gateway, columns, late)

        self.services[TelemetryService].stored = stored

    def _is_admitted(self, gateway: str) -> bool:
        """Before the cloud has looked who it is, all of a new gateway is dropped; old ones did not look."""
        admits = getattr(self.link, "_admits", None)
        return admits is None or bool(admits(gateway, Message.LIVE))

    def take(self, gateway: str, message: Message, payload: bytes, done: Callable[[], None]) -> None:
        """Hand a message to the link."""
        self.link._route(Incoming(topic(gateway, message), payload, False, done))

    async def measure(self, seconds: float) -> Times:
        """What the others wait for in so many seconds or LEAST of each; what is under way is waited for."""
        self._times = times = Times()
        until = time.perf_counter() + seconds
        workers = [self._deliver(name, until) for name in OTHERS]
        await asyncio.gather(*workers, self._ask(until))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET_TIMEOUT_S):
                while self._unstored or self._sent:  # noqa: ASYNC110  two things, noted one by one
                    await asyncio.sleep(0.02)
        late = self.clock()
        times.stored += [late - begun for begun in self._unstored.values()]
        times.acknowledged += [late - begun for begun in self._sent.values()]
        self._unstored.clear()
        self._sent.clear()
        return times

    async def _deliver(self, gateway: str, until: float) -> None:
        number = 0
        while time.perf_counter() < until or number < LEAST:
            number += 1
            self._seq += 1
            now = now_ms()
            samples = [Sample(n + 1, now, float(self._seq)) for n in range(50)]
            payload = batch.encode("aa" * 8, self._seq, self.catalog, now, rows_of(samples))
            self._sent[gateway, self._seq] = self._unstored[self._seq] = self.clock()
            self.take(gateway, Message.LIVE, payload, _nothing)
            await asyncio.sleep(EVERY_S)

    def _posted(self, name: str, payload: bytes) -> bool:
        gateway = name.split("/")[1]
        if name.endswith("/down/ack") and gateway != HOSTILE:
            now = self.clock()
            for first, last in decode(Ack, payload).ranges:
                for seq in range(first, last + 1):
                    if (begun := self._sent.pop((gateway, seq), None)) is not None:
                        self._times.acknowledged.append(now - begun)
        return True

    def _stored(self, gateway: str, columns: Any) -> None:
        if gateway == HOSTILE or not columns:
            return
        now = self.clock()
        for column in columns:
            for value in column.values:
                seq = int(value)
                if (begun := self._unstored.pop(seq, None)) is not None:
                    self._times.stored.append(now - begun)

    async def _ask(self, until: float) -> None:
        """PUT by another tenant."""
        device = await self.services[DeviceService].id_of(OTHERS[0])
        number = 0
        while time.perf_counter() < until or number < LEAST:
            number += 1
            begun = self.clock()
            reply = await self.client.put(
                f"/device/{device}", json={"remark": str(number)}, headers=self.headers["others"]
            )
            reply.raise_for_status()
            self._times.request.append(self.clock() - begun)
            await asyncio.sleep(EVERY_S)

    async def attack(self, message: Message, payloads: Payloads) -> None:
        """All of these, OUTSTANDING at a time."""
        slots = asyncio.Semaphore(OUTSTANDING)
        for number, payload in enumerate(payloads):
            await slots.acquire()
            self.take(HOSTILE, message, payload, slots.release)
            if number % 20 == 0:
                await asyncio.sleep(0)

    async def read_long_lists(self, seconds: float) -> None:
        """All data points and last values of a gateway of 20,000 points, again and again."""
        device = await self.services[DeviceService].id_of(HOSTILE)
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            for path in ("/device/dss", "/device/lastdps"):
                await self.client.get(path, params={"device_id": device}, headers=self.headers["hostile"])


def _nothing() -> None:
    """The broker hears nothing."""


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[Any, httpx.AsyncClient]]:
    """The application on a data folder, and a client of it."""
    app = create_app(Settings(data_dir=folder, broker_port=0))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://bench/api/v1", timeout=300
        ) as client:
            yield app, client


async def beginning(folder: Path, migrated: Path | None = None) -> Beginning:
    """Made in an empty folder, once for any number of arenas: passwords and secrets take the most time.

    migrated: an empty SQLite database to copy; without it one is made, which takes seconds.
    """
    if migrated is None:
        await asyncio.to_thread(migrations.upgrade, Settings(data_dir=folder, broker_port=0).database)
    else:
        shutil.copy(migrated, folder / "cloud.db")
    headers = {}
    catalog = decode(Catalog, large_catalog("p", 50, 1))
    async with running(folder) as (app, client):
        services = app.state.services
        for tenant, names in (("others", OTHERS), ("hostile", [HOSTILE])):
            await services[IdentityService].add_user(tenant, PASSWORD, 1)
            for name in names:
                await services[ClaimService].claim(name, name, owner=tenant)
            reply = await client.post("/login/login", json={"username": tenant, "password": PASSWORD})
            headers[tenant] = {"X-Token": reply.json()["data"]["token"]}
        for name in OTHERS:
            await services[CatalogService].apply(name, catalog)
        await services[CatalogService].apply(HOSTILE, own_catalog())
    return Beginning(folder, headers, catalog.hash)


@contextlib.asynccontextmanager
async def arena(clock: Callable[[], float], begun: Beginning) -> AsyncIterator[Arena]:
    """An application of its own on a copy of the beginning."""
    folder = Path(tempfile.mkdtemp(prefix="edge-hostile-"))
    try:
        shutil.copytree(begun.folder, folder, dirs_exist_ok=True)
        begun = replace(begun, folder=folder)
        async with running(folder) as (app, client):
            made = Arena(app, client, clock, begun)
            await made.prepare()
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def compared(
    made: Arena, begin: Callable[[], Coroutine[Any, Any, None]], seconds: float, rounds: int
) -> tuple[Times, Times]:
    """Without and with what begin does; rounds of both by turns, so that a busy machine is busy for both."""
    without, beside = Times(), Times()
    for _ in range(rounds):
        without.extend(await made.measure(seconds))
        hostile = asyncio.create_task(begin())
        beside.extend(await made.measure(seconds))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET_TIMEOUT_S):
                await hostile
    return without, beside


def hostile() -> Figures:
    """Others' p50 and p99 in ms without and with one hostile gateway at the limits of each message."""
    seconds = float(os.environ.get("EDGE_BENCH_SECONDS", "10"))
    rounds = int(os.environ.get("EDGE_BENCH_ROUNDS", "3"))
    count = int(os.environ.get("EDGE_BENCH_MESSAGES", "2000"))
    only = os.environ.get("EDGE_BENCH_ATTACKS", "").split(",")
    return asyncio.run(_hostile(seconds, rounds, count, [name for name in only if name]))


async def _hostile(seconds: float, rounds: int, count: int, only: list[str]) -> Figures:
    """Each in an application of its own: what one attack leaves to do is no part of the next."""
    by_attack: Figures = {}
    with tempfile.TemporaryDirectory(prefix="edge-hostile-") as folder:
        begun = await beginning(Path(folder))
        for message, attacks in ATTACKS.items():
            for name, make in attacks.items():
                if not only or name in only:
                    async with arena(time.perf_counter, begun) as made:
                        begin = attacking(made, message, [make(count) for _ in range(rounds)])
                        by_attack[name] = summary_line(*await compared(made, begin, seconds, rounds))
        if not only or "long_lists" in only:
            async with arena(time.perf_counter, begun) as made:
                await made.services[CatalogService].apply(HOSTILE, decode(Catalog, large_catalog("long_")))
                begin = partial(made.read_long_lists, seconds)
                by_attack["long_lists"] = summary_line(*await compared(made, begin, seconds, rounds))
    return by_attack


def attacking(
    made: Arena, message: Message, payloads: list[Payloads]
) -> Callable[[], Coroutine[Any, Any, None]]:
    left = iter(payloads)

    async def begin() -> None:
        await made.attack(message, next(left))

    return begin


def summary_line(without: Times, beside: Times) -> str:
    """One line: what, p50/p99 without -> with."""
    parts = []
    for name in WAITS:
        figures = [
            "/".join(f"{times.quantile(name, share) * 1000:.0f}" for share in (0.5, 0.99))
            for times in (without, beside)
        ]
        parts.append(f"{name} {figures[0]} -> {figures[1]}")
    return ", ".join(parts)


HOSTILE_BENCHMARKS = {"hostile": hostile}
