"""A flood of alarms through the whole cloud: rules of values of several tenants that are all broken at once.

As `hostile`: the application runs in this process on SQLite, messages are handed to the link, and another
checkout is measured with PYTHONPATH=CHECKOUT/cloud:CHECKOUT/broker-config/contract scripts/bench alarm_flood.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from benchmarks.hostile import PASSWORD, Arena, Beginning, Figures, Times, arena, beginning, running
from benchmarks.hostile_attacks import large_catalog, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.triggers.models import Trigger, TriggerGateway, TriggerRule
from cloud.realtime.hub import Hub
from cloud.settings import Settings
from edge_contract import batch
from edge_contract.model import Sample, rows_of
from edge_contract.payloads import Catalog, Hello, decode
from edge_contract.topics import Message

STREAM, BOOT = "fa" * 8, "fb" * 8
RULES_EACH = 20
CALM, BEYOND = 50.0, 99.0
LIMIT = 90
TIMEOUT_S = 300.0
ASK_S = 1.0
"""Between two looks of the operator at his lists, as the portal asks again at most every 2 s."""

LISTS = (
    "/event/alarmlog?view=active&page=1&limit=20",
    "/event/alarmlog/groups?page=1&limit=20",
    "/event/alarmlog/counts",
    "/event/unread",
)


@dataclass(frozen=True)
class Shape:
    """gateways: of all tenants together; points: of each, each with a rule; seconds: in which all are broken,
    in a batch each tenth of a second and gateway.
    """

    tenants: int = 3
    gateways: int = 10
    points: int = 1000
    seconds: float = 10.0

    @property
    def alarms(self) -> int:
        return self.gateways * self.points

    @property
    def steps(self) -> int:
        return max(int(self.seconds * 10), 1)

    def names(self) -> list[str]:
        return [f"gw-flood-{n}" for n in range(self.gateways)]

    def tenant(self, gateway: int) -> str:
        return f"flooded{gateway % self.tenants}"


@dataclass
class Viewer:
    """Who looks at a portal page: as the hub knows him."""

    scope: Scope
    id: int = 1
    sign_in: str = "viewer"

    def may(self, _permission: str) -> bool:
        return True


@dataclass
class Seen:
    """What a browser gets: messages, how many new alarms they say, and whether it was closed."""

    messages: int = 0
    alarms: int = 0
    is_closed: bool = False


@dataclass
class Round:
    """cpu_s: of this process until everything was recorded; lists_s: of each look at a list."""

    cpu_s: float = 0.0
    seconds: float = 0.0
    others: Times = field(default_factory=Times)
    lists_s: list[float] = field(default_factory=list)


class Flood:
    """An arena with the gateways that are flooded."""

    def __init__(self, made: Arena, shape: Shape, database: Path) -> None:
        self.made, self.shape = made, shape
        self._database = database
        self._catalog = decode(Catalog, large_catalog("p", shape.points, 1)).hash
        self._seq = 0

    async def prepare(self) -> None:
        for name in self.shape.names():
            await self.made.services[PresenceService].hello(name, _hello(self._catalog))
        async with asyncio.timeout(TIMEOUT_S):
            while not all(self.made._is_admitted(name) for name in self.shape.names()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await self.values(CALM)  # rules begin with a first value
        await asyncio.sleep(1)

    async def values(self, value: float) -> None:
        """Every point of every gateway gets a value, the batches spread over the time of the flood."""
        points = list(range(1, self.shape.points + 1))
        size = -(-len(points) // self.shape.steps)
        begun = time.perf_counter()
        for step in range(self.shape.steps):
            some = points[step * size : (step + 1) * size]
            for name in self.shape.names() if some else ():
                self._seq += 1
                now = now_ms()
                samples = [Sample(point, now, value) for point in some]
                payload = batch.encode(STREAM, self._seq, self._catalog, now, rows_of(samples))
                self.made.take(name, Message.LIVE, payload, lambda: None)
            due = begun + (step + 1) * self.shape.seconds / self.shape.steps
            await asyncio.sleep(max(due - time.perf_counter(), 0))

    def counts(self) -> tuple[int, int]:
        """Alarms and ends in the store."""
        with sqlite3.connect(f"file:{self._database}?mode=ro", uri=True) as store:
            row = store.execute(
                "SELECT count(DISTINCT CASE WHEN alarm_type = 1 THEN rule_id END),"
                " count(DISTINCT CASE WHEN alarm_type = 0 THEN rule_id END) FROM alarm_event"
            ).fetchone()
        return int(row[0]), int(row[1])

    async def measure(self, value: float, expected: tuple[int, int] | None) -> Round:
        """One wave of values, with others and an operator beside it, until so much is recorded."""
        findings = Round()
        begun, cpu_s = time.perf_counter(), time.process_time()
        looking = asyncio.create_task(self._look(findings))
        others = asyncio.create_task(self.made.measure(self.shape.seconds))
        await self.values(value)
        await self._recorded(expected)
        findings.cpu_s = time.process_time() - cpu_s
        findings.seconds = time.perf_counter() - begun
        findings.others = await others
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        return findings

    async def _recorded(self, expected: tuple[int, int] | None) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while expected is not None and self.counts() != expected:  # noqa: ASYNC110  in another process, too
                await asyncio.sleep(0.1)

    async def _look(self, findings: Round) -> None:
        headers = self.made.headers[self.shape.tenant(0)]
        while True:
            for path in LISTS:
                begun = time.perf_counter()
                (await self.made.client.get(path, headers=headers)).raise_for_status()
                findings.lists_s.append(time.perf_counter() - begun)
            await asyncio.sleep(ASK_S)

    async def watch(self, scope: Scope, seen: Seen) -> None:
        """A page that gets what is pushed to this scope, until cancelled."""
        client = self.made.services[Hub].clients.join(Viewer(scope))
        while not client.overflowed:
            for message in await client.take():
                seen.messages += 1
                if message.get("type") == "alarm" and message["event"] == "new":
                    seen.alarms += message.get("count", 1)
        seen.is_closed = True


def _hello(catalog: str) -> Hello:
    return Hello(
        version_min=1, version_max=1, agent="1", boot=BOOT, stream=STREAM, first_seq=1, next_seq=1,
        catalog=catalog, clock_set=True, t_ms=now_ms(),
    )  # fmt: skip


async def flood_beginning(folder: Path, shape: Shape, migrated: Path | None = None) -> Beginning:
    """A data folder with tenants, gateways, points and a rule for each point."""
    begun = await beginning(folder, migrated)
    catalog = decode(Catalog, large_catalog("p", shape.points, 1))
    async with running(folder) as (app, client):
        services = app.state.services
        for tenant in {shape.tenant(n) for n in range(shape.gateways)}:
            await services[IdentityService].add_user(tenant, PASSWORD, 1)
            reply = await client.post("/login/login", json={"username": tenant, "password": PASSWORD})
            begun.headers[tenant] = {"X-Token": reply.json()["data"]["token"]}
        for number, name in enumerate(shape.names()):
            await services[ClaimService].claim(name, name, owner=shape.tenant(number))
            await services[CatalogService].apply(name, catalog)
    database = Database(Settings(data_dir=folder, broker_port=0).database)
    try:
        await _add_rules(database, shape)
    finally:
        await database.close()
    return begun


async def _add_rules(database: Database, shape: Shape) -> None:
    async with database.session() as session:
        devices = await session.scalars(select(Device).where(Device.gateway_id.in_(shape.names())))
        for device in devices.all():
            mine = select(DataPoint.id).where(DataPoint.device_id == device.id).order_by(DataPoint.id)
            points = list(await session.scalars(mine))
            for start in range(0, len(points), RULES_EACH):
                trigger = Trigger(
                    title="flood", type=1, mode=1, interval_s=0, enabled=True, user_id=None, user_name="",
                    created_ms=1, changed_ms=1,
                )  # fmt: skip
                session.add(trigger)
                await session.flush()
                session.add(TriggerGateway(trigger_id=trigger.id, device_id=device.id))
                session.add_all(
                    TriggerRule(trigger_id=trigger.id, place=place, version=1, body=_rule(dsid))
                    for place, dsid in enumerate(points[start : start + RULES_EACH])
                )
        await session.commit()


def _rule(dsid: int) -> dict[str, Any]:
    condition = {"type": 1, "dsid": dsid, "trigger_optype": 1, "trigger_threshold": LIMIT}
    return {"title": f"over {dsid}", "logic": 2, "conditions": [condition]}


async def flooded(begun: Beginning, shape: Shape, work: Callable[[Flood], Coroutine[Any, Any, None]]) -> None:
    """Do this with an application of its own on a copy of the beginning."""
    async with arena(time.perf_counter, begun) as made:
        flood = Flood(made, shape, made.folder / "cloud.db")
        await flood.prepare()
        await work(flood)


def alarm_flood() -> Figures:
    """10,000 alarms in 10 s and their ends: what they cost, and what others and an operator wait."""
    seconds = float(os.environ.get("EDGE_BENCH_SECONDS", "10"))
    points = int(os.environ.get("EDGE_BENCH_POINTS", "1000"))
    return asyncio.run(_alarm_flood(Shape(points=points, seconds=seconds)))


async def _alarm_flood(shape: Shape) -> Figures:
    figures: Figures = {"alarms": shape.alarms, "load average": os.getloadavg()[0]}

    async def work(flood: Flood) -> None:
        seen = Seen()
        page = asyncio.create_task(flood.watch(Scope.system(), seen))
        calm = await flood.measure(CALM, None)
        raised = await flood.measure(BEYOND, (shape.alarms, 0))
        ended = await flood.measure(CALM, (shape.alarms, shape.alarms))
        await asyncio.sleep(1)
        page.cancel()
        for name, one in (("calm", calm), ("raised", raised), ("ended", ended)):
            figures.update(_figures(name, one))
        figures.update(
            {
                "alarms per CPU-second": shape.alarms / (raised.cpu_s - calm.cpu_s),
                "ends per CPU-second": shape.alarms / (ended.cpu_s - calm.cpu_s),
                "lost alarms": shape.alarms - flood.counts()[0],
                "lost ends": shape.alarms - flood.counts()[1],
                "browser: messages": seen.messages,
                "browser: new events that they say": seen.alarms,
                "browser: closed because its queue was full": int(seen.is_closed),
            }
        )

    with tempfile.TemporaryDirectory(prefix="edge-flood-") as folder:
        await flooded(await flood_beginning(Path(folder), shape), shape, work)
    return figures


def _figures(name: str, one: Round) -> Figures:
    lists = sorted(one.lists_s)
    return {
        f"{name}: CPU seconds": one.cpu_s,
        f"{name}: seconds until recorded": one.seconds,
        f"{name}: others acknowledged, p50 ms": one.others.quantile("acknowledged", 0.5) * 1000,
        f"{name}: others acknowledged, p99 ms": one.others.quantile("acknowledged", 0.99) * 1000,
        f"{name}: looks at lists": len(lists),
        f"{name}: lists, p50 ms": lists[len(lists) // 2] * 1000,
        f"{name}: lists, p99 ms": lists[min(int(len(lists) * 0.99), len(lists) - 1)] * 1000,
    }


ALARM_FLOOD_BENCHMARKS: dict[str, Callable[[], Figures]] = {"alarm_flood": alarm_flood}
