"""A real broker, a cloud of a few lines, a gateway whose clock runs faster."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import subprocess
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from paho.mqtt.client import Client, MQTTMessage, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion

from edge_agent.bus.trace import FrameTrace
from edge_agent.config.model import Configuration, Gateway, Point
from edge_agent.forwarding.cloud.forwarder import CloudForwarder
from edge_agent.forwarding.cloud.pace import Pace
from edge_agent.forwarding.cloud.session import SessionContext
from edge_agent.forwarding.services import Services
from edge_agent.model import DeviceState, PointKey, RecordMode, Sample
from edge_agent.points.live_values import LiveValues
from edge_agent.store.base import Store, StoredBatch
from edge_agent.store.memory import open_memory
from edge_agent.trace.gateway import GatewayTrace
from edge_agent.trace.recorder import TraceRecorder
from edge_contract import batch
from edge_contract.cellular import LinkBytes, ModemState
from edge_contract.fieldbus import FieldbusFigures
from edge_contract.model import Row
from edge_contract.payloads import (
    CONTROL,
    Ack,
    Catalog,
    ControlMessage,
    Refusal,
    Welcome,
    catalog_hash,
    decode,
    encode,
)
from edge_contract.targets import TargetState
from edge_contract.topics import CLOUD_FILTERS, Message, parse, topic

from ..ports import free_port
from .embedded import Embedded
from .fakes import (
    FakeCommands,
    FakeDeployments,
    FakeExchange,
    FakeFirmware,
    FakeRecords,
    FakeRules,
    FakeTimedTasks,
    FakeTunnels,
)
from .hj212_platform import Platform

GATEWAY = "gw-test-1"
SPEED = 50.0
START_TIMEOUT_S = 20.0
COMES_S = 20.0


class FastClock:
    """Seconds pass 50 times faster, so that resending and pulses show within a test.

    behind_ms: how far the wall clock is wrong.
    """

    behind_ms = 0

    def __init__(self) -> None:
        self.slept: deque[float] = deque(maxlen=10_000)  # what was asked for, in its seconds

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 - self.behind_ms

    def monotonic(self) -> float:
        return time.monotonic() * SPEED

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(seconds / SPEED)


class Broker:
    """mosquitto on a free port of loopback, to be killed and started again."""

    def __init__(self, folder: Path, *lines: str) -> None:
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self.log = folder / "mosquitto.log"
        self._conf = folder / "mosquitto.conf"
        settings = lines or ("allow_anonymous true",)
        self._conf.write_text("\n".join([f"listener {self.port} 127.0.0.1", "user root", *settings, ""]))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            words = ["mosquitto", "-v", "-c", str(self._conf)]
            self._process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.02)
        raise RuntimeError(self.log.read_text())

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture
def make_broker(tmp_path: Path) -> Iterator[Callable[..., Broker]]:
    if shutil.which("mosquitto") is None:
        pytest.skip("mosquitto is not installed")
    made: list[Broker] = []

    def make(*lines: str) -> Broker:
        made.append(Broker(tmp_path, *lines))
        made[-1].start()
        return made[-1]

    yield make
    for broker in made:
        broker.kill()


@pytest.fixture
def broker_kind() -> str:
    """Tests of what depends on the broker are parametrised with both; see BOTH_BROKERS of test_forwarder."""
    return "mosquitto"


@pytest.fixture
def broker(broker_kind: str, request: pytest.FixtureRequest) -> Iterator[Broker | Embedded]:
    if broker_kind == "mosquitto":
        yield request.getfixturevalue("make_broker")()
        return
    embedded = Embedded()
    embedded.start()
    yield embedded
    embedded.kill()


@dataclass(frozen=True)
class Arrived:
    """A message at the cloud."""

    kind: Message
    payload: bytes
    qos: int
    retain: bool


@dataclass
class FakeCloud:
    """Welcomes, remembers, acknowledges; each of the three can be turned off."""

    broker: Broker | Embedded
    welcomes: bool = True
    acks: bool = True
    need_catalog: bool = False
    takes_collection: bool = False
    takes_rules: bool = False
    takes_exchange: bool = False
    takes_tasks: bool = False
    takes_firmware: bool = False
    refusal: Refusal | None = None
    arrived: list[Arrived] = field(default_factory=list)
    held: dict[int, bytes] = field(default_factory=dict)
    streams: set[str] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id="cloud")
        self._client.username_pw_set("cloud", "cloud")
        self._client.reconnect_delay_set(1, 1)
        ready = asyncio.Event()
        self._client.on_connect = lambda c, *_: c.subscribe([(item, 1) for item in CLOUD_FILTERS])
        self._client.on_subscribe = lambda *_: loop.call_soon_threadsafe(ready.set)
        self._client.on_message = lambda c, d, message: loop.call_soon_threadsafe(self._take, message)
        self._client.connect("127.0.0.1", self.broker.port)
        self._client.loop_start()
        await asyncio.wait_for(ready.wait(), START_TIMEOUT_S)

    async def stop(self) -> None:
        self._client.disconnect()
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            await asyncio.to_thread(self._client.loop_stop)

    def say(
        self, message: Message, payload: ControlMessage | bytes, *, retain: bool = False
    ) -> MQTTMessageInfo:
        data = payload if isinstance(payload, bytes) else encode(payload)
        return self._client.publish(topic(GATEWAY, message), data, qos=1, retain=retain)

    def ack(self, seq: int) -> None:
        self.say(Message.ACK, Ack(stream=next(iter(self.streams)), ranges=[(seq, seq)]))

    def welcome(self) -> None:
        accepted = self.refusal is None
        self.say(
            Message.WELCOME,
            Welcome(
                accepted=accepted,
                version=1,
                t_ms=1,
                need_catalog=self.need_catalog,
                refusal=self.refusal,
                collection=self.takes_collection,
                rules=self.takes_rules,
                exchange=self.takes_exchange,
                tasks=self.takes_tasks,
                firmware=self.takes_firmware,
            ),
        )

    def _take(self, message: MQTTMessage) -> None:
        _, kind = parse(message.topic)
        self.arrived.append(Arrived(kind, bytes(message.payload), message.qos, message.retain))
        if kind is Message.HELLO and self.welcomes:
            self.welcome()
        if kind in (Message.LIVE, Message.HISTORY):
            header = batch.read_header(message.payload)
            self.streams.add(header.stream)
            before = self.held.setdefault(header.seq, bytes(message.payload))
            assert before == message.payload, "a batch came again with other bytes"
            if self.acks:
                self.ack(header.seq)
        self.changed.set()

    def all(self, kind: Message) -> list[ControlMessage]:
        return [decode(CONTROL[kind], item.payload) for item in self.arrived if item.kind is kind]

    def lanes(self) -> list[tuple[Message, int]]:
        lanes = (Message.LIVE, Message.HISTORY)
        return [
            (item.kind, batch.read_header(item.payload).seq) for item in self.arrived if item.kind in lanes
        ]

    async def until(self, done: Callable[[], object], timeout_s: float = COMES_S) -> None:
        """Wait for a condition on what arrived."""
        async with asyncio.timeout(timeout_s):
            while not done():
                self.changed.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.changed.wait(), 0.05)


@pytest.fixture
async def cloud(broker: Broker | Embedded) -> AsyncIterator[FakeCloud]:
    made = FakeCloud(broker)
    await made.start()
    yield made
    await made.stop()


LIVE_ONLY, STORED = {7: 0.0, 8: 0.5}, {5: 0.0, 6: 0.5}  # points by number, with their deadbands
"""Numbers of the points of a gateway that are not stored, and their deadbands."""


class Edge:
    """A gateway on a store in memory, without a field bus."""

    def __init__(
        self,
        url: str,
        store: Store | None = None,
        secret: str | None = "secret",
        report_interval_s: int = 0,
        *,
        saving: bool = False,
        firmware: FakeFirmware | None = None,
    ) -> None:
        self.store = store or open_memory(8 << 20)
        self.commands = FakeCommands()
        self.deployments = FakeDeployments()
        self.tunnels = FakeTunnels()
        self.rules = FakeRules()
        self.exchange = FakeExchange()
        self.timed_tasks = FakeTimedTasks()
        self.records = FakeRecords()
        self.live: dict[int, Sample] = {}
        points = {
            PointKey("boiler", f"live{number}"): Point(
                slave="boiler",
                name=f"live{number}",
                record=RecordMode.NONE if number in LIVE_ONLY else RecordMode.ON_CHANGE,
                deadband=deadband,
            )
            for number, deadband in (LIVE_ONLY | STORED).items()
        }
        numbers = dict(zip(points, LIVE_ONLY | STORED, strict=True))
        self.live_values = LiveValues(points, numbers, self.live.get)
        self.catalog = Catalog(hash=catalog_hash([], []), t_ms=1, slaves=[], points=[])
        self.clock = FastClock()
        self.ports: dict[str, FrameTrace] = {}
        configuration = Configuration(gateway=Gateway(id=GATEWAY))
        recorder = TraceRecorder(self.clock)
        self.trace = GatewayTrace(configuration, Path(), recorder, lambda: self.ports, self.clock)
        self.secret = secret
        self.pace = Pace(
            self.clock,
            report_interval_s,
            saving=saving,
            held_bytes=lambda: self.store.outbox.state().payload_bytes,
            capacity_bytes=1000,
        )
        services = Services(
            configuration=configuration,
            folder=Path(), agent="0.1.0", boot="0" * 16,
            catalog=self.catalog, store=self.store, outbox_state=self.store.outbox.state,
            slaves=lambda: [DeviceState("boiler", False, 7, "no answer")],
            targets=lambda: self.targets,
            fieldbus=lambda: self.fieldbus,
            live_values=self.live_values,
            commands=self.commands,
            commands_of=lambda target: FakeCommands(),
            deployments=self.deployments,
            tunnels=self.tunnels,
            collection=self.records,
            rules=self.rules,
            exchange=self.exchange,
            timed_tasks=self.timed_tasks,
            firmware=firmware,
            trace=self.trace,
            modem=lambda: self.modem,
            links=lambda: self.links,
            clock=self.clock,
            commit=lambda: asyncio.sleep(0),
            goodbye=lambda: "stopped",
        )  # fmt: skip
        self.forwarder = CloudForwarder(SessionContext(services, self.pace), url, lambda: self.secret)
        self.targets: list[TargetState] = []
        self.modem: ModemState | None = None
        self.links: list[LinkBytes] = []
        self.fieldbus = FieldbusFigures()
        self.task: asyncio.Task[None] | None = None

    async def commit(self, count: int = 1) -> None:
        for _ in range(count):
            state = self.store.outbox.state()
            payload = batch.encode(
                state.stream, state.next_seq, self.catalog.hash, 1, [Row((1,), 1, (state.next_seq,))]
            )
            await self.store.outbox.append(StoredBatch(state.next_seq, 1, 1, payload), self.catalog.hash)

    async def start(self) -> None:
        await self.store.catalogs.keep(self.catalog.hash, encode(self.catalog))
        self.task = asyncio.ensure_future(self.forwarder.run())

    async def stop(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])
            assert self.task.cancelled(), self.task.exception()
            self.task = None


@pytest.fixture
async def edge(broker: Broker | Embedded) -> AsyncIterator[Edge]:
    made = Edge(broker.url)
    yield made
    await made.stop()


@pytest.fixture
def make_edge() -> type[Edge]:
    return Edge


@pytest.fixture
async def platform() -> AsyncIterator[Platform]:
    """A platform of HJ 212 that listens."""
    made = Platform(free_port())
    await made.start()
    yield made
    await made.stop()
