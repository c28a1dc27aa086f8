"""An operator acknowledges, shelves and unshelves alarms; a keeper puts a gateway into maintenance."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .steps import picture, sign_in, violations
from .test_triggers import BACK, BEYOND, LIMIT, RAISED_MS, point, write

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

DEVICE = "/deviceDetail/index?device_id=1"
TITLE = "setpoint beyond"


@pytest.fixture
def alarm(stack: Stack) -> Iterator[int]:
    """The event of a rule that is latched and raised."""
    end_all(stack)
    condition = {"type": 1, "dsid": point(stack), "trigger_optype": 1, "trigger_threshold": LIMIT}
    rule = {"title": TITLE, "conditions": [condition], "latched": True}
    write(stack, BACK)
    stack.wait(lambda: stored(stack) == BACK, "the value is back: else the rule raises at once")
    made = stack.api.call("POST", "/trigger", {"title": "Centre", "rules": [rule]})
    write(stack, BEYOND)
    path = f"/event/alarmlog?view=active&search={TITLE.replace(' ', '%20')}"
    stack.wait(lambda: stack.api.get(path)["total"] > 0, "the alarm is raised")
    yield int(stack.api.get(path)["rows"][0]["id"])
    write(stack, BACK)
    stack.api.call("DELETE", f"/trigger/{made['id']}")
    end_all(stack)
    for row in stack.api.get("/event/alarmlog?limit=100")["rows"]:
        stack.api.call("DELETE", f"/event/alarmlog/{row['id']}")


def stored(stack: Stack) -> object:
    """The newest sample of history, which a new rule begins with; what a browser is shown may be newer."""
    newest = f"dsid={point(stack)}&start_ms=0&end_ms={2**53}&before_ms={2**53}&limit=1"
    return stack.api.get(f"/device/hisdata/rows?{newest}")["rows"][0]["value"]


def end_all(stack: Stack) -> None:
    for row in stack.api.get("/event/suppression?limit=100")["rows"]:
        stack.api.call("DELETE", f"/event/suppression/{row['id']}")


def test_acknowledged_shelved_and_unshelved(page: Page, stack: Stack, alarm: int, language: str) -> None:
    sign_in(page, stack, language, "/alarm/alarmlog")
    row = page.get_by_test_id("alarms-row").filter(has_text=TITLE)
    expect(row).to_be_visible(timeout=RAISED_MS)
    assert violations(page) == []
    picture(page, "alarm-centre", language)
    row.locator("td").nth(1).click()
    expect(page.get_by_test_id("alarm-trend")).to_be_visible()
    expect(page.get_by_test_id("alarm-record").locator("[data-what=raised]")).to_be_visible()
    assert violations(page) == []
    picture(page, "alarm-drawer", language)
    page.get_by_test_id("acknowledge").click()
    expect(page.get_by_test_id("acknowledge")).to_have_count(0)
    page.get_by_test_id("form-cancel").click()
    row.get_by_role("checkbox").check()
    page.get_by_test_id("bulk-shelve").click()
    page.get_by_test_id("suppress-reason").fill("pump is being repaired")
    assert violations(page) == []
    picture(page, "shelve", language)
    page.get_by_test_id("form-save").last.click()
    expect(row).to_have_count(0)
    page.get_by_test_id("view-quiet").click()
    suppressed = page.get_by_test_id("suppressions-row")
    expect(suppressed).to_contain_text("pump is being repaired")
    assert violations(page) == []
    picture(page, "shelved", language)
    suppressed.get_by_test_id("suppression-end").click()
    expect(suppressed).to_have_count(0)
    page.get_by_test_id("view-active").click()
    expect(row).to_be_visible()
    page.get_by_test_id("alarm-group").click(force=True)
    expect(page.get_by_test_id("alarmGroups-row").filter(has_text=TITLE)).to_be_visible()
    assert violations(page) == []
    page.get_by_test_id("view-report").click()
    expect(page.get_by_test_id("alarm-report")).to_contain_text(TITLE)
    assert violations(page) == []
    picture(page, "alarm-report", language)
    assert stack.api.get(f"/event/alarmlog/{alarm}")["alarm"]["state"] == "acknowledged"


def test_a_gateway_in_maintenance_is_quiet(page: Page, stack: Stack, alarm: int) -> None:
    sign_in(page, stack, "en", DEVICE)
    page.get_by_test_id("gateway-menu").click()
    page.get_by_test_id("maintenance-begin").click()
    page.get_by_test_id("suppress-reason").fill("works on the boiler")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("maintenance")).to_contain_text("In maintenance until")
    assert violations(page) == []
    picture(page, "maintenance", "en")
    assert stack.api.get(f"/event/alarmlog/{alarm}")["alarm"]["state"] == "suppressed"
    assert stack.api.get("/device?page=1&limit=1")["rows"][0]["status"] != "alarm"
    page.get_by_test_id("maintenance-end").click()
    expect(page.get_by_test_id("maintenance")).to_have_count(0)
    assert stack.api.get(f"/event/alarmlog/{alarm}")["alarm"]["state"] == "unacknowledged"


def acknowledged(stack: Stack) -> set[int]:
    rows = stack.api.get("/event/alarmlog?view=active&page=1&limit=100")["rows"]
    return {row["id"] for row in rows if row["acked_ms"] is not None}


@pytest.mark.usefixtures("alarm")
def test_acknowledged_on_a_phone(browser: Browser, stack: Stack) -> None:
    size = {"width": 390, "height": 844}
    context = browser.new_context(
        viewport=size, base_url=stack.api.base, color_scheme="dark", has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    sign_in(page, stack, "zh", "/alarm/alarmlog")
    buttons = page.get_by_test_id("acknowledge-row")
    expect(buttons.first).to_be_visible()
    waiting = buttons.count()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    picture(page, "alarm-centre-phone", "zh")
    before = acknowledged(stack)
    buttons.first.tap()
    expect(buttons).to_have_count(waiting - 1)
    assert len(acknowledged(stack) - before) == 1
    context.close()


@pytest.mark.parametrize("width", [1366, 390])
def test_a_shift_begins_with_what_is_kept_quiet(
    page: Page, stack: Stack, alarm: int, language: str, width: int
) -> None:
    """Shelved in the row; said in the drawer, the active list, the trigger's row and on the landing page."""
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(page, stack, language, "/alarm/alarmlog")
    row = page.get_by_test_id("alarms-row").filter(has_text=TITLE)
    expect(row).to_be_visible(timeout=RAISED_MS)
    picture(page, f"active-{width}", language)
    row.get_by_test_id("shelve-row").click()
    page.get_by_test_id("suppress-reason").fill("pump is being repaired")
    page.get_by_test_id("form-save").last.click()
    expect(row).to_have_count(0)
    expect(page.get_by_test_id("quiet-shelved")).to_be_visible()
    assert violations(page) == []
    picture(page, f"active-quiet-{width}", language)
    for name, path in (("overview", "/dashboard/index"), ("triggers", "/alarm/trigger")):
        page.goto(path)
        said = page.get_by_test_id("overview-quiet" if name == "overview" else "kept-quiet")
        said.scroll_into_view_if_needed()
        expect(said).to_be_visible()
        assert violations(page) == []
        picture(page, f"{name}-quiet-{width}", language)
    page.goto(f"/alarm/alarmlog?event={alarm}")
    quiet = page.get_by_test_id("kept-quiet")
    expect(quiet).to_contain_text("pump is being repaired")
    assert violations(page) == []
    picture(page, f"drawer-quiet-{width}", language)
    quiet.get_by_test_id("suppression-end").click()
    expect(quiet).to_have_count(0)
    page.get_by_test_id("form-cancel").click()
    expect(row).to_be_visible()
