"""A trigger over the product, evaluated in the cloud because it looks at two gateways: a value is written,
the alarm comes, its linkage mends it, the alarm ends.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from evidence import device_of, sources
from second_gateway import SecondGateway, claim
from stack import GATEWAY, Ports, Stack
from websockets.sync.client import connect

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

LOW, HIGH, LIMIT = 0.8, 1.5, 1.4
PATIENCE_S = 60.0
TITLE = "too high"
OTHER = "gw-other"
NEVER = 1e12
"""No value of the second gateway."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    ports = Ports.free()
    made = Stack(tmp_path_factory.mktemp("stack"), ports, commit_interval_s=0.2)
    with made.running():
        other = SecondGateway(made, tmp_path_factory.mktemp("other"), OTHER, claim(made, OTHER))
        other.configure(f"mqtt://127.0.0.1:{ports.mqtt}")
        other.keep_secret(other.secret)
        try:
            other.start_plant()
            other.start_agent()
            other.wait(lambda: sources(made, OTHER), "its points are known")
            yield made
        finally:
            other.stop()


@pytest.fixture(scope="module")
def point(stack: Stack) -> int:
    return sources(stack, GATEWAY)["boiler.pressure_setpoint"]


@pytest.fixture(scope="module")
def trigger(stack: Stack, point: int) -> int:
    """Raised above LIMIT; its linkage writes LOW."""
    device = device_of(stack, GATEWAY)["id"]
    preset = stack.api.call(
        "POST", f"/device/{device}/preset", {"title": "down", "writes": [{"dsid": point, "value": LOW}]}
    )
    other = next(iter(sources(stack, OTHER).values()))
    conditions = [
        {"type": 1, "dsid": point, "trigger_optype": 1, "trigger_threshold": LIMIT, "deadband": 0.1},
        {"type": 1, "dsid": other, "trigger_optype": 1, "trigger_threshold": NEVER},
    ]
    rule = {"title": TITLE, "conditions": conditions, "linkage": [{"preset_id": preset["id"]}]}
    made = stack.api.call("POST", "/trigger", {"title": "pressure", "mode": 2, "rules": [rule]})
    assert made["rules"][0]["home"] == "cloud"
    return int(made["id"])


def alarms(stack: Stack) -> list[dict[str, Any]]:
    """Of the trigger, the oldest first."""
    rows = stack.api.get("/event/alarmlog?page=1&limit=100")["rows"]
    return [row for row in rows if row["title"] == TITLE][::-1]


def write(stack: Stack, point: int, value: float) -> float:
    """When it was requested, in ms."""
    now_ms = time.time() * 1000
    stack.api.call("POST", "/device/cmd", {"dsid": point, "value": value})
    return now_ms


def test_value_to_alarm_to_linkage_to_recovery(stack: Stack, point: int, trigger: int) -> None:
    url = stack.api.base.replace("http", "ws") + "/api/v1/ws"
    with connect(url, origin=stack.api.base) as socket:  # type: ignore[arg-type]
        socket.send(json.dumps({"type": "identify", "token": stack.api.token}))
        began_ms = write(stack, point, HIGH)
        until = time.monotonic() + PATIENCE_S
        push: dict[str, Any] = {}
        while push.get("type") != "alarm":
            assert time.monotonic() < until
            push = json.loads(socket.recv(timeout=PATIENCE_S))
        pushed_ms = time.time() * 1000
    stack.wait(lambda: len(alarms(stack)) == 2, "the alarm is over", stack.cloud, timeout_s=PATIENCE_S)
    raised, over = alarms(stack)
    assert (raised["alarm_type"], raised["value"], raised["dsid"]) == (1, HIGH, point)
    assert raised["reason"]["condition"]["trigger_threshold"] == LIMIT
    assert (over["alarm_type"], over["value"], raised["recovered_ms"]) == (0, LOW, over["at"])
    (run,) = stack.api.get(f"/trigger/{trigger}/linkage")["rows"]
    assert (run["problem"], run["is_due"]) == ("", False)
    command = stack.api.get(f"/device/cmdStatus?id={run['command_id']}")
    assert (command["status"], command["result_value"], command["address"]) == (
        "resp", LOW, f"trigger {trigger}",
    )  # fmt: skip
    to_browser, to_command = pushed_ms - raised["at"], command["created_ms"] - raised["at"]
    print(f"\nwritten to sample {raised['at'] - began_ms:.0f} ms")
    print(f"sample to browser {to_browser:.0f} ms, to the linkage's command {to_command:.0f} ms")


def test_a_killed_cloud_raises_what_it_had_stored_once(stack: Stack, point: int, trigger: int) -> None:
    """Killed right after the value may have come: the alarm is there once, and is over once.

    The linkage's write ends as unknown where the new start takes longer than it may wait; then somebody else
    has to write.
    """
    before = len(alarms(stack))
    write(stack, point, HIGH)
    time.sleep(0.7)
    stack.cloud.kill()
    stack.start_cloud()
    stack.wait(lambda: len(alarms(stack)) > before, "the alarm is there", stack.cloud, timeout_s=PATIENCE_S)
    stack.wait(
        lambda: device_of(stack, GATEWAY)["link"]["online"], "the gateway is online", timeout_s=PATIENCE_S
    )
    write(stack, point, LOW)
    stack.wait(lambda: len(alarms(stack)) >= before + 2, "the alarm is over", timeout_s=PATIENCE_S)
    time.sleep(2)
    kinds = [row["alarm_type"] for row in alarms(stack)[before:]]
    assert kinds == [1, 0]
    state = stack.api.get(f"/trigger/{trigger}")["rules"][0]["state"]
    assert state["raised_ms"] is None
