"""Sends requests to stations, one at a time to each, and records how they end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from edge_agent.forwarding.hj212.commands import CommandKind
from edge_agent.forwarding.hj212.packet import SECRETS, Area, Packet
from firmware_sim.errors import FaultError
from firmware_sim.hj212_platform.description import PlatformDescription, RequestEntry
from firmware_sim.hj212_platform.load import request_error
from firmware_sim.hj212_platform.request_exchange import Outcome, RequestExchange, RequestRecord
from firmware_sim.hj212_platform.station import PlatformStation
from firmware_sim.hj212_platform.store import ReceivedStore


@dataclass(frozen=True)
class Request:
    """One that waits or is under way. number: of its record; ended: it has its outcome."""

    number: int
    record: RequestRecord
    entry: RequestEntry
    ended: asyncio.Event = field(default_factory=asyncio.Event)


MAX_WAITING = 64
"""Requests that wait for one station."""
TICK_S = 0.2
HIDDEN = "***"


class Requester:
    """send: a packet to a station, False when it is not connected. ended: a request, with its outcome."""

    def __init__(
        self,
        description: PlatformDescription,
        store: ReceivedStore,
        now: Callable[[], datetime],
        send: Callable[[PlatformStation, Packet], bool],
        ended: Callable[[PlatformStation, Packet, Outcome], None],
    ) -> None:
        self._description = description
        self._store = store
        self._now = now
        self._send = send
        self._ended = ended
        self._last: datetime | None = None
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._waiting: dict[str, list[Request]] = {}
        self._open: dict[str, tuple[RequestExchange, asyncio.Event]] = {}

    def put(self, station: PlatformStation, entry: RequestEntry, cause: str, step: int = 0) -> Request:
        """Make a request in its turn. step: of the station's script. Raises FaultError when it is none of the
        station's version.
        """
        wrong = request_error(station, entry)
        if wrong:
            raise FaultError(f"{station.name}: {wrong}")
        items = area_text(station.request(entry, "", self._now()).area)
        record = RequestRecord(station.name, entry.cn, items, cause, step=step)
        waiting = self._waiting.setdefault(station.name, [])
        is_full = len(waiting) >= MAX_WAITING
        if is_full:
            record.outcome = Outcome.QUEUE_FULL
        request = Request(self._store.add_request(record), record, entry)
        if is_full:
            request.ended.set()
            return request
        waiting.append(request)
        worker = self._workers.get(station.name)
        if worker is None or worker.done():
            self._workers[station.name] = asyncio.ensure_future(self._work(station, waiting))
        return request

    def take(self, station: PlatformStation, packet: Packet) -> bool:
        """Whether a packet belongs to the station's request by its QN."""
        exchange, progress = self._open.get(station.name, (None, None))
        if exchange is None or progress is None or not exchange.take(packet, area_text(packet.area)):
            return False
        progress.set()
        return True

    def fetches(self, station: PlatformStation, packet: Packet) -> bool:
        """Whether the station's request fetches the record of this packet."""
        exchange, progress = self._open.get(station.name, (None, None))
        if exchange is None or progress is None or not exchange.fetches(packet):
            return False
        progress.set()
        return True

    async def run(
        self,
        stations: Iterable[PlatformStation],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Make the requests that have a period until cancelled; turns that were missed are left out."""
        begin = clock()
        turns = [
            (station, entry, entry.every_s)
            for station in stations
            for entry in station.entry.requests
            if entry.every_s is not None
        ]
        made = [0] * len(turns)
        while True:
            await sleep(TICK_S)
            elapsed_s = clock() - begin
            for number, (station, entry, every_s) in enumerate(turns):
                if elapsed_s // every_s > made[number]:
                    made[number] = int(elapsed_s // every_s)
                    self.put(station, entry, "schedule")

    def close(self) -> None:
        """Requests that are open stay without an outcome."""
        for worker in self._workers.values():
            worker.cancel()

    async def _work(self, station: PlatformStation, waiting: list[Request]) -> None:
        while waiting:
            request = waiting.pop(0)
            kind = station.may_request(request.entry.cn)
            assert kind is not None
            await self._carry_out(station, request, kind)
            request.ended.set()

    async def _carry_out(self, station: PlatformStation, request: Request, kind: CommandKind) -> None:
        record, now = request.record, self._unique_time()
        record.qn, record.sent_ms = qn_of(now), milliseconds(now)
        packet = station.request(request.entry, record.qn, now)
        exchange, progress = RequestExchange(record, packet, kind), asyncio.Event()
        self._open[station.name] = exchange, progress
        try:
            await self._repeat(station, exchange, packet, progress)
            while not exchange.ended:
                if not await _set_within(progress, self._description.result_time_s):
                    record.outcome = Outcome.NO_RESULT
        finally:
            del self._open[station.name]
        record.ended_ms = milliseconds(self._now())
        self._store.update_request(request.number, record)
        self._ended(station, packet, record.outcome)

    async def _repeat(
        self, station: PlatformStation, exchange: RequestExchange, packet: Packet, progress: asyncio.Event
    ) -> None:
        """Send until the station answers; one whose connection ended meanwhile may come back."""
        record = exchange.record
        for _ in range(1 + self._description.re_count):
            if self._send(station, packet):
                record.sends += 1
            elif not record.sends:
                record.outcome = Outcome.NOT_CONNECTED
                return
            if await _set_within(progress, self._description.over_time_s):
                return
        record.outcome = Outcome.NO_ANSWER

    def _unique_time(self) -> datetime:
        """Now, or a millisecond after the time of the request before."""
        now = self._now()
        now = now.replace(microsecond=now.microsecond // 1000 * 1000)
        if self._last is not None:
            now = max(now, self._last + timedelta(milliseconds=1))
        self._last = now
        return now


async def _set_within(event: asyncio.Event, timeout_s: float) -> bool:
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return False
    event.clear()
    return True


def area_text(area: Area) -> str:
    """As in a packet, without keys and passwords."""
    return ";".join(
        ",".join(f"{name}={HIDDEN if name in SECRETS else value}" for name, value in group) for group in area
    )


def qn_of(now: datetime) -> str:
    """17 digits: local time of the station to the millisecond."""
    return f"{now:%Y%m%d%H%M%S}{now.microsecond // 1000:03}"


def milliseconds(now: datetime) -> int:
    """UTC milliseconds since 1970 of a time with a zone."""
    return int(now.timestamp() * 1000)
