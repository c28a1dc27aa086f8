"""The live chart keeps its curves, and one silent slave of several is partly offline, not an alarm."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from stack import Ports, Stack

from .steps import choose_language, go, picture, settle, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PUSHED_MS = 12_000
"""Of curves that are pushed: more than three periods of a point and what a sample is under way."""
PULSE_MS = 90_000


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """In place of the session's, in whose curves outages and deployments of other files leave true gaps."""
    with Stack(tmp_path_factory.mktemp("chart"), Ports.free()).running() as made:
        yield made


def points_of(stack: Stack, slave: str) -> list[int]:
    """Numbers of a slave of which every reading is sent."""
    rows = stack.api.get("/device/dss?device_id=1")["rows"]
    return [
        row["dsid"]
        for row in rows
        if row["slave"] == slave and row["ds_type"] == "num" and row["record"] == 1
    ]


def test_a_point_that_is_added_makes_no_hole_in_the_others(page: Page, stack: Stack) -> None:
    first, second = points_of(stack, "boiler")[:2]
    sign_in(page, stack, "en")
    go(page, f"/deviceDetail/index?device_id=1&tab=chart&points={first}")
    chart = page.get_by_test_id("live-chart")
    expect(chart).to_have_attribute("data-samples", re.compile(r"^[1-9]\d*$"))
    page.wait_for_timeout(PUSHED_MS)
    expect(chart).to_have_attribute("data-breaks", "0")
    before = int(chart.get_attribute("data-samples") or "0")
    go(page, f"/deviceDetail/index?device_id=1&tab=chart&points={first},{second}")
    expect(chart).to_have_attribute(
        "data-samples", re.compile(r"^\d{2,},\d{2,}$")
    )  # the cloud has told of it
    kept, added = (int(part) for part in (chart.get_attribute("data-samples") or "").split(","))
    assert kept >= before and added >= before // 2
    expect(chart).to_have_attribute("data-breaks", "0")
    go(page, "/device/deviceManage")  # what is pushed is not heard behind another page
    page.wait_for_timeout(PUSHED_MS)
    go(page, f"/deviceDetail/index?device_id=1&tab=chart&points={first},{second}")
    expect(chart).to_have_attribute("data-breaks", "0")
    settle(page)
    picture(page, "chart-added", "en")


@pytest.fixture
def silent_meter(stack: Stack) -> Iterator[None]:
    plant = str(stack.data / "plant")
    stack._run("firmware_sim", "fault", plant, "office_meter", "silent")
    yield
    stack._run("firmware_sim", "fault", plant, "office_meter", "none")
    stack.wait(lambda: stack.api.get("/device/1")["status"] == "online", "every slave answers")


@pytest.mark.usefixtures("silent_meter")
def test_one_silent_slave_is_partly_offline(page: Page, stack: Stack) -> None:
    silent = points_of(stack, "office_meter")[0]
    sign_in(page, stack, "en")
    row = page.get_by_test_id("device-row").first
    expect(row).to_have_attribute("data-status", "partly", timeout=PULSE_MS)
    expect(row).to_contain_text("Partly offline")
    for language in ("zh", "en"):
        choose_language(page, language)
        settle(page)
        picture(page, "partly", language)
    go(page, "/monitor/device?status=alarm")
    expect(page.get_by_test_id("device-row")).to_have_count(0)
    go(page, "/monitor/device?status=partly")
    expect(page.get_by_test_id("device-row")).to_have_count(1)
    go(page, f"/deviceDetail/index?device_id=1&tab=chart&points={silent}")
    status = page.get_by_test_id("device-status")
    expect(status).to_have_text("Partly offline")
    expect(status.locator("[data-tone]")).to_have_attribute("data-tone", "warn")
    chart = page.get_by_test_id("live-chart")
    expect(chart).to_have_attribute("data-outages", re.compile(r"^[1-9]"))
    expect(chart.get_by_test_id("history-notes")).to_be_visible()
    settle(page)
    picture(page, "chart-outage", "en")
    go(page, "/device/deviceManage?status=partly")
    expect(page.get_by_role("row").filter(has_text="Partly offline")).to_have_count(1)
