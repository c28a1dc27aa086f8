"""Constants of section 9 of the specification that need a layout: measured on what the browser shows.

Others: web/test/components/constants.test.tsx.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


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


def test_menu_collapses_below_1024_px_less_3(page: Page, stack: Stack) -> None:
    page.set_viewport_size({"width": 1021, "height": 820})
    sign_in(page, stack, "en")
    expect(page.locator('[data-rail="false"]')).to_be_visible()
    page.set_viewport_size({"width": 1020, "height": 820})
    expect(page.locator('[data-rail="true"]')).to_be_visible()
