"""Firmware of a fleet: a board for each gateway; its orders and reports go over the fleet's link.

A gateway is away while its board starts, crashes or hangs, and comes back with what it runs then.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from edge_agent.errors import AgentError
from edge_agent.firmware.download import FirmwareSource, HttpSource
from edge_agent.firmware.settings import FirmwareSettings, read_settings
from edge_contract.limits import RESEND_AFTER_S
from edge_contract.upgrade import FirmwareState, Upgrade
from firmware_sim.errors import StartError
from firmware_sim.gateways.board import Board, BoardParts, ImageDamaged
from firmware_sim.gateways.gateway import Gateway

log = logging.getLogger(__name__)

LOTS = 10_000


class FasterClock:
    """Waits and trials pass speed times as fast; the time of day is the real one."""

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed

    def now_ms(self) -> int:
        """UTC milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds of this clock."""
        return time.monotonic() * self._speed

    async def sleep(self, seconds: float) -> None:
        """So many seconds of this clock."""
        await asyncio.sleep(seconds / self._speed)


class CountingSource:
    """bytes: that were loaded of a source, also those of downloads that broke off."""

    def __init__(self, source: FirmwareSource) -> None:
        self.bytes = 0
        self._source = source

    @asynccontextmanager
    async def open(self, url: str, offset: int, size: int) -> AsyncIterator[tuple[int, AsyncIterator[bytes]]]:
        """As FirmwareSource."""
        async with self._source.open(url, offset, size) as (start, parts):
            yield start, self._counted(parts)

    async def _counted(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for part in parts:
            self.bytes += len(part)
            yield part


class FleetFirmware:
    """One gateway's board. gone: breaks its connection, which comes back when the board works."""

    def __init__(self, gateway: Gateway, board: Callable[[Callable[[bool], None]], Board]) -> None:
        self.works = asyncio.Event()
        self.gone: Callable[[], None] = lambda: None
        self.board = board(self._switch)
        self._gateway = gateway
        self._wake = asyncio.Event()
        self._held: set[str] = set()
        self._is_taken = False
        gateway.board = self

    def state(self) -> FirmwareState | None:
        """What runs."""
        return self.board.upgrades.state() if self.board.upgrades is not None else None

    def take(self, order: Upgrade) -> None:
        """From the cloud, perhaps for the second time."""
        if self.board.upgrades is not None and self.works.is_set():
            self.board.upgrades.take(order)

    def acknowledged(self, upgrades: Sequence[str]) -> None:
        """Noted on the medium a moment later."""
        self._held.update(upgrades)
        self._wake.set()

    def welcomed(self) -> None:
        """What ended meanwhile is said now."""
        self._is_taken = True
        self._wake.set()

    @property
    def loses_points(self) -> bool:
        """As the board says."""
        return self.board.loses_points

    async def run(self) -> None:
        """Until cancelled; a gateway whose slot is damaged stays away."""
        reporting = asyncio.create_task(self._report())
        try:
            await self.board.run()
        except ImageDamaged as error:
            log.error("%s does not start any more: %s", self._gateway.name, error)
        finally:
            reporting.cancel()
            await asyncio.wait([reporting])

    async def _report(self) -> None:
        while True:
            upgrades = self.board.upgrades
            if upgrades is not None and self.works.is_set():
                held, self._held = self._held, set()
                try:
                    await upgrades.acknowledged(sorted(held))
                    for report in upgrades.unsent() if self._is_taken and self._gateway.served else ():
                        self._gateway.report(report)
                except AgentError as error:
                    log.warning("%s: %s", self._gateway.name, error)
                    self._held |= held
            events = [self._wake] if upgrades is None else [self._wake, upgrades.changed]
            await _any(events, RESEND_AFTER_S)

    def _switch(self, works: bool) -> None:
        if works:
            self.works.set()
        else:
            self.works.clear()
            self._is_taken = False
            self._gateway.end()
            self.gone()
        self._wake.set()


class Boards:
    """Makes the boards of a fleet. folder: has firmware.toml, as a gateway's data, and gets their slots.

    host: of the cloud; source: of files, by HTTP. Raises StartError when the settings are missing or wrong.
    """

    def __init__(
        self, folder: Path, host: str, points: int, speed: float, source: FirmwareSource | None = None
    ) -> None:
        try:
            settings = read_settings(folder)
        except AgentError as error:
            raise StartError(str(error)) from None
        if settings is None:
            raise StartError(f"firmware {folder}: has no firmware.toml")
        self._settings: FirmwareSettings = settings
        self._folder, self._host, self._points = folder, host, points
        self._clock = FasterClock(speed)
        self._source = CountingSource(source or HttpSource(ssl.create_default_context))
        self.all: dict[str, FleetFirmware] = {}

    def add(self, gateway: Gateway) -> FleetFirmware:
        """The board of a gateway."""

        def board(works: Callable[[bool], None]) -> Board:
            parts = BoardParts(
                self._settings,
                self._source,
                self._clock,
                self._host,
                points=self._points,
                lot=zlib.crc32(gateway.name.encode()) % LOTS / LOTS,
                works=works,
            )
            return Board(self._folder / gateway.name, parts, lambda: gateway.served)

        self.all[gateway.name] = firmware = FleetFirmware(gateway, board)
        return firmware

    def summary(self) -> dict[str, Any]:
        """versions: gateways by what they run; installs: how often versions were installed on one gateway
        more than once, by its name; loaded_bytes: of files, by all of them.
        """
        states = [firmware.state() for firmware in self.all.values()]
        again = {
            name: {str(version): count for version, count in firmware.board.installs.items() if count > 1}
            for name, firmware in self.all.items()
        }
        return {
            "loaded_bytes": self._source.bytes,
            "versions": _counts(state.version for state in states if state is not None),
            "installs": sum(sum(firmware.board.installs.values()) for firmware in self.all.values()),
            "installed_again": {name: counts for name, counts in again.items() if counts},
        }


def _counts(versions: Iterable[int]) -> dict[str, int]:
    return {str(version): count for version, count in sorted(Counter(versions).items())}


async def _any(events: Sequence[asyncio.Event], seconds: float) -> None:
    """Until one is set, at most so long; all are clear afterwards."""
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait(tasks)
    for event in events:
        event.clear()
