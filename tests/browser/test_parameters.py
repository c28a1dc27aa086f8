"""Parameters on the real stack: a group is changed and deployed, a plan leaves out a gateway with a draft."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .manifest import LINKS
from .steps import DEPLOY_TIMEOUT_MS, deploy_draft, go, picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

LIST = "/ota/device"
EDITOR = f"{LIST}?gateway=1&group="
PHONE = {"width": 390, "height": 844}
SECOND = "gw-parameters-2"
RUN_TIMEOUT_MS = 180_000
"""A canary with its trial of 30 s, and what a busy machine adds."""


@pytest.fixture(autouse=True)
def offered(stack: Stack) -> Iterator[None]:
    """With the switch for OTA; without plans afterwards."""
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 1}})
    yield
    for row in stack.api.get("/ota/parameter-plan?limit=100")["rows"]:
        stack.api.call("DELETE", f"/ota/parameter-plan/{row['id']}")
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 0}})


@pytest.fixture
def drafted(stack: Stack) -> Iterator[int]:
    """Number of another gateway, with a draft that nobody has deployed."""
    number: int = stack.api.call("POST", "/device", {"gateway_id": SECOND, "device_title": "Second"})[
        "device"
    ]["id"]
    groups = [{"name": "history", "rows": [{"retention_days": 7}]}]
    stack.api.call("PUT", f"/device/{number}/parameters", {"base": None, "groups": groups})
    yield number
    stack.api.call("DELETE", f"/device/{number}")


def test_a_group_is_changed_and_deployed_and_the_receipt_is_seen(
    page: Page, stack: Stack, tidy: None
) -> None:
    sign_in(page, stack, "en", LIST)
    page.get_by_test_id("ota-gateways-row").first.get_by_role("link").first.click()
    expect(page.get_by_test_id("group-form")).to_have_attribute("data-group", "run")
    page.get_by_test_id("group-history").click()
    form = page.get_by_test_id("group-form")
    expect(form).to_have_attribute("data-group", "history")
    if page.get_by_test_id("group-set").count():
        page.get_by_test_id("group-set").click()
    days = page.get_by_test_id("field-retention_days")
    days.fill("0")
    page.keyboard.press("Control+s")
    expect(days).to_have_attribute("aria-invalid", "true")
    days.fill("12")
    assert violations(page) == []
    picture(page, "parameters", "en")
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("draft-notice")).to_be_visible()
    page.get_by_test_id("undeployed-show").click()
    changed = page.get_by_test_id("field-change").filter(has_text="Retention (days)")
    expect(changed).to_contain_text("12")

    deploy_draft(page, f"{EDITOR}history")
    expect(page.get_by_test_id("draft-notice")).to_have_count(0)
    rows = stack.api.get("/device/1/parameters")
    (history,) = [group["rows"] for group in rows["groups"] if group["name"] == "history"]
    assert (history[0]["retention_days"], rows["undeployed"]) == (12, [])


def test_a_plan_reaches_the_gateway_without_a_draft(
    page: Page, stack: Stack, drafted: int, tidy: None
) -> None:
    sign_in(page, stack, "en", f"{LIST}?tab=plans")
    page.get_by_test_id("parameter-plans-create").click()
    page.get_by_test_id("plan-title").fill("Calm")
    title = stack.api.get("/device/1")["device_title"]
    for name in (title, "Second"):
        page.get_by_test_id("plan-devices").click()
        page.keyboard.type(name)
        page.get_by_role("option", name=name).first.click()
    page.keyboard.press("Escape")
    page.get_by_test_id("change-group").click()
    page.get_by_role("option", name="Run and power mode").click()
    page.get_by_test_id("change-fields").click()
    page.get_by_role("option", name="Report interval").click()
    page.keyboard.press("Escape")
    page.get_by_test_id("field-changes.0.values.report_interval_s").fill("2")
    assert violations(page) == []
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_have_count(0)

    page.get_by_test_id("plan-open").click()
    gateways = page.get_by_test_id("preview-gateway")
    expect(gateways.filter(has_text=SECOND)).to_have_attribute("data-skip", "has_draft")
    changed = gateways.filter(has_text=title).get_by_test_id("field-change")
    expect(changed).to_contain_text("Report interval")
    page.get_by_test_id("run-options").click()
    settle(page)
    assert violations(page) == []
    picture(page, "parameter-plan", "en")
    page.get_by_test_id("plan-run").click()
    page.get_by_test_id("confirm-yes").click()
    expect(page.get_by_test_id("job")).to_have_attribute("data-state", "completed", timeout=RUN_TIMEOUT_MS)
    expect(page.get_by_test_id("plan-run-row").filter(has_text="Second")).to_contain_text("draft")
    result = page.get_by_test_id("plan-results-row").filter(has_text=title)
    expect(result).to_contain_text("confirmed", timeout=DEPLOY_TIMEOUT_MS)
    result.get_by_test_id("result-receipts").click()
    expect(page.get_by_test_id("deployment")).to_have_attribute("data-state", "confirmed")
    assert stack.api.get(f"/device/{drafted}/configuration")["draft"] is not None


def test_the_ota_host_begins_with_the_list_which_fits_a_phone_and_the_dark(page: Page, stack: Stack) -> None:
    before = stack.api.get("/option?name=links")
    stack.api.call("PUT", "/option", {"name": "links", "value": {**LINKS, "ota_hosts": ["127.0.0.1"]}})
    try:
        sign_in(page, stack, "zh", "/")
        expect(page.locator(f'[data-screen="{LIST}"]')).to_be_visible()
        expect(page.get_by_test_id("ota-gateways-row").first).to_be_visible()
    finally:
        stack.api.call("PUT", "/option", before)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    for path in (LIST, f"{LIST}?tab=plans", f"{EDITOR}uart", f"{EDITOR}calibration"):
        go(page, path)
        assert violations(page) == [], path
        assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"], path
    picture(page, "parameters-phone", "zh")
