"""A personal user who binds a gateway by its code, commands, shares and leaves it; and his visitors."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .steps import fill_sign_in, go, picture, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

GATEWAY = "/device/1"
SENT_MS = 60_000
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def people(stack: Stack) -> Iterator[dict[str, str]]:
    """Personal users with their passwords; afterwards nobody has the gateway and they are gone."""
    made, words = {}, {}
    for name in ("owner", "visitor"):
        user, password = f"my_{name}_{secrets.token_hex(3)}", secrets.token_hex(8)
        body = {"user_name": user, "user_type": 4, "password": password}
        made[name] = stack.api.call("POST", "/auth/user", body)["user_id"]
        words[name], words[f"{name}_password"] = user, password
    yield words
    stack.api.call("PUT", f"{GATEWAY}/owner", {"user_id": None})
    for number in made.values():
        stack.api.call("DELETE", f"/auth/user/{number}")


def enter(browser: Browser, stack: Stack, people: dict[str, str], who: str, **looks: Any) -> Page:
    viewport = looks.pop("viewport", {"width": 1366, "height": 820})
    context = browser.new_context(
        viewport=viewport, base_url=stack.api.base, reduced_motion="reduce", locale="zh-CN", **looks
    )
    page = context.new_page()
    page.goto("/login")
    fill_sign_in(page, people[who], people[f"{who}_password"])
    expect(page.get_by_test_id("user-menu")).to_be_visible()
    return page


def write(page: Page, value: str) -> None:
    """A command, confirmed by what was read after it."""
    go(page, "/deviceDetail/index?device_id=1&tab=command")
    page.get_by_test_id("write-pressure_setpoint").click()
    page.get_by_test_id("command-value").fill(value)
    page.get_by_test_id("command-submit").click()
    expect(page.get_by_test_id("command-state")).to_have_attribute("data-state", "resp", timeout=SENT_MS)
    expect(page.get_by_test_id("command-read-back")).to_contain_text(value)


def test_an_owner_by_scan_and_his_visitors(browser: Browser, stack: Stack, people: dict[str, str]) -> None:
    code = stack.api.get(f"{GATEWAY}/bindcode")["bind_code"]
    page = enter(browser, stack, people, "owner")
    go(page, "/device/mine")
    page.get_by_test_id("device-bind").first.click()
    page.get_by_test_id("bind-text").fill(code)
    page.get_by_test_id("bind-do").click()
    expect(page.get_by_test_id("my-part")).to_have_text("所有者")
    assert violations(page) == []
    picture(page, "my-gateways", "zh")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    expect(page.get_by_test_id("my-part")).to_be_visible()
    picture(page, "my-gateways-phone", "zh")
    page.set_viewport_size({"width": 1366, "height": 820})

    write(page, "1.21")

    go(page, "/device/mine")
    page.get_by_test_id("device-more").click()
    page.get_by_test_id("device-share").click()
    page.get_by_test_id("share-user").fill(people["visitor"])
    page.get_by_test_id("share-do").click()
    expect(page.get_by_test_id("shares").locator("tbody tr")).to_have_count(1)
    page.keyboard.press("Escape")

    visitor = enter(browser, stack, people, "visitor")
    go(visitor, "/device/mine")
    expect(visitor.get_by_test_id("my-part")).to_have_text("访客，只读")
    expect(visitor.get_by_test_id("row-edit")).to_have_attribute("aria-disabled", "true")
    go(visitor, "/deviceDetail/index?device_id=1&tab=command")
    expect(visitor.get_by_test_id("write-pressure_setpoint")).to_be_disabled()
    share = {"user_name": people["visitor"], "role": "visitor", "writes": True}
    stack.api.call("POST", f"{GATEWAY}/share", share)
    visitor.reload()
    write(visitor, "1.22")
    go(visitor, "/device/mine")
    leave(visitor)
    visitor.context.close()

    go(page, "/device/mine")
    leave(page)
    page.goto("/deviceDetail/index?device_id=1")
    expect(page.get_by_test_id("device-gone-start")).to_be_visible()
    page.goto("/device/deviceManage")
    expect(page).to_have_url(re.compile("/401"))
    page.context.close()
    assert stack.api.get(GATEWAY)["access"]["owner"] is None


def leave(page: Page) -> None:
    page.get_by_test_id("device-more").click()
    page.get_by_test_id("device-leave").click()
    page.get_by_test_id("confirm-yes").click()
    expect(page.get_by_test_id("my-part")).to_have_count(0)
