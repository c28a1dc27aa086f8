"""The page over real HTTP on a free port, with a bus of a few lines behind it."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp.test_utils import TestClient, TestServer

from edge_agent.bus import PortState
from edge_agent.bus.budget import budget
from edge_agent.bus.commands import Work
from edge_agent.bus.trace import TracedFrame
from edge_agent.config.documents import document_of
from edge_agent.config.model import LocalPage, Point
from edge_agent.config.state import ActiveVersion, VersionRecord
from edge_agent.errors import BadValue
from edge_agent.exchange.runner import ExchangeRow
from edge_agent.forwarding.base import Condition, ForwarderStatus
from edge_agent.forwarding.deliveries import Deliveries, Reject
from edge_agent.forwarding.link import LinkState
from edge_agent.forwarding.passwords import PasswordState
from edge_agent.localweb import passwords
from edge_agent.localweb.alarms import AlarmPages
from edge_agent.localweb.configuration import ConfigurationPages
from edge_agent.localweb.exchange import ExchangePages
from edge_agent.localweb.history import HistoryPages
from edge_agent.localweb.lasting import Lasting
from edge_agent.localweb.machine import MachinePages
from edge_agent.localweb.refusals import Pages
from edge_agent.localweb.samples_file import SamplesFile
from edge_agent.localweb.scanning import Scans
from edge_agent.localweb.server import LocalWeb
from edge_agent.localweb.support import Support
from edge_agent.localweb.tasks import TaskPages
from edge_agent.localweb.tools import Tools
from edge_agent.localweb.view import GatewayView
from edge_agent.model import DeviceState, PointKey, Quality, Sample, Value
from edge_agent.points import same_value
from edge_agent.remote.deployments import Situation
from edge_agent.remote.execution import Execution
from edge_agent.remote.validation import Validation
from edge_agent.store.memory import open_memory
from edge_agent.tasks.runner import TaskRow
from edge_contract.alarms.rule import Comparison, Operator, Rule
from edge_contract.alarms.state import RuleState
from edge_contract.deployment import Document, Origin, Receipt, Step, document_hash
from edge_contract.edge_rules import GatewayRule, RuleEvent, RuleEventKind
from edge_contract.edge_tasks import EdgeTaskRun, TaskWriteResult
from edge_contract.exchange_rules import ExchangeResult
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

from .gateway import CONFIGURATION, INTERNAL_SLAVE, LOOP_WRITE, NOW, TEXT

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "protocols" / "modbus"))

CHROMIUM = "/usr/bin/chromium-headless-shell"
BROWSER_PATIENCE_MS = 30_000
needs_chromium = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"{CHROMIUM} is not installed")


class MovableClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now_ms(self) -> int:
        return NOW + round(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class FakeBus:
    """A bus whose one port leads to tcp_port."""

    def __init__(self) -> None:
        self.written: list[Value] = []
        self.tcp_port = 1
        self.frames: list[TracedFrame] = []

    async def run_locked(self, port: str, work: Work[Any], max_s: float, wait_s: float, who: str = "") -> Any:
        (locked,) = (one for one in CONFIGURATION.ports if one.name == port)
        seen: list[TracedFrame] = self.frames
        return await work(
            msgspec.structs.replace(locked, port=self.tcp_port),
            lambda direction, data: seen.append(TracedFrame(NOW, direction, data)),
        )

    def trace(self, port: str) -> list[TracedFrame]:
        if port not in ("lan", "meters"):
            raise BadValue(f"{port}: no such port")
        return self.frames

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        if value == 99:
            raise BadValue("sp: must be at most 10")
        self.written.append(value)
        return Sample(1, NOW, value)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        assert key == PointKey("boiler", "twice"), "the page reads nothing else from the bus"
        return Sample(3, NOW, 47.0)


@dataclass
class Page:
    client: TestClient
    password: str
    clock: MovableClock
    bus: FakeBus
    folder: Path
    deployments: FakeDeployments
    scans: Scans
    lasting: Lasting
    history: Any = None
    restarts: int = 0

    async def sign_in(self, password: str | None = None) -> int:
        body = {"password": self.password if password is None else password}
        reply = await self.client.post("/api/login", json=body, headers={"X-Edge": "1"})
        return reply.status

    async def get(self, path: str) -> Any:
        reply = await self.client.get(f"/api/{path}")
        assert reply.status == 200, await reply.text()
        return await reply.json()

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        reply = await self.client.post(f"/api/{path}", json=body, headers={"X-Edge": "1"})
        return reply.status, await reply.json()


def plant_of(clock: MovableClock, bus: FakeBus) -> GatewayView:
    slaves = [SlaveEntry(name="boiler", title="锅炉 Boiler", protocol="modbus_tcp", port="lan", address="1")]
    points = [
        PointEntry(
            id=1,
            slave="boiler",
            name="sp",
            title="设定 Setpoint",
            kind="num",
            rw="readwrite",
            data_type="float",
        ),
        PointEntry(
            id=2, slave="boiler", name="t", title="温度 T", kind="num", rw="readonly", data_type="float"
        ),
    ]
    keys = {PointKey("boiler", "sp"): Point(slave="boiler", name="sp", rw="readwrite", data_type="float")}
    keys[PointKey("boiler", "t")] = Point(slave="boiler", name="t")
    return GatewayView(
        gateway="gw-test-1",
        title="站点 Site",
        agent="0.1.0",
        started_ms=NOW - 5000,
        since_ms=lambda: NOW - 2000,
        catalog=Catalog(hash=catalog_hash(slaves, points), t_ms=1, slaves=slaves, points=points),
        snapshot=lambda: [Sample(1, NOW, 5.5), Sample(2, NOW, None, Quality.DEVICE_OFFLINE)],
        ports=lambda: [PortState("lan", "NET", "10.0.0.9:502", True, True, 9, 1, 12.345, "", locked=True)],
        slaves=lambda: [DeviceState("boiler", True, NOW, "ok", 9, 1, 4.2)],
        outbox=open_memory(1 << 20).outbox.state,
        collection=lambda: COLLECTION,
        link=LinkState(connected=True),
        forwarders=lambda: [FORWARDER, TARGET],
        internal_slave=lambda: INTERNAL_SLAVE,
        loop_writes=lambda: [asdict(LOOP_WRITE)],
        execution=Execution(keys, bus, same_value, clock),
        clock=clock,
        budget=lambda: budget(CONFIGURATION),
        capacity_bytes=1 << 20,
        secret_set=lambda: False,
    )


LONG_REASON = " ".join(["compare MN=010000A8900016F000169DC0 with what the platform has;"] * 8)
DELIVERIES = Deliveries(
    delivered=7,
    late=2,
    given_up=1,
    failed=4,
    last_ack_ms=1000,
    rejects=(
        Reject(2000, "batch 9", "cannot be read", given_up=True), Reject(3000, "2051", LONG_REASON, 4)
    ),
)  # fmt: skip
FORWARDER = ForwarderStatus(
    name="usb",
    kind="file",
    condition=Condition.DOWN,
    since_ms=NOW - 9000,
    reason="no such folder",
    next_try_ms=NOW + 24_000,
    waiting_batches=3,
    waiting_bytes=4096,
    waiting_records=5,
    lost_batches=2,
    deliveries=DELIVERIES,
)
TARGET = ForwarderStatus(
    name="third",
    kind="mqtt",
    condition=Condition.CONNECTED,
    since_ms=NOW - 9000,
    reason="",
    next_try_ms=0,
    waiting_batches=0,
    waiting_bytes=0,
    waiting_records=0,
    lost_batches=0,
    deliveries=Deliveries(delivered=9, repeated=1),
    passwords={"password": PasswordState.OTHER_PLACE},
)
COLLECTION = {
    "since_ms": NOW - 5000,
    "slaves": [{"slave": "boiler", "expected": 40, "good": 30, "missed": {"no_answer": 10}}],
    "gaps": [
        {
            "slave": "boiler",
            "points": [],
            "reason": "no_answer",
            "by": "",
            "from_ms": NOW - 4000,
            "to_ms": NOW - 3000,
        }
    ],
}


class FakeDeployments:
    """Takes what the gateway's own validation takes, and notes what it is given."""

    def __init__(self) -> None:
        document = document_of(TEXT)
        self.documents: dict[str, Document] = {document_hash(document): document}
        self.running = document_hash(document)
        self.steps: list[Receipt] = []
        self.records: dict[str, VersionRecord] = {}
        self.calls: list[tuple[str, str | None, int]] = []
        self.validation = Validation(budget, lambda configuration: None, lambda port: None)

    def situation(self) -> Situation:
        force = ActiveVersion(self.running, Origin.FILE, NOW)
        return Situation(force, None, None, self.steps, [], list(self.documents), self.records)

    def document(self, name: str | None = None) -> Document | None:
        return self.documents.get(name or self.running)

    def receipt(self, step: Step, code: str = "", **more: Any) -> Receipt:
        return Receipt(id="local-1", step=step, t_ms=NOW, running=self.running, code=code, **more)

    async def check_local(self, document: Document, *, base: str | None = None) -> Receipt:
        if document_hash(document) == self.running:
            return self.receipt(Step.UNCHANGED)
        if base not in (None, self.running):
            return self.receipt(Step.REFUSED, "conflict")
        found = self.validation.validate(document, CONFIGURATION, forced=base is None, by_cloud=False)
        if found.faults:
            return self.receipt(Step.REFUSED, "invalid", faults=found.faults)
        return self.receipt(Step.CHECKED, change=found.change)

    async def apply_local(
        self, document: Document, who: str, *, base: str | None = None, confirm_s: int = 300
    ) -> Receipt:
        checked = await self.check_local(document, base=base)
        self.calls.append((who, base, confirm_s))
        if checked.step is not Step.CHECKED:
            return checked
        self.running = document_hash(document)
        self.documents = {self.running: document, **self.documents}
        self.steps = [self.receipt(step) for step in (Step.RECEIVED, Step.STAGED, Step.SWITCHED)]
        return self.receipt(Step.STAGED, change=checked.change)


