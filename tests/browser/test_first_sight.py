"""First language, the words after a change of it, and the history while it loads."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from stack import Stack

from .steps import choose_language, open_device, picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.mark.parametrize("locale", ["en-GB", "en-US", "zh-CN", "de-DE"])
def test_first_language_is_chinese_until_somebody_chooses(
    browser: Browser, stack: Stack, locale: str
) -> None:
    context = browser.new_context(locale=locale, base_url=stack.api.base)
    page = context.new_page()
    page.goto("/login")
    expect(page.get_by_test_id("login-form")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    choose_language(page, "en")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.reload()
    expect(page.get_by_test_id("login-form")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    context.close()


def test_the_protocols_are_the_gateways_own(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/deviceDetail/index?device_id=1&tab=info")
    expect(page.get_by_test_id("device-info")).to_contain_text("Modbus TCP, Modbus RTU, DL/T 645-2007")
    picture(page, "info", "en")


def test_history_says_that_it_loads(page: Page, stack: Stack) -> None:
    held: list[Route] = []
    asked = "**/api/v1/device/hisdata/packed?**"

    def hold(route: Route) -> None:
        held.append(route)

    def answer() -> None:
        while held:
            held.pop().continue_()
        page.unroute(asked)  # which lets go what came since

    sign_in(page, stack, "zh")
    open_device(page)
    page.route(asked, hold)
    page.get_by_test_id("tab-history").click()
    expect(page.get_by_test_id("history-loading")).to_be_visible()
    picture(page, "history-loading", "zh")
    answer()
    expect(page.get_by_test_id("history-chart")).to_be_visible()
    page.get_by_test_id("range-picker").click()
    page.route(asked, hold)
    page.get_by_test_id("range-lastMonth").click()
    expect(page.get_by_test_id("history-loading")).to_be_visible()
    answer()
    expect(page.get_by_test_id("empty-state")).to_be_visible()
    expect(page.get_by_test_id("history-loading")).to_have_count(0)


def test_switches_without_names_are_on_or_off(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh")
    open_device(page)
    for language, off, on in (("zh", "关", "开"), ("en", "Off", "On")):
        choose_language(page, language)
        expect(page.get_by_test_id("value-running")).to_have_text(re.compile(f"^({on}|{off})$"))
        page.get_by_test_id("write-ONOFF").first.click()
        expect(page.get_by_test_id("command-switch").locator("label")).to_have_text([off, on])
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("command-switch")).to_have_count(0)
