"""First language, the words after a change of it, unknown addresses, and the history while it loads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from stack import Stack

from .steps import choose_language, fill_sign_in, open_device, picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

SLOW_MS = 1_500


@pytest.mark.parametrize(
    ("locale", "lang"), [("en-GB", "en"), ("en-US", "en"), ("zh-CN", "zh-CN"), ("de-DE", "zh-CN")]
)
def test_first_language_is_the_browsers(browser: Browser, stack: Stack, locale: str, lang: str) -> None:
    context = browser.new_context(locale=locale, base_url=stack.api.base)
    page = context.new_page()
    page.goto("/login")
    expect(page.get_by_test_id("login-form")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", lang)
    other = "zh" if lang == "en" else "en"
    choose_language(page, other)
    expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{other}"))
    page.reload()
    expect(page.get_by_test_id("login-form")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{other}"))
    context.close()


def test_a_refused_sign_in_speaks_the_new_language(page: Page) -> None:
    page.goto("/login")
    choose_language(page, "zh")
    fill_sign_in(page, "nobody", "wrong password")
    expect(page.get_by_test_id("login-error")).to_have_text("用户名或密码错误")
    choose_language(page, "en")
    expect(page.get_by_test_id("login-error")).to_have_text("Wrong user name or password")


@pytest.mark.parametrize("address", ["/nope", "/deviceDetail/nope"])
def test_an_unknown_address_is_told(page: Page, stack: Stack, language: str, address: str) -> None:
    sign_in(page, stack, language)
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "页面不存在" if language == "zh" else re.compile("not found|no such page", re.IGNORECASE)
    )
    expect(page).to_have_url(re.compile(f"{address}$"))
    picture(page, f"unknown{Path(address).parent.name}", language)
    page.get_by_role("link").first.click()
    expect(page.get_by_test_id("device-row").first).to_be_visible()


def test_the_protocols_are_the_gateways_own(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language)
    open_device(page)
    page.get_by_test_id("tab-info").click()
    expect(page.get_by_test_id("device-info")).to_contain_text("Modbus TCP, Modbus RTU, DL/T 645-2007")
    picture(page, "info", language)


def test_history_says_that_it_loads(page: Page, stack: Stack, language: str) -> None:
    def answer_late(route: Route) -> None:
        page.wait_for_timeout(SLOW_MS)
        route.continue_()

    sign_in(page, stack, language)
    open_device(page)
    page.route("**/api/v1/device/hisdata?**", answer_late)
    page.get_by_test_id("tab-history").click()
    expect(page.get_by_test_id("history-loading")).to_be_visible()
    picture(page, "history-loading", language)
    expect(page.get_by_test_id("history-chart")).to_be_visible()
    page.get_by_test_id("range-picker").click()
    page.get_by_test_id("range-yesterday").click()
    expect(page.get_by_test_id("history-loading")).to_be_visible()
    expect(page.get_by_test_id("empty-state")).to_be_visible()
    expect(page.get_by_test_id("history-loading")).to_have_count(0)


def test_switches_are_closed_or_open_by_the_word_of_the_trade(
    page: Page, stack: Stack, language: str
) -> None:
    sign_in(page, stack, language)
    open_device(page)
    words = "^(合|分)$" if language == "zh" else "^(On|Off)$"
    expect(page.get_by_test_id("value-running")).to_have_text(re.compile(words))
    page.get_by_test_id("write-ONOFF").first.click()
    choices = page.get_by_test_id("command-switch").locator("label")
    expect(choices).to_have_text(["分", "合"] if language == "zh" else ["Off", "On"])
