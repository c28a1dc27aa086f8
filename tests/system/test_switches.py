"""Every way that writes a switch or a named value, and what the device then holds."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from _environment import PYTHON
from local_page import LocalPage
from stack import Ports, Stack, StackError, held

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]

ENDED_S = 40.0
WAITING = ("create", "send")
SWITCHES = {
    "pump": ("0X", 0, 1, 0),
    "brake": ("0X", 1, 0, 1),
    "door": ("0X", 2, 1, 0),
    "heater": ("4X", 0, 170, 85),
    "remote": ("4X", 1, 0xF8, 0xF0),
}
"""Where each lies in the device, and what it holds there for on and for off."""
NO_POSITIONS = [0, 1, 170, 85, "on", "true", None, 1.0]

Way = Callable[[Stack, str, Any], None]
"""Writes a value to a point, and returns once that is done."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), scenario="switches", commit_interval_s=0.2)
    with made.running():
        yield made


@pytest.fixture(scope="module")
def page(stack: Stack) -> LocalPage:
    made = LocalPage(stack.ports.local_page)
    code, _ = made.sign_in((stack.data / "agent" / "local-admin.txt").read_text().strip())
    assert code == 200
    return made


def dsid(stack: Stack, name: str) -> int:
    rows = stack.wait(lambda: stack.api.get("/device/dss?device_id=1")["rows"], "the points are known")
    return next(int(row["dsid"]) for row in rows if row["ds_name"] == name)


def ended(stack: Stack, command: str) -> dict[str, Any]:
    deadline = time.monotonic() + ENDED_S
    while (status := stack.api.get(f"/device/cmdStatus?id={command}"))["status"] in WAITING:
        assert time.monotonic() < deadline, status
        time.sleep(0.05)
    assert isinstance(status, dict)
    return status


def by_command(stack: Stack, name: str, value: Any) -> None:
    reference = stack.api.call("POST", "/device/cmd", {"dsid": dsid(stack, name), "value": value})
    status = ended(stack, reference["id"])
    assert (status["status"], status["result_value"]) == ("resp", value), status


def by_batch(stack: Stack, name: str, value: Any) -> None:
    batch = [{"dsid": dsid(stack, name), "value": value}]
    reference = stack.api.call("POST", "/device/cmd", {"batch": batch})
    assert ended(stack, reference["id"])["status"] == "resp"


def by_preset(stack: Stack, name: str, value: Any) -> None:
    body = {"title": f"{name} {value}", "writes": [{"dsid": dsid(stack, name), "value": value}]}
    kept = stack.api.call("POST", "/device/1/preset", body)
    reference = stack.api.call("POST", "/device/cmd", {"preset_id": kept["id"]})
    assert ended(stack, reference["id"])["status"] == "resp"
    stack.api.call("DELETE", f"/device/1/preset/{kept['id']}")


def by_command_line(stack: Stack, name: str, value: Any) -> None:
    word = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    assert command_line(stack, name, word).returncode == 0


