"""A whole link on a real broker, and a gateway that keeps its side of the contract."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest

from cloud.db import Database
from cloud.link import Link
from cloud.timeseries.base import SeriesColumn, TimeSeriesError
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.limits import WINDOW
from edge_contract.topics import Message, gateway_filter, topic

from .equipment import T0, Device, Domain, authenticator, batch, eventually

GW, SECRET = "gw-alpha", "secret-a"


@dataclass
class Settings:
    """The attributes that Link reads."""

    broker: str
    broker_host: str = "127.0.0.1"
    broker_port: int = 0
    broker_url: str | None = None
    broker_username: str | None = None
    broker_password_file: Path | None = None
    broker_ca_file: Path | None = None
    dynsec_username: str | None = None
    dynsec_password_file: Path | None = None


@dataclass
class Gateway:
    """Sends batches in a window and again until they are acknowledged, over any number of connections."""

    name: str
    secret: str
    port: int
    resend_s: float = 0.5
    acknowledged: set[int] = field(default_factory=set)
    connections: int = 0

    async def deliver(self, seqs: Iterable[int], timeout_s: float = 60.0) -> None:
        """Return when all are acknowledged."""
        wanted = set(seqs)
        deadline = time.monotonic() + timeout_s
        while not wanted <= self.acknowledged:
            assert time.monotonic() < deadline, f"not acknowledged: {sorted(wanted - self.acknowledged)[:10]}"
            device = Device(self.port, self.name, self.secret)
            with contextlib.suppress(OSError):
                if await device.connect():
                    self.connections += 1
                    await self._session(device, wanted, deadline)
            await device.close()
            await asyncio.sleep(0.05)

    async def _session(self, device: Device, wanted: set[int], deadline: float) -> None:
        await device.subscribe(gateway_filter().format(gateway=self.name))
        sent: dict[int, float] = {}
        while not device.lost.is_set() and time.monotonic() < deadline:
            self.acknowledged |= device.acknowledged()
            open_ones = sorted(wanted - self.acknowledged)[:WINDOW]
            if not open_ones:
                return
            for seq in open_ones:
                if time.monotonic() - sent.get(seq, 0) > self.resend_s:
                    device.client.publish(topic(self.name, Message.LIVE), batch(seq), 1)
                    sent[seq] = time.monotonic()
            await asyncio.sleep(0.01)


class Store(EmbeddedTimeSeries):
    """The real one, which can be away."""

    away = False

    async def write(self, columns: list[SeriesColumn]) -> None:  # type: ignore[override]
        if self.away:
            raise TimeSeriesError("away")
        await super().write(columns)


class Server(Protocol):
    """A broker that can be killed and started again."""

    def kill(self) -> None: ...
    def start(self) -> None: ...


class Plant:
    """A link with its stores; restart() replaces the link and keeps the rest."""

    def __init__(self, home: Path, settings: Settings, database: Database, domain: Domain) -> None:
        self.home = home
        self.settings = settings
        self.database = database
        self.domain = domain
        self.store = Store(home / "ts.db")
        self.server: Server | None = None
        self.gateway_port: int | None = None
        self.now_ms = T0 + 10_000_000
        self.link = self.make()

    def make(self) -> Link:
        check = authenticator({GW: SECRET})
        return Link(
            self.settings, self.database, self.domain.hooks(), check, self.store, now_ms=lambda: self.now_ms
        )

    async def start(self) -> None:
        await self.link.start()
        await eventually(self.link.healthy)
        self.settings.broker_port = self.link.port

    async def restart(self) -> None:
        await self.link.stop()
        self.link = self.make()
        await self.start()

    @property
    def port(self) -> int:
        """Of gateways."""
        return self.gateway_port or self.link.port

    async def device(self) -> Device:
        made = Device(self.port, GW, SECRET)
        assert await made.connect(), made.refused
        assert await made.subscribe(gateway_filter().format(gateway=GW))
        return made

    def rows(self) -> list[int]:
        """Sequence numbers that are committed, read from outside."""
        with sqlite3.connect(self.home / "cloud.db") as connection:
            return [row[0] for row in connection.execute("SELECT seq FROM link_batch ORDER BY id")]

    def quarantined(self) -> list[tuple[str, int]]:
        with sqlite3.connect(self.home / "cloud.db") as connection:
            return connection.execute("SELECT field, acknowledged FROM link_quarantine").fetchall()

    async def values(self, series: int = 1) -> list[float]:
        return [s.value for s in await self.store.samples(series, 0, T0 * 2, 10**6)]  # type: ignore[misc]


def only(plant: Plant, *kinds: str) -> None:
    """Skip what needs a broker of these kinds, or does not depend on it, on all others."""
    if plant.settings.broker not in kinds:
        pytest.skip(f"on {' and '.join(kinds)} only")
