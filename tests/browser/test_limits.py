"""Limits of a user, the brand of the gateways and an own icon: set in the portal, and acting."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack, StackError
from stack.api import Api

from .steps import choose_language, fill_sign_in, go, picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1366, "height": 820}
ENTERPRISE = 3
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z"/></svg>'


@pytest.fixture
def member(stack: Stack) -> Iterator[tuple[int, str, str]]:
    name, password = f"limited_{secrets.token_hex(3)}", secrets.token_hex(8)
    body = {"user_name": name, "user_type": ENTERPRISE, "password": password}
    number = stack.api.call("POST", "/auth/user", body)["user_id"]
    yield number, name, password
    stack.api.call("DELETE", f"/auth/user/{number}")


def test_a_limit_is_set_shown_and_refuses(
    page: Page, browser: Browser, stack: Stack, member: tuple[int, str, str]
) -> None:
    number, name, password = member
    sign_in(page, stack, "zh", "/user/authuser")
    row = page.get_by_test_id("users-row").filter(has_text=name)
    row.get_by_test_id("row-edit").click()
    page.get_by_test_id("user-limit-devices").fill("0")
    expect(page.get_by_text("含下级用户，已用 0").first).to_be_visible()
    page.get_by_test_id("user-limit-devices").scroll_into_view_if_needed()
    picture(page, "user-limits", "zh")
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("user-limit-devices")).to_have_count(0)
    states = stack.api.get(f"/auth/user/{number}/limits")
    assert [(each["resource"], each["limit"]) for each in states] == [("projects", None), ("devices", 0)]
    choose_language(page, "en")
    page.set_viewport_size(PHONE)
    go(page, "/user/me")
    picture(page, "me-limits-phone", "en")
    page.set_viewport_size(DESKTOP)

    own = browser.new_context(base_url=stack.api.base, locale="en-GB", viewport=DESKTOP).new_page()
    own.goto("/login")
    fill_sign_in(own, name, password)
    expect(own.get_by_test_id("user-menu")).to_be_visible()  # the page of the sign-in has a choice of its own
    choose_language(own, "en")
    go(own, "/user/me")
    expect(own.get_by_text("0 of 0 used")).to_be_visible()
    theirs = Api(stack.ports.http)
    theirs.login(name, password)
    with pytest.raises(StackError, match=r"limit\.devices"):
        theirs.call("POST", "/device", {"gateway_id": f"gw-{name}"})
    own.context.close()
    assert stack.api.get(f"/device?search=gw-{name}")["rows"] == []


def test_the_brand_is_a_setting(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", "/other/systemSetting?tab=gateway")
    page.get_by_test_id("gateway-brand").fill("ACME")
    page.get_by_test_id("gateway-save").click()
    expect(page.get_by_test_id("gateway-save")).to_be_disabled()
    picture(page, "setting-gateway", "zh")
    go(page, "/device/deviceManage")
    page.get_by_test_id("device-add").click()
    expect(page.get_by_test_id("device-model")).to_have_attribute("placeholder", "ACME")
    page.get_by_test_id("device-protocol").click()
    expect(page.get_by_role("option")).to_have_text(["MODBUS", "MQTT"])
    stack.api.call("PUT", "/option", {"name": "gateway_brand", "value": "SMGW"})


def test_an_entry_has_an_icon_of_its_own(page: Page, stack: Stack) -> None:
    before = stack.api.get("/user/option?name=user_config")
    sign_in(page, stack, "en", "/other/platform")
    page.get_by_test_id("entry-add").click()
    page.get_by_test_id("entry-text").fill("Plan")
    page.get_by_test_id("entry-url").fill("https://plan.example")
    file = page.locator('[data-testid="upload-icon"] input[type=file]')
    file.set_input_files({"name": "big.svg", "mimeType": "image/svg+xml", "buffer": SVG + b" " * 20_480})
    expect(page.get_by_role("alert").filter(has_text="20 KB")).to_be_visible()
    file.set_input_files({"name": "a.svg", "mimeType": "image/svg+xml", "buffer": SVG})
    expect(page.locator('[data-testid="upload-icon"] img')).to_be_visible()
    picture(page, "entry-icon", "en")
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("quick-entries").locator("img")).to_be_visible()
    expect(page.get_by_test_id("entry-row").locator("img")).to_be_visible()
    page.get_by_test_id("entry-row").last.get_by_test_id("entry-edit").click()
    page.get_by_test_id("upload-remove").click()
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("quick-entries").locator("img")).to_have_count(0)
    stack.api.call("PUT", "/user/option", {"name": "user_config", "value": before["value"]})
