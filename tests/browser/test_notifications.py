"""Events reach the portal by themselves: lists, badge, toasts, tones; and what an operator does with them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Browser, Page, Request, WebSocketRoute, expect
from stack import Stack

from .steps import GO, picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

EVENT_MS = 40_000
"""An agent that stops or starts, on a slow machine."""
BACK_MS = 60_000
"""The longest pause between tries to connect, twice."""
QUIET_MS = 3_500
"""Longer than lists wait after a push, and than the quiet after a tone."""
COUNT_NOTES = """
  window.notes = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { window.notes += 1; return start.apply(this, when); };
"""
LOOK_AWAY = """hidden => {
  const get = () => (hidden ? 'hidden' : 'visible');
  Object.defineProperty(document, 'visibilityState', { configurable: true, get });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
UNTOUCHED = """
  let touched = false;
  addEventListener('pointerdown', () => { touched = true; }, true);
  Object.defineProperty(navigator, 'userActivation', { get: () => ({ hasBeenActive: touched }) });
"""
"""What a browser says of a page that nobody touched; the driver's own calls count as touches."""
ALARM_NOTES = 4
TOGETHER = {"zh": "40 条新报警", "en": "40 new alarms"}
SETTINGS = {"alarm": False, "onoff": False, "alarmTone": True, "onoffTone": False}


@pytest.fixture(autouse=True)
def as_before(stack: Stack) -> Iterator[None]:
    """The gateway makes alarms when it goes; afterwards it is there, and nothing is notified."""
    stack.api.call("PUT", "/device/1", {"offline_notify": True, "offline_alarm_delay_s": 0})
    notify(stack)
    forget_alarms(stack)
    yield
    if not online(stack):
        come(stack)
    notify(stack)
    stack.api.call("PUT", "/device/1", {"offline_notify": False})


def forget_alarms(stack: Stack) -> None:
    for row in stack.api.get("/event/alarmlog?page=1&limit=100")["rows"]:
        stack.api.call("DELETE", f"/event/alarmlog/{row['id']}")


def notify(stack: Stack, **more: bool) -> None:
    stack.api.call("PUT", "/user/option", {"name": "notifications", "value": {**SETTINGS, **more}})


def online(stack: Stack) -> bool:
    return bool(stack.api.get("/device?page=1&limit=20")["rows"][0]["status"] == "online")


def go_away(stack: Stack) -> None:
    """Ends when the cloud has made the alarm."""
    before = alarms(stack)
    stack.agent.stop()
    stack.wait(lambda: alarms(stack) > before, "an alarm of the gateway")


def come(stack: Stack) -> None:
    stack.start_agent()
    stack.wait(lambda: online(stack), "the gateway is back")


def alarms(stack: Stack) -> int:
    return int(stack.api.get("/event/alarmlog?page=1&limit=1")["total"])


def open_page(page: Page, stack: Stack, language: str, path: str) -> None:
    page.add_init_script(COUNT_NOTES)
    sign_in(page, stack, language, path)
    expect(page.get_by_test_id("notifications")).to_be_visible()
    expect(page.get_by_text("Live").or_(page.get_by_text("实时")).first).to_be_visible()


def test_an_alarm_is_shown_told_and_read(page: Page, stack: Stack) -> None:
    notify(stack, alarm=True)
    stack.api.call("POST", "/event/read", {"kind": "alarm"})
    stack.api.call("POST", "/event/read", {"kind": "onoffline"})
    open_page(page, stack, "zh", "/alarm/alarmlog")
    expect(page.get_by_test_id("notifications-badge")).to_have_count(0)
    rows = page.get_by_test_id("alarms-row")
    expect(page.get_by_test_id("empty-state")).to_be_visible()
    go_away(stack)
    expect(rows).to_have_count(1, timeout=EVENT_MS)
    expect(rows.first.get_by_test_id("alarm-tag")).to_have_attribute("data-type", "4")
    expect(page.get_by_test_id("event-toast")).to_contain_text("Boiler house", timeout=EVENT_MS)
    page.wait_for_function(f"window.notes === {ALARM_NOTES}")
    picture(page, "alarm-toast", "zh")
    page.get_by_test_id("notifications").click()
    panel = page.get_by_test_id("notifications-panel")
    expect(panel.get_by_test_id("event-item").first).to_contain_text("Boiler house")
    box = panel.bounding_box()
    assert box is not None
    assert round(box["width"]) == 338
    assert violations(page) == []
    picture(page, "notifications", "zh")
    panel.get_by_test_id("events-read-all").click()
    panel.get_by_test_id("events-tab-onoffline").click()
    expect(panel.get_by_test_id("event-item").first).to_be_visible()
    panel.get_by_test_id("events-read-all").click()
    expect(page.get_by_test_id("notifications-badge")).to_have_count(0)
    assert stack.api.get("/event/unread")["alarm"] == 0
    panel.get_by_test_id("events-full-log").click()
    expect(page.get_by_test_id("onoffs-row").first).to_contain_text("Boiler house")
    expect(panel).to_have_count(0)


def test_settings_count_at_once_and_stay(page: Page, stack: Stack) -> None:
    open_page(page, stack, "en", "/alarm/onOffline")
    page.get_by_test_id("notifications").click()
    page.get_by_test_id("events-settings").click()
    drawer = page.get_by_test_id("events-settings-drawer")
    for name, wanted in SETTINGS.items():
        expect(page.get_by_test_id(f"set-{name}")).to_be_checked(checked=wanted)
    assert violations(page) == []
    for switch in ("set-onoff", "set-onoffTone"):
        page.get_by_test_id(switch).click(force=True)
        expect(page.get_by_test_id(switch)).to_be_checked()
    page.get_by_test_id("try-alarm").click()
    page.wait_for_function(f"window.notes === {ALARM_NOTES}")
    stack.wait(lambda: stack.api.get("/user/option?name=notifications")["value"]["onoffTone"], "it is kept")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    page.wait_for_timeout(QUIET_MS)
    go_away(stack)
    expect(page.get_by_test_id("event-toast").first).to_be_visible(timeout=EVENT_MS)
    page.wait_for_function(f"window.notes > {ALARM_NOTES}")


def test_what_is_done_with_alarms(page: Page, stack: Stack) -> None:
    go_away(stack)
    come(stack)
    open_page(page, stack, "en", "/alarm/alarmlog?type=4&status=0")
    rows = page.get_by_test_id("alarms-row")
    expect(rows).to_have_count(1)
    rows.first.get_by_test_id("handle-1").click()
    expect(rows).to_have_count(0)
    page.get_by_test_id("undo").click()
    expect(rows).to_have_count(1)
    rows.first.locator("td").nth(1).click()
    page.get_by_test_id("handle-note").fill("somebody goes and looks")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_have_count(0)
    expect(rows).to_have_count(1)  # a note closes nothing
    rows.first.locator("td").nth(1).click()
    expect(page.get_by_test_id("alarm-record").locator("[data-what=noted]")).to_contain_text("goes and looks")
    page.get_by_test_id("handle-status").get_by_text("Handled", exact=True).click()
    page.get_by_test_id("handle-note").fill("the fuse was replaced")
    page.get_by_test_id("form-save").click()
    expect(rows).to_have_count(0)
    page.evaluate(GO, "/alarm/alarmlog?type=4&status=1&search=fuse")
    expect(rows).to_have_count(1)
    rows.first.locator("td").nth(1).click()
    page.get_by_test_id("handle-status").get_by_text("Reset to unhandled", exact=True).click()
    page.get_by_test_id("handle-note").fill(" ")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_text("Enter a reason", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_test_id("confirm-yes").click()
    page.get_by_test_id("table-more").click()
    with page.expect_download() as told:
        page.get_by_test_id("table-export").click()
    book = load_workbook(io.BytesIO(told.value.path().read_bytes()))
    head, row = book.active.iter_rows(values_only=True)
    assert dict(zip(head, row, strict=True))["Note"] == "the fuse was replaced"
    rows.first.get_by_test_id("row-remove").click()
    page.get_by_test_id("confirm-yes").click()
    expect(rows).to_have_count(0)
    assert stack.api.get("/event/alarmlog?search=fuse")["total"] == 0


def test_many_are_handled_together(page: Page, stack: Stack) -> None:
    go_away(stack)
    come(stack)
    open_page(page, stack, "en", "/alarm/alarmlog?range=pastHour")
    expect(page.get_by_test_id("alarms-row").first).to_be_visible()
    page.get_by_label("Select all rows shown").check()
    page.get_by_test_id("bulk-handle").click()
    page.get_by_test_id("form-cancel").click()
    expect(page.get_by_test_id("selection-bar")).to_be_visible()
    page.get_by_test_id("bulk-handle").click()
    page.get_by_test_id("handle-note").fill("all at once")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("selection-bar")).to_have_count(0)
    expect(page.get_by_text("skipped")).to_be_visible()  # recoveries have nothing to handle
    assert stack.api.get("/event/alarmlog?status=0")["total"] == 0


def test_a_gap_is_filled(page: Page, stack: Stack) -> None:
    wires: list[WebSocketRoute] = []
    cut = False

    def through(wire: WebSocketRoute) -> None:
        if cut:
            wire.close()
            return
        wire.connect_to_server()
        wires.append(wire)

    page.route_web_socket(re.compile("/api/v1/ws"), through)
    notify(stack, alarm=True)
    open_page(page, stack, "en", "/alarm/alarmlog")
    rows = page.get_by_test_id("alarms-row")
    expect(page.get_by_test_id("empty-state")).to_be_visible()
    cut = True
    wires[-1].close()
    expect(page.get_by_test_id("connection-banner")).to_be_visible()
    go_away(stack)
    expect(rows).to_have_count(0)
    cut = False
    expect(rows).to_have_count(1, timeout=BACK_MS)
    expect(page.get_by_test_id("event-toast").first).to_be_visible(timeout=EVENT_MS)


def test_a_page_that_nobody_looks_at_asks_nothing(page: Page, stack: Stack) -> None:
    notify(stack, alarm=True)
    open_page(page, stack, "en", "/alarm/alarmlog")
    rows = page.get_by_test_id("alarms-row")
    expect(page.get_by_test_id("empty-state")).to_be_visible()
    settle(page)  # what the page asks at its beginning
    page.evaluate(LOOK_AWAY, True)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    go_away(stack)
    page.wait_for_function(f"window.notes >= {ALARM_NOTES}")
    page.wait_for_timeout(QUIET_MS)
    assert [url for url in asked if "/api/" in url] == []
    assert page.evaluate("window.notes") == ALARM_NOTES
    page.evaluate(LOOK_AWAY, False)
    expect(rows).to_have_count(1)
    expect(page.get_by_test_id("event-toast")).to_be_visible()


def test_a_flood_is_one_toast_and_few_calls(page: Page, stack: Stack, language: str) -> None:
    wires: list[WebSocketRoute] = []

    def through(wire: WebSocketRoute) -> None:
        wire.connect_to_server()
        wires.append(wire)

    page.route_web_socket(re.compile("/api/v1/ws"), through)
    notify(stack, alarm=True)
    open_page(page, stack, language, "/alarm/alarmlog")
    expect(page.get_by_test_id("empty-state")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for number in range(40):
        wires[-1].send(json.dumps(pushed(number)))
    expect(page.get_by_test_id("event-toast")).to_contain_text(TOGETHER[language])
    page.wait_for_timeout(QUIET_MS)
    expect(page.get_by_test_id("event-toast")).to_have_count(1)
    assert page.evaluate("window.notes") == ALARM_NOTES
    assert len([url for url in asked if "/event/" in url]) <= 6
    picture(page, "flood", language)


def pushed(number: int) -> dict[str, Any]:
    return {
        "type": "alarm", "pid": 0, "did": 1, "id": 1_000_000 + number, "event": "new",
        "at": 1_700_000_000_000 + number, "alarm_type": 1, "level": None, "status": 0,
    }  # fmt: skip


def test_one_tab_sounds_and_a_blocked_one_says_so(page: Page, stack: Stack) -> None:
    notify(stack, alarm=True)
    open_page(page, stack, "en", "/alarm/alarmlog")
    second = page.context.new_page()
    second.add_init_script(COUNT_NOTES + UNTOUCHED)
    second.goto("/alarm/onOffline")
    blocked = second.get_by_test_id("sound-blocked")
    expect(blocked).to_be_visible()
    assert violations(second) == []
    blocked.click()
    expect(blocked).to_have_count(0)
    page.wait_for_timeout(1_000)  # the tabs agree on one
    go_away(stack)
    stack.wait(lambda: sounded(page, second) >= ALARM_NOTES, "one of the tabs sounds")
    page.wait_for_timeout(QUIET_MS)
    assert sounded(page, second) == ALARM_NOTES


def sounded(*tabs: Page) -> int:
    return sum(tab.evaluate("window.notes") for tab in tabs)


def test_on_a_phone(browser: Browser, stack: Stack) -> None:
    size = {"width": 390, "height": 844}
    context = browser.new_context(viewport=size, base_url=stack.api.base, color_scheme="dark")
    page = context.new_page()
    page.set_viewport_size({"width": 1366, "height": 844})
    open_page(page, stack, "zh", "/alarm/alarmlog")
    page.set_viewport_size(size)
    page.get_by_test_id("notifications").click()
    expect(page.get_by_test_id("events-full-log")).to_be_visible()
    assert violations(page) == []
    picture(page, "notifications-phone", "zh")
    page.get_by_test_id("events-settings").click()
    expect(page.get_by_test_id("try-alarm")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    context.close()
