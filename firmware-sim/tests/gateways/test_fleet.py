"""A fleet over a real mosquitto against the least of a cloud, checked sample by sample."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from edge_contract import batch
from edge_contract.payloads import Ack, Welcome, encode
from edge_contract.topics import CLOUD_FILTERS, Message, parse, topic
from firmware_sim.__main__ import main
from firmware_sim.errors import StartError
from firmware_sim.gateways.connection import Broker
from firmware_sim.gateways.fleet import Fleet, Plan, quantiles
from firmware_sim.gateways.signals import Signals

SECRETS = {f"load-{number}": f"secret-{number}" for number in range(1, 9)}


START_TIMEOUT_S = 20.0


def free_port() -> int:
    """None of those that the system gives to outgoing connections: one would take it while nobody listens."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class Mosquitto:
    """Can be killed and started again on its port."""

    def __init__(self, home: Path) -> None:
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin")
        if program is None:
            pytest.skip("mosquitto is not installed")
        self.port = free_port()
        conf = home / "mosquitto.conf"
        conf.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self._words = [program, "-c", str(conf)]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._words, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail("mosquitto did not start")

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Cloud:
    """Welcomes, acknowledges, keeps every sample."""

    def __init__(self, port: int) -> None:
        self.samples: dict[tuple[str, int, int], Any] = {}
        self.lanes: set[Message] = set()
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_connect = lambda client, *_: client.subscribe([(item, 1) for item in CLOUD_FILTERS])
        self.client.on_message = self._take
        ready = threading.Event()
        self.client.on_subscribe = lambda *_: ready.set()
        self.client.reconnect_delay_set(0.1, 0.2)  # type: ignore[arg-type]
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert ready.wait(START_TIMEOUT_S)

    def _take(self, client: Client, data: Any, message: MQTTMessage) -> None:
        gateway, kind = parse(message.topic)
        if kind is Message.HELLO:
            welcome = Welcome(accepted=True, version=1, t_ms=0, need_catalog=False)
            client.publish(topic(gateway, Message.WELCOME), encode(welcome), 1)
        elif kind in (Message.LIVE, Message.HISTORY):
            self.lanes.add(kind)
            header, columns = batch.decode(bytes(message.payload))
            for column in columns:
                self.samples[gateway, column.point, column.t_ms[0]] = column.values[0]
            ack = Ack(stream=header.stream, ranges=[(header.seq, header.seq)])
            client.publish(topic(gateway, Message.ACK), encode(ack), 1)

    def close(self) -> None:
        self.client.disconnect()
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            self.client.loop_stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def cloud(broker: Mosquitto) -> Iterator[Cloud]:
    made = Cloud(broker.port)
    yield made
    made.close()


def expected(acknowledged: list[dict[str, Any]]) -> dict[tuple[str, int, int], float]:
    """Every sample of what was acknowledged, computed again."""
    return {
        (entry["gateway"], point, t_ms): Signals(entry["seed"], entry["gateway"], entry["points"]).value(
            point, t_ms
        )
        for entry in acknowledged
        for t_ms in entry["t_ms"]
        for point in range(1, entry["points"] + 1)
    }


async def test_every_sample_arrives_with_its_value(broker: Mosquitto, cloud: Cloud) -> None:
    plan = Plan(points=6, interval_s=0.1, duration_s=1.0, seed=3, backlog=40)
    fleet = Fleet(plan, SECRETS, Broker(f"mqtt://127.0.0.1:{broker.port}", None))
    await fleet.connect()
    await fleet.run()
    await fleet.close()
    acknowledged = list(fleet.acknowledged())
    assert [len(entry["t_ms"]) for entry in acknowledged] == [50] * 8
    assert cloud.samples == expected(acknowledged)
    assert cloud.lanes == {Message.LIVE, Message.HISTORY}
    summary = fleet.summary()
    assert (summary["made"], summary["acknowledged"], summary["connections_lost"]) == (400, 400, 0)
    assert 0 < summary["live_ms"]["p50"] <= summary["live_ms"]["p99"] <= summary["live_ms"]["worst"]


async def test_nothing_is_lost_when_the_broker_is_killed(broker: Mosquitto, cloud: Cloud) -> None:
    plan = Plan(points=3, interval_s=0.05, duration_s=2.0)
    fleet = Fleet(plan, SECRETS, Broker(f"mqtt://127.0.0.1:{broker.port}", None))
    await fleet.connect()
    running = asyncio.create_task(fleet.run())
    await asyncio.sleep(0.5)
    await asyncio.to_thread(broker.kill)
    await asyncio.to_thread(broker.start)
    await running
    await fleet.close()
    assert fleet.summary()["connections_lost"] == 8
    assert len(cloud.samples) == 8 * 40 * 3
    assert cloud.samples == expected(list(fleet.acknowledged()))


def test_the_program_floods_and_reports(broker: Mosquitto, cloud: Cloud, tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text(json.dumps(SECRETS))
    words = [sys.executable, "-m", "firmware_sim", "fleet", "--url", f"mqtt://127.0.0.1:{broker.port}"]
    words += ["--secrets", str(tmp_path / "secrets.json"), "--first", "2", "--gateways", "3", "--points", "4"]
    words += ["--flood", "100", "--ledger", str(tmp_path / "ledger.jsonl"), "--wait"]
    done = subprocess.run(words, input="go\n", capture_output=True, text=True, timeout=60, check=True)
    ready, summary = map(json.loads, done.stdout.splitlines())
    assert ready == {"ready": True, "gateways": 3}
    assert (summary["made"], summary["acknowledged"], summary["gateways"]) == (300, 300, 3)
    acknowledged = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [entry["gateway"] for entry in acknowledged] == ["load-3", "load-4", "load-5"]
    assert cloud.samples == expected(acknowledged)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["--url", "http://x", "--secrets", "{ok}"], "url: must be mqtt://"),
        (["--url", "mqtt://127.0.0.1:99999", "--secrets", "{ok}"], "url: port"),
        (["--url", "mqtt://127.0.0.1", "--secrets", "{absent}"], "secrets"),
        (["--url", "mqtt://127.0.0.1", "--secrets", "{ok}", "--gateways", "9"], "holds 8 gateways, 9"),
        (["--url", "mqtts://127.0.0.1", "--secrets", "{ok}", "--ca-file", "{absent}"], "ca-file"),
        (["--url", "mqtt://127.0.0.1", "--secrets", "{ok}", "--interval", "nan"], "above 0"),
    ],
)
def test_wrong_arguments_are_named(
    words: list[str], rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ok").write_text(json.dumps(SECRETS))
    places = {"ok": str(tmp_path / "ok"), "absent": str(tmp_path / "absent")}
    try:
        ended = main(["fleet", *(word.format(**places) for word in words)])
    except SystemExit as error:
        ended = error.code  # type: ignore[assignment]
    assert ended in (1, 2)
    assert rule in capsys.readouterr().err


async def test_a_cloud_that_says_nothing_is_an_error(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_sim.gateways.fleet.WELCOME_S", 0.2)
    fleet = Fleet(Plan(3, 1.0, 1.0), SECRETS, Broker(f"mqtt://127.0.0.1:{broker.port}", None))
    with pytest.raises(StartError, match="8 gateways, load-1 first"):
        await fleet.connect()
    await fleet.close()


def test_quantiles() -> None:
    assert quantiles([]) == {}
    assert quantiles([5.0]) == {"p50": 5.0, "p99": 5.0, "worst": 5.0}
    assert quantiles([float(n) for n in range(101)]) == {"p50": 50.0, "p99": 99.0, "worst": 100.0}
