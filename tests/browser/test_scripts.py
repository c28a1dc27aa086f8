"""Scripts of calculated points, tried out on the running gateway."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect
from stack import Stack

from .steps import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

EDITOR = "/device/gateway/slavedevice?device_id=1&slave=boiler"
TAKEN = re.compile(r"^p = [\d.]+\nq = [\d.]+$")
SCRIPT = "\n".join([*(f"a{line} = {line}" for line in range(1, 30)), "mean = (p + q) / 2"])


@pytest.fixture(autouse=True)
def settled(stack: Stack) -> Iterator[None]:
    """Ends without a draft."""
    yield
    if stack.api.get("/device/1/configuration")["draft"]:
        stack.api.call("DELETE", "/device/1/configuration/draft")


def test_a_script_is_written_and_tried_out(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", EDITOR)
    page.get_by_test_id("slaves-scripts").click()
    drawer = page.get_by_test_id("script-text")
    expect(drawer).to_be_visible()
    page.get_by_test_id("script-inputs").fill("p = steam_pressure\nq = boiler.steam_pressure")
    drawer.fill(SCRIPT)
    drawer.evaluate("field => { field.scrollTop = field.scrollHeight; }")
    lines = page.get_by_test_id("script-lines")
    assert lines.inner_text().split()[-1] == "30"
    page.wait_for_function(
        "() => { const top = id => document.querySelector(`[data-testid=${id}]`).scrollTop;"
        " return top('script-text') > 0 && top('script-text') === top('script-lines'); }"
    )
    page.get_by_test_id("script-current").click()
    expect(page.get_by_test_id("script-values")).to_have_value(TAKEN)
    page.get_by_test_id("script-values").fill("p = 4\nq = 8")
    page.get_by_test_id("script-try").click()
    expect(page.get_by_test_id("script-result")).to_contain_text("mean = 6")


def test_values_that_arrive_late_leave_what_was_typed(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", EDITOR)
    page.get_by_test_id("slaves-scripts").click()
    page.get_by_test_id("script-inputs").fill("p = steam_pressure\nq = steam_pressure")
    values = page.get_by_test_id("script-values")
    values.fill("p = -1\nq = -1")
    held: list[Route] = []
    page.route("**/api/v1/device/lastdps*", lambda route: held.append(route))
    with page.expect_request("**/api/v1/device/lastdps*"):
        page.get_by_test_id("script-current").click()
    values.fill("p = 400000\nq = -1")
    for route in held:
        route.continue_()
    expect(values).to_have_value(re.compile(r"^p = 400000\nq = [\d.]+$"))
