"""Completeness, presence in words and the on-offline log, on the real stack."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import GATEWAY, Stack

from cloud.link.collection_hours import Detail, SlaveDetail, pack

from .steps import choose_language, go, open_device, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

TAB = "/deviceDetail/index?device_id=1&tab="
PRESENCE_TIMEOUT_MS = 60_000  # the agent starts anew
FAR_SEQ = 9_000_000
DAY_MS = 86_400_000
HOUR_MS = 3_600_000
REPORTED_S = 150.0
DETAIL = pack(
    Detail(
        {
            "boiler": SlaveDetail(3000, {"no_answer": 600}),
            "meter": SlaveDetail(3000, {"frozen": 600}),
        },
        {},
    )
)
"""As the cloud keeps slaves of an hour."""
SAYS_THE_SAME = """strip => strip.getAttribute('aria-valuetext') ===
  document.querySelector('[data-testid="strip-chosen"]').textContent"""
OFFLINE = {
    "zh": re.compile("离线，自 .+：网关程序已停止"),
    "en": re.compile("Offline since .+: gateway program stopped"),
}
UNKNOWN = {"zh": "未知 / 6", "en": "Unknown / 6"}
GAP = {"zh": "到达时已损坏", "en": "damaged on arrival"}


def book_gap(stack: Stack, at: int) -> int:
    """Put a gap into the link's book, as if a batch had come damaged at this time; its id."""
    with closing(sqlite3.connect(stack.data / "cloud" / "cloud.db", timeout=20)) as book, book:
        (stream,) = book.execute("SELECT stream FROM link_stream").fetchone()
        row = book.execute(
            "INSERT INTO link_gap (gateway, stream, first_seq, last_seq, missing, reason, found_ms,"
            " from_ms, to_ms, asked) VALUES (?, ?, ?, ?, 1, 'damaged', ?, ?, ?, 0)",
            (GATEWAY, stream, FAR_SEQ, FAR_SEQ, at + 5_000, at, at),
        )
        return int(row.lastrowid or 0)


def forget_gap(stack: Stack, number: int) -> None:
    with closing(sqlite3.connect(stack.data / "cloud" / "cloud.db", timeout=20)) as book, book:
        book.execute("DELETE FROM link_gap WHERE id = ?", (number,))


def test_completeness_of_a_gateway(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language, TAB + "completeness")
    percent = page.get_by_test_id("completeness-percent")
    expect(percent).to_have_text("100 %")
    strip, told = page.get_by_test_id("strip"), page.get_by_test_id("strip-chosen")
    newest = told.inner_text().partition(" · ")[0]  # its period: what came in it grows meanwhile
    strip.focus()
    page.keyboard.press("ArrowLeft")
    expect(told).not_to_contain_text(newest)
    assert strip.evaluate(SAYS_THE_SAME)
    page.keyboard.press("End")
    expect(told).to_contain_text(newest)

    at = int(time.time() * 1000) - 5_000
    gap = book_gap(stack, at)
    try:  # of a period that ends with the gap the newest cell has it, even when an hour begins meanwhile
        page.goto(f"{TAB}completeness&start={at - DAY_MS}&end={at + 1}")
        expect(percent).to_have_text(re.compile(r"^\d+\.\d{3} %$"))
        row = page.get_by_test_id("gap-row")
        expect(row).to_have_attribute("data-reason", "damaged")
        expect(row).to_contain_text(GAP[language])
        expect(strip).to_have_attribute("aria-valuetext", re.compile(GAP[language]))
        picture(page, "completeness", language)
        page.get_by_test_id("cells-as").locator("label").last.click()
        expect(page.get_by_test_id("bucket-table").get_by_role("row")).not_to_have_count(1)
        go(page, "/monitor/completeness")
        expect(page.get_by_test_id("completeness-row").first).to_contain_text(GAP[language])
        picture(page, "completeness-all", language)
    finally:
        forget_gap(stack, gap)


