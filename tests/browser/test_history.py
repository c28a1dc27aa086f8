"""Historical data: points of a gateway in a chart and a table, zoom and its way back, comparison, a file."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

PATH = "/dataCenter/hisData?device_id=1"
JOB_MS = 60_000


def put_old_sample(stack: Stack, days: int) -> None:
    """One so many days old: only what has something as old counts as lost."""
    t_ms = int((time.time() - days * 86_400) * 1000)
    path = stack.data / "cloud" / "timeseries.db"
    with contextlib.closing(sqlite3.connect(path, timeout=20)) as connection, connection:
        row = "INSERT INTO sample (series, t_ms, value, kind, quality) VALUES (1, ?, 1.5, 1, 0)"
        connection.execute(row, (t_ms,))


def choose_points(page: Page, count: int) -> None:
    page.get_by_test_id("point-chooser").click()
    ticks = page.get_by_test_id("point-tick")
    expect(ticks.first).to_be_visible()
    for at in range(1, count):  # the first is chosen
        ticks.nth(at * 2).click()
        expect(ticks.nth(at * 2)).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("chosen-point")).to_have_count(count)


def test_chart_zoom_comparison_and_table(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", PATH)
    chart = page.get_by_test_id("history-chart")
    expect(chart).to_have_attribute("data-samples", re.compile(r"[1-9]\d*"))
    expect(page.get_by_test_id("history-resolution")).to_have_text("原始数据")
    choose_points(page, 2)
    expect(page).to_have_url(re.compile(r"points=\d+%2C\d+"))
    expect(chart.locator("table tbody tr")).to_have_count(2)
    page.get_by_test_id("history-compare").click(force=True)
    expect(chart.locator("table tbody tr")).to_have_count(4)
    assert violations(page) == []
    picture(page, "history-screen", "zh")

    over = chart.locator(".u-over")
    area = over.bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + area["width"] * 0.5, area["y"] + 40)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] + 9, area["y"] + 40, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile("zoom_start="))
    first = page.url
    expect(over).to_be_visible()
    settle(page)  # the chart follows the address a moment later
    page.mouse.move(area["x"] + area["width"] - 1, area["y"] + 40)  # where the newest samples are
    page.mouse.wheel(0, -120)
    page.wait_for_function("before => location.href !== before", arg=first)
    settle(page)
    page.get_by_test_id("zoom-back").click()
    expect(page).to_have_url(first)
    settle(page)
    page.keyboard.press("Control+z")
    expect(page).not_to_have_url(re.compile("zoom_start="))

    page.get_by_test_id("history-view").locator("label").last.click()
    table = page.get_by_test_id("history-table")
    expect(table.get_by_role("columnheader")).to_have_count(3)
    expect(table.get_by_role("row").nth(2)).to_be_visible()


def test_a_file_of_the_period(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", PATH)
    page.get_by_test_id("history-export").click()
    expect(page.get_by_test_id("export-ask")).to_be_visible()
    page.mouse.move(0, 0)
    expect(page.get_by_role("tooltip")).to_have_count(0)
    assert violations(page) == []
    page.get_by_test_id("export-ask").click()
    expect(page.get_by_test_id("job")).to_have_attribute("data-state", "completed", timeout=JOB_MS)
    with page.expect_download() as found:
        page.get_by_test_id("job-download").click()
    assert found.value.suggested_filename.endswith(".xlsx")


def test_the_last_points_are_remembered(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", PATH)
    choose_points(page, 2)
    page.get_by_test_id("point-chooser").click()
    with page.expect_response(lambda reply: "/user/option" in reply.url and reply.request.method == "PUT"):
        page.get_by_test_id("point-star").nth(1).click()
    assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('favourite'))") == []
    page.goto("/dataCenter/hisData")
    expect(page.get_by_test_id("empty-state")).to_contain_text("Select points first")
    page.get_by_test_id("point-chooser").click()
    expect(
        page.get_by_test_id("point-star").and_(page.locator('[aria-pressed="true"]')).first
    ).to_be_visible()
    page.get_by_test_id("point-tick").first.click()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("history-chart")).to_be_visible()
    expect(page).to_have_url(re.compile(r"devices=1"))


def test_days_of_history_are_set_after_what_they_delete_was_told(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/other/dataRetention")
    platform = page.get_by_test_id("retention-platform")
    expect(platform).to_contain_text("kept forever")
    assert violations(page) == []
    put_old_sample(stack, 6_000)
    platform.get_by_test_id("retention-edit").click()
    page.get_by_test_id("kept-raw_days").fill("3650")
    page.get_by_test_id("kept-minute_days").fill("20")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_contain_text("Must not be shorter than for finer data")
    page.get_by_test_id("kept-minute_days").fill("0")
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("retention-losses")).to_contain_text("Samples of 1 point before")
    page.get_by_test_id("confirm-no").click()
    expect(platform).to_contain_text("kept forever")
    page.get_by_test_id("form-save").click()
    page.get_by_test_id("confirm-yes").click()
    expect(platform).to_contain_text("3650 d")

    page.goto(PATH)
    page.get_by_test_id("history-kept").click()
    expect(page.get_by_test_id("retention-source")).to_have_attribute("data-source", "platform")
    page.get_by_test_id("kept-raw_days").fill("4000")
    page.get_by_test_id("form-save").click()  # longer: nothing is deleted, nothing is asked
    expect(page.get_by_test_id("form-drawer")).to_have_count(0)
    put_old_sample(stack, 3_800)  # kept for this point alone; the older one goes within a minute
    page.get_by_test_id("history-kept").click()
    expect(page.get_by_test_id("retention-source")).to_have_attribute("data-source", "point")
    assert violations(page) == []
    page.get_by_test_id("retention-back").click()
    page.get_by_test_id("confirm-yes").click()
    expect(page.get_by_test_id("form-drawer")).to_have_count(0)
    page.goto("/other/dataRetention")
    platform.get_by_test_id("retention-edit").click()
    page.get_by_test_id("retention-back").click()
    expect(platform).to_contain_text("kept forever")
