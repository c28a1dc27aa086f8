"""The product as processes: a stack on embedded defaults, and one with a real mosquitto."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from _stack import Ports, Stack
from mosquitto import Mosquitto


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path / "broker")
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def counting_stack(tmp_path: Path, mosquitto: Mosquitto) -> Iterator[Stack]:
    """Cloud, counting plant and agent on mosquitto; every value served stands in ledger.jsonl."""
    stack = Stack(
        tmp_path / "stack",
        Ports.free(),
        scenario="counter",
        broker=mosquitto.cloud_env(),
        mqtt_port=mosquitto.port,
        ledger=tmp_path / "ledger.jsonl",
        commit_interval_s=0.2,
    )
    stack.prepare()
    try:
        stack.start_cloud()
        stack.start_plant()
        stack.start_agent()
        stack.api.login(*stack.sign_in())
        yield stack
    finally:
        stack.stop()
