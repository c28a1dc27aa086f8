"""What an empty list and a write that would fail tell: what is the matter, and where to go on."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, Route, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SILENT_MS = 60_000
LIVE = "/deviceDetail/index?device_id=1&tab=live"


def without_templates(route: Route) -> None:
    """As on a new installation; another test may have made some."""
    reply = route.fetch()
    answer = reply.json()
    route.fulfill(response=reply, json={**answer, "data": {**answer["data"], "rows": []}})


def test_no_template_yet(page: Page, stack: Stack, language: str) -> None:
    page.route(re.compile(r"/api/v1/template\?category="), without_templates)
    sign_in(page, stack, language, "/device/deviceManage")
    page.get_by_test_id("device-add").click()
    page.get_by_test_id("device-gateway").fill(f"gw-empty-{language}")
    page.get_by_test_id("device-device_title").fill("Empty")
    page.get_by_test_id("wizard-next").click()
    expect(page.get_by_test_id("wizard-add-slave")).to_be_visible()
    page.get_by_test_id("wizard-next").click()
    field = page.get_by_test_id("wizard-gateway-template")
    field.click()
    expect(page.get_by_test_id("no-templates")).to_be_visible()
    picture(page, "no-templates", language)
    field.fill("boiler")
    expect(page.get_by_test_id("no-templates")).to_have_count(0)
    field.fill("")
    page.get_by_test_id("no-templates-make").click()
    expect(page.locator('[data-screen="/device/template"]')).to_be_visible()


def test_a_write_to_a_silent_slave_is_warned_of_and_still_sent(page: Page, stack: Stack) -> None:
    plant = str(stack.data / "plant")
    sign_in(page, stack, "en", LIVE)
    write = page.get_by_test_id("write-pressure_setpoint")
    write.click()
    drawer = page.get_by_test_id("command-submit")
    expect(drawer).to_be_visible()
    expect(page.get_by_test_id("not-answering")).to_have_count(0)
    stack._run("firmware_sim", "fault", plant, "boiler", "silent")
    try:
        warning = page.get_by_test_id("not-answering")
        expect(warning).to_contain_text("has not answered since", timeout=SILENT_MS)
        picture(page, "not-answering", "en")
        assert violations(page) == []
        page.get_by_test_id("command-value").fill("1.2")
        expect(drawer).to_be_enabled()
        before = stack.api.get("/device/cmd?device_id=1")["total"]
        drawer.click()
        ends = time.monotonic() + SILENT_MS / 1000
        while stack.api.get("/device/cmd?device_id=1")["total"] == before and time.monotonic() < ends:
            time.sleep(0.2)
        assert stack.api.get("/device/cmd?device_id=1")["total"] == before + 1
    finally:
        stack._run("firmware_sim", "fault", plant, "boiler", "none")
    expect(warning).to_have_count(0, timeout=SILENT_MS)
