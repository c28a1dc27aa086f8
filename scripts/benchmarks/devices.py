"""The list of gateways with 10,000 of them, as the portal asks for it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import insert, text

from cloud import migrations
from cloud.db import Database
from cloud.domains.identity.models import User
from cloud.domains.identity.service import IdentityService
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare, SlaveDevice
from cloud.domains.inventory.project_models import Project
from cloud.link.collection_models import LinkCollection, LinkCollectionHour
from cloud.main import create_app
from cloud.settings import Settings

GATEWAYS, SLAVES_EACH, POINTS_EACH, PROJECTS, ROUNDS = 10_000, 3, 5, 100, 20
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
PASSWORD = "correct!horse1"  # noqa: S105
POSTGRES = Path("/usr/lib/postgresql/15/bin")

QUERIES: tuple[dict[str, Any], ...] = (
    {},
    {"page": 400, "limit": 20},
    {"limit": 100, "sort": "device_title"},
    {"search": "pump 77", "sort": "-last_ms"},
    {"search": "nowhere"},
    {"status": "alarm", "sort": "-gateway_id"},
    {"status": "online", "project_id": 1},
    {"project_id": 7, "sort": "expire_ms"},
    {"protocol": 3, "gateway_type": 2, "sort": "model"},
    {"expires_before_ms": 1_800_000_000_000, "sort": "-expire_ms"},
    {"bound": "true"},
)

SEARCHES = (
    "pump 77",
    "pump",
    "p",
    "gw-00077",
    "press",
    "flow 12",
    "slave 1 temp",
    "nowhere",
    "plant 5",
    "user",
)
"""Of the command palette: titles, single letters, serial numbers, points by several words, nothing."""


def devices() -> dict[str, Any]:
    """GET /device with 10,000 gateways, filtered and sorted, in ms; bare: a request that finds nothing.

    search: GET /search over them with 30,000 slaves and 50,000 points; ratio: its p95 to the list's.

    overview: GET /overview, with 24 hours of reads of each gateway; overview_first: with completeness counted
    anew. overview_ratio: its p95 to that of GET /device.
    """
    figures: dict[str, Any] = {"gateways": GATEWAYS, "sqlite": asyncio.run(_measured(None))}
    if POSTGRES.is_dir():
        with _postgres() as url:
            figures["postgresql"] = asyncio.run(_measured(url))
    return figures


async def _measured(url: str | None) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="edge-devices-"))
    try:
        settings = Settings(data_dir=folder, broker_port=0, database_url=url or "")
        await asyncio.to_thread(migrations.upgrade, settings.database)
        await _fill(settings.database)
        app = create_app(settings)
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://bench/api/v1") as client:
                return {who: await _request_times(client, who) for who in ("platform", "factory")}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _request_times(client: httpx.AsyncClient, who: str) -> dict[str, float]:
    reply = await client.post("/login/login", json={"username": who, "password": PASSWORD})
    headers = {"X-Token": reply.json()["data"]["token"]}
    took: list[float] = []
    bare: list[float] = []
    for _ in range(ROUNDS):
        for query in QUERIES:
            begin = time.perf_counter()
            answer = await client.get("/device", params=query, headers=headers)
            took.append((time.perf_counter() - begin) * 1000)
            answer.raise_for_status()
            begin = time.perf_counter()
            await client.get("/device/2147483647", headers=headers)
            bare.append((time.perf_counter() - begin) * 1000)
    search = await _searched(client, headers)
    overview: list[float] = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        answer = await client.get("/overview", headers=headers, timeout=60)
        overview.append((time.perf_counter() - begin) * 1000)
        answer.raise_for_status()
    later = overview[1:]
    return {
        "p50": _share(took, 0.5),
        "p95": _share(took, 0.95),
        "bare_p95": _share(bare, 0.95),
        "search_p50": _share(search, 0.5),
        "search_p95": _share(search, 0.95),
        "search_ratio": round(_share(search, 0.95) / _share(took, 0.95), 2),
        "overview_first": round(overview[0], 1),
        "overview_p50": _share(later, 0.5),
        "overview_p95": _share(later, 0.95),
        "overview_ratio": round(_share(later, 0.95) / _share(took, 0.95), 2),
    }


async def _searched(client: httpx.AsyncClient, headers: dict[str, str]) -> list[float]:
    """ms of each search of the palette."""
    took: list[float] = []
    for _ in range(ROUNDS):
        for words in SEARCHES:
            begin = time.perf_counter()
            answer = await client.get("/search", params={"q": words}, headers=headers)
            took.append((time.perf_counter() - begin) * 1000)
            answer.raise_for_status()
    return took


def _share(took: list[float], share: float) -> float:
    return round(sorted(took)[int(len(took) * share)], 1)


async def _fill(url: str) -> None:
    """A factory with all gateways, four users below it, a tree of projects, three slaves a gateway."""
    database = Database(url)
    users = IdentityService(database)
    await users.add_user("platform", PASSWORD, 0)
    owner = await users.add_user("factory", PASSWORD, 1)
    guests = [await users.add_user(f"user{n}", PASSWORD, 3, "factory") for n in range(4)]
    async with database.session() as session:
        assert await session.get(User, owner) is not None
        nodes = [_project(1, None, "group", owner)]
        nodes += [_project(n, 1 if n % 2 else None, "project", owner) for n in range(2, PROJECTS + 1)]
        await session.execute(insert(Project), nodes)
        for start in range(1, GATEWAYS + 1, 1000):
            numbers = range(start, start + 1000)
            await session.execute(insert(Device), [_gateway(n, owner) for n in numbers])
            slaves = [_slave(n, s) for n in numbers for s in range(SLAVES_EACH)]
            await session.execute(insert(SlaveDevice), slaves)
            points = [_point(n, s) for n in numbers for s in range(POINTS_EACH)]
            await session.execute(insert(DataPoint), points)
            await session.execute(insert(LinkCollection), [_reported(n) for n in numbers])
            await session.execute(
                insert(LinkCollectionHour), [_hour(n, h) for n in numbers for h in range(24)]
            )
        shares = [
            {"device_id": n, "user_id": guests[n % 4], "role": "visitor", "writes": False, "created_ms": 1}
            for n in range(1, GATEWAYS, 10)
        ]
        await session.execute(insert(DeviceShare), shares)
        if not url.startswith("sqlite"):
            await session.execute(text("ANALYZE"))  # as the server does by itself some minutes later
        await session.commit()
    await database.close()


def _project(number: int, parent: int | None, kind: str, owner: int) -> dict[str, Any]:
    path = f"/{number}/" if parent is None else f"/{parent}/{number}/"
    return {
        "id": number, "parent_id": parent, "path": path, "kind": kind, "title": f"Plant {number}",
        "owner_id": owner, "place": number, "created_ms": 1,
    }  # fmt: skip


def _gateway(number: int, owner: int) -> dict[str, Any]:
    return {
        "id": number, "gateway_id": f"gw-{number:05}", "title": f"Pump {number * 7919 % GATEWAYS}",
        "owner_id": owner, "secret_hash": "", "created_ms": 1, "online": number % 3 > 0, "reason": "ok",
        "last_ms": 1_790_000_000_000 + number * 7 % GATEWAYS, "project_id": 2 + number % (PROJECTS - 1),
        "protocol": 1 + number % 4, "gateway_type": 1 + number % 3, "model": f"M{number % 17}",
        "imei": f"86{number:013}", "iccid": f"8986{number:016}", "address": f"Street {number % 500}",
        "expire_ms": 1_790_000_000_000 + number * 86_400_00 if number % 2 else None,
    }  # fmt: skip


def _slave(gateway: int, number: int) -> dict[str, Any]:
    silent = gateway % 10 == 0 and number == 0
    return {
        "id": (gateway - 1) * SLAVES_EACH + number + 1, "device_id": gateway, "name": f"s{number}",
        "title": f"Slave {number}", "protocol": "modbus_tcp", "port": "lan", "address": str(number + 1),
        "online": not silent, "reason": "no_answer" if silent else "ok", "since_ms": 1,
    }  # fmt: skip


def _reported(gateway: int) -> dict[str, Any]:
    now = int(time.time() * 1000)
    return {
        "gateway": f"gw-{gateway:05}", "stream": "s", "last_seq": 1, "first_ms": now - DAY_MS, "to_ms": now
    }  # fmt: skip


def _hour(gateway: int, hours_ago: int) -> dict[str, Any]:
    now = int(time.time() * 1000)
    hour_ms = now - now % HOUR_MS - hours_ago * HOUR_MS
    return {
        "gateway": f"gw-{gateway:05}", "hour_ms": hour_ms, "covered_ms": HOUR_MS,
        "expected": 10_800, "good": 10_800 - gateway % 2, "reasons": "{}", "gaps": 0, "more_gaps": 0,
        "detail": b"x" * 200,
    }  # fmt: skip


def _point(gateway: int, number: int) -> dict[str, Any]:
    title = ("Pressure", "Temperature", "Flow", "Running", "Energy")[number]
    return {
        "id": (gateway - 1) * POINTS_EACH + number + 1, "device_id": gateway,
        "slave_id": (gateway - 1) * SLAVES_EACH + number % SLAVES_EACH + 1,
        "name": title.lower(), "title": title, "kind": "num",
        "rw": "readonly", "data_type": "float", "unit": "", "period_ms": 1000, "record": 1,
    }  # fmt: skip


@contextmanager
def _postgres() -> Iterator[str]:
    """URL of a PostgreSQL of its own on a socket, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="edge-postgres-"))
    user: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    data = folder / "data"
    quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    make = [*user, str(POSTGRES / "initdb"), "-D", str(data), "-U", "edge", "--auth=trust"]
    subprocess.run(make, cwd=folder, **quiet)
    options = f"-k {folder} -c listen_addresses=''"
    control = [*user, str(POSTGRES / "pg_ctl"), "-D", str(data), "-w"]
    subprocess.run([*control, "-o", options, "-l", str(data / "log"), "start"], cwd=folder, **quiet)
    try:
        yield f"postgresql+asyncpg://edge@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "fast", "stop"], cwd=folder, **quiet)
        shutil.rmtree(folder, ignore_errors=True)


DEVICE_BENCHMARKS = {"devices": devices}
