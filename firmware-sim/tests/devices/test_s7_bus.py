"""The agent's bus and a simulated PLC: a missing block costs the other points nothing, also next time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

from edge_agent.bus import Bus
from edge_agent.config.load import parse
from edge_agent.model import PointKey, Quality, RefusedBlock
from edge_agent.points import LiveTable
from edge_agent.protocols.s7 import codec
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.s7.tcp import S7Tcp
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.plc.siemens import S7Plc
from firmware_sim.plc.siemens_values import S7Value
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

TEXT = """
[gateway]
id = "gw-test"
[[ports]]
name = "p"
type = "NET"
host = "127.0.0.1"
port = {port}
capture_cycle_ms = 40
min_interval_ms = 0
[[slaves]]
name = "s"
port = "p"
protocol = "s7"
address = "1"
response_timeout_ms = 5000
options = {{ model = "1200" }}
[[points]]
slave = "s"
name = "pressure"
data_type = "float"
address = {{ area = "DB", db = 1, offset = 0 }}
[[points]]
slave = "s"
name = "gone"
address = {{ area = "DB", db = 9, offset = 0 }}
[[points]]
slave = "s"
name = "setpoint"
rw = "readwrite"
data_type = "int16"
ratio = 0.1
tofixed = 1
address = {{ area = "DB", db = 2, offset = 0 }}
"""


class RefusedBlocks:
    """Takes rows, and what was learned about refusals."""

    def __init__(self) -> None:
        self.refused: list[RefusedBlock] = []

    def put(self, row: Any) -> None:
        pass

    async def recall(self, slave: str, digest: str) -> list[RefusedBlock]:
        return list(self.refused)

    async def keep(self, slave: str, digest: str, refused: Sequence[RefusedBlock]) -> None:
        self.refused = list(refused)


class Noting(S7Plc):
    """item_counts: items of each read job."""

    item_counts: list[int]

    def session(self) -> Any:
        session = super().session()
        answer = session.answer

        def noted(pdu: bytes) -> bytes | None:
            job = codec.decode(pdu)
            if job.parameter[0] == codec.READ:
                self.item_counts.append(len(codec.job_items(job)))
            return answer(pdu)

        session.answer = noted  # type: ignore[method-assign]
        return session


@contextlib.asynccontextmanager
async def running(port: int, refused_blocks: RefusedBlocks) -> AsyncIterator[tuple[Bus, LiveTable]]:
    configuration, live = parse(TEXT.format(port=port)), LiveTable()
    numbers = {PointKey("s", point.name): n for n, point in enumerate(configuration.points, start=1)}
    bus = Bus(configuration, numbers, refused_blocks, live, memory=refused_blocks)
    task = asyncio.create_task(bus.run())
    yield bus, live
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def until(done: Any) -> None:
    async with asyncio.timeout(20):
        while not done():  # noqa: ASYNC110 (looks at states, which announce nothing)
            await asyncio.sleep(0.01)


async def test_a_missing_block_costs_nothing() -> None:
    values = [
        S7Value(name="pressure", area="DB", db=1, address=0, type="float", value=1.5),
        S7Value(
            name="setpoint", area="DB", db=2, address=0, type="int16", signal="a", scale=0.1, writable=True
        ),
    ]
    process = Process([Setpoint(name="a", value=20)], step_s=0.1, seed=1, day_s=0)
    plc, refused_blocks = Noting("plc", values, process), RefusedBlocks()
    server = S7Tcp(0, {0x0101: (Station("plc", Segment("lan", LINE_KINDS["s7"].framing)), plc)}, None)
    await server.open()
    try:
        for start in range(2):
            plc.item_counts = []
            async with running(server.port, refused_blocks) as (bus, live):
                await until(lambda: live.get(2) is not None and live.get(3) is not None)
                assert (live.get(1).value, live.get(3).value) == (1.5, 20 if not start else 34.5)  # type: ignore[union-attr]
                await until(lambda: bus.states()[0].reads > 4)
                assert live.get(2).quality == Quality.DEVICE_ERROR  # type: ignore[union-attr]
                assert plc.item_counts[0] == (2 if start else 3)
                assert set(plc.item_counts[1:]) <= {1, 2}
                await bus.write(PointKey("s", "setpoint"), 34.5, 20)
                assert process.value("a") == 34.5
        (learned,) = refused_blocks.refused
        assert sorted(learned.points) == ["gone", "pressure", "setpoint"]
        assert learned.device_code & 0xFF == 0x0A
    finally:
        server.close()
