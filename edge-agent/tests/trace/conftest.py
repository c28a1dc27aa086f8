"""A gateway with ports of which nothing runs, on a clock that stands still."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from edge_agent.bus.trace import FrameTrace
from edge_agent.config.load import parse
from edge_agent.config.model import Configuration
from edge_agent.trace.gateway import GatewayTrace
from edge_agent.trace.recorder import TraceRecorder
from edge_contract.trace import TraceEntry, TraceReport, TraceRequest

NOW_MS = 1_790_000_000_000


class StillClock:
    """Seconds pass when a test says so."""

    def __init__(self) -> None:
        self.s = 0.0

    def now_ms(self) -> int:
        return NOW_MS + round(self.s * 1000)

    def monotonic(self) -> float:
        return self.s

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing here waits")


@dataclass
class TracedGateway:
    """reports: everything that came until now."""

    configuration: Configuration
    folder: Path
    clock: StillClock = field(default_factory=StillClock)
    ports: dict[str, FrameTrace] = field(default_factory=dict)
    reports: list[TraceReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ports |= {port.name: FrameTrace(self.clock.now_ms) for port in self.configuration.ports}
        self.recorder = TraceRecorder(self.clock)
        self.trace = self.again()

    def again(self) -> GatewayTrace:
        """Another one on the same recorder, as after a switch of the configuration."""
        return GatewayTrace(self.configuration, self.folder, self.recorder, lambda: self.ports, self.clock)

    def ask(self, seconds: int = 60) -> None:
        self.trace.take(TraceRequest(seconds=seconds, by="ops"))

    def entries(self, after_s: float = 1.0) -> list[TraceEntry]:
        """What comes that much later."""
        self.clock.s += after_s
        came = self.trace.reports()
        self.reports += came
        return [entry for report in came for entry in report.entries]

    @property
    def upto(self) -> int:
        return self.reports[-1].upto


CONFIGURATION = """
[gateway]
id = "gw-trace"
[local_page]
enable = false
[[ports]]
name = "line"
type = "NET"
host = "192.0.2.7"
port = 502
[[ports]]
name = "meters"
type = "COM"
device = "/dev/ttyS1"
[[slaves]]
name = "boiler"
port = "line"
protocol = "modbus_tcp"
address = "1"
[[slaves]]
name = "meter"
port = "meters"
protocol = "dlt645_2007"
address = "000000000001"
options = { password = "271828" }
"""


@pytest.fixture
def gateway(tmp_path: Path) -> TracedGateway:
    return TracedGateway(parse(CONFIGURATION), tmp_path)
