"""SIM cards from a range and a file, one of them bound and forecast; shown only with the switch for OTA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

URL = "/ota/sim"
CARD = "89860012345678901234"
PHONE_WIDTH, PHONE_HEIGHT = 390, 844


def switch(stack: Stack, on: int) -> None:
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": on}})


@pytest.fixture(autouse=True)
def offered(stack: Stack) -> Iterator[None]:
    switch(stack, 1)
    yield
    switch(stack, 1)
    for row in stack.api.get("/sim-card?limit=100")["rows"]:
        stack.api.call("DELETE", f"/sim-card/{row['id']}")
    switch(stack, 0)


def csv(*rows: str) -> dict[str, object]:
    head = "ICCID,Supplier,Plan data (MB),Billing from,Billing to,Used data (MB),Used until"
    return {"name": "cards.csv", "mimeType": "text/csv", "buffer": "\n".join([head, *rows]).encode()}


def test_range_import_and_a_card(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language, URL)
    page.get_by_test_id("sim-range").click()
    page.get_by_test_id("range-prefix").fill("898600123456789")
    page.get_by_test_id("range-first").fill("0098")
    page.get_by_test_id("range-last").fill("0099")
    page.get_by_test_id("range-preview").click()
    expect(page.get_by_test_id("range-said")).to_contain_text("8986001234567890098")
    assert violations(page) == []
    picture(page, "sim-range", language)
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("sim-cards-row")).to_have_count(2)

    today = datetime.now(UTC).date()
    begin, end = today - timedelta(days=9), today + timedelta(days=20)
    days = [today - timedelta(days=n) for n in (8, 6, 4, 2)]
    page.get_by_test_id("sim-import").click()
    file = page.get_by_test_id("sim-import-dialog").locator("input[type=file]")
    for used, day in zip((100, 320, 480, 700), days, strict=True):
        file.set_input_files(csv(f"{CARD},Li,2048,{begin},{end},{used},{day}", "12,,,,,,"))  # type: ignore[arg-type]
        expect(page.get_by_test_id("sim-import-fault")).to_have_count(1)
        expect(page.get_by_test_id("sim-import-do")).to_be_enabled()
        if day == days[0]:
            assert violations(page) == []
            picture(page, "sim-import", language)
        page.get_by_test_id("sim-import-do").click()
        expect(page.get_by_test_id("sim-import-dialog")).to_be_hidden()
        page.get_by_test_id("sim-import").click()
    page.keyboard.press("Escape")
    row = page.get_by_test_id("sim-cards-row").filter(has_text=CARD)
    expect(row).to_contain_text("700 MB / 2 GB")
    row.get_by_text(CARD).click()
    expect(page).to_have_url(re.compile(r"card=\d+"))
    page.reload()  # the address has the card
    expect(page.get_by_test_id("sim-usage-chart").locator("canvas")).to_be_visible()
    expect(page.get_by_test_id("sim-forecast-text")).to_contain_text("±")
    page.get_by_test_id("sim-bind").click()
    page.get_by_role("option").first.click()
    page.get_by_test_id("sim-bind-save").click()
    expect(page.get_by_test_id("sim-bind-save")).to_be_disabled()
    assert violations(page) == []
    picture(page, "sim-card", language)
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []
    picture(page, "sim-card-dark", language)


def test_a_telephone_shows_cards(page: Page, stack: Stack, language: str) -> None:
    stack.api.call("POST", "/sim-card", {"iccid": CARD, "supplier": "Li"})
    page.set_viewport_size({"width": PHONE_WIDTH, "height": PHONE_HEIGHT})
    sign_in(page, stack, language, URL)
    expect(page.get_by_text(CARD).filter(visible=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    picture(page, "sim-cards-phone", language)


def test_without_the_switch_there_is_no_such_screen(page: Page, stack: Stack) -> None:
    switch(stack, 0)
    sign_in(page, stack, "en", URL)
    expect(page).to_have_url(re.compile("/401"))
