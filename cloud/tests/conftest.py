"""The domains on a real database, with a simulated clock and a link that only remembers."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cloud import migrations
from cloud.db import Base, Database
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.link import LinkDown, StreamState
from edge_contract.payloads import Catalog, Command, Hello, PointEntry, SlaveEntry, catalog_hash

GATEWAY = "gw-test-1"
STREAM = "aa" * 8
BOOT = "bb" * 8
POSTGRES = Path("/usr/lib/postgresql/15/bin")


@dataclass
class Clock:
    """Simulated wall clock in milliseconds."""

    now: int = 1_790_000_000_000

    def __call__(self) -> int:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@dataclass
class Rooms:
    """Services around one database, and what they told the outside."""

    database: Database
    clock: Clock
    changed: list[int] = field(default_factory=list)
    sent: list[tuple[str, Command]] = field(default_factory=list)
    pushed: list[CommandStatus] = field(default_factory=list)
    broker: dict[str, str] = field(default_factory=dict)
    link_down: bool = False
    streams: list[StreamState] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.presence = PresenceService(self.database, self._changed, clock=self.clock)
        self.catalogs = CatalogService(self.database, clock=self.clock)
        self.claims = ClaimService(self.database, self._put, self._disable, clock=self.clock)
        self.devices = DeviceService(self.database, self.presence, self._streams)
        self.commands = CommandService(
            self.database, self.devices, self._send, self._pushed, clock=self.clock
        )

    async def _changed(self, device: int) -> None:
        self.changed.append(device)

    async def _put(self, gateway: str, secret: str) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        self.broker[gateway] = secret

    async def _disable(self, gateway: str) -> None:
        self.broker.pop(gateway)

    async def _streams(self, gateway: str) -> list[StreamState]:
        return self.streams

    async def _send(self, gateway: str, command: Command) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        self.sent.append((gateway, command))

    async def _pushed(self, device: int, command: CommandStatus) -> None:
        self.pushed.append(command)


def hello(catalog: str = "", **changes: object) -> Hello:
    """A hello that is served."""
    words: dict[str, object] = {
        "version_min": 1,
        "version_max": 1,
        "agent": "1.0",
        "boot": BOOT,
        "stream": STREAM,
        "first_seq": 1,
        "next_seq": 1,
        "catalog": catalog or "00" * 8,
        "clock_set": True,
        "t_ms": 1,
    }
    return Hello(**{**words, **changes})  # type: ignore[arg-type]


def catalog(*names: str, slave: str = "boiler") -> Catalog:
    """A catalog of writable numeric points with limits 0 to 100, and one switch 'pump'."""
    slaves = [SlaveEntry(name=slave, title="Boiler", protocol="modbus_tcp", port="lan", address="1")]
    points = [
        PointEntry(
            id=number,
            slave=slave,
            name=name,
            title=name,
            kind="swh" if name == "pump" else "num",
            rw="readonly" if name.startswith("ro_") else "readwrite",
            data_type="float",
            period_ms=1000,
            min=0,
            max=100,
        )
        for number, name in enumerate(names, 1)
    ]
    return Catalog(hash=catalog_hash(slaves, points), t_ms=1, slaves=slaves, points=points)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a real PostgreSQL on a socket of its own."""
    if not POSTGRES.is_dir():
        pytest.skip("PostgreSQL 15 is not installed")
    folder = Path(tempfile.mkdtemp(prefix="edge-postgres-"))
    user: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    data = folder / "data"
    make = [*user, POSTGRES / "initdb", "-D", data, "-U", "edge", "--auth=trust", "--no-sync"]
    subprocess.run(make, check=True, capture_output=True, cwd=folder)
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    start = [*user, POSTGRES / "pg_ctl", "-D", data, "-w", "-o", options, "-l", data / "log", "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    yield f"postgresql+asyncpg://edge@/postgres?host={folder}"
    stop = [*user, POSTGRES / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
    subprocess.run(stop, check=True, capture_output=True, cwd=folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite database to copy."""
    file = tmp_path_factory.mktemp("template") / "cloud.db"
    migrations.upgrade(f"sqlite+aiosqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> str:
    """URL of a migrated PostgreSQL database."""
    migrations.upgrade(postgres)
    return postgres


async def empty(url: str) -> None:
    """Delete every row; numbers begin with 1 again."""
    database = Database(url)
    async with database.engine.begin() as connection:
        names = ", ".join(f'"{name}"' for name in Base.metadata.tables)
        await connection.exec_driver_sql(f"TRUNCATE {names} RESTART IDENTITY CASCADE")
    await database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated, empty database of each kind."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "cloud.db")
        return f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}"
    url = str(request.getfixturevalue("migrated_postgres"))
    asyncio.run(empty(url))
    return url


@pytest.fixture
async def rooms(database_url: str) -> AsyncIterator[Rooms]:
    database = Database(database_url)
    made = Rooms(database, Clock())
    await made.claims.claim(GATEWAY, "Test gateway")
    yield made
    await database.close()
