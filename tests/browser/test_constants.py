"""Constants of section 9 of the specification, measured on what the browser shows.

The list of all of them is web/test/constants.test.ts.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect
from stack import Stack

from .steps import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

COMMANDS = "/deviceDetail/index?device_id=1&tab=command"
SECTION_MS = 60_000
"""Fake time is stopped so far ahead of the real one; no longer than a session lasts."""


def stop_time(page: Page) -> None:
    """The page's clock stands; run_for moves it. Its timers until then have run."""
    now_ms: float = page.evaluate("Date.now()")
    page.clock.pause_at((now_ms + SECTION_MS) / 1000)


def enveloped(data: object) -> str:
    return json.dumps({"code": 0, "msg": "", "data": data})


def answer_unread(page: Page, count: int) -> None:
    body = enveloped({"alarm": count, "onoffline": 0})
    page.route(
        "**/api/v1/event/unread", lambda route: route.fulfill(body=body, content_type="application/json")
    )


@pytest.mark.parametrize(("count", "text"), [(999, "999"), (1000, "999+")])
def test_badge_ends_at_999(page: Page, stack: Stack, count: int, text: str) -> None:
    answer_unread(page, count)
    sign_in(page, stack, "en")
    expect(page.get_by_test_id("notifications-badge")).to_have_text(text)


def test_notifications_are_338_px_wide_and_their_list_300_px_high(page: Page, stack: Stack) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sign_in(page, stack, "en")
    page.get_by_test_id("notifications").click()
    panel = page.get_by_test_id("notifications-panel")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box is not None and round(box["width"]) == 338
    panel.get_by_test_id("events-tab-alarm").click()  # with unread on-off events alone it opens on theirs
    listed = panel.get_by_role("tabpanel").locator("[aria-busy]:visible")
    expect(listed).to_have_attribute("aria-busy", "false")
    frame = listed.bounding_box()
    assert frame is not None and round(frame["height"]) == 300
    logs = [url for url in asked if "/api/v1/event/alarmlog?" in url]
    assert logs and all("limit=20" in url for url in logs), logs


def test_an_error_is_shown_for_5_s(page: Page, stack: Stack) -> None:
    page.clock.install()
    answer_unread(page, 5)
    refusal = json.dumps({"code": 20000, "msg": "no", "data": {"message": "made by a test"}})
    page.route(
        "**/api/v1/event/read",
        lambda route: route.fulfill(status=400, body=refusal, content_type="application/json"),
    )
    sign_in(page, stack, "en")
    page.get_by_test_id("notifications").click()
    expect(page.get_by_test_id("events-read-all")).to_be_enabled()
    stop_time(page)
    page.get_by_test_id("events-read-all").click()
    toast = page.get_by_role("alert").filter(has_text="made by a test")
    page.wait_for_timeout(500)
    page.clock.run_for(100)
    expect(toast).to_be_visible()
    page.clock.run_for(4_800)
    page.wait_for_timeout(200)
    expect(toast).to_be_visible()
    page.clock.run_for(700)  # its fading included
    expect(toast).to_have_count(0)


def test_menu_collapses_below_1024_px_less_3(page: Page, stack: Stack) -> None:
    page.set_viewport_size({"width": 1021, "height": 820})
    sign_in(page, stack, "en")
    expect(page.locator('[data-rail="false"]')).to_be_visible()
    page.set_viewport_size({"width": 1020, "height": 820})
    expect(page.locator('[data-rail="true"]')).to_be_visible()


def test_pages_of_a_list(page: Page, stack: Stack) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/auth/user?" in request.url else None)
    sign_in(page, stack, "en", "/user/authuser")
    size = page.get_by_test_id("paging").get_by_role("combobox")
    expect(size).to_have_value("20 / page")
    assert asked and all("limit=20" in url for url in asked), asked
    size.click()
    expect(page.get_by_role("option")).to_have_text([f"{count} / page" for count in (10, 20, 30, 50, 100)])
    assert page.evaluate("document.documentElement.dataset.size") == "medium"


def test_state_of_a_command_is_asked_for_after_2_s(page: Page, stack: Stack) -> None:
    page.clock.install()
    asked: list[Request] = []
    row: dict[str, Any] = {"id": "c1", "status": "create"}

    def command(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(body=enveloped(row), content_type="application/json")
        else:
            route.continue_()

    def status(route: Route) -> None:
        asked.append(route.request)
        more = {"device_id": 1, "outcome": "", "code": "", "finished_ms": None}
        route.fulfill(body=enveloped({**row, **more}), content_type="application/json")

    page.route("**/api/v1/device/cmd", command)
    page.route("**/api/v1/device/cmdStatus**", status)
    sign_in(page, stack, "en", COMMANDS)
    page.get_by_test_id("write-pressure_setpoint").click()
    page.get_by_test_id("command-value").fill("1.21")
    expect(page.get_by_test_id("command-submit")).to_be_enabled()
    stop_time(page)
    with page.expect_response("**/api/v1/device/cmd"):
        page.get_by_test_id("command-submit").click()
    page.wait_for_timeout(500)
    page.clock.run_for(1_950)
    page.wait_for_timeout(300)
    assert asked == []
    page.clock.run_for(100)
    page.wait_for_timeout(500)
    assert len(asked) == 1
