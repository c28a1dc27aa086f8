"""A bus on a simulated plant with a recorder, to be killed, stopped, switched and started again."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from simulated_plant import EPOCH_MS, Plant, PlantDriver, SimulatedClock, Sink, number_points, run_until_idle

from edge_agent.bus import Bus
from edge_agent.collection.recorder import CollectionRecorder
from edge_agent.config.load import parse
from edge_agent.points import LiveTable
from edge_agent.store.base import CollectionLog
from edge_agent.store.memory import MemoryCollection
from edge_contract.collection import CollectionRecord, ReadGap


def gateway(*slaves: str, points: int = 2, cycle_ms: int = 1000, extra: str = "") -> str:
    """Slaves named as given, "port.name", each with so many register points. extra: of every slave."""
    lines = ['[gateway]\nid = "gw-test"']
    lines += [
        f'[[ports]]\nname = "{port}"\ntype = "NET"\nhost = "h"\nmin_interval_ms = 0\n'
        f"capture_cycle_ms = {cycle_ms}"
        for port in dict.fromkeys(one.split(".")[0] for one in slaves)
    ]
    for address, one in enumerate(slaves, start=1):
        port, name = one.split(".")
        lines.append(
            f'[[slaves]]\nname = "{name}"\nport = "{port}"\nprotocol = "modbus_tcp"\naddress = "{address}"\n'
            f"response_timeout_ms = 500\nretries = 0\n{extra}"
        )
        lines += [
            f'[[points]]\nslave = "{name}"\nname = "p{n}"\nrw = "readwrite"\nrecord = {n % 3}\n'
            f'address = {{ reg_type = "4X", offset = {n} }}'
            for n in range(points)
        ]
    return "\n".join(lines)


class CountingGateway:
    """now: seconds since the test began, which the monotonic clock shows."""

    def __init__(self, text: str, log: CollectionLog | None = None) -> None:
        self.clock = SimulatedClock()
        self.log = log or MemoryCollection()
        self.linked = True
        self.plant = Plant(self.clock)
        self._tasks: list[asyncio.Task[None]] = []
        self.start(text)

    def start(self, text: str) -> None:
        configuration = parse(text)
        for slave in configuration.slaves:
            self.plant.memory.setdefault(slave.name, {n: n for n in range(100)})
        self.bus = Bus(
            configuration,
            number_points(configuration),
            Sink(),
            LiveTable(),
            clock=self.clock,
            driver=lambda port, protocol: PlantDriver(self.plant, port),
        )
        self.recorder = CollectionRecorder(self.bus, self.log, self.clock, lambda: self.linked)
        self._tasks = [asyncio.create_task(self.bus.run()), asyncio.create_task(self.recorder.run())]

    async def run(self, seconds: float) -> None:
        await self.clock.advance(seconds)

    async def kill(self) -> None:
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks)
        await run_until_idle()

    async def stop(self, why: str = "stopped") -> None:
        await self.kill()
        await self.recorder.finish(why)

    async def records(self) -> list[CollectionRecord]:
        """Everything that is kept, after another minute or whatever closes the last one."""
        return [await self.record(stored.payload) for stored in await self.log.following(0, 1 << 40, 1000)]

    @staticmethod
    async def record(payload: bytes) -> CollectionRecord:
        from edge_contract.payloads import decode

        return decode(CollectionRecord, payload)

    async def figures(self) -> dict[str, tuple[int, int]]:
        """Expected and good of each slave over all records."""
        result: dict[str, tuple[int, int]] = {}
        for record in await self.records():
            for one in record.slaves:
                expected, good = result.get(one.name, (0, 0))
                result[one.name] = expected + one.expected, good + one.good
        return result

    async def missed(self) -> dict[str, int]:
        """Missing reads of the gateway by reason."""
        result: dict[str, int] = {}
        for record in await self.records():
            for one in record.slaves:
                for reason, count in one.missed.items():
                    result[reason] = result.get(reason, 0) + count
        return result

    async def gaps(self) -> list[tuple[str | None, str, float, float]]:
        """Slave, reason, beginning and end in seconds since the test began; pieces that touch are joined."""
        result: list[tuple[str | None, str, float, float]] = []
        for gap in sorted([gap for record in await self.records() for gap in record.gaps], key=_order):
            start, end = (gap.from_ms - EPOCH_MS) / 1000, (gap.to_ms - EPOCH_MS) / 1000
            last = result[-1] if result else None
            if last and last[:2] == (gap.slave, gap.reason) and start <= last[3]:
                result[-1] = (*last[:3], max(end, last[3]))
            else:
                result.append((gap.slave, gap.reason, start, end))
        return result


def _order(gap: ReadGap) -> Any:
    return gap.slave or "", gap.reason, gap.from_ms
