"""What the chaos runs against: counting devices, agent, broker and cloud, each of which may be killed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from evidence import Stops
from mosquitto import Mosquitto
from stack import Emqx, Ports, Stack, StackError, find_server
from stack.emqx import VARIABLE

from faults.proxy import FaultProxy

BrokerKind = Literal["mosquitto", "emqx", "embedded"]

COUNTERS = 60
"""Of one device: two registers each, all of them in one request."""
SETPOINT = "setpoint"
COMMIT_S = 0.2
PATIENT_MS = 30_000
"""An answer is never given up while the machine is busy: what left the device then counts as read."""

UNANSWERED_MS = 1000
"""What a device counted as served so shortly before it was to stop may not have left it, or may lie
unread at a busy agent when the connection is reset, which throws it away."""

LINES = """
title: 计数设备 Counting devices under chaos
signals:
  - {name: wanted, kind: setpoint, value: 0, min: 0, max: 4000000000}
lines:
  - {name: lan, kind: modbus_tcp}
devices:
"""
DEVICE = """
  - name: {name}
    kind: modbus
    line: lan
    unit: {unit}
    registers:
      - {{name: c, count: {counters}, area: 4X, address: 0, type: uint32, counter: true, ledger: true}}
"""
VALVE = """
  - name: valve
    kind: modbus
    line: lan
    unit: 100
    registers:
      - {name: setpoint, area: 4X, address: 0, type: uint32, signal: wanted, writable: true, ledger: true}
"""
GATEWAY_HEAD = """
[gateway]
id = "${gateway}"
title = "混沌 Chaos"

[cloud]
url = "${cloud_url}"

[local_page]
port = ${local_port}

[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = ${modbus_port}
min_interval_ms = 0
"""


def plant_files(folder: Path, *, devices: int, counters: int, cycle_ms: int) -> Path:
    """plant.yaml and gateway.toml: so many devices with so many counters, and one that is written to."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"counter{number}" for number in range(1, devices + 1)]
    plant = LINES.lstrip() + "".join(
        DEVICE.format(name=name, unit=unit, counters=counters).lstrip("\n")
        for unit, name in enumerate(names, start=1)
    )
    gateway = f"{GATEWAY_HEAD}capture_cycle_ms = {cycle_ms}\n"
    for unit, name in [*enumerate(names, start=1), (100, "valve")]:
        gateway += (
            f'\n[[slaves]]\nname = "{name}"\nport = "lan"\nprotocol = "modbus_tcp"\naddress = "{unit}"\n'
            f"response_timeout_ms = {PATIENT_MS}\nretries = 0\n"
        )
    for name in names:
        for number in range(1, counters + 1):
            gateway += point(name, f"c{number:0{len(str(counters))}}", 2 * number - 2, "readonly")
    gateway += point("valve", SETPOINT, 0, "readwrite")
    (folder / "plant.yaml").write_text(plant + VALVE.lstrip("\n"))
    (folder / "gateway.toml").write_text(gateway.lstrip())
    return folder / "plant.yaml"


def emqx_launcher() -> Path:
    """StackError when there is none."""
    server = find_server("emqx", VARIABLE)
    if server is None:
        raise StackError(f"emqx is not at hand: neither {VARIABLE} nor the PATH names one (tests/README.md)")
    return server


def point(slave: str, name: str, offset: int, rw: str) -> str:
    return (
        f'\n[[points]]\nslave = "{slave}"\nname = "{name}"\ndata_type = "uint32"\nrw = "{rw}"\n'
        f'address = {{ reg_type = "4X", offset = {offset} }}\n'
    )


@dataclass
class Site:
    """A stack with a served-values log. broker: the mosquitto or EMQX, None for the one inside the cloud."""

    stack: Stack
    served_log: Path
    broker: Mosquitto | Emqx | None
    lives: list[Life] = field(default_factory=list)
    stops_ms: Stops = field(default_factory=list)

    def stop_plant(self) -> None:
        """What its devices were just asked, they may not answer any more."""
        begun_ms = time.time() * 1000
        self.stack.plant.stop()
        self.stops_ms.append((begun_ms - UNANSWERED_MS, time.time() * 1000))

    @property
    def outbox(self) -> Path:
        return self.stack.data / "agent" / "outbox.sqlite"

    @property
    def cloud_db(self) -> Path:
        return self.stack.data / "cloud" / "cloud.db"


@dataclass
class Life:
    """Of one agent process. promised: highest value of each counter that its outbox held when it was killed.

    Times are UTC milliseconds; killed_ms is None when it was stopped on purpose.
    """

    started_ms: int
    killed_ms: int | None = None
    promised: dict[str, int] = field(default_factory=dict)


@contextlib.contextmanager
def site(
    folder: Path,
    kind: BrokerKind,
    *,
    devices: int = 2,
    counters: int = COUNTERS,
    cycle_ms: int = 150,
    commit_s: float = COMMIT_S,
    agent_env: dict[str, str] | None = None,
    agent_way: FaultProxy | None = None,
    cloud_way: FaultProxy | None = None,
    broker: Mosquitto | None = None,
) -> Iterator[Site]:
    """Prepared, nothing started but the broker; everything stopped at the end.

    agent_way, cloud_way: by which agent and cloud reach the broker; the embedded one is within the cloud.
    broker: a mosquitto that runs already and is left running.
    """
    plant = plant_files(folder / "plant-files", devices=devices, counters=counters, cycle_ms=cycle_ms)
    ports = Ports.free()
    own: Mosquitto | Emqx | None = None
    if kind == "mosquitto" and broker is None:
        own = Mosquitto(folder / "broker")
    elif kind == "emqx":
        own = Emqx(folder / "broker", emqx_launcher(), ports.http)
    if own is not None:
        own.start()
    used = own or broker
    env = used.cloud_env() if used else None
    port = used.port if used else ports.mqtt
    for way in (agent_way, cloud_way):
        if way is not None:
            way.target_port = port
    if isinstance(used, Emqx):  # it speaks TLS only
        agent_env = {**(agent_env or {}), "SSL_CERT_FILE": str(used.ca_file)}
    if env is not None and cloud_way is not None:
        env["EDGE_BROKER_URL"] = f"mqtt://127.0.0.1:{cloud_way.port}"
    stack = Stack(
        folder / "stack",
        ports,
        scenario=str(plant),
        broker=env,
        mqtt_port=agent_way.port if agent_way else port,
        cloud_url=used.url if isinstance(used, Emqx) else None,
        served_log=folder / "served.jsonl",
        commit_interval_s=commit_s,
        agent_env=agent_env,
    )
    try:
        stack.prepare()
        yield Site(stack, folder / "served.jsonl", used)
    finally:
        stack.stop()
        if own is not None:
            own.kill()