FROZEN = {"zh": "网关程序停顿", "en": "gateway program stalled"}
SILENT = {"zh": "无应答", "en": "no response"}


def reported(stack: Stack) -> int:
    """When the agent's first record of what it read began; the first comes after a minute."""
    deadline = time.monotonic() + REPORTED_S
    while time.monotonic() < deadline:
        with closing(sqlite3.connect(stack.data / "cloud" / "cloud.db", timeout=20)) as book:
            row = book.execute("SELECT first_ms FROM link_collection").fetchone()
        if row is not None:
            return int(row[0])
        time.sleep(1)
    raise AssertionError("no record of what was read came")


def book_reads(stack: Stack, at: int) -> None:
    """An hour long past in which a slave was silent for ten minutes and the agent stood still for five."""
    reasons = '{"no_answer":600,"frozen":600}'
    with closing(sqlite3.connect(stack.data / "cloud" / "cloud.db", timeout=20)) as book, book:
        book.execute("UPDATE link_collection SET first_ms = min(first_ms, ?)", (at,))
        book.execute(
            "INSERT OR REPLACE INTO link_collection_hour VALUES (?, ?, 3600000, 7200, 6000, ?, 2, 0, ?)",
            (GATEWAY, at, reasons, DETAIL),
        )
        gaps = (("boiler", 600_000, 1_200_000, "no_answer", 600), ("", 1_800_000, 2_100_000, "frozen", 600))
        for slave, start, end, reason, missed in gaps:
            book.execute(
                "INSERT INTO link_collection_gap (gateway, slave, points, from_ms, to_ms, reason, lent_to,"
                " missed) VALUES (?, ?, '[]', ?, ?, ?, '', ?)",
                (GATEWAY, slave, at + start, at + end, reason, missed),
            )


@pytest.mark.parametrize("width", [1366, 390])
def test_reads_stand_beside_what_arrived(page: Page, stack: Stack, language: str, width: int) -> None:
    """Two figures, a band by slave with its reasons, a list of gaps with the way to the history."""
    hour = int(time.time() * 1000) // HOUR_MS * HOUR_MS - 48 * HOUR_MS
    first_ms = reported(stack)
    book_reads(stack, hour)
    try:
        page.set_viewport_size({"width": width, "height": 900})
        sign_in(page, stack, language, f"{TAB}completeness&start={hour}&end={hour + HOUR_MS}")
        expect(page.get_by_test_id("collection-percent")).to_have_text("83.333 %")
        band = page.get_by_test_id("collection-band")
        boiler = band.locator("[data-slave=boiler]")
        expect(boiler).to_contain_text("83.333 %")
        piece = boiler.locator("[data-reason=no_answer]")
        expect(piece).to_have_attribute("title", re.compile(SILENT[language]))
        lane, box = boiler.locator("[data-empty]").bounding_box(), piece.bounding_box()
        assert lane is not None
        assert box is not None
        assert box["width"] / lane["width"] == pytest.approx(1 / 6, abs=0.02)
        expect(band.locator("[data-slave='']").locator("[data-reason=frozen]")).to_have_count(1)
        rows = page.get_by_test_id("collection-gap-row")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text(FROZEN[language])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
        picture(page, f"collection-{width}", language)
        rows.last.get_by_role("link").click()
        expect(page).to_have_url(re.compile("tab=history"))
    finally:
        with closing(sqlite3.connect(stack.data / "cloud" / "cloud.db", timeout=20)) as book, book:
            book.execute("UPDATE link_collection SET first_ms = ?", (first_ms,))
            book.execute("DELETE FROM link_collection_hour WHERE hour_ms = ?", (hour,))
            book.execute("DELETE FROM link_collection_gap WHERE to_ms <= ?", (hour + HOUR_MS,))


