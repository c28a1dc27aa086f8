"""The domains on a real database, with a simulated clock and a link that only remembers."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.db import Database, refuse_nested
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.authentication import Authenticator
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.triggers.point_alarms import PointAlarms
from cloud.link import LinkDown, StreamState
from edge_contract.payloads import Catalog, Command, Hello, PointEntry, Pulse, SlaveEntry, catalog_hash

from .application import app, client
from .compiled import share_compiled_statements
from .databases import database_url, empty_postgres, migrated_postgres, postgres, sqlite_template

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

share_compiled_statements()
refuse_nested()

FIXTURES = (app, client, database_url, empty_postgres, migrated_postgres, postgres, sqlite_template)

GATEWAY = "gw-test-1"
STREAM = "aa" * 8
BOOT = "bb" * 8
SYSTEM = Scope.system()
ADMIN = CurrentUser(1, "admin", 0, frozenset(), "", SYSTEM)


@dataclass
class Clock:
    """Simulated wall clock in milliseconds."""

    now: int = 1_790_000_000_000

    def __call__(self) -> int:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@dataclass
class DomainServices:
    """Services around one database, and what they told the outside."""

    database: Database
    clock: Clock
    changed: list[int] = field(default_factory=list)
    sent: list[tuple[str, Command]] = field(default_factory=list)
    pushed: list[CommandStatus] = field(default_factory=list)
    broker: dict[str, str] = field(default_factory=dict)
    link_down: bool = False
    woken: int = 0
    streams: list[StreamState] = field(default_factory=list)
    cleared: list[tuple[str, int, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.presence = PresenceService(self.database, self._changed, self._cleared, clock=self.clock)
        self.outages = OutageService(self.database, clock=self.clock)
        self.catalogs = CatalogService(self.database, self._taken, clock=self.clock)
        self.claims = ClaimService(self.database, self._put, self._disable, clock=self.clock)
        self.authenticator = Authenticator(self.database, clock=self.clock)
        self.devices = DeviceService(self.database, self.presence, self._streams)
        self.commands = CommandService(
            self.database, self.devices, self._send, self._pushed, clock=self.clock
        )
        self.alarms = PointAlarms(self.database, self.devices, self.commands, self._wake, clock=self.clock)

    async def pulse(self, pulse: Pulse) -> None:
        """A pulse of GATEWAY that was written."""
        self.presence.pulse(GATEWAY, pulse)
        await self.presence.write_pulses()

    def _wake(self) -> None:
        self.woken += 1

    async def _taken(self, session: AsyncSession, device: int) -> None:
        await self.alarms.follow(session, device)

    async def _changed(self, device: int) -> None:
        self.changed.append(device)

    async def _cleared(self, gateway: str, device: int, unknown: bool) -> None:
        self.cleared.append((gateway, device, unknown))

    async def _put(self, gateway: str, secret: str) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        self.broker[gateway] = secret

    async def _disable(self, gateway: str) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        self.broker.pop(gateway, None)

    async def _streams(self, gateway: str) -> list[StreamState]:
        return self.streams

    async def _send(self, gateway: str, command: Command) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        self.sent.append((gateway, command))

    async def _pushed(self, device: int, command: CommandStatus) -> None:
        self.pushed.append(command)


async def add_plant_and_guest(database: Database) -> None:
    """Two users who see nothing of each other: number 1, plant, and number 2, guest."""
    async with database.session() as session:
        for number, name in ((1, "plant"), (2, "guest")):
            session.add(
                User(
                    id=number,
                    user_name=name,
                    password_hash="x",
                    user_type=3,
                    path=f"/{number}/",
                    created_ms=1,
                )
            )
        await session.commit()


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


@pytest.fixture
async def services(database_url: str) -> AsyncIterator[DomainServices]:
    database = Database(database_url)
    made = DomainServices(database, Clock())
    await made.claims.claim(GATEWAY, "Test gateway")
    async with database.session() as session:  # absences are logged at once unless a test asks for a delay
        await session.execute(update(Device).values(offline_alarm_delay_s=0))
        await session.commit()
    yield made
    await database.close()
