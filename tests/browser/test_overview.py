"""The landing page: figures lead to their lists, a problem appears live and leads to its slave."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import choose_language, picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

HOME = "/dashboard/index"
PULSE_MS = 90_000
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1366, "height": 820}


@pytest.fixture
def silent_meter(stack: Stack) -> Iterator[None]:
    plant = str(stack.data / "plant")
    yield
    stack._run("firmware_sim", "fault", plant, "office_meter", "none")
    stack.wait(lambda: stack.api.get("/device/1")["status"] == "online", "every slave answers")


def open_home(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language, HOME)
    expect(page.get_by_test_id("overview-states")).to_be_visible()


def test_it_greets_who_signs_in_and_its_figures_lead_to_their_lists(page: Page, stack: Stack) -> None:
    open_home(page, stack, "en")
    page.goto("/")
    expect(page).to_have_url(re.compile(f"{HOME}$"))
    expect(page.get_by_test_id("key-value").first).to_be_visible()
    expect(page.get_by_test_id("spark").first).to_be_visible()
    for status in ("total", "online", "offline"):
        tile = page.get_by_test_id(f"state-{status}")
        count = int(tile.get_by_role("link").inner_text())
        tile.get_by_role("link").click()
        expect(page).to_have_url(re.compile("/monitor/device"))
        expect(page.get_by_test_id("device-row")).to_have_count(count)
        page.goto(HOME)
    page.get_by_test_id("all-completeness").click()
    expect(page).to_have_url(re.compile(r"/monitor/completeness\?start="))


@pytest.mark.usefixtures("silent_meter")
def test_a_silent_slave_appears_and_leads_to_it(page: Page, stack: Stack) -> None:
    open_home(page, stack, "en")
    silent = page.locator("[data-testid=problem][data-kind=slave_silent]")
    expect(silent).to_have_count(0)
    stack._run("firmware_sim", "fault", str(stack.data / "plant"), "office_meter", "silent")
    expect(silent).to_have_count(1, timeout=PULSE_MS)
    expect(page.get_by_test_id("state-partly").get_by_role("link")).to_have_text("1")
    for language in ("zh", "en"):
        page.set_viewport_size(DESK)
        choose_language(page, language)
        settle(page)
        picture(page, "home-problem", language)
        page.set_viewport_size(PHONE)
        settle(page)
        picture(page, "home-problem-phone", language)
    page.set_viewport_size(DESK)
    silent.get_by_test_id("problem-link").click()
    expect(page).to_have_url(re.compile(r"/deviceDetail/index\?device_id=1&tab=slaves"))


def test_a_star_keeps_a_gateway_and_a_point_at_hand(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/deviceDetail/index?device_id=1")
    page.locator("[data-screen='/deviceDetail/index'] h1 ~ [data-testid=star]").first.click()
    marked = page.get_by_test_id("live-table").locator("tbody tr[data-slave]").last
    marked.get_by_test_id("star").click()
    expect(marked.get_by_test_id("star")).to_have_attribute("aria-pressed", "true")
    page.goto(HOME)
    expect(page.get_by_test_id("favourite")).to_have_count(1)
    expect(page.get_by_test_id("key-value")).to_have_count(1)
    page.get_by_test_id("favourite").get_by_test_id("star").click()
    expect(page.get_by_test_id("favourite")).to_have_count(0)
    page.get_by_test_id("key-value").get_by_test_id("star").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everybody(page: Page, stack: Stack, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    open_home(page, stack, "zh")
    for name, size in (("home", DESK), ("home-phone", PHONE)):
        page.set_viewport_size(size)
        settle(page)
        picture(page, f"{name}-{scheme}", "zh")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
