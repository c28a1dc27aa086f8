"""When the cloud falls silent nothing on the page looks current, and nothing is told twice."""

from __future__ import annotations

import json
import re

import pytest
from _environment import WEB
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import choose_language, open_device, picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

NOTICE_MS = 40_000
"""Patience with a lost connection, the beat of the page, a slow machine; less than a heartbeat's minute."""
BACK_MS = 60_000
"""The longest pause between tries, and a gateway that says hello."""
POLLS_MS = 7_000
"""In this time at least one poll of values fails."""
TAB_PROGRAM = "src/features/monitor/screens/SlavesTab.tsx"
HAS_COME = """names => {
  const come = performance.getEntriesByType('resource').filter(one => one.responseEnd > 0);
  return names.every(name => come.some(one => one.name.endsWith(name)));
}"""
WORDS = {
    "zh": ("未知", "在线", re.compile("变化|记录")),
    "en": ("Unknown", "Online", re.compile("changed|recorded")),
}
"""The last: since when a value has been what it is, or was recorded while no change was seen."""
ON_CHANGE = ["running", "model", "burner"]


def files_of(source: str) -> list[str]:
    """What a part of the portal consists of, with all that it needs."""
    manifest = json.loads((WEB / "dist" / "manifest.json").read_text())
    known = [source]
    for name in known:
        known += [need for need in manifest[name].get("imports", []) if need not in known]
    return [manifest[name]["file"] for name in known]


def row_of(page: Page, point: str) -> str:
    return f'tr:has([data-testid="value-{point}"])'


def test_nothing_looks_current_while_the_cloud_is_away(page: Page, stack: Stack) -> None:
    language = "zh"
    unknown, online, _ = WORDS[language]
    sign_in(page, stack, language)
    open_device(page)
    for point in ON_CHANGE:
        expect(page.locator(row_of(page, point))).to_have_attribute("data-tone", "ok", timeout=BACK_MS)
    status, table = page.get_by_test_id("device-status"), page.get_by_test_id("live-table")
    expect(status).to_have_text(online)
    expect(table.get_by_text(online, exact=True).first).to_be_visible()
    for other in ("en", language):  # without the cloud a language comes from nowhere
        choose_language(page, other)
        expect(status).to_have_text(WORDS[other][1])
    page.wait_for_function(HAS_COME, arg=files_of(TAB_PROGRAM))
    stack.cloud.kill()
    try:
        for point in ON_CHANGE:
            row = page.locator(row_of(page, point))
            expect(row).to_have_attribute("data-tone", "off", timeout=NOTICE_MS)
        expect(status).to_have_text(unknown, timeout=NOTICE_MS)
        choose_language(page, "en")
        expect(status).to_have_text(WORDS["en"][0])
        expect(table.get_by_text(WORDS["en"][1], exact=True)).to_have_count(0)
        choose_language(page, language)
        expect(table.get_by_text(online, exact=True)).to_have_count(0)
        weight = page.get_by_test_id("value-running").evaluate("cell => getComputedStyle(cell).fontWeight")
        assert weight == "400"
        page.get_by_test_id("write-frequency_setpoint").click()
        page.wait_for_timeout(POLLS_MS)
        expect(page.locator(".mantine-Notification-root")).to_have_count(0)
        picture(page, "silence-drawer", language)
        page.keyboard.press("Escape")
        page.get_by_test_id("tab-slaves").click()
        slaves = page.get_by_test_id("slave-table")
        expect(slaves.get_by_text(unknown, exact=True)).to_have_count(6)
        page.get_by_test_id("tab-live").click()
        picture(page, "silence", language)
    finally:
        stack.start_cloud()
    expect(status).to_have_text(online, timeout=BACK_MS)
    expect(page.locator(row_of(page, "running"))).to_have_attribute("data-tone", "ok", timeout=BACK_MS)


def test_a_lost_live_connection_alone_is_bridged_by_polling(page: Page, stack: Stack) -> None:
    page.route_web_socket(re.compile("/api/v1/ws"), lambda wire: wire.close())
    sign_in(page, stack, "en")
    open_device(page)
    expect(page.get_by_test_id("connection-banner")).to_be_visible()
    expect(page.locator(row_of(page, "running"))).to_have_attribute("data-tone", "ok")
    expect(page.get_by_test_id("device-status")).to_have_text("Online")


def test_age_of_what_is_recorded_on_change(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh")
    open_device(page)
    changed, steady = page.get_by_test_id("age-running"), page.get_by_test_id("age-steam_pressure")
    for language in ("zh", "en"):
        choose_language(page, language)
        expect(changed).to_contain_text(WORDS[language][2])
        expect(changed).to_have_attribute("title", re.compile("."))
        expect(steady).not_to_contain_text(WORDS[language][2])
