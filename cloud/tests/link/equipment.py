"""Equipment of the link's tests: a gateway's MQTT client, mosquitto, a domain that records."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from cloud.link import LinkHooks
from cloud.link.broker_connection import BrokerAddress
from cloud.link.brokers.mosquitto import DynSec
from cloud.link.ingest_buffer import IngestBuffer
from cloud.link.rows import BufferedBatch
from cloud.timeseries.base import SeriesColumn
from edge_contract.access import Principal, Role
from edge_contract.batch import encode
from edge_contract.model import Sample, rows_of
from edge_contract.payloads import Ack, Catalog, ControlMessage, Hello, Resend, Welcome, decode
from edge_contract.topics import Message

SERVICE, SERVICE_PASSWORD = "edge-cloud", "service-password"
ADMIN, ADMIN_PASSWORD = "admin", "admin-password"
STREAM = "00000000000000aa"
CATALOG = "00000000000000cc"
T0 = 1_790_000_000_000
PLUGIN = Path("/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so")
STARTS_S = 30.0
ANSWERS_S = 60.0
"""Of the slowest machine under load; what is asked for comes again at most 20 s later where one is missed."""
_given: set[int] = set()
TLS_PORTS: dict[int, Path] = {}
"""Ports of brokers that speak TLS, with their authority."""


def free_port() -> int:
    """None of those that the system gives to outgoing connections: one would take it while nobody listens.
    None that was given before: who has it may not listen yet.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        if port in _given:
            continue
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            _given.add(port)
            return port


async def eventually(check: Callable[[], Any], timeout_s: float = ANSWERS_S) -> Any:
    """The first true value of check; fails when there is none in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if result := check():
            return result
        await asyncio.sleep(0.02)
    raise AssertionError(f"not within {timeout_s:g} s: {check}")


class Device:
    """A client as a gateway has one; everything blocking runs in threads."""

    def __init__(self, port: int, name: str, password: str | None, *, client_id: str | None = None) -> None:
        self.name = name
        self.port = port
        self.received: list[MQTTMessage] = []
        self.refused: str | None = None
        self.lost = threading.Event()
        self._connected = threading.Event()
        self._answers: dict[int, list[Any]] = {}
        self.client = Client(
            CallbackAPIVersion.VERSION2, client_id=client_id or name, reconnect_on_failure=False
        )
        if password is not None:
            self.client.username_pw_set(name, password)
        if port in TLS_PORTS:
            self.client.tls_set(str(TLS_PORTS[port]))
        self.client.on_connect = self._on_connect
        self.client.on_disconnect = lambda *_: self.lost.set()
        self.client.on_message = lambda _client, _data, message: self.received.append(message)
        self.client.on_subscribe = self._on_subscribe

    def _on_connect(self, _client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        self.refused = str(reason) if reason.is_failure else None
        self._connected.set()

    def _on_subscribe(
        self, _client: Client, _data: Any, mid: int, reasons: list[Any], _properties: Any
    ) -> None:
        self._answers[mid] = reasons

    async def connect(self) -> bool:
        """True when the broker has accepted."""
        await asyncio.to_thread(self.client.connect, "127.0.0.1", self.port, 30)
        self.client.loop_start()
        answered = await asyncio.to_thread(self._connected.wait, ANSWERS_S)
        return answered and self.refused is None

    async def subscribe(self, topic_filter: str) -> bool:
        """True when granted; a broker may answer by ending the connection."""
        _, mid = self.client.subscribe(topic_filter, 1)
        assert mid is not None
        await eventually(lambda: mid in self._answers or self.lost.is_set())
        return not self._answers[mid][0].is_failure if mid in self._answers else False

    async def publish(self, name: str, payload: bytes, *, retain: bool = False) -> None:
        """Return at the PUBACK."""
        info = self.client.publish(name, payload, 1, retain)
        await asyncio.to_thread(info.wait_for_publish, ANSWERS_S)

    async def attempt(self, name: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish what the broker will not like: it may ignore it or disconnect."""
        info = self.client.publish(name, payload, 1, retain)
        with contextlib.suppress(RuntimeError):
            await eventually(lambda: info.is_published() or self.lost.is_set())
        await asyncio.to_thread(self.lost.wait, 0.02)

    def topics(self) -> list[str]:
        return [message.topic for message in self.received]

    def acks(self) -> list[Ack]:
        return [decode(Ack, m.payload) for m in list(self.received) if m.topic.endswith("/down/ack")]

    def acknowledged(self, stream: str = STREAM) -> set[int]:
        """Sequence numbers that the cloud has acknowledged."""
        ranges = [r for ack in self.acks() if ack.stream == stream for r in ack.ranges]
        return {seq for first, last in ranges for seq in range(first, last + 1)}

    def catalogs_asked(self) -> list[str | None]:
        return [decode(Resend, m.payload).catalog for m in list(self.received) if m.topic.endswith("/resend")]

    async def cut(self) -> None:
        """Break the connection without DISCONNECT, as a power failure does."""
        sock = self.client.socket()
        if sock is not None:
            sock.shutdown(socket.SHUT_RDWR)
        await self._end_thread()

    async def close(self) -> None:
        self.client.disconnect()
        await self._end_thread()

    async def _end_thread(self) -> None:
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            await asyncio.to_thread(self.client.loop_stop)


