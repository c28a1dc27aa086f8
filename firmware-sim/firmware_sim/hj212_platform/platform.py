"""Composition: a description to a platform that listens, answers, stores and requests."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from pathlib import Path

from edge_agent.forwarding.hj212.packet import Packet
from firmware_sim.control import Control
from firmware_sim.errors import FaultError, StartError
from firmware_sim.faults import Faults
from firmware_sim.hj212_platform.connection import ConnectionOwner, PlatformConnection
from firmware_sim.hj212_platform.description import PLATFORM, UNKNOWN, PlatformDescription, RequestEntry
from firmware_sim.hj212_platform.faults import FRAMING, PLATFORM_FAULTS
from firmware_sim.hj212_platform.intake import Intake
from firmware_sim.hj212_platform.reception import Receiver
from firmware_sim.hj212_platform.request_exchange import Outcome
from firmware_sim.hj212_platform.requester import Requester
from firmware_sim.hj212_platform.script import ScriptRunner
from firmware_sim.hj212_platform.station import PlatformStation
from firmware_sim.hj212_platform.store import GivenValues, ReceivedStore
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.lines.tcp_listener import TcpListener
from firmware_sim.state_folder import locked

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 10_000
MAX_SEGMENT = 1024
REOPEN_S = 1.0
CHINA = timezone(timedelta(hours=8))
SET_PASSWORD, SET_KEY = "1072", "1014"
KNOWN = (Outcome.DONE, Outcome.FAILED, Outcome.REFUSED)


def local_time() -> datetime:
    """Of the stations (practice: UTC+8)."""
    return datetime.now(CHINA)


class Hj212Platform:
    """state: folder of its store. port: 0 for a free one. now: local time of the stations, with a zone."""

    def __init__(
        self,
        description: PlatformDescription,
        state: Path,
        *,
        port: int = 0,
        seed: int = 1,
        now: Callable[[], datetime] = local_time,
    ) -> None:
        self._state = state
        segment = Segment(PLATFORM, FRAMING)
        self._stations = {
            entry.name: PlatformStation(entry, segment, description.max_segment)
            for entry in description.stations
        }
        self._store = ReceivedStore(state, description.max_packets)
        self._requester = Requester(description, self._store, now, self._send, self._ended)
        self._script = ScriptRunner(
            self._stations.values(), self._requester, self._store, self.put_fault, now
        )
        receiver = Receiver(self._stations.values())
        unknown = Station(UNKNOWN, segment)
        self._intake = Intake(
            receiver, self._store, self._requester, description.refusals, unknown, now, self._script.saw
        )
        owner = ConnectionOwner(self._intake.take, self._intake.ended)
        max_segment = description.max_segment or MAX_SEGMENT
        self._listener = TcpListener(
            "HJ 212",
            port,
            MAX_CONNECTIONS,
            lambda: PlatformConnection(self._listener.masters, receiver, self._store, max_segment, owner),
        )
        self._faults = Faults(seed, PLATFORM_FAULTS)
        self._faults.add_line(segment, self._go_away)
        for place in segment.stations:
            self._faults.add_device(place, self._listen_again)
        self._control = Control(state, self.put_fault, self.faults, self._request)
        self._away = False
        self._listening: asyncio.Task[None] | None = None
        self._opened = ExitStack()

    async def open(self) -> dict[str, object]:
        """Listen. Raises StartError when something is taken. Returns what the ready line says."""
        try:
            self._opened.callback(locked(self._state).close)
            self._opened.callback(self._store.close)
            self._store.open()
            for station in self._stations.values():
                self._store.add_station(station.name, station.entry.minute_interval)
                station.take_given(self._store.given(station.name))
            self._opened.callback(self._faults.close)
            self._opened.callback(self._requester.close)
            self._opened.callback(self._listener.close)
            await self._listener.open()
            self._opened.callback(self._control.close)
            await self._control.open()
        except BaseException:
            self._opened.close()
            raise
        return {"port": self._listener.port, "control_port": self._control.port}

    async def run(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Make the requests that have a period, and the scripts, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._script.run(clock, sleep))
            await self._requester.run(self._stations.values(), clock, sleep)

    def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
        self._opened.close()

    def put_fault(self, name: str, fault: str) -> None:
        """Put a fault on a station or the platform. Raises FaultError when one of them does not exist."""
        self._faults.put(name, fault)

    def faults(self) -> dict[str, str]:
        """Fault by name of the platform and its stations."""
        return self._faults.texts()

    def request(self, name: str, entry: RequestEntry) -> int:
        """Request something of a station; the number of the record. Raises FaultError for another name, or
        what no platform requests.
        """
        station = self._stations.get(name)
        if station is None:
            names = ", ".join(sorted(self._stations))
            raise FaultError(f"name: must be one of {names}, {name!r} is none")
        return self._requester.put(station, entry, "control").number

    def _request(self, name: str, text: str) -> int:
        cn, _, items = text.partition(" ")
        return self.request(name, RequestEntry(cn, items))

    def _send(self, station: PlatformStation, packet: Packet) -> bool:
        if packet.cn == SET_PASSWORD:
            station.offered_pw = _password(packet)
        return self._intake.send(station, packet)

    def _ended(self, station: PlatformStation, packet: Packet, outcome: Outcome) -> None:
        """The station has what a request gave it, or refused it; without a result nobody knows."""
        if packet.cn == SET_PASSWORD and outcome in KNOWN:
            station.offered_pw = None
        if outcome is not Outcome.DONE:
            return
        given = self._store.given(station.name)
        if packet.cn == SET_PASSWORD:
            given = GivenValues(_password(packet), given.key)
        elif packet.cn == SET_KEY:
            given = GivenValues(given.pw, packet.value("NewSK"))
        else:
            return
        self._store.give(station.name, given)
        station.take_given(given)

    def _go_away(self) -> None:
        """Refuse connections and end those that there are."""
        self._away = True
        self._listener.close()

    def _listen_again(self) -> None:
        if self._away:
            self._away = False
            self._listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        while True:
            try:
                await self._listener.open()
            except StartError as error:
                log.warning("%s", error)
                await asyncio.sleep(REOPEN_S)
            else:
                return


def _password(packet: Packet) -> str | None:
    """Of 1072; its item was called PW in 2005."""
    return packet.value("NewPW") or packet.value("PW")
