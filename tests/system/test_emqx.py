"""The whole product on a real EMQX with the committed configuration: killed, and a gateway disabled."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from evidence import Stops, count, drain
from stack import GATEWAY, Emqx, Ports, Stack
from stack.emqx import VARIABLE

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

REVOKED_WITHIN_S = 20.0
"""Every credential is looked at each five seconds; a busy machine takes its time."""
BACK_WITHIN_S = 60.0
"""A gateway that is refused tries again after 5, 10, 20 s, at most every 300 s."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("emqx")


@pytest.fixture(scope="module")
def ports() -> Ports:
    return Ports.free()


@pytest.fixture(scope="module")
def emqx(folder: Path, ports: Ports, real_server: Callable[[str, str], Path]) -> Iterator[Emqx]:
    made = Emqx(folder / "broker", real_server("emqx", VARIABLE), ports.http)
    yield made
    made.kill()


@pytest.fixture(scope="module")
def stack(folder: Path, ports: Ports, emqx: Emqx) -> Iterator[Stack]:
    """A counting plant, its agent and the cloud."""
    made = Stack(
        folder / "stack",
        ports,
        scenario="counter",
        broker=emqx.cloud_env(),
        cloud_url=emqx.url,
        served_log=folder / "served.jsonl",
        commit_interval_s=0.2,
        agent_env={"SSL_CERT_FILE": str(emqx.ca_file)},
    )
    made.prepare()
    try:
        made.cloud.start()
        made.wait(lambda: listens(ports.http), "the cloud listens", made.cloud)
        emqx.start()  # now: one that was away when it started is looked for every 15 s only
        made.wait(made.api.healthy, "the cloud is on its broker", made.cloud)
        made.start_plant()
        made.start_agent()
        made.api.login(*made.sign_in())
        made.wait(made.first_value, "a first value", made.cloud, made.plant, made.agent)
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def stops_ms() -> Stops:
    """When the agent was stopped: what it left unread then is missing for all later comparisons."""
    return []


@pytest.mark.clause("C-036", "C-023")
def test_kill_of_emqx_loses_nothing_and_stores_nothing_twice(
    stack: Stack, emqx: Emqx, stops_ms: Stops
) -> None:
    time.sleep(2.0)
    emqx.kill()
    emqx.start()
    stack.wait(stack.api.healthy, "the cloud is back on its broker", stack.cloud)
    time.sleep(2.0)
    assert_all_arrived(stack, stops_ms)


@pytest.mark.clause("C-083")
def test_a_disabled_gateway_is_thrown_out_and_comes_back_with_everything(
    stack: Stack, stops_ms: Stops
) -> None:
    stack.operate("gateway", "disable", GATEWAY)
    stack.wait(lambda: refused(stack), "the agent is refused", stack.agent, timeout_s=REVOKED_WITHIN_S)
    landed = batches(stack)
    time.sleep(3.0)
    assert batches(stack) == landed, "nothing of it is taken"
    assert metric(stack, "edge_link_sessions_to_end") == 0
    stack.operate("gateway", "enable", GATEWAY)
    stack.wait(
        lambda: batches(stack) > landed,
        "the agent is back",
        stack.cloud,
        stack.agent,
        timeout_s=BACK_WITHIN_S,
    )
    assert_all_arrived(stack, stops_ms)


def assert_all_arrived(stack: Stack, stops_ms: Stops) -> None:
    """Stop agent and plant; then the cloud holds each value that was served exactly once. Both go on."""
    plant, cloud = drain(stack, stack.data.parent / "served.jsonl", stops_ms)
    assert plant
    for name, rows in plant.items():
        assert len(rows) > 20
        assert sorted(cloud[name].elements()) == [row.value for row in rows], name
    stack.start_plant()


def refused(stack: Stack) -> bool:
    return "the broker refuses the connection: Not authorized" in stack.agent.log.read_text()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def batches(stack: Stack) -> int:
    return count(stack.data / "cloud" / "cloud.db", "SELECT coalesce(max(id), 0) FROM link_batch")


def metric(stack: Stack, name: str) -> float:
    with urllib.request.urlopen(f"{stack.api.base}/metrics", timeout=30) as reply:
        lines = reply.read().decode().splitlines()
    return float(next(json.loads(line.split()[1]) for line in lines if line.startswith(f"{name} ")))
