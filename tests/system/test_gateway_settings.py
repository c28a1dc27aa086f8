"""What the device form sets for a gateway: from the form over draft and deployment to what the agent does."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from evidence import served
from stack import Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

DEPLOYED_S = 60.0
OTHER_LINE = r"(?ms)^\[\[(?:ports|slaves|points)\]\]\n(?:(?!\[\[).)*?(?:rs485_1|rtu_counter)(?:(?!\[\[).)*"
OWN_VALUES = r"(?m)^(?:capture_cycle_ms|response_timeout_ms) = .*\n"


@pytest.fixture(scope="module")
def served_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plant") / "served.jsonl"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, served_log: Path) -> Iterator[Stack]:
    """One Modbus TCP device; its port and slave state no cycle and no response time of their own."""
    folder = tmp_path_factory.mktemp("stack")
    made = Stack(folder, Ports.free(), scenario="counter", served_log=served_log, commit_interval_s=0.2)
    made.prepare()
    file = folder / "agent" / "gateway.toml"
    file.write_text(re.sub(OWN_VALUES, "", re.sub(OTHER_LINE, "", file.read_text())))
    try:
        made.start_cloud()
        made.start_plant()
        made.start_agent()
        made.api.login(*made.sign_in())
        made.wait(made.first_value, "a first value", made.cloud, made.plant, made.agent)
        made.wait(
            lambda: made.api.get("/device/1/configuration")["accepted"], "what runs is known", made.agent
        )
        yield made
    finally:
        made.stop()


def change(stack: Stack, **fields: Any) -> None:
    """Save the form, deploy its draft, and wait until the gateway has confirmed it."""
    shown = stack.api.call("PUT", "/device/1", fields)
    assert {name: shown[name] for name in fields} == fields
    assert set(fields) & set(shown["settings_pending"]), "it is in the draft and does not run yet"
    reference = stack.api.call("POST", "/device/1/deploy", {"confirm_s": 30, "wait": True})
    state = f"/device/deployment/{reference['id']}"
    stack.wait(lambda: stack.api.get(state)["state"] == "confirmed", "the draft runs", timeout_s=DEPLOYED_S)
    stack.wait(lambda: stack.api.get("/device/1")["settings_pending"] == [], "nothing is pending")


def device(stack: Stack) -> dict[str, Any]:
    device: dict[str, Any] = stack.api.get("/device/1")
    return device


def test_the_collection_interval_is_the_cycle_of_requests_on_the_bus(stack: Stack, served_log: Path) -> None:
    for seconds in (2.0, 0.5):
        change(stack, collect_interval_s=seconds)
        begun = time.time() * 1000
        time.sleep(max(8 * seconds, 6))
        times = [row.t_ms for row in served(served_log)["tcp_counter.first"] if row.t_ms > begun]
        gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert median(gaps) == pytest.approx(seconds * 1000, rel=0.15), gaps


def test_the_response_time_decides_whether_a_slow_device_answers(stack: Stack) -> None:
    def answers() -> bool:
        return bool(device(stack)["slaves"][0]["online"])

    change(stack, slave_timeout_ms=150)
    stack.wait(answers, "it answers in time")
    fault = ("fault", str(stack.data / "plant"), "tcp_counter")
    stack._run("firmware_sim", *fault, "slow:800/1")
    try:
        stack.wait(lambda: not answers(), "800 ms are too long")
        assert device(stack)["slaves"][0]["reason"] == "no_answer"
        change(stack, slave_timeout_ms=5000)
        stack.wait(answers, "5 s are enough")
    finally:
        stack._run("firmware_sim", *fault, "none")


@pytest.mark.clause("C-145", "C-146")
def test_batches_come_at_the_report_interval_and_values_are_not_stale_before(stack: Stack) -> None:
    change(stack, report_interval_s=10)
    assert device(stack)["link"]["report_interval_s"] == 10
    came: list[float] = []
    known = None
    until = time.monotonic() + 45
    while time.monotonic() < until:
        row = device(stack)
        if row["data_ms"] != known:
            known = row["data_ms"]
            came.append(time.monotonic())
        assert row["status"] == "online" and row["link"]["online"], row["presence"]
        values = stack.api.get("/device/lastdps?device_id=1")["rows"]
        assert not any(value["stale"] for value in values), values
        time.sleep(0.2)
    bursts = [at for before, at in itertools.pairwise([0.0, *came]) if at - before > 3]
    gaps = [later - earlier for earlier, later in itertools.pairwise(bursts[1:])]
    assert len(gaps) >= 2 and all(8 < gap < 12.5 for gap in gaps), came
    change(stack, report_interval_s=None)


@pytest.mark.clause("C-147", "C-148")
def test_who_saves_power_is_asleep_between_reports_and_comes_back(stack: Stack) -> None:
    change(stack, report_interval_s=60, low_power=True)
    asleep = stack.wait(
        lambda: (row := device(stack))["link"]["back_ms"] and row, "it closes the link", timeout_s=90
    )
    assert asleep["link"]["online"] is False
    assert (asleep["status"], asleep["presence"]["code"]) == ("online", "asleep")
    assert 0 < asleep["link"]["back_ms"] - time.time() * 1000 < 61_000
    sample = asleep["data_ms"]
    point = stack.api.get("/device/dss?device_id=1")["rows"][0]["dsid"]
    command = stack.api.call("POST", "/device/cmd", {"dsid": point, "action": "R"})
    ended = stack.api.get(f"/device/cmdStatus?id={command['id']}")
    assert (ended["status"], ended["code"]) == ("networkError", "asleep")
    back = stack.wait(
        lambda: (row := device(stack))["link"]["online"] and row["data_ms"] != sample and row,
        "it reports again",
        timeout_s=100,
    )
    late_s = time.time() - asleep["link"]["back_ms"] / 1000
    assert -2 < late_s < 20, late_s
    assert back["status"] == "online"
    absences = stack.api.get("/device/onofflinelog?device_id=1")["rows"]
    assert [row for row in absences if row["reason"] == "asleep"] == []
    change(stack, report_interval_s=None, low_power=False)
