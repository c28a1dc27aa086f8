"""Data exchange at the gateway over the product: the cloud is killed, values go on between two points of the
site, and later they stand in the command log.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from evidence import sources
from stack import GATEWAY, Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

PATIENCE_S = 90.0
RATIO = 10
BOILER_UNIT, PRESSURE, LEVEL = 1, 0, 2
"""Modbus address of the boiler, and the holding registers of its two setpoints: a float and an integer."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), commit_interval_s=0.2)
    with made.running():
        yield made


def row(stack: Stack, number: int) -> dict[str, Any]:
    """A rule as the portal lists it."""
    rows: list[dict[str, Any]] = stack.api.get("/device/dataexchange?page=1&limit=100")["rows"]
    return next(each for each in rows if each["id"] == number)


def commands(stack: Stack, device: int, number: int) -> list[dict[str, Any]]:
    """What the command log has of a rule, the newest first."""
    rows: list[dict[str, Any]] = stack.api.get(f"/device/cmd?device_id={device}&page=1&limit=100")["rows"]
    return [each for each in rows if (each["origin"] or {}).get("id") == number]


def set_pressure(stack: Stack, value: float) -> None:
    """At the plant itself, beside gateway and cloud."""
    _asked(stack, struct.pack(">BBHHBf", BOILER_UNIT, 16, PRESSURE, 2, 4, value))


def level(stack: Stack) -> int:
    answer = _asked(stack, struct.pack(">BBHH", BOILER_UNIT, 3, LEVEL, 1))
    return int(struct.unpack(">h", answer[3:5])[0])


def pass_on(stack: Stack, pressure: float) -> None:
    """Return when what was set at the source is at the target."""
    set_pressure(stack, pressure)
    wanted = round(pressure * RATIO)
    stack.wait(lambda: level(stack) == wanted, f"{wanted} at the target", stack.agent, timeout_s=PATIENCE_S)


def _asked(stack: Stack, body: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", stack.ports.modbus), timeout=10) as link:
        link.sendall(struct.pack(">HHH", 1, 0, len(body)) + body)
        answer = link.recv(260)
    assert answer[7] == body[1], answer.hex()
    return answer[6:]


@pytest.mark.clause("C-180", "C-181", "C-182", "C-184", "C-185")
def test_a_rule_of_one_gateway_goes_on_while_the_cloud_is_killed(stack: Stack) -> None:
    points = sources(stack, GATEWAY)
    device = stack.api.get("/device?page=1&limit=1")["rows"][0]["id"]
    body = {
        "title": "level follows pressure",
        "source_dsid": points["boiler.pressure_setpoint"],
        "target_dsid": points["boiler.level_setpoint"],
        "ratio": RATIO,
    }
    number = int(stack.api.call("POST", "/device/dataexchange", body)["id"])

    def at_gateway() -> bool:
        return bool(row(stack, number)["home"] == "gateway")

    stack.wait(at_gateway, "the gateway runs the rule", stack.cloud, stack.agent, timeout_s=PATIENCE_S)
    stack.cloud.kill()  # the broker is within it
    pass_on(stack, 0.6)
    pass_on(stack, 1.2)
    stack.agent.kill()
    stack.start_agent()
    pass_on(stack, 0.8)
    stack.start_cloud()

    def is_noted() -> bool:
        return bool(row(stack, number)["last_value"] == 8 and commands(stack, device, number))

    stack.wait(is_noted, "the cloud has the newest value", stack.cloud, stack.agent, timeout_s=PATIENCE_S)
    (newest, *_) = commands(stack, device, number)
    assert (newest["value"], newest["result_value"], newest["status"]) == (8, 8, "resp")
    assert (newest["origin"]["kind"], newest["sent_ms"]) == ("exchange", None)
    assert (row(stack, number)["home"], row(stack, number)["problem"]) == ("gateway", "")
    times = [each["finished_ms"] for each in commands(stack, device, number)]
    assert len(times) == len(set(times)), "each write stands there once"
