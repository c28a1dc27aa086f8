"""Timed tasks at the gateway over the product: the cloud is killed, runs go on, and later each of them stands
in the task's log and in the command log.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from evidence import sources
from stack import GATEWAY, Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

PATIENCE_S = 180.0
"""A run a minute, on a loaded machine."""

BOILER_UNIT, LEVEL = 1, 2
"""Modbus address of the boiler, and the holding register of its level setpoint."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), commit_interval_s=0.2)
    with made.running():
        yield made


def row(stack: Stack, number: int) -> dict[str, Any]:
    """A task as the portal lists it."""
    rows: list[dict[str, Any]] = stack.api.get("/task?page=1&limit=100")["rows"]
    return next(each for each in rows if each["id"] == number)


def runs(stack: Stack, number: int) -> list[dict[str, Any]]:
    """The log of a task, the newest first."""
    rows: list[dict[str, Any]] = stack.api.get(f"/task/{number}/log?page=1&limit=100")["rows"]
    return rows


def level(stack: Stack, value: int | None = None) -> int:
    """What the plant has, or is set to beside gateway and cloud."""
    body = (
        struct.pack(">BBHH", BOILER_UNIT, 3, LEVEL, 1)
        if value is None
        else struct.pack(">BBHh", BOILER_UNIT, 6, LEVEL, value)
    )
    with socket.create_connection(("127.0.0.1", stack.ports.modbus), timeout=10) as link:
        link.sendall(struct.pack(">HHH", 1, 0, len(body)) + body)
        answer = link.recv(260)[6:]
    assert answer[1] == body[1], answer.hex()
    return int(struct.unpack(">h", answer[3:5])[0]) if value is None else value


@pytest.mark.clause("C-170", "C-171", "C-173", "C-175", "C-176", "C-177")
def test_a_task_of_one_gateway_runs_while_the_cloud_is_killed(stack: Stack) -> None:
    points = sources(stack, GATEWAY)
    device = stack.api.get("/device?page=1&limit=1")["rows"][0]["id"]
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    body = {
        "title": "level each minute",
        "schedule": {"kind": "cyclic", "zone": "UTC", "interval_min": 1, "begin": yesterday, "late_min": 0},
        "actions": [{"kind": "write", "dsid": points["boiler.level_setpoint"], "value": 7}],
    }
    number = int(stack.api.call("POST", "/task", body)["id"])

    def at_gateway() -> bool:
        return bool(row(stack, number)["home"] == "gateway")

    stack.wait(at_gateway, "the gateway runs the task", stack.cloud, stack.agent, timeout_s=PATIENCE_S)
    stack.cloud.kill()  # the broker is within it
    for _ in range(2):
        level(stack, 3)
        stack.wait(lambda: level(stack) == 7, "a run at the plant", stack.agent, timeout_s=PATIENCE_S)
        stack.agent.kill()
        stack.start_agent()
    stack.start_cloud()

    def is_noted() -> bool:
        return sum(each["problem"] != "missed" for each in runs(stack, number)) >= 2

    stack.wait(is_noted, "the cloud has the runs", stack.cloud, stack.agent, timeout_s=PATIENCE_S)
    listed = runs(stack, number)
    planned = [each["planned_ms"] for each in listed]
    assert len(planned) == len(set(planned)), "each run stands there once"
    assert {each["status"] for each in listed} <= {0, 1, 2}, "each has ended"
    assert (row(stack, number)["home"], row(stack, number)["home_reason"]) == ("gateway", "")
    rows: list[dict[str, Any]] = stack.api.get(f"/device/cmd?device_id={device}&page=1&limit=100")["rows"]
    written = [each for each in rows if (each["origin"] or {}).get("kind") == "task"]
    ids = {step["command_id"] for each in listed for step in each["steps"]}
    assert {each["id"] for each in written} >= ids - {None}
    assert {(each["value"], each["sent_ms"]) for each in written} == {(7, None)}
