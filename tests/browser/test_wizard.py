"""A new gateway with a PLC and a meter: made in the wizard, brought on line by the ready file, read."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _environment import PYTHON
from playwright.sync_api import Locator, Page, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

GATEWAY, TITLE = "gw-wizard-zoo", '换热站 "2" Heat exchanger'
METER = "202611210001"
"""On the nameplate of the scenario's meter."""
PLANT_TIMEOUT_S = 60.0
READ_TIMEOUT_MS = 150_000
"""Hello, deployment with its trial, and every item of a meter at 2400 baud on a busy machine."""
PLC_POINTS = [
    {
        "name": "temperature",
        "title": "供水温度",
        "data_type": "float",
        "unit": "℃",
        "tofixed": 1,
        "address": {"area": "DB", "db": 10, "offset": 0},
    },
    {"name": "pump", "type": "swh", "data_type": "uint8", "address": {"area": "Q", "offset": 0, "bit": 3}},
]


@contextmanager
def program(words: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program of the product, without the environment of the test's own."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("EDGE_")}
    with log.open("wb") as out:
        made = subprocess.Popen(
            [str(PYTHON), "-m", *words], stdout=out, stderr=subprocess.STDOUT, env=env, cwd=log.parent
        )
    try:
        yield made
    finally:
        made.kill()
        made.wait()


@contextmanager
def zoo(folder: Path) -> Iterator[dict[str, Any]]:
    """The plant that has one device of each protocol; where its lines are."""
    log = folder / "plant.log"
    with program(["firmware_sim", "run", "protocol_zoo", "--state", str(folder / "plant")], log) as made:
        deadline = time.monotonic() + PLANT_TIMEOUT_S
        while not (said := [line for line in log.read_text().splitlines() if '"ready"' in line]):
            assert made.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        told = json.loads(said[0])
        yield told.get("ready", told) if isinstance(told.get("ready"), dict) else told


def agent(*words: str, text: str | None = None) -> str:
    command = [str(PYTHON), "-m", "edge_agent", *words]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def choose(page: Page, field: Locator, label: str) -> None:
    field.click()
    option = page.get_by_role("option", name=label).first
    expect(option).to_be_visible()
    option.evaluate(
        "option => option.click()"
    )  # scrolling to it before it has its place would close the list


def card(page: Page, at: int) -> Locator:
    return page.get_by_test_id("wizard-slave-card").nth(at)


def plc_template(stack: Stack) -> str:
    """A point template of the PLC's program, as an engineer of the plant has made it."""
    made = stack.api.call(
        "POST", "/template", {"category": "point", "title": "Heat exchanger PLC", "protocol": "s7"}
    )
    stack.api.call(
        "POST",
        f"/template/{made['template_id']}/version",
        {"document": {"points": PLC_POINTS}, "base": made["newest"]},
    )
    return str(made["title"])


def make(page: Page, template: str, plant: dict[str, Any]) -> None:
    """Serial number, PLC and meter, both without a gateway template."""
    forth = page.get_by_test_id("wizard-next")
    page.get_by_test_id("device-gateway").fill(GATEWAY)
    page.get_by_test_id("device-device_title").fill(TITLE)
    forth.click()
    page.get_by_test_id("wizard-add-slave").click()
    plc = card(page, 0)
    choose(page, plc.get_by_test_id("wizard-protocol"), "西门子 S7")
    expect(plc.get_by_test_id("wizard-port")).to_have_value("102")
    choose(page, plc.get_by_test_id("wizard-point-template"), template)
    forth.click()
    expect(plc.get_by_test_id("wizard-host")).to_have_attribute("aria-invalid", "true")
    choose(page, plc.get_by_test_id("wizard-option-model"), "1200")
    expect(plc.get_by_test_id("wizard-option-rack")).to_have_value("0")
    expect(plc.get_by_test_id("wizard-option-slot")).to_have_value("1")
    plc.get_by_test_id("wizard-host").fill("127.0.0.1")
    plc.get_by_test_id("wizard-port").fill(str(plant["ports"]["s7"]))

    page.get_by_test_id("wizard-add-slave").click()
    meter = card(page, 1)
    choose(page, meter.get_by_test_id("wizard-protocol"), "DL/T 645-2007")
    expect(meter.get_by_test_id("wizard-baud")).to_have_value("2400")
    expect(meter.get_by_test_id("wizard-parity")).to_have_value("偶校验")
    choose(page, meter.get_by_test_id("wizard-point-template"), "DL/T 645-2007 电能表")
    meter.get_by_test_id("wizard-address").fill(METER)
    meter.get_by_test_id("wizard-device").fill(plant["lines"]["dlt645_2007"])

    meter.get_by_test_id("wizard-duplicate").click()
    second = card(page, 2)
    expect(second.get_by_test_id("wizard-address")).to_have_value("")
    expect(second.get_by_test_id("wizard-device")).to_have_count(0)
    second.get_by_test_id("wizard-remove").click()
    expect(page.get_by_test_id("wizard-slave-card")).to_have_count(2)
    assert violations(page) == []
    picture(page, "wizard-devices", "zh")
    forth.click()
    expect(page.get_by_test_id("wizard-gateway-template")).to_be_visible()
    forth.click()
    expect(page.get_by_test_id("wizard-sum-slave")).to_have_count(2)
    forth.click()


def test_a_plc_and_a_meter_come_on_line_by_the_ready_file(page: Page, stack: Stack, tmp_path: Path) -> None:
    template = plc_template(stack)
    data = tmp_path / "data"
    with zoo(tmp_path) as plant:
        sign_in(page, stack, "zh", "/device/addDevice")
        make(page, template, plant)
        expect(page.get_by_test_id("made-gateway")).to_have_text(GATEWAY)
        expect(page.get_by_test_id("wizard-missing")).to_have_count(0)
        expect(page.get_by_test_id("ready-broker")).to_have_text(f"mqtt://127.0.0.1:{stack.ports.mqtt}")
        page.get_by_test_id("secret-show").click()
        secret = page.get_by_test_id("secret").inner_text()
        with page.expect_download() as download:
            page.get_by_test_id("ready-download").click()
        assert download.value.suggested_filename == "gateway.toml"
        file = tmp_path / "gateway.toml"
        download.value.save_as(file)
        assert secret not in file.read_text(encoding="utf-8")
        page.get_by_test_id("secret-show").click()
        assert violations(page) == []
        picture(page, "wizard-ready", "zh")

        agent("check", "--config", str(file))
        data.mkdir(mode=0o700)
        (data / "allowed-networks").write_text("127.0.0.0/8\n")  # the simulated PLC is on this machine
        agent("secret", "--set", "--data", str(data), text=secret + "\n")
        arrivals = page.get_by_test_id("arrivals")
        with program(
            ["edge_agent", "run", "--config", str(file), "--data", str(data)], tmp_path / "agent.log"
        ):
            expect(arrivals).to_have_attribute("data-online", "true", timeout=READ_TIMEOUT_MS)
            expect(arrivals).to_have_attribute("data-stage", "deployed", timeout=READ_TIMEOUT_MS)
            expect(arrivals).not_to_have_attribute("data-read", "0", timeout=READ_TIMEOUT_MS)
            values = first_values(stack)
            picture(page, "wizard-arrived", "zh")
    assert 20 < values["plc1.temperature"] < 95
    assert 200 < values["meter1.Ua"] < 250


def first_values(stack: Stack) -> dict[str, float]:
    """Good values of both devices, by slave and point."""
    found = stack.api.get(f"/device?page=1&limit=20&search={GATEWAY}")["rows"][0]["id"]
    sources = {row["dsid"]: row for row in stack.api.get(f"/device/dss?device_id={found}")["rows"]}

    def both() -> dict[str, float] | None:
        values = {
            f"{sources[row['dsid']]['slave']}.{sources[row['dsid']]['ds_name']}": row["value"]
            for row in stack.api.get(f"/device/lastdps?device_id={found}")["rows"]
            if row["quality"] == 0 and row["dsid"] in sources
        }
        return values if {"plc1.temperature", "meter1.Ua"} <= values.keys() else None

    made: dict[str, float] = stack.wait(both, "values of both devices", timeout_s=120)
    return made
