"""A value that is not repeated is shown as stale, in the portal and on the gateway's own page."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from stack import Ports, Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

PERIOD_MS = 200  # of every point of the scenario
POINTS = 4
PATIENCE_MS = 30_000


@pytest.fixture(scope="module")
def counters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), scenario="counter")
    with made.running():
        yield made


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    made = context.new_page()
    made.add_init_script("localStorage.setItem('language', 'en')")  # of the gateway's own page
    made.set_default_timeout(PATIENCE_MS)
    yield made
    context.close()


@pytest.mark.clause("C-063")
def test_portal_shows_values_of_a_frozen_agent_as_stale(counters: Stack, page: Page) -> None:
    """The connection stands, so presence says online: only the values' age tells."""
    page.goto(f"{counters.api.base}/login?redirect=/monitor/device")
    user, password = counters.sign_in()
    page.get_by_test_id("login-username").fill(user)
    page.get_by_test_id("login-password").fill(password)
    page.get_by_test_id("login-submit").click()
    page.get_by_test_id("device-row").first.click()
    table = page.get_by_test_id("live-table")
    expect(table.locator("[data-trust=good]")).to_have_count(POINTS, timeout=PATIENCE_MS)
    os.kill(counters.agent.pid, signal.SIGSTOP)
    try:
        frozen = time.monotonic()
        expect(table.locator("[data-trust=stale]")).to_have_count(POINTS, timeout=PATIENCE_MS)
        after_ms = (time.monotonic() - frozen) * 1000
        assert after_ms > 3 * PERIOD_MS
        assert counters.api.get("/device?page=1&limit=10")["rows"][0]["link"]["online"]
    finally:
        os.kill(counters.agent.pid, signal.SIGCONT)
    expect(table.locator("[data-trust=good]")).to_have_count(POINTS, timeout=PATIENCE_MS)


@pytest.mark.clause("C-063")
def test_local_page_shows_old_values_as_stale(counters: Stack, page: Page) -> None:
    """The gateway's answers, aged on their way to the browser by one period less and one more than three."""
    aged_ms = 2 * PERIOD_MS

    def age(route: Route) -> None:
        live = route.fetch().json()
        newest = max(t_ms for _, t_ms, _, _ in live["values"])
        live["t_ms"] = newest + aged_ms
        route.fulfill(body=json.dumps(live), content_type="application/json")

    page.route("**/api/live", age)
    page.goto(f"http://127.0.0.1:{counters.ports.local_page}/")
    page.locator("#password").fill((counters.data / "agent" / "local-admin.txt").read_text().strip())
    page.keyboard.press("Enter")
    told = page.locator(".point .quality")
    expect(told).to_have_text([re.compile("Good")] * POINTS, timeout=PATIENCE_MS)
    aged_ms = 60 * PERIOD_MS
    expect(told).to_have_text([re.compile("Stale")] * POINTS, timeout=PATIENCE_MS)