def command_line(stack: Stack, name: str, word: str) -> subprocess.CompletedProcess[str]:
    config = str(stack.data / "agent" / "gateway.toml")
    words = ["write", "--config", config, "--key", f"panel.{name}", "--value", word]
    return subprocess.run(
        [str(PYTHON), "-m", "edge_agent", *words], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.clause("C-120")
@pytest.mark.parametrize("way", [by_command, by_batch, by_preset, by_command_line])
@pytest.mark.parametrize("name", SWITCHES)
def test_both_positions_by_every_way(stack: Stack, way: Way, name: str) -> None:
    area, offset, on, off = SWITCHES[name]
    for position in (True, False, True):
        way(stack, name, position)
        assert held(stack.ports.modbus, area, offset) == (on if position else off), (name, position)
    by_command(stack, name, False)


@pytest.mark.parametrize("name", SWITCHES)
def test_both_positions_by_the_local_page(stack: Stack, page: LocalPage, name: str) -> None:
    area, offset, on, off = SWITCHES[name]
    for position in (True, False):
        code, outcome = page.write("panel", name, position)
        assert (code, outcome["state"], outcome.get("value")) == (200, "resp", position)
        assert held(stack.ports.modbus, area, offset) == (on if position else off)


@pytest.mark.clause("C-120")
@pytest.mark.parametrize("name", SWITCHES)
def test_nothing_but_a_position_reaches_the_device(stack: Stack, page: LocalPage, name: str) -> None:
    by_command(stack, name, False)
    area, offset, _, off = SWITCHES[name]
    for value in NO_POSITIONS:
        with pytest.raises(StackError, match="true or false"):
            stack.api.call("POST", "/device/cmd", {"dsid": dsid(stack, name), "value": value})
        code, outcome = page.write("panel", name, value)
        assert (code, outcome["state"], outcome["code"]) == (200, "error", "bad_value")
        assert "must be true or false" in outcome["detail"]
    for word in ("0", "1", "170"):
        refused = command_line(stack, name, word)
        assert refused.returncode != 0
        assert "must be one of on, off, true, false" in refused.stderr
    assert held(stack.ports.modbus, area, offset) == off


@pytest.mark.clause("C-120")
def test_a_rule_of_exchange_passes_positions_on(stack: Stack) -> None:
    """From a coil that is 0 while its switch is on to a register that holds 170 for it."""
    body = {"title": "follow", "source_dsid": dsid(stack, "brake"), "target_dsid": dsid(stack, "heater")}
    made = stack.api.call("POST", "/device/dataexchange", body)
    try:
        for position, expected in ((True, 170), (False, 85), (True, 170)):
            by_command(stack, "brake", position)
            stack.wait(
                lambda expected=expected: held(stack.ports.modbus, "4X", 0) == expected,
                f"the heater follows the brake to {expected}",
                stack.agent,
                timeout_s=ENDED_S,
            )
    finally:
        stack.api.call("DELETE", f"/device/dataexchange/{made['id']}")
    with pytest.raises(StackError, match="needs_switch"):
        stack.api.call("POST", "/device/dataexchange", {**body, "source_dsid": dsid(stack, "level")})


@pytest.mark.clause("C-121")
@pytest.mark.parametrize("way", [by_command, by_batch, by_preset, by_command_line])
def test_a_selector_takes_its_values_alone(stack: Stack, page: LocalPage, way: Way) -> None:
    for value in (2, 5, 0):
        way(stack, "mode", value)
        assert held(stack.ports.modbus, "4X", 2) == value
    for wrong in (1, 3):
        with pytest.raises(StackError, match=r"one of 0 \(Stop\), 2 \(Run\), 5 \(Service\)"):
            stack.api.call("POST", "/device/cmd", {"dsid": dsid(stack, "mode"), "value": wrong})
        _, outcome = page.write("panel", "mode", wrong)
        assert (outcome["state"], outcome["code"]) == ("error", "bad_value")
        assert "0 (Stop), 2 (Run), 5 (Service)" in outcome["detail"]
    assert held(stack.ports.modbus, "4X", 2) == 0


def test_names_on_the_command_line(stack: Stack) -> None:
    for name, word, area, offset, expected in (
        ("mode", "Run", "4X", 2, 2),
        ("door", "Open", "0X", 2, 1),
        ("door", "Closed", "0X", 2, 0),
    ):
        done = command_line(stack, name, word)
        assert (done.returncode, done.stdout.split("  (")[0]) == (0, word), done.stderr
        assert held(stack.ports.modbus, area, offset) == expected


def test_samples_are_positions(stack: Stack) -> None:
    """Of every switch, and of a calculated point that compares."""
    by_command(stack, "level", 95)
    names = {dsid(stack, name): name for name in (*SWITCHES, "high")}

    def levels() -> dict[str, Any]:
        last = stack.api.get("/device/lastdps?device_id=1")["rows"]
        return {names[row["dsid"]]: row["value"] for row in last if row["dsid"] in names}

    stack.wait(lambda: levels().get("high") is True, "the level is high", stack.agent, timeout_s=ENDED_S)
    assert {name: type(value) for name, value in levels().items()} == dict.fromkeys(names.values(), bool)
