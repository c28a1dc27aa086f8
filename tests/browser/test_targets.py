"""A station is put on an HJ 212 platform from the portal: refused, mended, delivering, watched."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from edge_contract.document.masking import MASK

from .steps import DEPLOY_TIMEOUT_MS, deploy_draft, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

TAB = "/deviceDetail/index?device_id=1&tab=forwarding"
MN = "010000A8900016F000169DC0"
NAME = "bureau"
POINT, FACTOR = "boiler.load", "w01018"
RIGHT, WRONG = "123456", "654321"
STATIONS = f"""
refusals: {{pw: answer}}
stations:
  - {{name: outlet, version: "2017", mn: {MN}, st: "32", pw: "{RIGHT}"}}
"""
SIMULATOR = [sys.executable, "-m", "firmware_sim", "hj212-platform"]
REPORT_TIMEOUT_MS = 150_000
"""Real-time data each 30 s, a pulse each 30 s, and what a busy machine adds."""
LIMIT_S = 60
DESK, PHONE = {"width": 1366, "height": 820}, {"width": 390, "height": 844}
NO_SCROLL = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
COLUMNS_IN_VIEW = """() => [...document.querySelectorAll('[data-testid=targets-table]')].every(table =>
  table.parentElement.scrollWidth <= table.parentElement.clientWidth)"""
MATTERS = ("Waiting", "Delivered", "Given up", "Reason", "Last acknowledgement")
"""Of a card."""


@pytest.fixture
def traced(stack: Stack) -> Iterator[None]:
    """The platform offers the trace."""
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 1}})
    yield
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 0}})


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[int]:
    """Its port."""
    (tmp_path / "stations.yaml").write_text(STATIONS)
    words = [*SIMULATOR, str(tmp_path / "stations.yaml"), "--state", str(tmp_path / "state")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(json.loads(process.stdout.readline())["port"])
    finally:
        process.kill()
        process.communicate(timeout=LIMIT_S)


def test_a_station_is_put_on_a_platform_from_the_portal_alone(
    page: Page, stack: Stack, platform: int, tidy: None, traced: None, tmp_path: Path
) -> None:
    sign_in(page, stack, "en", TAB)
    page.get_by_test_id("target-add").click()
    page.get_by_test_id("target-add-hj212").click()
    page.get_by_test_id("field-name").fill(NAME)
    for field, value in (
        ("server", "127.0.0.1"),
        ("port", str(platform)),
        ("mn", MN),
        ("pw", WRONG),
        ("rtd_interval_s", "30"),
    ):
        page.get_by_test_id(f"field-option_{field}").fill(value)
    mapping = page.get_by_test_id("field-option_mapping")
    mapping.get_by_test_id("rows-points").click()
    page.keyboard.type(POINT)
    page.get_by_role("option", name=POINT).click()
    mapping.get_by_test_id("rows-add-points").click()
    page.get_by_test_id("field-option_mapping.0.factor").fill(FACTOR)
    picture(page, "target", "en")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_have_count(0, timeout=DEPLOY_TIMEOUT_MS)
    row = page.get_by_test_id("targets-row").filter(has_text=NAME)
    expect(row).to_contain_text("Not at the gateway yet")
    deploy_draft(page, TAB)

    expect(row).to_contain_text("The platform says: wrong password (PW).", timeout=REPORT_TIMEOUT_MS)
    expect(row).to_contain_text("QnRtn=3")
    expect(row.get_by_test_id("target-age")).to_contain_text("As of")
    failures = page.get_by_test_id("failures-row").filter(has_text=NAME)
    expect(failures.filter(has_text="Given up, never sent")).to_contain_text("Supplementary real-time data")
    assert page.evaluate(COLUMNS_IN_VIEW)
    assert violations(page) == []
    picture(page, "target-refused", "en")
    page.set_viewport_size(PHONE)
    for part in (*MATTERS, "QnRtn=3"):
        expect(row).to_contain_text(part)
    assert page.evaluate(NO_SCROLL)
    page.set_viewport_size(DESK)
    row.get_by_test_id("mend-pw").click()
    pw = page.get_by_test_id("field-option_pw")
    expect(pw).to_be_focused()
    expect(pw).to_have_value(MASK)
    pw.fill(RIGHT)
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_have_count(0, timeout=DEPLOY_TIMEOUT_MS)
    deploy_draft(page, TAB)

    expect(row.get_by_text("Up", exact=True)).to_be_visible(timeout=REPORT_TIMEOUT_MS)
    stack.wait(
        lambda: stack.api.get("/device/1/targets")[0]["delivered"] > 0,
        "records are delivered",
        stack.agent,
        timeout_s=REPORT_TIMEOUT_MS / 1000,
    )
    words = [*SIMULATOR, "--state", str(tmp_path / "state"), "--records"]

    def received() -> list[str]:
        """Commands of what the platform has; minutes of before may come first."""
        said = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout
        return [json.loads(line)["cn"] for line in said.splitlines()]

    stack.wait(
        lambda: "2011" in received(), "real-time data", stack.agent, timeout_s=REPORT_TIMEOUT_MS / 1000
    )

    row.get_by_test_id("target-watch").click()
    expect(page.get_by_test_id("strace-source")).to_have_value(NAME)
    page.get_by_test_id("strace-start").click()
    packet = page.locator("[data-testid=strace-line][data-kind=packet]").first
    expect(packet).to_be_visible(timeout=REPORT_TIMEOUT_MS)
    expect(page.locator("[data-testid=strace-line][data-kind=frame]")).to_have_count(0)
    page.get_by_test_id("strace-stop").click()
