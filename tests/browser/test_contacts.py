"""An operator enters a contact and a group, tries what can be tried, and finds it in the log."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

URL = "/alarm/trigger/contact"


def clean(stack: Stack) -> None:
    for path in ("contact-group", "contact"):
        for row in stack.api.get(f"/{path}?limit=100")["rows"]:
            stack.api.call("DELETE", f"/{path}/{row['id']}")


def save(page: Page, row: str, text: str) -> None:
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id(row).filter(has_text=text)).to_be_visible()


def test_a_contact_its_group_and_a_test_message(page: Page, stack: Stack, language: str) -> None:
    clean(stack)
    sign_in(page, stack, language, URL)
    expect(page.get_by_test_id("contacts-create")).to_be_visible()
    page.get_by_test_id("contacts-create").click()
    page.get_by_test_id("contact-name").fill("Li")
    page.get_by_test_id("contact-email").fill("li@example.com")
    assert violations(page) == []
    save(page, "contacts-row", "li@example.com")
    page.get_by_test_id("row-test").click()
    page.get_by_test_id("test-send").click()
    expect(page.get_by_test_id("test-outcome")).to_have_text(re.compile("not set up|未配置"))
    assert violations(page) == []
    picture(page, "contact-test", language)
    page.keyboard.press("Escape")

    page.get_by_test_id("contacts-groups").click()
    page.get_by_test_id("contact-groups-create").click()
    page.get_by_test_id("group-title").fill(f"Shift-{language}")
    page.get_by_test_id("group-members").click()
    page.get_by_role("option", name="Li").click()
    page.get_by_test_id("robot-webhook").check(force=True)
    page.get_by_test_id("robot-webhook-url").fill(f"{stack.api.base}/hook-{language}")
    assert violations(page) == []
    picture(page, "contact-group", language)
    save(page, "contact-groups-row", f"Shift-{language}")

    page.get_by_test_id("row-test").click()
    page.get_by_test_id("test-send").click()
    expect(page.get_by_test_id("test-outcome")).to_have_attribute("data-state", "failed")
    page.keyboard.press("Escape")
    page.get_by_test_id("contacts-log").click()
    row = page.get_by_test_id("deliveries-row").filter(has_text=f"Shift-{language}")
    expect(row).to_contain_text(re.compile("private networks|内网"))
    assert violations(page) == []
    picture(page, "deliveries", language)
    clean(stack)


def test_a_telephone_shows_cards(page: Page, stack: Stack, language: str) -> None:
    clean(stack)
    stack.api.call("POST", "/contact", {"name": "Li", "email": "li@example.com"})
    page.set_viewport_size({"width": 390, "height": 844})
    sign_in(page, stack, language, URL)
    expect(page.get_by_text("li@example.com").filter(visible=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    picture(page, "contacts-phone", language)
    clean(stack)
