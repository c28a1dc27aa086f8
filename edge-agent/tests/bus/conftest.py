"""What lies beside the tests: the simulated plant, and the independent Modbus slave of the protocol tests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from edge_agent.bus import Bus
from edge_agent.config.load import parse
from edge_agent.model import Row
from edge_agent.points import LiveTable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "protocols" / "modbus")]

from simulated_plant import Plant, PlantDriver, SimulatedClock, Sink, Site, number_points  # noqa: E402


@pytest.fixture
async def site() -> Any:
    """site(text, memory) starts a bus; memory: registers per slave, 100 each by default."""
    running: list[asyncio.Task[None]] = []

    def start(
        text: str, *, watch: Callable[[Row], None] = lambda row: None, **memory: dict[int, int]
    ) -> Site:
        configuration = parse(text)
        clock, sink, live = SimulatedClock(), Sink(), LiveTable()
        plant = Plant(
            clock, {slave.name: {n: n for n in range(100)} for slave in configuration.slaves} | memory
        )
        numbers = number_points(configuration)
        bus = Bus(
            configuration,
            numbers,
            sink,
            live,
            clock=clock,
            driver=lambda port, protocol: PlantDriver(plant, port),
            watch=watch,
        )
        running.append(asyncio.create_task(bus.run()))
        return Site(bus, plant, clock, sink, live, numbers, running[-1])

    yield start
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def toml(
    *slaves: str, offsets: Sequence[int] = (0,), port: str = "", slave: str = "", point: str = ""
) -> str:
    """Slaves named as given, "port.name", each with a register point p<offset>."""
    lines = ['[gateway]\nid = "gw-test"']
    lines += [
        f'[[ports]]\nname = "{name}"\ntype = "NET"\nhost = "h"\nmin_interval_ms = 0\n{port}'
        for name in dict.fromkeys(one.split(".")[0] for one in slaves)
    ]
    for address, one in enumerate(slaves, start=1):
        name = one.split(".")[1]
        lines.append(
            f'[[slaves]]\nname = "{name}"\nport = "{one.split(".")[0]}"\nprotocol = "modbus_tcp"\n'
            f'address = "{address}"\nresponse_timeout_ms = 500\n{slave}'
        )
        lines += [
            f'[[points]]\nslave = "{name}"\nname = "p{offset}"\nrw = "readwrite"\n'
            f'address = {{ reg_type = "4X", offset = {offset} }}\n{point}'
            for offset in offsets
        ]
    return "\n".join(lines)


@pytest.fixture
def make_toml() -> Callable[..., str]:
    return toml
