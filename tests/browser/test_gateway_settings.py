"""Report interval and power saving in the device form: into the draft, shown as not deployed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import go, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

FORM = "/device/deviceManage?search=gw-demo-0001"
FACTS = "/deviceDetail/index?device_id=1&tab=info"


def test_the_form_writes_the_draft_and_says_what_waits_for_deployment(
    page: Page, stack: Stack, language: str
) -> None:
    seconds = {"zh": 300, "en": 600}[language]
    sign_in(page, stack, language, FORM)
    page.get_by_test_id("row-edit").click()
    interval = page.get_by_test_id("device-report_interval_s")
    interval.fill("soon")
    interval.blur()
    expect(interval).to_have_value("")
    page.get_by_test_id("device-low_power").locator("xpath=ancestor::*[1]").click()
    page.get_by_test_id("form-save").click()
    expect(interval).to_have_attribute("aria-invalid", "true")
    page.get_by_test_id("device-report-preset").click()
    page.get_by_role("option").filter(has_text={"zh": "5", "en": "10"}[language]).first.click()
    expect(interval).to_have_value(f"{seconds // 60}m")
    page.get_by_test_id("device-low_power").locator("xpath=ancestor::*[1]").click()
    page.get_by_test_id("device-collect_interval_s").fill("2s")
    assert violations(page) == []
    picture(page, "device-reporting", language)
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("form-drawer")).to_have_count(0)
    shown = stack.api.get("/device/1")
    assert (shown["report_interval_s"], shown["collect_interval_s"], shown["low_power"]) == (
        seconds,
        2,
        False,
    )
    assert shown["settings_pending"] == ["collect_interval_s", "report_interval_s"]

    page.get_by_test_id("row-edit").click()
    note = page.get_by_test_id("device-settings-note")
    expect(note.get_by_role("link")).to_be_visible()
    page.keyboard.press("Escape")
    go(page, FACTS)
    link = page.get_by_test_id("device-collecting").get_by_role("link")
    expect(link).to_have_count(2)
    picture(page, "device-facts-pending", language)
    link.first.click()
    expect(page).to_have_url(re.compile("tab=configuration"))
    stack.api.call("PUT", "/device/1", {"report_interval_s": None, "collect_interval_s": None})
