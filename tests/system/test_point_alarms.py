"""The alarm of a point over the product: its limit is set in the point's settings, the plant's value goes
over it and back, and the alarm comes and ends; the audit says who set which limit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from evidence import device_of, sources
from stack import GATEWAY, Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

LOW, HIGH = 0.8, 1.5
FIRST, LIMIT, ABOVE = 1.3, 1.4, 1.6
PATIENCE_S = 60.0
SLAVE, POINT = "boiler", "pressure_setpoint"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), commit_interval_s=0.2)
    with made.running():
        made.wait(lambda: is_known(made), "the cloud has read the points' settings", made.cloud, made.agent)
        yield made


def is_known(stack: Stack) -> bool:
    """Are the settings of the points read? That follows some time after their catalog."""
    rows = stack.api.get(f"/device/{device_of(stack, GATEWAY)['id']}/point")["rows"]
    return any((row["slave"], row["ds_name"]) == (SLAVE, POINT) for row in rows)


def write(stack: Stack, value: float) -> None:
    dsid = sources(stack, GATEWAY)[f"{SLAVE}.{POINT}"]
    stack.api.call("POST", "/device/cmd", {"dsid": dsid, "value": value})


def set_limit(stack: Stack, upper: float) -> None:
    device = device_of(stack, GATEWAY)["id"]
    base = stack.api.get(f"/device/{device}/point")["base"]
    change = {
        "slave": SLAVE,
        "ds_name": POINT,
        "fields": {"alarm_enable": True, "alarm_mode": "single", "alarm_upper": upper},
    }
    stack.api.call("PUT", f"/device/{device}/point", {"base": base, "changed": [change]})


def alarms(stack: Stack) -> list[dict[str, Any]]:
    """Of the point, the oldest first."""
    dsid = sources(stack, GATEWAY)[f"{SLAVE}.{POINT}"]
    rows = stack.api.get("/event/alarmlog?page=1&limit=100")["rows"]
    return [row for row in rows if row["dsid"] == dsid][::-1]


def rules(stack: Stack) -> list[dict[str, Any]]:
    triggers = stack.api.get("/trigger?origin=point")["rows"]
    return [rule for trigger in triggers for rule in trigger["rules"]]


def told(stack: Stack) -> list[dict[str, Any]]:
    """Limits before and after in the audit, the oldest first."""
    rows = stack.api.get("/audit?operation=savePoints&limit=100")["rows"]
    changes = [row["changes"] for row in rows]
    return changes[::-1]


def limits(stack: Stack) -> float:
    (rule,) = rules(stack)
    return float(rule["conditions"][0]["trigger_threshold"])


def test_a_limit_of_a_point_raises_and_ends_its_alarm(stack: Stack) -> None:
    write(stack, LOW)
    set_limit(stack, FIRST)
    set_limit(stack, LIMIT)
    assert limits(stack) == LIMIT
    stack.wait(
        lambda: rules(stack)[0]["home"] == "gateway", "the gateway evaluates it", stack.cloud, stack.agent,
        timeout_s=PATIENCE_S,
    )  # fmt: skip
    began_ms = time.time() * 1000
    write(stack, HIGH)
    stack.wait(lambda: alarms(stack), "the alarm comes", stack.cloud, stack.agent, timeout_s=PATIENCE_S)
    (raised,) = alarms(stack)
    assert (raised["alarm_type"], raised["value"], raised["recovered_ms"]) == (1, HIGH, None)
    assert raised["reason"]["condition"]["trigger_threshold"] == LIMIT
    assert began_ms - 1000 <= raised["at"] <= time.time() * 1000
    write(stack, LOW)
    stack.wait(lambda: len(alarms(stack)) == 2, "the alarm ends", stack.cloud, timeout_s=PATIENCE_S)
    raised, over = alarms(stack)
    assert (over["alarm_type"], over["value"], raised["recovered_ms"]) == (0, LOW, over["at"])


def test_a_limit_that_is_moved_away_ends_the_alarm(stack: Stack) -> None:
    before = len(alarms(stack))
    write(stack, HIGH)
    stack.wait(lambda: len(alarms(stack)) == before + 1, "the alarm comes", timeout_s=PATIENCE_S)
    set_limit(stack, ABOVE)
    stack.wait(lambda: len(alarms(stack)) == before + 2, "the alarm ends", timeout_s=PATIENCE_S)
    assert alarms(stack)[-1]["cause"] == "rule_changed"
    write(stack, LOW)


def test_the_audit_has_the_limits_before_and_after(stack: Stack) -> None:
    stack.wait(lambda: len(told(stack)) == 3, "the audit is written", timeout_s=PATIENCE_S)
    seen = []
    for changes in told(stack):
        sides = [
            {name.split(": ")[1]: value for name, value in changes[side].items()}
            for side in ("before", "after")
        ]
        seen.append([side.get("alarm_upper") for side in sides])
    assert seen == [[None, FIRST], [FIRST, LIMIT], [LIMIT, ABOVE]]
