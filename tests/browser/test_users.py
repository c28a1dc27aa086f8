"""Users, groups, switches, quick entries, on the real stack; what a test changes it puts back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .steps import choose_language, fill_sign_in, go, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PASSWORD = "kw7Tq2mbXd"
WEAK = "Weak"
NOT_ALLOWED = {"zh": "不可以", "en": "Not allowed"}
TREE = "设备监控"
PHONE = {"width": 390, "height": 844}
SCREENS = (
    "/user/authuser",
    "/user/authgroup",
    "/user/me",
    "/user/auditLog",
    "/other/systemSetting?tab=levels",
)


def add_user(page: Page, name: str, *, password: str = "") -> None:
    page.get_by_test_id("users-create").click()
    page.get_by_test_id("user-name").fill(name)
    if password:
        page.get_by_test_id("user-password").fill(password)
    page.keyboard.press("Control+s")


def remove_user(page: Page, name: str) -> None:
    row = page.get_by_test_id("users-row").filter(has_text=name)
    row.get_by_test_id("row-remove").click()
    page.get_by_test_id("confirm-yes").click()
    expect(row).to_have_count(0)


def test_life_of_a_user(page: Page, browser: Browser, stack: Stack) -> None:
    name = "made_here"
    sign_in(page, stack, "zh", "/user/authuser")
    add_user(page, name)
    word = page.get_by_test_id("made-password-text").inner_text()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("made-password-text")).to_be_visible()
    page.get_by_test_id("made-password-close").click()
    expect(page.get_by_test_id("made-password-text")).to_have_count(0)
    assert word not in page.content()
    row = page.get_by_test_id("users-row").filter(has_text=name)
    expect(row).to_be_visible()

    other = browser.new_context(base_url=stack.api.base, locale="zh-CN").new_page()
    other.goto("/login")
    fill_sign_in(other, name, word)
    expect(other.get_by_test_id("user-menu")).to_be_visible()
    row.get_by_test_id("user-more").click()
    page.get_by_test_id("user-why").click()
    page.get_by_test_id("why-permission").fill("SIM")
    page.get_by_role("option", name="SIM").first.click()
    expect(page.get_by_test_id("why-answer")).to_contain_text(NOT_ALLOWED["zh"])
    picture(page, "users-why", "zh")
    page.keyboard.press("Escape")
    choose_language(page, "en")
    row.get_by_test_id("user-more").click()
    page.get_by_test_id("user-why").click()
    page.get_by_test_id("why-permission").fill("SIM")
    page.get_by_role("option", name="SIM").first.click()
    expect(page.get_by_test_id("why-answer")).to_contain_text(NOT_ALLOWED["en"])
    page.keyboard.press("Escape")

    row.get_by_test_id("user-more").click()
    page.get_by_test_id("user-status").click()
    expect(row.locator('[data-tone="off"]')).to_be_visible()
    assert other.request.get("/api/v1/auth/user/info", headers={"X-Token": token(other)}).status == 401
    other.context.close()
    remove_user(page, name)


def token(page: Page) -> str:
    return str(page.evaluate("JSON.parse(localStorage.getItem('edge.session')).token"))


def test_own_password(page: Page, browser: Browser, stack: Stack) -> None:
    sign_in(page, stack, "en", "/user/authuser")
    add_user(page, "own_password", password=PASSWORD)
    expect(page.get_by_test_id("users-row").filter(has_text="own_password")).to_be_visible()
    other = browser.new_context(base_url=stack.api.base).new_page()
    other.goto("/login")
    choose_language(other, "en")
    fill_sign_in(other, "own_password", PASSWORD)
    expect(other.get_by_test_id("user-menu")).to_be_visible()
    other.goto("/user/me?tab=password")
    other.get_by_test_id("password-old").fill("not-the-one")
    other.get_by_test_id("password-new").fill("aaaaaaaa1")
    expect(other.get_by_test_id("password-strength")).to_contain_text(WEAK)
    other.get_by_test_id("password-new").fill(PASSWORD + "9!")
    other.get_by_test_id("password-again").fill(PASSWORD + "9!")
    other.get_by_test_id("password-save").click()
    expect(other.get_by_test_id("password-form")).to_contain_text("current password is wrong")
    other.get_by_test_id("password-old").fill(PASSWORD)
    other.get_by_test_id("password-save").click()
    expect(other.get_by_test_id("password-old")).to_have_value("")
    other.context.close()
    remove_user(page, "own_password")


def test_a_group_by_keyboard(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", "/user/authgroup")
    page.get_by_test_id("groups-create").focus()
    page.keyboard.press("Enter")
    page.get_by_test_id("group-title").fill("by keyboard")
    tree = page.get_by_test_id("permission-tree")
    expect(tree.get_by_test_id("tree-node").first).to_be_visible()
    tree.get_by_role("treeitem").first.focus()
    page.keyboard.press("ArrowRight")
    expect(tree).to_contain_text(TREE)
    count = page.get_by_test_id("permission-count")
    before = count.inner_text()
    page.keyboard.press("Space")
    expect(count).not_to_have_text(before)
    page.keyboard.press("Control+s")
    row = page.get_by_test_id("groups-row").filter(has_text="by keyboard")
    expect(row).to_be_visible()
    row.get_by_test_id("row-remove").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").locator(":focus")).to_have_count(1)  # else the dialog takes it back
    page.get_by_test_id("confirm-yes").focus()
    page.keyboard.press("Enter")
    expect(row).to_have_count(0)


def test_a_switch_counts_at_once(page: Page, stack: Stack) -> None:
    before = switches_told(stack)
    sign_in(page, stack, "en", "/user/authrule")
    expect(page).to_have_url(re.compile("/401"))
    expect(page.get_by_test_id("rule-tree")).to_have_count(0)
    go(page, "/other/systemSetting")
    switch(page)
    go(page, "/user/authrule?code=auth.UserLog")
    expect(page.get_by_test_id("rule-form")).to_contain_text("auth.UserLog")
    go(page, "/other/systemSetting")
    switch(page)
    stack.wait(lambda: switches_told(stack) == before + 2, "both are noted")
    go(page, "/user/auditLog")
    page.get_by_test_id("audit-row").filter(has_text="changed cloud switches").nth(1).click()
    expect(page.get_by_test_id("audit-json").last).to_contain_text('"rl": 1')


def switches_told(stack: Stack) -> int:
    """How often the audit says that a cloud switch was changed."""
    return int(stack.api.get("/audit?operation=putDictionary")["total"])


def switch(page: Page) -> None:
    flag = page.get_by_test_id("flag-rl")
    was = flag.is_checked()
    flag.focus()
    page.keyboard.press("Space")
    page.get_by_test_id("confirm-yes").click()
    expect(flag).to_be_checked(checked=not was)


def test_quick_entries_by_keyboard(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/other/platform")
    for text, url in (("First", "/user/me"), ("Second", "https://example.com/x")):
        page.get_by_test_id("entry-add").click()
        page.get_by_test_id("entry-text").fill(text)
        page.get_by_test_id("entry-url").fill("javascript:alert(1)")
        page.keyboard.press("Control+s")
        expect(page.get_by_test_id("entry-url")).to_have_attribute("aria-invalid", "true")
        page.get_by_test_id("entry-url").fill(url)
        page.keyboard.press("Control+s")
        expect(page.get_by_test_id("entry-row").filter(has_text=text)).to_be_visible()
    page.get_by_test_id("entry-handle").last.focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("entry-row").first).to_contain_text("Second")
    expect(page.get_by_test_id("entry-said")).to_contain_text("1 of 2")
    expect(page.get_by_test_id("quick-entries").get_by_role("link").first).to_have_text("Second")
    for _ in range(2):
        page.get_by_test_id("entry-remove").first.click()
        page.get_by_test_id("confirm-yes").click()
        expect(page.get_by_test_id("confirm-yes")).to_have_count(0)
    expect(page.get_by_test_id("entry-row")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(page: Page, stack: Stack, scheme: str) -> None:
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    sign_in(page, stack, "zh", "/user/me")
    found: dict[str, list[str]] = {}
    for path in SCREENS:
        go(page, path)
        found[path] = violations(page)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found[path].append("wider than the screen")
    picture(page, f"users-phone-{scheme}", "zh")
    assert {path: rules for path, rules in found.items() if rules} == {}