def test_a_period_is_linked_and_one_without_data_is_not_complete(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/monitor/completeness?range=past30Days")
    page.get_by_test_id("completeness-row").first.get_by_role("link").click()
    expect(page.get_by_test_id("completeness-percent")).to_be_visible()
    expect(page).to_have_url(re.compile("range=past30Days"))
    expect(page.get_by_test_id("completeness")).to_contain_text("By day")
    go(page, TAB + "completeness&start=3600000&end=7200000")
    expect(page.get_by_test_id("empty-state").first).to_contain_text("No batch was due")
    expect(page.get_by_test_id("completeness-percent")).to_have_count(0)


def test_offline_gateway_is_told_in_words_and_logged(page: Page, stack: Stack) -> None:
    language = "en"
    sign_in(page, stack, language)
    open_device(page)
    reason, status = page.get_by_test_id("device-reason"), page.get_by_test_id("device-status")
    stack.agent.stop()
    try:
        expect(status).to_have_attribute("data-status", "offline", timeout=PRESENCE_TIMEOUT_MS)
        expect(reason).to_have_text(OFFLINE[language])
        choose_language(page, "zh")
        expect(reason).to_have_text(OFFLINE["zh"])
        expect(page.get_by_text(UNKNOWN["zh"]).filter(visible=True)).to_be_visible()
        choose_language(page, language)
        value = page.get_by_test_id("value-steam_pressure")
        expect(value).to_have_text("–")  # offline clear data is on
        expect(page.locator("tr").filter(has=value).locator("[data-trust]")).to_have_attribute(
            "data-trust", "gatewayOffline"
        )
        expect(page.get_by_text(UNKNOWN[language]).filter(visible=True)).to_be_visible()
        picture(page, "offline", language)
        page.get_by_test_id("tab-onoff").click()
        of_gateway = page.get_by_test_id("onoff-row").and_(page.locator("[data-slave='']"))
        lasting = of_gateway.filter(has=page.locator("[data-testid=onoff-delete]:disabled"))
        expect(lasting).to_have_count(1, timeout=PRESENCE_TIMEOUT_MS)
    finally:
        stack.start_agent()
    expect(status).not_to_have_attribute("data-status", "offline", timeout=PRESENCE_TIMEOUT_MS)
    page.reload()
    rows = page.get_by_test_id("onoff-row")
    expect(rows.first.get_by_test_id("onoff-delete")).to_be_enabled()
    picture(page, "onoff", language)
    deleted = rows.first.inner_text()
    rows.first.get_by_test_id("onoff-delete").click()
    page.get_by_test_id("onoff-confirm").click()
    expect(rows.filter(has_text=deleted)).to_have_count(0)


def test_settings_of_a_device(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", TAB + "info")
    title, delay = page.get_by_test_id("setting-title"), page.get_by_test_id("setting-delay")
    save = page.get_by_test_id("settings-save")
    before = title.input_value()
    expect(save).to_be_disabled()
    delay.fill("86401")
    title.fill("Boiler house 7")
    expect(save).to_be_disabled()
    delay.fill("30")
    save.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Boiler house 7")
    changed = stack.api.get("/device/1")
    assert (changed["device_title"], changed["offline_alarm_delay_s"]) == ("Boiler house 7", 30)
    assert changed["offline_clear_data"] is True
    title.fill(before)
    delay.fill("0")
    save.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(before)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 360)])
def test_no_accessibility_violation_and_no_overflow(
    browser: Browser, stack: Stack, scheme: str, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, base_url=stack.api.base, color_scheme=scheme
    )
    page = context.new_page()
    sign_in(page, stack, "zh", "/monitor/completeness")
    found: dict[str, list[str]] = {}
    for path in (
        "/monitor/completeness",
        TAB + "completeness",
        TAB + "completeness&cells=table",
        TAB + "onoff",
        TAB + "info",
        TAB + "command",
    ):
        go(page, path)
        rules = violations(page)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            rules.append("wider than the screen")
        found[path] = rules
    context.close()
    assert {path: rules for path, rules in found.items() if rules} == {}