@dataclass
class Mosquitto:
    """A mosquitto with dynamic security; can be killed and started again."""

    home: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def init(self, template: Path, more: str = "") -> None:
        """Write the configuration. template: a dynamic security file to start from; more: further lines."""
        security = self.home / "dynsec.json"
        shutil.copy(template, security)
        (self.home / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous false\nmax_queued_messages 0\nuser root\n"
            f"plugin {PLUGIN}\nplugin_opt_config_file {security}\n{more}"
        )

    def start(self) -> None:
        with (self.home / "mosquitto.log").open("ab") as out:
            self.process = subprocess.Popen(
                ["/usr/sbin/mosquitto", "-c", str(self.home / "mosquitto.conf")], stdout=out, stderr=out
            )
        deadline = time.monotonic() + STARTS_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail(f"mosquitto did not start: {(self.home / 'mosquitto.log').read_text()[-500:]}")

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@dataclass
class BrokerUnderTest:
    """What the suites need of a broker, whatever it is."""

    kind: str
    port: int
    secrets: dict[str, str]
    put: Callable[[str, str], Any]
    disable: Callable[[str], Any]
    mosquitto: Mosquitto | None = None
    service_port: int | None = None

    def device(self, name: str, password: str | None = None, *, client_id: str | None = None) -> Device:
        return Device(
            self.port, name, self.secrets.get(name) if password is None else password, client_id=client_id
        )

    def service(self) -> Device:
        return Device(self.service_port or self.port, SERVICE, SERVICE_PASSWORD)


def authenticator(secrets: dict[str, str]) -> Any:
    async def authenticate(username: str, password: str) -> Principal | None:
        return Principal(Role.GATEWAY, username) if secrets.get(username) == password else None

    return authenticate


async def make_service(server: Mosquitto) -> None:
    await administrator(server).ensure_service(SERVICE, SERVICE_PASSWORD)


def administrator(server: Mosquitto) -> DynSec:
    return DynSec(BrokerAddress("127.0.0.1", server.port, ADMIN, ADMIN_PASSWORD))


class Domain:
    """Hooks that record, and can be told to fail."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.stored: list[tuple[str, list[SeriesColumn], bool]] = []
        self.values: list[tuple[str, list[SeriesColumn]]] = []
        self.maps: dict[tuple[str, str], dict[int, int]] = {}
        self.asked: list[tuple[str, str]] = []
        self.broken = False
        self.barred: set[str] = set()

    def hooks(self) -> LinkHooks:
        return LinkHooks(
            on_hello=self.hello,
            on_catalog=self.listen,
            on_state=self.listen,
            on_pulse=self.listen,
            on_result=self.listen,
            on_receipt=self.listen,
            on_configuration=self.listen,
            on_rules_report=self.listen,
            on_rule_events=self.listen,
            on_exchange_report=self.listen,
            on_task_report=self.listen,
            on_firmware=self.listen,
            on_trace=self.listen,
            on_tunnel=lambda gateway, frame: self.heard.append((gateway, frame)),
            series_of=self.series_of,
            on_values=self.on_values,
            on_stored=self.on_stored,
            admits=lambda gateway, message: gateway not in self.barred or message is Message.HELLO,
        )

    async def on_values(self, gateway: str, columns: list[SeriesColumn]) -> None:
        if self.broken:
            raise RuntimeError("the domain fails")
        self.values.append((gateway, columns))

    def kinds(self) -> list[type]:
        return [type(message) for _, message in self.heard]

    async def hello(self, gateway: str, message: Hello) -> Welcome:
        await self.listen(gateway, message)
        return Welcome(accepted=True, version=1, t_ms=T0, need_catalog=True)

    async def listen(self, gateway: str, message: ControlMessage) -> None:
        if self.broken:
            raise RuntimeError("the domain fails")
        self.heard.append((gateway, message))
        if isinstance(message, Catalog):
            self.maps[(gateway, message.hash)] = {point.id: point.id for point in message.points}

    async def series_of(self, gateway: str, catalog: str) -> dict[int, int] | None:
        self.asked.append((gateway, catalog))
        if self.broken:
            raise RuntimeError("the domain fails")
        return self.maps.get((gateway, catalog))

    async def on_stored(self, gateway: str, columns: list[SeriesColumn], late: bool) -> None:
        self.stored.append((gateway, columns, late))
        if self.broken:
            raise RuntimeError("the domain fails")


def batch(
    seq: int, *, stream: str = STREAM, catalog: str = CATALOG, samples: list[Sample] | None = None
) -> bytes:
    """A batch of one point, whose value is the sequence number."""
    return encode(stream, seq, catalog, T0 + seq, rows_of(samples or [Sample(1, T0 + seq, float(seq))]))


async def to_store(buffer: IngestBuffer, limit: int) -> list[BufferedBatch]:
    """The oldest batches that can be stored."""
    heads = await buffer.heads(dict.fromkeys(await buffer.gateways_to_store(), 0), limit)
    return await buffer.bodies([head.id for head in heads[:limit]])