class FakeAlarms:
    """One alarm stands, and its linkage failed."""

    def open_alarms(self) -> list[tuple[GatewayRule, RuleState]]:
        condition = Comparison(signal="boiler/t", op=Operator.GREATER, threshold=90.0)
        rule = GatewayRule(rule=Rule(id=7, conditions=[condition]), title="过热 Too hot")
        return [(rule, RuleState(id=7, version=1, raised_ms=NOW - 9000, value=91.5))]

    def title(self, rule: int) -> str:
        return "过热 Too hot" if rule == 7 else ""

    async def newest(self, limit: int) -> list[RuleEvent]:
        raised_ms = NOW - 9000
        times = {"t_ms": raised_ms, "raised_ms": raised_ms, "since_ms": raised_ms}
        raised = RuleEvent(seq=1, kind=RuleEventKind.RAISED, rule=7, version=1, value=91.5, **times)
        failed = RuleEvent(
            seq=2,
            kind=RuleEventKind.LINKAGE,
            rule=7,
            version=1,
            on="raised",
            preset=3,
            code="mismatch",
            **times,
        )
        return [failed, raised][:limit]


class FakeExchange:
    """One rule has written, another cannot run."""

    def rows(self) -> list[ExchangeRow]:
        done = ExchangeResult(rule=3, source=15, value=7.5, t_ms=NOW - 2000, read=7.5)
        return [
            ExchangeRow("设定值 Setpoint", "meter.p", "pump.speed", done, ""),
            ExchangeRow("lost", "meter.p", "pump.gone", None, "no_such_point"),
        ]


