"""Opened pages: unsaved work is asked for before it is lost, a reload finds the tabs, titles differ."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Dialog, Page, expect
from stack import Stack

from .steps import choose_language, go, picture, settle, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

LINKS = "/other/systemSetting?tab=links"
OTHERS = (
    "/device/deviceManage", "/group/index", "/alarm/alarmlog", "/alarm/onOffline", "/user/authuser",
    "/user/authgroup", "/user/loginLog", "/other/product", "/other/dataExchange",
    "/dataCenter/fileDownload", "/dataCenter/statisticalReport",
)  # fmt: skip
"""With the page of the sign-in and the form: thirteen."""
TYPED = "https://example.com/typed"


def enter(page: Page) -> None:
    """Something in a form, without saving it."""
    go(page, LINKS)
    page.get_by_test_id("link-ota").fill(TYPED)
    expect(page.get_by_test_id("links-save")).to_be_enabled()


def close(page: Page, name: str) -> None:
    page.get_by_test_id("tab-strip").get_by_role("button", name=f"Close {name}").click()


def refuse(page: Page) -> None:
    page.get_by_test_id("confirm-no").click()
    expect(page.get_by_test_id("confirm-no")).to_have_count(0)


def test_the_thirteenth_page_does_not_cost_what_is_entered(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    enter(page)
    for path in OTHERS:
        go(page, path)
    strip = page.get_by_test_id("tab-strip").get_by_role("link")
    expect(strip).to_have_count(12)
    expect(strip.filter(has_text="Device monitor")).to_have_count(
        0
    )  # unused for longest, and nothing to lose
    go(page, LINKS)
    expect(page.get_by_test_id("link-ota")).to_have_value(TYPED)


def test_closing_asks_also_for_a_page_behind_another(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    enter(page)
    go(page, "/device/deviceManage")
    close(page, "System settings")
    expect(page.get_by_test_id("confirm-dialog")).to_contain_text("System settings")
    settle(page)
    picture(page, "unsaved", "en")
    refuse(page)
    page.get_by_test_id("tab-actions").click()
    page.get_by_test_id("tab-close-others").click()
    refuse(page)
    page.get_by_test_id("tab-actions").click()
    page.get_by_test_id("tab-close-all").click()
    refuse(page)
    page.get_by_test_id("user-menu").click()
    page.get_by_test_id("sign-out").click()
    refuse(page)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.evaluate("location.reload()")
    stack.wait(lambda: page.title() is not None and asked, "the browser asks")
    page.remove_listener("dialog", stay)
    assert asked == ["beforeunload"]
    go(page, LINKS)
    expect(page.get_by_test_id("link-ota")).to_have_value(TYPED)
    page.get_by_test_id("setting-levels").click()
    refuse(page)
    expect(page.get_by_test_id("link-ota")).to_have_value(TYPED)
    page.get_by_test_id("setting-levels").click()
    page.get_by_test_id("confirm-yes").click()
    expect(page.get_by_test_id("levels-save")).to_be_visible()
    go(page, "/device/deviceManage")
    close(page, "System settings")
    expect(page.get_by_test_id("tab-strip").get_by_role("link", name="System settings")).to_have_count(0)
    expect(page.get_by_test_id("confirm-dialog")).to_have_count(0)


def test_the_page_in_front_is_given_up(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh")
    enter(page)
    page.get_by_test_id("tab-strip").get_by_role("button").last.click()
    expect(page.get_by_test_id("confirm-dialog")).to_contain_text("尚未保存")
    settle(page)
    picture(page, "unsaved", "zh")
    page.get_by_test_id("confirm-yes").click()
    expect(page.get_by_test_id("tab-strip").get_by_role("link")).to_have_count(1)


def test_a_reload_finds_the_tabs(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    go(page, "/deviceDetail/index?device_id=1&tab=info")
    title = page.locator("[data-screen='/deviceDetail/index'] h1").inner_text()
    go(page, "/device/ptdevice/slavedevice?device_id=1")
    expect(page.get_by_test_id("point-editor")).to_be_visible()
    go(page, "/user/loginLog")
    titles = [
        "Device monitor",
        re.compile(rf"^{re.escape(title)} · "),
        re.compile(rf"^{re.escape(title)} · "),
        "Sign-in log",
    ]
    strip = page.get_by_test_id("tab-strip").get_by_role("link")
    expect(strip).to_have_text(titles)
    names = strip.all_inner_texts()
    assert len(set(names)) == 4
    page.reload()
    expect(strip).to_have_text(names)
    expect(page.locator('[data-screen="/user/loginLog"]')).to_be_visible()
    assert page.locator("[data-screen]").count() == 1  # nothing else is loaded before it is looked at
    strip.nth(1).click()
    expect(page.get_by_test_id("device-settings")).to_be_visible()
    picture(page, "tabs-kept", "en")
    choose_language(page, "zh")
    picture(page, "tabs-kept", "zh")
    choose_language(page, "en")
    page.get_by_test_id("user-menu").click()
    page.get_by_test_id("sign-out").click()
    expect(page).to_have_url(re.compile("/login"))
    assert page.evaluate("sessionStorage.getItem('edge.tabs')") is None
