"""An operator's way through the portal, on the real stack, in both languages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .conftest import OUTPUT
from .steps import LIVE_TIMEOUT_MS, fill_sign_in, open_device, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

COMMAND_TIMEOUT_MS = 40_000
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.clause("C-072")
def test_operator_sees_commands_and_verifies(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language)
    picture(page, "devices", language)

    open_device(page)
    value = page.get_by_test_id("value-steam_pressure")
    expect(value).to_have_text(re.compile(r"\d\.\d+"))
    before = value.inner_text()
    expect(value).not_to_have_text(before, timeout=LIVE_TIMEOUT_MS)
    picture(page, "live", language)

    wanted = "1.31" if language == "zh" else "1.17"
    page.get_by_test_id("write-pressure_setpoint").click()
    page.get_by_test_id("command-value").fill(wanted)
    page.get_by_test_id("command-submit").click()
    state = page.get_by_test_id("command-state")
    expect(state).to_have_attribute("data-state", "resp", timeout=COMMAND_TIMEOUT_MS)
    expect(page.get_by_test_id("command-read-back")).to_contain_text(wanted)
    picture(page, "command", language)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("value-pressure_setpoint")).to_have_text(wanted)

    page.get_by_test_id("tab-chart").click()
    expect(page.get_by_test_id("live-chart")).to_be_visible()
    picture(page, "chart", language)

    page.get_by_test_id("tab-history").click()
    chart = page.get_by_test_id("history-chart")
    expect(chart).to_be_visible()
    expect(chart).to_have_attribute("data-samples", re.compile(r"[1-9]\d*"))
    picture(page, "history", language)
    page.get_by_test_id("history-view").locator("label").last.click()
    table = page.get_by_test_id("history-table")
    expect(table).to_be_visible()
    expect(table.get_by_role("row").nth(2)).to_be_visible()
    picture(page, "history-table", language)

    page.get_by_test_id("tab-cmdlog").click()
    expect(page.get_by_test_id("command-row").first).to_contain_text(wanted)
    picture(page, "command-log", language)


def test_english_is_complete(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    open_device(page)
    lines = page.locator("body").inner_text().splitlines()
    assert [line for line in lines if CHINESE.search(line) and not re.search("[A-Za-z]{3}", line)] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(browser: Browser, stack: Stack, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 1366, "height": 820}, base_url=stack.api.base, color_scheme=scheme
    )
    page = context.new_page()
    found: dict[str, list[str]] = {}

    def check(name: str) -> None:
        found[name] = violations(page)
        page.screenshot(path=OUTPUT / f"{name}-{scheme}.png")

    page.goto("/login")
    expect(page.get_by_test_id("login-form")).to_be_visible()
    check("login")
    sign_in(page, stack, "zh")
    check("devices")
    open_device(page)
    check("live")
    for tab in ("slaves", "chart", "command", "cmdlog", "history", "info"):
        page.get_by_test_id(f"tab-{tab}").click()
        check(tab)
    context.close()
    assert {name: rules for name, rules in found.items() if rules} == {}


def test_phone(browser: Browser, stack: Stack) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, base_url=stack.api.base, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    sign_in(page, stack, "zh")
    picture(page, "phone-devices", "zh")
    page.get_by_test_id("device-row").first.click()
    expect(page.get_by_test_id("value-steam_pressure")).to_be_visible()
    picture(page, "phone-live", "zh")
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert width <= 390


def test_wrong_password_and_deep_link(page: Page, stack: Stack) -> None:
    page.goto("/deviceDetail/index?device_id=1&tab=info")
    expect(page).to_have_url(re.compile("/login"))
    fill_sign_in(page, "admin", "wrong password")
    expect(page.get_by_test_id("login-error")).to_be_visible()
    fill_sign_in(page, *stack.sign_in())
    expect(page.get_by_test_id("device-info")).to_be_visible()
    expect(page).to_have_url(re.compile("tab=info"))


def test_list_monitor(page: Page, stack: Stack) -> None:
    """Live points of all gateways: found, picked, kept as a view, shown as tiles, and written."""
    sign_in(page, stack, "en", "/monitor/list")
    rows = page.get_by_test_id("monitorPoint-row")
    expect(rows.first).to_be_visible()
    page.get_by_test_id("monitor-search").fill("pressure_setpoint")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("search=pressure_setpoint"))
    value = page.get_by_test_id("value-pressure_setpoint")
    expect(value).to_have_text(re.compile(r"^\d+\.\d+$"))
    expect(value).to_have_attribute("data-trust", "good")

    page.get_by_test_id("monitor-views").click()
    page.get_by_test_id("monitor-view-title").fill("Setpoint")
    page.get_by_test_id("monitor-view-save").click()
    expect(page.get_by_test_id("monitor-view")).to_have_text("Setpoint")
    page.keyboard.press("Escape")

    page.get_by_test_id("write-pressure_setpoint").click()
    expect(page.get_by_test_id("command-current")).to_have_text(re.compile(r"^\d+\.\d+$"))
    page.keyboard.press("Escape")
    rows.first.get_by_role("checkbox").check()
    page.get_by_test_id("monitor-pick").click()
    expect(page).to_have_url(re.compile("points=[0-9]+"))
    page.get_by_test_id("monitor-view-as").locator("label").last.click()
    expect(page.get_by_test_id("monitor-tile")).to_have_count(1)

    page.goto("/monitor/list")
    expect(rows.nth(3)).to_be_visible()
    page.get_by_test_id("monitor-views").click()
    page.get_by_test_id("monitor-view").click()
    expect(rows).to_have_count(1)
