"""A gateway's port and its page, borrowed from the portal and given back."""

from __future__ import annotations

import json
import re

import pytest
import serial
from playwright.sync_api import Browser, Page, Route, expect
from stack import Stack, StackError

from .conftest import OUTPUT
from .steps import choose_language, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

DEVICE = 1
PORT = "rs485_2"
OPEN_TIMEOUT_MS = 30_000
NEGOTIATION_S = 30
"""The line's settings go through the cloud to the gateway and back."""


def open_tab(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language, f"/deviceDetail/index?device_id={DEVICE}&tab=remote")
    expect(page.get_by_test_id("open-port-form")).to_be_visible(timeout=OPEN_TIMEOUT_MS)


def known(stack: Stack) -> None:
    """Return when the cloud knows the gateway's ports."""
    path = f"/device/{DEVICE}/configuration"
    stack.wait(
        lambda: (stack.api.get(path)["running"] or {}).get("known"), "the ports are known", stack.agent
    )


def choose_port(page: Page) -> None:
    page.get_by_test_id("vcom-port").click()
    page.get_by_role("option", name=PORT).click()


def test_a_port_is_lent_and_given_back(page: Page, stack: Stack) -> None:
    known(stack)
    open_tab(page, stack, "zh")
    choose_port(page)
    expect(page.get_by_test_id("vcom-baud")).to_have_value("2400")
    page.get_by_test_id("open-port").click()
    address = page.get_by_test_id("lease-address")
    expect(address).to_be_visible(timeout=OPEN_TIMEOUT_MS)
    where = address.inner_text()
    with serial.serial_for_url(f"rfc2217://{where}?timeout={NEGOTIATION_S}", timeout=5) as line:
        assert (line.baudrate, line.is_open) == (9600, True)
        expect(page.get_by_test_id("lease-left")).to_have_text(re.compile(r"59:\d\d|1:00:00"))
        picture(page, "remote-open", "zh")
        page.reload()
        expect(address).to_have_text(where)
        with pytest.raises(StackError, match="busy"):
            stack.api.call("POST", f"/device/vcom/{DEVICE}", {"port": PORT})
        choose_port(page)
        expect(page.get_by_test_id("open-port")).to_be_disabled()
        page.get_by_test_id("close-port").click()
        expect(page.get_by_test_id("lease")).to_have_count(0, timeout=OPEN_TIMEOUT_MS)
    past = page.get_by_test_id("past-lease").first
    expect(past).to_contain_text(PORT)
    expect(past).to_contain_text("由 admin 关闭")
    choose_language(page, "en")
    expect(past).to_contain_text("Closed by admin")
    expect(page.get_by_test_id("open-port")).to_be_enabled()
    picture(page, "remote-closed", "zh")


def test_the_gateways_page_opens_beside(page: Page, stack: Stack) -> None:
    open_tab(page, stack, "zh")
    with page.context.expect_page() as opened:
        page.get_by_test_id("open-page").click()
    beside = opened.value
    beside.wait_for_url(re.compile(r"^http://127\.0\.0\.1:\d+/"), timeout=OPEN_TIMEOUT_MS)
    expect(beside.locator("#password")).to_be_visible(timeout=OPEN_TIMEOUT_MS)
    assert beside.evaluate("window.opener") is None
    expect(page.get_by_test_id("page-left")).to_have_text(re.compile(r"59:\d\d|1:00:00"))
    picture(page, "remote-page", "zh")
    page.get_by_test_id("close-page").click()
    expect(page.get_by_test_id("page-lease")).to_have_count(0, timeout=OPEN_TIMEOUT_MS)
    assert not stack.api.get(f"/device/rproxy/{DEVICE}?mode=status")["open"]


def test_an_offline_gateway_says_so(page: Page, stack: Stack) -> None:
    def offline(route: Route) -> None:
        reply = route.fetch()
        body = reply.json()
        body["data"]["link"]["online"] = False
        route.fulfill(response=reply, body=json.dumps(body))

    page.route(re.compile(rf"/api/v1/device/{DEVICE}$"), offline)
    open_tab(page, stack, "en")
    expect(page.get_by_test_id("remote-offline")).to_be_visible()
    expect(page.get_by_test_id("open-port")).to_be_disabled()
    expect(page.get_by_test_id("open-page")).to_be_disabled()
    page.unroute_all(behavior="ignoreErrors")  # an answer under way would end with the page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation_and_no_overflow(browser: Browser, stack: Stack, scheme: str) -> None:
    known(stack)
    context = browser.new_context(
        viewport={"width": 360, "height": 780} if scheme == "dark" else {"width": 1366, "height": 820},
        base_url=stack.api.base,
        color_scheme=scheme,
    )
    page = context.new_page()
    open_tab(page, stack, "zh" if scheme == "light" else "en")
    choose_port(page)
    page.get_by_test_id("vcom-mode").locator("label").last.click()
    page.get_by_test_id("open-port").click()
    expect(page.get_by_test_id("lease-address")).to_be_visible(timeout=OPEN_TIMEOUT_MS)
    found = violations(page)
    if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
        found.append("wider than the window")
    page.screenshot(path=OUTPUT / f"remote-{scheme}.png", full_page=True)
    page.get_by_test_id("close-port").click()
    expect(page.get_by_test_id("lease")).to_have_count(0, timeout=OPEN_TIMEOUT_MS)
    context.close()
    assert found == []
