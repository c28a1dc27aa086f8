"""Templates on the real stack: made from a meter's items and from a slave, changed, applied to a draft."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

POINTS, GATEWAYS = "/device/slaveDeviceTemplate", "/device/template"
PHONE = {"width": 390, "height": 844}


def choose(page: Page, test_id: str, words: str) -> None:
    page.get_by_test_id(test_id).click()
    page.get_by_role("option", name=words).first.click()
    expect(page.get_by_role("option")).to_have_count(0)


def choose_first(page: Page, test_id: str) -> None:
    page.get_by_test_id(test_id).click()
    page.get_by_role("option").first.click()
    expect(page.get_by_role("option")).to_have_count(0)  # else the next list's first is still one of these


def make(page: Page, title: str, source: str) -> None:
    page.get_by_test_id("template-new").click()
    page.get_by_test_id("node-title").fill(title)
    choose(page, "node-from", source)


def save_form(page: Page, title: str) -> None:
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("template-title")).to_have_text(title)


def discard(stack: Stack) -> None:
    """Other tests find the gateway without a draft."""
    stack.api.call("DELETE", "/device/1/configuration/draft")


def test_a_template_from_a_slave_reaches_its_gateway(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", POINTS)
    make(page, "电能表", "DL/T 645-2007")
    save_form(page, "电能表")
    expect(page.get_by_role("gridcell", name="A 相电压").first).to_be_visible()
    picture(page, "templates-points", "zh")

    make(page, "锅炉从机", "现有从机")
    choose_first(page, "node-device")
    choose_first(page, "node-slave")
    page.get_by_role("switch", name="同时关联").check()
    save_form(page, "锅炉从机")

    settle(page)  # the sheet of the other template is gone
    page.get_by_role("gridcell").nth(1).dblclick()
    page.keyboard.type("换了名称")
    page.keyboard.press("Enter")
    page.get_by_test_id("template-save").click()
    expect(page.get_by_text("已保存为版本 v2", exact=False)).to_be_visible()
    page.get_by_test_id("template-view").get_by_text("使用情况").click()
    expect(page.get_by_test_id("usage-gateway")).to_have_count(1)
    page.get_by_test_id("template-apply").click()
    row = page.get_by_test_id("apply-row")
    expect(row).to_have_attribute("data-state", "change")
    assert violations(page) == []
    picture(page, "templates-apply", "zh")
    page.get_by_test_id("apply-go").click()
    expect(page.get_by_test_id("result-row")).to_have_attribute("data-state", "change")
    page.get_by_test_id("apply-close").click()
    discard(stack)


def test_a_gateway_template_on_a_phone(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", GATEWAYS)
    make(page, "锅炉房网关", "现有网关")
    choose_first(page, "node-device")
    save_form(page, "锅炉房网关")
    expect(page.get_by_test_id("template-part")).to_be_visible()
    assert violations(page) == []
    picture(page, "templates-gateway", "zh")
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    picture(page, "templates-phone", "zh")
