"""Rules at the gateway over the product: the cloud is away, the alarm comes and is mended at the plant, and
later the cloud shows all of it once, with its true times.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import pytest
from evidence import sources
from stack import GATEWAY, Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

LOW, HIGH, LIMIT = 0.8, 1.5, 1.4
PATIENCE_S = 60.0
AWAY_S = 6.0
TITLE = "too high"
BOILER_UNIT, SETPOINT = 1, 0
"""Modbus address of the boiler, and the holding register at which its setpoint begins."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), commit_interval_s=0.2)
    with made.running():
        yield made


@pytest.fixture(scope="module")
def trigger(stack: Stack) -> int:
    """Raised above LIMIT; its linkage writes LOW. It is at the gateway when this returns."""
    point = sources(stack, GATEWAY)["boiler.pressure_setpoint"]
    device = stack.api.get("/device?page=1&limit=1")["rows"][0]["id"]
    preset = stack.api.call(
        "POST", f"/device/{device}/preset", {"title": "down", "writes": [{"dsid": point, "value": LOW}]}
    )
    condition = {"type": 1, "dsid": point, "trigger_optype": 1, "trigger_threshold": LIMIT, "deadband": 0.1}
    rule = {"title": TITLE, "conditions": [condition], "linkage": [{"preset_id": preset["id"]}]}
    made = stack.api.call("POST", "/trigger", {"title": "pressure", "rules": [rule]})
    number = int(made["id"])

    def at_gateway() -> bool:
        return bool(stack.api.get(f"/trigger/{number}")["rules"][0]["home"] == "gateway")

    stack.wait(at_gateway, "the gateway evaluates the rule", stack.cloud, stack.agent, timeout_s=PATIENCE_S)
    return number


def alarms(stack: Stack) -> list[dict[str, Any]]:
    """Of the trigger, the oldest first."""
    rows = stack.api.get("/event/alarmlog?page=1&limit=100")["rows"]
    return [row for row in rows if row["title"] == TITLE][::-1]


def runs(stack: Stack, trigger: int) -> list[dict[str, Any]]:
    """The oldest first."""
    return list(stack.api.get(f"/trigger/{trigger}/linkage")["rows"])[::-1]


def setpoint(stack: Stack, value: float | None = None) -> float:
    """At the plant itself, beside gateway and cloud; written first when a value is given."""
    with socket.create_connection(("127.0.0.1", stack.ports.modbus), timeout=5) as link:
        if value is not None:
            body = struct.pack(">BBHHB", BOILER_UNIT, 16, SETPOINT, 2, 4) + struct.pack(">f", value)
            _asked(link, body)
        answer = _asked(link, struct.pack(">BBHH", BOILER_UNIT, 3, SETPOINT, 2))
    return round(float(struct.unpack(">f", answer[3:7])[0]), 2)


def _asked(link: socket.socket, body: bytes) -> bytes:
    link.sendall(struct.pack(">HHH", 1, 0, len(body)) + body)
    answer = link.recv(260)
    assert answer[7] == body[1], answer.hex()
    return answer[6:]


@pytest.mark.clause("C-161", "C-164", "C-165", "C-166", "C-167")
def test_alarm_and_linkage_without_the_cloud_are_shown_once_afterwards(stack: Stack, trigger: int) -> None:
    stack.cloud.stop()  # the broker is within it
    began_ms = time.time() * 1000
    assert setpoint(stack, HIGH) == HIGH
    stack.wait(lambda: setpoint(stack) == LOW, "the gateway has written it back", timeout_s=PATIENCE_S)
    ended_ms = time.time() * 1000
    time.sleep(AWAY_S)
    stack.start_cloud()
    stack.wait(lambda: len(alarms(stack)) >= 2, "the cloud shows the alarm", timeout_s=PATIENCE_S)
    stack.wait(lambda: runs(stack, trigger), "the cloud shows the linkage", timeout_s=PATIENCE_S)
    time.sleep(2)
    raised, over = alarms(stack)
    assert (raised["alarm_type"], raised["value"]) == (1, HIGH)
    assert began_ms - 1000 <= raised["at"] <= ended_ms, "when it was, not when the cloud heard of it"
    assert (over["alarm_type"], over["value"], raised["recovered_ms"]) == (0, LOW, over["at"])
    assert over["at"] <= ended_ms + 3000
    (run,) = runs(stack, trigger)
    assert (run["at_gateway"], run["is_due"], run["problem"]) == (True, False, "")
    assert raised["at"] <= run["at_ms"] <= ended_ms + 1000
    (linkage,) = stack.api.get(f"/event/alarmlog/{raised['id']}/linkage")
    (write,) = linkage["writes"]
    assert (linkage["at_gateway"], write["state"]) == (True, "done")
    assert (round(write["value"], 2), round(write["result_value"], 2)) == (LOW, LOW)
    commands = stack.api.get(f"/device/cmd?device_id={raised['device_id']}")["rows"]
    (command,) = [row for row in commands if row["id"] == write["command_id"]]  # some are the cloud's own
    assert command["status"] == "resp"
    assert (command["origin"]["id"], command["origin"]["title"]) == (trigger, "pressure")


@pytest.mark.clause("C-161", "C-164", "C-165")
def test_a_killed_agent_tells_of_all_of_it_once(stack: Stack, trigger: int) -> None:
    """The agent is killed after the alarm, before the cloud is back; the rule goes on with the next start."""
    before = len(alarms(stack))
    stack.cloud.stop()
    assert setpoint(stack, HIGH) == HIGH
    stack.wait(lambda: setpoint(stack) == LOW, "the gateway has written it back", timeout_s=PATIENCE_S)
    stack.agent.kill()
    stack.start_agent()
    time.sleep(AWAY_S)
    assert setpoint(stack, HIGH) == HIGH
    stack.wait(lambda: setpoint(stack) == LOW, "it is written again", timeout_s=PATIENCE_S)
    time.sleep(3)
    stack.start_cloud()
    stack.wait(lambda: len(alarms(stack)) >= before + 4, "the cloud shows both", timeout_s=PATIENCE_S)
    time.sleep(2)
    kinds = [row["alarm_type"] for row in alarms(stack)[before:]]
    assert kinds == [1, 0, 1, 0]
    done = [run["problem"] for run in runs(stack, trigger)][-2:]
    assert set(done) <= {"", "interrupted"}
    state = stack.api.get(f"/trigger/{trigger}")["rules"][0]
    assert (state["home"], state["state"]["raised_ms"]) == ("gateway", None)