class FakeTasks:
    """One task has run, one has lost a run, another cannot run."""

    def rows(self) -> list[TaskRow]:
        times = {"planned_ms": NOW - 2000, "begun_ms": NOW - 2000, "ended_ms": NOW - 1000}
        done = TaskWriteResult(slave="pump", point="speed", value=7.5, t_ms=NOW - 1000, read=7.5)
        run = EdgeTaskRun(seq=1, task=3, version=1, results=[done], **times)
        lost = EdgeTaskRun(seq=2, task=4, version=1, missed=2, code="missed", **times)
        return [
            TaskRow("白班 Day shift", NOW + 60_000, run, ""),
            TaskRow("night", None, lost, ""),
            TaskRow("lost", None, None, "no_such_point"),
        ]


def pages_of(folder: Path, plant: GatewayView, bus: FakeBus, lasting: Lasting, made: Page) -> list[Pages]:
    """What the composition root puts together, with the fakes behind it."""
    support = Support(folder, plant, made.deployments, lasting.log, bus.trace, None)

    async def restart() -> None:
        made.restarts += 1

    return [
        AlarmPages(FakeAlarms()),
        ExchangePages(FakeExchange()),
        TaskPages(FakeTasks()),
        Tools(CONFIGURATION, bus, made.clock),
        made.scans,
        ConfigurationPages(made.deployments, CONFIGURATION, folder, made.clock.now_ms),
        HistoryPages(made.history),
        SamplesFile(made.history),
        MachinePages(folder, CONFIGURATION, restart, lasting.log, support, made.clock),
    ]


@pytest.fixture
def stored_history() -> Any:
    """The local history behind the page; none unless a test module says otherwise."""
    return None


@pytest.fixture
async def page(tmp_path: Path, stored_history: Any) -> AsyncIterator[Page]:
    password = passwords.ensure(tmp_path)
    assert password is not None
    clock, bus, lasting = MovableClock(), FakeBus(), Lasting()
    scans = Scans(CONFIGURATION, bus, clock)
    made = Page(None, password, clock, bus, tmp_path, FakeDeployments(), scans, lasting, stored_history)
    plant = plant_of(clock, bus)
    pages = pages_of(tmp_path, plant, bus, lasting, made)
    web = LocalWeb(LocalPage(), tmp_path, plant, lasting, pages, scans.close)
    logging.getLogger().addHandler(lasting.log)
    async with TestClient(TestServer(web.app(), host="127.0.0.1")) as client:
        made.client = client
        yield made
    logging.getLogger().removeHandler(lasting.log)
    await scans.close()
