"""A gateway's life in the portal: added by the wizard, arriving, edited together with others, deleted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from _environment import PYTHON
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import go, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

GATEWAY, TITLE = "gw-wizard-1", "一号水泵"
POINTS = 5


@contextmanager
def talking(stack: Stack, folder: Path, secret: str) -> Iterator[None]:
    """A simulated gateway that connects with this secret and sends values."""
    file = folder / "secrets.json"
    file.write_text(json.dumps({GATEWAY: secret}))
    words = [
        "--url", f"mqtt://127.0.0.1:{stack.ports.mqtt}", "--secrets", str(file),
        "--points", str(POINTS), "--duration", "600",
    ]  # fmt: skip
    command = [str(PYTHON), "-m", "firmware_sim", "fleet", *words]
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        program.kill()
        program.wait()


def add(page: Page) -> str:
    """Through the wizard, with a reload on the way; the secret that it shows."""
    page.get_by_test_id("device-add").click()
    forth = page.get_by_test_id("wizard-next")
    forth.click()
    expect(page.get_by_test_id("device-gateway")).to_have_attribute("aria-invalid", "true")
    page.get_by_test_id("device-gateway").fill(GATEWAY)
    page.get_by_test_id("device-device_title").fill(TITLE)
    assert violations(page) == []
    forth.click()
    expect(page.get_by_test_id("wizard-add-slave")).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("wizard-add-slave")).to_be_visible()
    forth.click()
    expect(page.get_by_test_id("wizard-gateway-template")).to_be_visible()
    forth.click()
    expect(page.get_by_test_id("device-project")).to_be_visible()
    forth.click()
    expect(page.get_by_test_id("made-gateway")).to_have_text(GATEWAY)
    page.get_by_test_id("secret-show").click()
    return page.get_by_test_id("secret").inner_text()


def test_life_of_a_gateway(page: Page, stack: Stack, tmp_path: Path) -> None:
    sign_in(page, stack, "zh", "/device/deviceManage")
    secret = add(page)
    arrivals = page.get_by_test_id("arrivals")
    expect(arrivals).to_have_attribute("data-online", "false")
    with talking(stack, tmp_path, secret):
        expect(arrivals).to_have_attribute("data-online", "true")
        expect(arrivals).to_have_attribute("data-read", str(POINTS))
    assert secret not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")

    go(page, f"/device/deviceManage?search={GATEWAY}")
    row = page.get_by_test_id("devices-row")
    expect(row).to_have_count(1)
    assert violations(page) == []
    row.get_by_role("checkbox").check()
    page.get_by_test_id("bulk-edit").click()
    page.get_by_test_id("batch-model").fill("SMGW-1")
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("batch-close")).to_be_visible()
    page.get_by_test_id("batch-close").click()
    expect(row).to_contain_text("SMGW-1")

    row.get_by_role("checkbox").check()
    page.get_by_test_id("bulk-edit").click()
    page.get_by_test_id("batch-model").fill("SMGW-2")
    page.get_by_test_id("batch-slave_timeout_ms").fill("999999999")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_contain_text("60000")
    expect(page.get_by_test_id("batch-slave_timeout_ms")).to_have_value("999999999")
    page.get_by_test_id("batch-slave_timeout_ms").fill("")
    page.keyboard.press("Control+s")
    page.get_by_test_id("batch-undo").click()
    expect(page.get_by_test_id("batch-result")).to_contain_text("已恢复 1 台")
    expect(page.get_by_test_id("batch-undo")).to_have_count(0)
    assert violations(page) == []
    page.get_by_test_id("batch-close").click()
    expect(row).to_contain_text("SMGW-1")

    row.get_by_test_id("row-edit").click()
    page.get_by_test_id("device-binder_devtitle").fill("冷却")
    assert violations(page) == []
    page.keyboard.press("Control+s")
    expect(row).to_contain_text(f"{TITLE} (冷却)")

    row.get_by_test_id("row-remove").click()
    expect(page.get_by_test_id("impact")).to_contain_text(f"{POINTS}")
    expect(page.get_by_test_id("confirm-yes")).to_be_disabled()
    page.get_by_test_id("confirm-typed").fill(GATEWAY)
    page.get_by_test_id("confirm-yes").click()
    expect(row).to_have_count(0)
