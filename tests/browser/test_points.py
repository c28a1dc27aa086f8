"""Slave devices and points in the portal: added, pasted, found faulty, kept in the draft, read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

EDITOR = "/device/gateway/slavedevice?device_id=1"
ANSWER_TIMEOUT_MS = 40_000
"""A command expires after 20 s."""

PHONE = ViewportSize(width=390, height=844)

PASTE = """text => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  const field = document.querySelector('[data-testid="sheet-field"]');
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
}"""

POINTS = "\n".join(
    f"{name}\t液位 {name}\t数值\t只读\tuint16\t4X\t{offset}"
    for name, offset in (("level1", 0), ("level2", 1), ("level3", 70_000))
)
"""Identifier, title, type, access, data type, register type and address, as Excel copies them."""


@pytest.fixture(autouse=True)
def settled(stack: Stack) -> Iterator[None]:
    """Begins and ends without a draft."""
    stack.wait(
        lambda: (state(stack)["running"] or {}).get("known"), "the configuration is known", stack.agent
    )
    yield
    if state(stack)["draft"]:
        stack.api.call("DELETE", "/device/1/configuration/draft")


def state(stack: Stack) -> Any:
    return stack.api.get("/device/1/configuration")


def test_from_a_new_slave_to_its_points_in_the_draft(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", EDITOR)
    page.locator('[data-testid="tree-node"][data-id="port:lan"]').click()
    page.get_by_test_id("tree-addSlave").click()
    page.get_by_test_id("slave-name").fill("tank")
    expect(page.get_by_test_id("slave-port")).to_have_value("lan")
    page.get_by_test_id("form-save").click()
    expect(page.locator('[data-testid="tree-node"][data-id="slave:tank"]')).to_be_visible()

    page.get_by_test_id("sheet-insert").click()
    expect(page.get_by_test_id("points-row")).to_have_count(1)
    page.get_by_test_id("points-row").get_by_role("gridcell").first.click()
    page.evaluate(PASTE, POINTS)
    expect(page.get_by_test_id("points-row")).to_have_count(3)
    expect(page.get_by_test_id("sheet-faults")).to_have_attribute("data-level", "error")
    expect(page.get_by_test_id("sheet-notice")).to_be_empty()
    expect(page.get_by_test_id("points-unsaved")).to_have_attribute("data-count", "3")
    assert violations(page) == []
    picture(page, "points", "zh")

    page.get_by_test_id("points-save").click()
    expect(page.get_by_test_id("points-unsaved")).to_have_attribute("data-count", "0")
    expect(page.get_by_test_id("points-undeployed")).to_be_visible()
    kept = stack.api.get("/device/1/point?slave=tank")
    assert [(row["ds_name"], row["regtype"], row["addroffset"]) for row in kept["rows"]] == [
        ("level1", "4X", 0), ("level2", "4X", 1), ("level3", "4X", 70_000),
    ]  # fmt: skip
    assert {fault["name"] for fault in kept["faults"]} == {"level3"}


def test_a_running_point_is_read_through_the_gateway(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", f"{EDITOR}&slave=boiler")
    expect(page.get_by_test_id("points-row").first).to_be_visible()
    page.get_by_test_id("points-read").click()
    expect(page.get_by_test_id("point-reading").first).to_have_attribute(
        "data-state", "read", timeout=ANSWER_TIMEOUT_MS
    )


def named(page: Page, name: str) -> Locator:
    return page.get_by_test_id("points-row").filter(has_text=name).get_by_role("gridcell").first


def test_saving_keeps_the_cursor_the_view_and_undo(page: Page, stack: Stack) -> None:
    """And the names stay in view, however far to the right the sheet is scrolled; on a phone too."""
    sign_in(page, stack, "en", f"{EDITOR}&slave=boiler")
    first = page.locator('[data-row="0"]')
    name = first.get_by_role("gridcell").first.inner_text()
    frame = page.get_by_test_id("points-frame")
    field = page.get_by_test_id("sheet-field")
    first.get_by_role("gridcell").nth(1).click()
    before = first.get_by_role("gridcell").nth(1).inner_text()
    page.keyboard.type("Renamed title")
    page.keyboard.press("Enter")
    page.set_viewport_size(PHONE)
    frame.evaluate("frame => { frame.scrollLeft = 300; frame.scrollTop = 40; }")
    at = field.get_attribute("aria-label")
    scrolled = frame.evaluate("frame => [frame.scrollLeft, frame.scrollTop]")
    assert scrolled[0] == 300
    page.get_by_test_id("points-save").click()
    expect(page.get_by_test_id("points-unsaved")).to_have_attribute("data-count", "0")
    expect(field).to_have_attribute("aria-label", str(at))
    assert frame.evaluate("frame => [frame.scrollLeft, frame.scrollTop]") == scrolled
    box, port = named(page, name).bounding_box(), frame.bounding_box()
    assert box is not None
    assert port is not None
    assert port["x"] <= box["x"] <= port["x"] + 60, "the name is frozen beside the row's number"
    assert box["width"] >= 70
    picture(page, "points-phone", "en")
    page.get_by_test_id("sheet-undo").click()
    expect(page.get_by_test_id("points-unsaved")).to_have_attribute("data-count", "1")
    frame.evaluate("frame => { frame.scrollLeft = 0; frame.scrollTop = 0; }")
    expect(first.get_by_role("gridcell").nth(1)).to_have_text(before)
    page.get_by_test_id("points-save").click()
    expect(page.get_by_test_id("points-unsaved")).to_have_attribute("data-count", "0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_alarm_settings_are_set_beside_their_points(page: Page, stack: Stack, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    sign_in(page, stack, "en", f"{EDITOR}&slave=boiler&group=alarm")
    expect(page.get_by_role("columnheader", name="Low alarm (L)")).to_be_visible()
    heads = page.get_by_role("columnheader").all_inner_texts()
    row = page.locator('[data-row="0"]')
    (column,) = [at for at, head in enumerate(heads) if head.split("\n")[0].startswith("Low alarm (L)")]
    cell = row.get_by_role("gridcell").nth(column - 1)
    cell.click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(cell).to_contain_text("7")
    expect(page.get_by_test_id("points-unsaved")).to_have_attribute("data-count", "1")
    assert violations(page) == []
    picture(page, f"points-alarm-{scheme}", "en")
