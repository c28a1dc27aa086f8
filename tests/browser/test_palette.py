"""The command palette over everything that the user sees, and the keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .conftest import OUTPUT
from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PHONE = {"width": 390, "height": 844}
FINGER_PX = 44


def test_things_are_found_and_followed(page: Page, stack: Stack, language: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/v1/search" in request.url else None)
    sign_in(page, stack, language)
    page.keyboard.press("Control+k")
    field = page.get_by_test_id("palette-input")
    field.press_sequentially("steam", delay=20)
    points = page.get_by_test_id("palette-points")
    expect(points.get_by_role("option").first).to_be_visible()
    assert len(asked) == 1, "one question for a word that is typed at once"
    field.fill("boiler")
    slaves = page.get_by_test_id("palette-slaves")
    expect(slaves.get_by_role("option").first).to_be_visible()
    expect(slaves.locator("mark").first).to_have_text(re.compile("boiler", re.IGNORECASE))
    picture(page, "palette", language)
    assert violations(page) == []
    field.fill("nothing like that")
    expect(page.get_by_test_id("palette-status")).to_be_visible()
    expect(page.get_by_role("option")).to_have_count(0)
    field.fill(stack.sign_in()[0])
    page.get_by_test_id("palette-users").get_by_role("option").first.click()
    expect(page).to_have_url(re.compile("/user/me$"))


def test_a_user_is_found_and_opened(page: Page, stack: Stack) -> None:
    made = stack.api.call(
        "POST", "/auth/user", {"user_name": "shift_leader", "user_type": 3, "password": "kw7Tq2mbXd"}
    )
    sign_in(page, stack, "en")
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("shift_l")
    page.get_by_test_id("palette-users").get_by_role("option").first.click()
    expect(page).to_have_url(re.compile("/user/authuser"))
    expect(page.get_by_role("dialog").locator("input").first).to_have_value("shift_leader")
    stack.api.call("DELETE", f"/auth/user/{made['user_id']}")


def test_a_point_leads_to_its_trend_and_is_offered_again(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh")
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("steam_pressure")
    expect(page.get_by_test_id("palette-points").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/dataCenter/hisData\?device_id=1&dsids=\d+"))
    page.keyboard.press("Control+k")
    expect(page.get_by_test_id("palette-recent").get_by_role("option")).to_have_count(1)
    page.get_by_test_id("palette-input").fill("boiler")
    page.get_by_test_id("palette-slaves").get_by_role("option").first.click()
    expect(page).to_have_url(re.compile("tab=live&slave="))
    rows = page.locator("tr[data-slave]")
    expect(rows.first).to_be_visible()
    assert len(set(rows.evaluate_all("all => all.map(row => row.dataset.slave)"))) == 1
    page.get_by_test_id("live-slave").click()
    expect(page).not_to_have_url(re.compile("slave="))


def test_keys(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language)
    page.keyboard.press("/")
    expect(page.get_by_test_id("device-search")).to_be_focused()
    page.keyboard.type("?g")
    expect(page.get_by_test_id("device-search")).to_have_value("?g")
    expect(page.get_by_test_id("keys")).to_have_count(0)
    page.get_by_test_id("device-search").fill("")
    page.locator("h1:visible").first.click()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text({"zh": "定位到本页搜索框", "en": "Go to the search field"}[language])
    picture(page, "keys", language)
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("g")
    page.keyboard.press("h")
    expect(page).to_have_url(re.compile("/dataCenter/hisData$"))
    page.get_by_test_id("user-menu").click()
    page.get_by_test_id("show-keys").click()
    expect(page.get_by_role("dialog")).not_to_contain_text(
        {"zh": "定位到本页搜索框", "en": "Go to the search field"}[language]
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(browser: Browser, stack: Stack, scheme: str) -> None:
    context = browser.new_context(
        viewport=PHONE, base_url=stack.api.base, has_touch=True, is_mobile=True, color_scheme=scheme
    )  # type: ignore[arg-type]
    page = context.new_page()
    sign_in(page, stack, "zh")
    page.get_by_test_id("palette").click()
    page.get_by_test_id("palette-input").fill("steam")
    option = page.get_by_test_id("palette-points").get_by_role("option").first
    expect(option).to_be_visible()
    box = option.bounding_box()
    assert box is not None and box["height"] >= FINGER_PX
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.screenshot(path=OUTPUT / f"palette-phone-{scheme}.png")
    page.get_by_test_id("palette-close").click()
    expect(page.get_by_test_id("palette-input")).to_have_count(0)
    context.close()
