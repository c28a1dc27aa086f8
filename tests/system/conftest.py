"""The product as processes: a stack on embedded defaults, and one with a real mosquitto."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from authority import Authority
from mosquitto import Mosquitto
from second_gateway import SecondGateway, claim
from stack import Ports, Stack

ISOLATION = Path(__file__).resolve().parent / "isolation" / "plant.yaml"
CLAIM_TIMEOUT_S = 60.0


@pytest.fixture(scope="session", autouse=True)
def prepared(prepared_once: None) -> None:
    """All stacks of these tests."""


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path / "broker")
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def counting_stack(tmp_path: Path, mosquitto: Mosquitto) -> Iterator[Stack]:
    """Cloud, counting plant and agent on mosquitto; every value served stands in served.jsonl."""
    stack = Stack(
        tmp_path / "stack",
        Ports.free(),
        scenario="counter",
        broker=mosquitto.cloud_env(),
        mqtt_port=mosquitto.port,
        served_log=tmp_path / "served.jsonl",
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


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"), "right")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[Mosquitto]:
    """With a TLS listener for localhost."""
    made = Mosquitto(tmp_path_factory.mktemp("broker"), authority.server("localhost"))
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def lasting_stack(tmp_path_factory: pytest.TempPathFactory, broker: Mosquitto) -> Iterator[Stack]:
    """Cloud, three counting devices and their agent, which go on while tests do harm beside them."""
    made = Stack(
        tmp_path_factory.mktemp("stack"),
        Ports.free(),
        scenario=str(ISOLATION),
        broker=broker.cloud_env(),
        mqtt_port=broker.port,
        served_log=tmp_path_factory.mktemp("served") / "served.jsonl",
        commit_interval_s=0.2,
    )
    with made.running():
        yield made


@pytest.fixture(scope="module")
def secret_of(lasting_stack: Stack, request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """Secret of a gateway of the module's GATEWAYS; they are claimed beside the first tests."""
    with ThreadPoolExecutor(1) as beside:
        claims = {name: beside.submit(claim, lasting_stack, name) for name in request.module.GATEWAYS}
        yield lambda name: claims[name].result(CLAIM_TIMEOUT_S)


@pytest.fixture
def make_second_gateway(
    lasting_stack: Stack, secret_of: Callable[[str], str], tmp_path: Path
) -> Iterator[Callable[..., SecondGateway]]:
    """make_second_gateway(gateway, data): one more gateway on the lasting stack's cloud."""
    made: list[SecondGateway] = []

    def make(gateway: str, data: Path | None = None) -> SecondGateway:
        made.append(SecondGateway(lasting_stack, tmp_path / gateway, gateway, secret_of(gateway), data))
        return made[-1]

    yield make
    for second_gateway in made:
        second_gateway.stop()
