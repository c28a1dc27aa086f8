"""An operator sets a limit, tries it on what is stored, saves it, and is told when a value is beyond it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

LIMIT, BEYOND, BACK = 1.4, 1.5, 1.0
RAISED_MS = 60_000
DEVICE = 1


def point(stack: Stack) -> int:
    rows = stack.api.get(f"/device/dss?device_id={DEVICE}")["rows"]
    return next(row["dsid"] for row in rows if row["ds_name"] == "pressure_setpoint")


def write(stack: Stack, value: float) -> None:
    stack.api.call("POST", "/device/cmd", {"dsid": point(stack), "value": value})


def chosen(page: Page, field: str, search: str) -> None:
    """The first of what is offered for a search."""
    page.get_by_test_id(field).click()
    page.get_by_test_id(field).fill(search)
    option = page.get_by_role("option").filter(visible=True).first
    expect(option).to_be_visible()
    option.click()


def drag(page: Page, handle: Locator, down_px: int) -> None:
    """Take it in its middle and let it go further down."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + down_px, steps=5)
    page.mouse.up()


def test_a_limit_from_the_first_entry_to_its_alarm(page: Page, stack: Stack, language: str) -> None:
    title = f"Pressure-{language}"
    write(stack, BACK)
    sign_in(page, stack, language, "/alarm/trigger")
    page.get_by_test_id("add-trigger").click()
    page.get_by_test_id("trigger-title").fill(title)
    page.get_by_test_id("rules.0-title").fill(f"too high {language}")
    chosen(page, "rules.0.conditions.0-device", "Boiler")
    chosen(page, "rules.0.conditions.0-subject", "setpoint" if language == "en" else "")
    page.get_by_test_id("rules.0.conditions.0-threshold").fill(str(LIMIT))
    threshold = page.get_by_test_id("rules.0.conditions.0-threshold")
    handle = page.get_by_test_id("handle-threshold")
    handle.focus()
    page.keyboard.press("PageUp")
    expect(threshold).not_to_have_value(str(LIMIT))
    moved = float(threshold.input_value())
    assert moved > LIMIT
    drag(page, handle, 40)
    assert float(threshold.input_value()) < moved
    threshold.fill(str(LIMIT))
    if language == "en":  # the point that is written to; the other language takes the first one
        expect(page.get_by_test_id("rule-now")).to_have_attribute("data-holds", "false")
    expect(page.get_by_test_id("condition-now")).to_have_count(1)
    page.get_by_test_id("backtest").click()
    expect(page.get_by_test_id("backtest-outcome")).to_be_visible()
    assert violations(page) == []
    picture(page, "trigger-form", language)
    page.get_by_test_id("trigger-save").click()
    row = page.get_by_test_id("triggers-row").filter(has_text=title)
    expect(row).to_be_visible()
    assert violations(page) == []
    picture(page, "triggers", language)
    saved = stack.api.get(f"/trigger?search={title}")["rows"][0]
    stack.api.call("DELETE", f"/trigger/{saved['id']}")


def test_the_alarm_is_in_the_list_and_in_the_log(page: Page, stack: Stack) -> None:
    condition = {"type": 1, "dsid": point(stack), "trigger_optype": 1, "trigger_threshold": LIMIT}
    rule = {"title": "setpoint too high", "conditions": [condition]}
    made = stack.api.call("POST", "/trigger", {"title": "Watched", "rules": [rule]})
    try:
        write(stack, BEYOND)
        sign_in(page, stack, "en", "/alarm/alarmlog")
        event = page.get_by_test_id("alarms-row").filter(has_text="setpoint too high").first
        expect(event).to_be_visible(timeout=RAISED_MS)
        page.goto("/alarm/trigger")
        row = page.get_by_test_id("triggers-row").filter(has_text="Watched")
        expect(row).to_contain_text(re.compile("Alarm since"))
        row.get_by_role("link", name="Watched").click()
        expect(page.get_by_test_id("rules.0.conditions.0-threshold")).to_have_value(str(LIMIT))
    finally:
        write(stack, BACK)
        stack.api.call("DELETE", f"/trigger/{made['id']}")
