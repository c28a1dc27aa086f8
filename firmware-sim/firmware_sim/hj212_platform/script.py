"""Runs the scripts of the stations, each step after the one before, and records what a step did not bring."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

from edge_agent.forwarding.hj212.packet import Packet
from firmware_sim.hj212_platform.description import RequestEntry, ScriptStep
from firmware_sim.hj212_platform.request_exchange import Outcome, RequestRecord
from firmware_sim.hj212_platform.requester import Requester, milliseconds
from firmware_sim.hj212_platform.station import PlatformStation
from firmware_sim.hj212_platform.store import ReceivedStore

STEPS, ENDED = "script_steps", "script_ended"
"""Counters of the store."""
NO_FAULT = "none"
UPLOAD = "upload"
TICK_S = 0.1


class ScriptRunner:
    """put_fault: on a station, by name. now: local time of the stations, with a zone."""

    def __init__(
        self,
        stations: Iterable[PlatformStation],
        requester: Requester,
        store: ReceivedStore,
        put_fault: Callable[[str, str], None],
        now: Callable[[], datetime],
    ) -> None:
        self._stations = [station for station in stations if station.entry.script]
        self._requester = requester
        self._store = store
        self._put_fault = put_fault
        self._now = now
        self._connected = {station.name: asyncio.Event() for station in self._stations}
        self._arrived: dict[str, set[str]] = {station.name: set() for station in self._stations}

    def saw(self, station: PlatformStation, packet: Packet) -> None:
        """A packet of a station that was taken."""
        if (connected := self._connected.get(station.name)) is not None:
            connected.set()
            self._arrived[station.name].add(packet.cn)

    async def run(self, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        """Until the last step has ended."""
        for station in self._stations:
            self._store.count(STEPS, len(station.entry.script))
        async with asyncio.TaskGroup() as tasks:
            for station in self._stations:
                tasks.create_task(self._run(station, clock, sleep))

    async def _run(
        self,
        station: PlatformStation,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        await self._connected[station.name].wait()
        begin_s = clock()
        for number, step in enumerate(station.entry.script, start=1):
            while clock() < begin_s + step.at_s:
                await sleep(TICK_S)
            if step.fault is not None:
                self._put_fault(station.name, step.fault)
            if step.request is not None:
                await self._request(station, number, step, step.request, clock, sleep)
            elif step.upload is not None:
                await self._upload(station, number, step, step.upload, clock, sleep)
            self._store.count(ENDED)

    async def _request(
        self,
        station: PlatformStation,
        number: int,
        step: ScriptStep,
        entry: RequestEntry,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        request = self._requester.put(station, entry, "script", number)
        if step.fault_s is not None:
            end_s = clock() + step.fault_s
            while clock() < end_s and not request.ended.is_set():
                await sleep(TICK_S)
            self._put_fault(station.name, NO_FAULT)
        await request.ended.wait()
        if step.fault is not None:
            self._put_fault(station.name, NO_FAULT)
        request.record.unexpected = unexpected(step, request.record)
        self._store.update_request(request.number, request.record)

    async def _upload(
        self,
        station: PlatformStation,
        number: int,
        step: ScriptStep,
        cn: str,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        arrived, end_s = self._arrived[station.name], clock() + step.within_s
        record = RequestRecord(station.name, cn, UPLOAD, "script", step=number)
        record.sent_ms = milliseconds(self._now())
        arrived.clear()
        while cn not in arrived and clock() < end_s:
            await sleep(TICK_S)
        record.ended_ms = milliseconds(self._now())
        record.outcome = Outcome.DONE if cn in arrived else Outcome.NO_RESULT
        if record.outcome is not Outcome.DONE:
            record.unexpected = f"CN={cn} within {step.within_s:g} s"
        self._store.add_request(record)


def unexpected(step: ScriptStep, record: RequestRecord) -> str:
    """What a request should have brought; empty when it did."""
    outcome, _, code = step.expect.partition(" ")
    if record.outcome != outcome or (code and code not in (record.qn_rtn, record.exe_rtn)):
        return step.expect
    if record.packets < step.records:
        return f"{step.records} records"
    if step.reply and not any(step.reply in area for area in record.replies):
        return f"an answer with {step.reply}"
    return ""
