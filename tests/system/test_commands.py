"""Commands over the whole product: actions of the gateway, batch, preset, a write beside a refresh."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from _environment import PYTHON
from stack import Ports, Stack, StackError

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

CSQ = 23
ENDED_S = 40.0
WAITING = ("create", "send")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("stack")
    made = Stack(folder, Ports.free(), scenario="boiler_house", commit_interval_s=0.2)
    link = folder / "modem"
    words = [str(PYTHON), "-m", "firmware_sim", "modem", "--link", str(link), "--csq", str(CSQ)]
    modem = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert modem.stdout is not None and b"ready" in modem.stdout.readline()
    made.prepare()
    config = made.data / "agent" / "gateway.toml"
    config.write_text(f'{config.read_text()}\n[cellular]\ndevice = "{link}"\n')
    try:
        made.start_cloud()
        made.start_plant()
        made.start_agent()
        made.api.login(*made.sign_in())
        yield made
    finally:
        made.stop()
        modem.terminate()
        modem.wait()


def device(stack: Stack) -> dict[str, Any]:
    row: dict[str, Any] = stack.api.get("/device?page=1&limit=1")["rows"][0]
    return row


def online(stack: Stack) -> None:
    stack.wait(lambda: device(stack)["link"]["online"], "the gateway is online", stack.agent)


def dsid(stack: Stack, name: str) -> int:
    rows = stack.api.get(f"/device/dss?device_id={device(stack)['id']}")["rows"]
    return next(row["dsid"] for row in rows if row["ds_name"] == name)


def ended(stack: Stack, command: str) -> dict[str, Any]:
    """The command once it has a final state."""
    deadline = time.monotonic() + ENDED_S
    while (status := stack.api.get(f"/device/cmdStatus?id={command}"))["status"] in WAITING:
        assert time.monotonic() < deadline, status
        time.sleep(0.1)
    assert isinstance(status, dict)
    return status


def act(stack: Stack, action: str) -> dict[str, Any]:
    online(stack)
    return ended(stack, stack.api.get(f"/device/{action}/{device(stack)['id']}")["id"])


def outcome(status: dict[str, Any]) -> tuple[str, str]:
    return status["status"], status["code"]


def test_refresh_reads_every_point_of_a_slave_now(stack: Stack) -> None:
    online(stack)
    dss = f"/device/dss?device_id={device(stack)['id']}"
    points = stack.wait(lambda: stack.api.get(dss)["rows"], "the points are known", stack.agent)
    wanted = sum(p["slave"] == "boiler" and p["rw"] != "writeonly" and p["ds_type"] != "cal" for p in points)
    began = time.monotonic()
    status = act(stack, "refresh")
    print(f"{status['result_value']} points refreshed in {time.monotonic() - began:.2f} s")
    assert outcome(status) == ("resp", ""), status
    assert status["result_value"] >= wanted > 10


def test_forward_counts_the_batches_that_wait(stack: Stack) -> None:
    status = act(stack, "forward")
    assert outcome(status) == ("resp", "")
    assert isinstance(status["result_value"], int)


def test_signal_strength_is_waited_for(stack: Stack) -> None:
    online(stack)
    reply = stack.api.get(f"/device/csq/{device(stack)['id']}")
    assert (reply["status"], reply["value"]) == ("resp", CSQ)


def test_reallocation_ends_when_the_gateway_is_back(stack: Stack) -> None:
    since = device(stack)["link"]["since_ms"]
    assert outcome(act(stack, "reallocation")) == ("resp", "")
    online(stack)
    assert device(stack)["link"]["since_ms"] >= since
    assert "the cloud asked for a new connection" in stack.agent.log.read_text()


def test_reload_builds_everything_anew_in_the_same_process(stack: Stack) -> None:
    pid = stack.agent.pid
    began = time.monotonic()
    assert outcome(act(stack, "reload")) == ("resp", "")
    print(f"reloaded in {time.monotonic() - began:.2f} s")
    assert (stack.agent.pid, stack.agent.alive()) == (pid, True)


def test_reboot_answers_when_the_agent_is_back(stack: Stack) -> None:
    log = stack.agent.log.read_text()
    began = time.monotonic()
    status = act(stack, "reboot")
    print(f"started again in {time.monotonic() - began:.2f} s")
    assert outcome(status) == ("resp", ""), status
    assert stack.agent.alive(), "nobody but the agent itself started it again"
    log_text = stack.agent.log.read_text()[len(log) :]
    assert (
        log_text.index("app: stopped")
        < log_text.index("starting again")
        < log_text.index("the gateway is back")
    )
    assert (status["user"], status["address"]) == (stack.sign_in()[0], "127.0.0.1")


def test_a_batch_is_read_back_write_by_write(stack: Stack) -> None:
    online(stack)
    number = dsid(stack, "pressure_setpoint")
    values = [1.0, 1.1, 1.2, 1.1, 1.0]
    ref = stack.api.call(
        "POST", "/device/cmd", {"batch": [{"dsid": number, "value": value} for value in values]}
    )
    done = [ended(stack, command) for command in ref["ids"]]
    assert [outcome(status) for status in done] == [("resp", "")] * len(values)
    assert [status["result_value"] for status in done] == values, "each was read back before the next"
    progress = stack.api.get(f"/device/cmdStatus?batch_id={ref['batch_id']}")
    assert (progress["total"], progress["finished"], progress["counts"]) == (5, 5, {"resp": 5})


def test_a_preset_by_its_name(stack: Stack) -> None:
    online(stack)
    path = f"/device/{device(stack)['id']}/preset"
    body = {"title": "Night", "writes": [{"dsid": dsid(stack, "pressure_setpoint"), "value": 0.9}]}
    kept = stack.api.call("POST", path, body)
    ref = stack.api.call("POST", "/device/cmd", {"preset_id": kept["id"]})
    assert ended(stack, ref["id"])["result_value"] == 0.9
    stack.api.call("DELETE", f"{path}/{kept['id']}")
    assert stack.api.get(path)["rows"] == []


def test_access_password(stack: Stack) -> None:
    online(stack)
    path = f"/device/{device(stack)['id']}/accesspassword"
    write = {"dsid": dsid(stack, "pressure_setpoint"), "value": 1.0}
    stack.api.call("PUT", path, {"password": "open sesame"})
    refused = stack.api.call("POST", "/device/cmd", write)
    assert outcome(ended(stack, refused["id"])) == ("notAuthorized", "access_password")
    taken = stack.api.call("POST", "/device/cmd", {**write, "password": "open sesame"})
    assert outcome(ended(stack, taken["id"])) == ("resp", "")
    stack.api.call("PUT", path, {"password": None})
    assert stack.api.get(path)["is_set"] is False


@pytest.mark.clause("C-077")
def test_a_write_goes_before_the_rest_of_a_refresh(stack: Stack) -> None:
    """A refresh of slow lines takes its time; a write that comes meanwhile does not wait for its end."""
    online(stack)
    refresh = stack.api.get(f"/device/refresh/{device(stack)['id']}")["id"]
    written = stack.api.call("POST", "/device/cmd", {"dsid": dsid(stack, "pressure_setpoint"), "value": 1.0})
    assert outcome(ended(stack, written["id"])) == ("resp", "")
    assert outcome(ended(stack, refresh)) == ("resp", "")


@pytest.mark.parametrize(
    ("path", "answer"), [("upgrade", "403 .*ota.Firmware"), ("projreboot", "404 .*project not found")]
)
def test_what_is_not_there_or_switched_off_is_said(stack: Stack, path: str, answer: str) -> None:
    with pytest.raises(StackError, match=answer):
        stack.api.get(f"/device/{path}/1")


@pytest.mark.clause("C-126")
def test_a_write_to_a_silent_device_is_unknown_until_it_is_read(stack: Stack) -> None:
    """The setpoint may have been written; the next good read says so, and the audit's row with it."""
    online(stack)

    def fault(kind: str) -> None:
        words = [str(PYTHON), "-m", "firmware_sim", "fault", str(stack.data / "plant"), "boiler", kind]
        subprocess.run(words, check=True, timeout=60)

    number = dsid(stack, "pressure_setpoint")
    fault("silent")
    try:
        asked = stack.api.call("POST", "/device/cmd", {"dsid": number, "value": 1.31})
        unknown = ended(stack, asked["id"])
    finally:
        fault("none")
    assert (unknown["status"], unknown["outcome"]) == ("fail", "unknown"), unknown

    def final_row() -> dict[str, Any] | None:
        row: dict[str, Any] = stack.api.get(f"/device/cmdStatus?id={asked['id']}")
        return row if row["outcome"].startswith("settled_") else None

    row = stack.wait(final_row, "a reading decides it", stack.agent)
    same = abs(row["result_value"] - 1.31) < 1e-6
    assert row["outcome"] == ("settled_written" if same else "settled_other")
    assert (row["status"], row["code"]) == (unknown["status"], unknown["code"])
    assert row["seen_ms"] > unknown["finished_ms"] - 1000

    def audited() -> bool:
        newest = stack.api.get("/audit?operation=sendCommand&limit=1")["rows"][0]["changes"]["after"]
        newest_entry = newest["point"], newest["value"], newest.get("outcome"), newest.get("read_back")
        return bool(newest_entry == ("pressure_setpoint", 1.31, row["outcome"], row["result_value"]))

    stack.wait(audited, "the audit names target, value and outcome", stack.agent)
