"""A trace of the gateway: frames as they happen, one of them decoded, pause, filter, export, end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

URL = "/ota/strace?gateway=1"
PHONE_WIDTH, PHONE_HEIGHT = 390, 844


@pytest.fixture(autouse=True)
def offered(stack: Stack) -> Iterator[None]:
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 1}})
    yield
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 0}})


def test_a_trace_is_watched_paused_filtered_and_exported(
    page: Page, stack: Stack, language: str, tmp_path: Path
) -> None:
    sign_in(page, stack, language, URL)
    page.get_by_test_id("strace-start").click()
    view = page.get_by_test_id("strace")
    expect(view).to_have_attribute("data-phase", "running")
    frames = page.locator("[data-testid=strace-line][data-kind=frame]")
    expect(frames.first).to_be_visible()
    page.get_by_test_id("strace-pause").click()
    expect(page.get_by_test_id("strace-behind")).to_contain_text(re.compile(r"[1-9]"))
    frames.first.click()
    expect(page.get_by_test_id("strace-dump")).to_contain_text("0000")
    expect(page.get_by_test_id("strace-fields")).to_contain_text("direction")
    assert violations(page) == []
    picture(page, "strace", language)
    page.get_by_test_id("strace-search").fill("no such words")
    expect(page.get_by_test_id("strace-line")).to_have_count(0)
    page.get_by_test_id("strace-search").fill("")
    expect(frames.first).to_be_visible()
    page.get_by_test_id("strace-export").click()
    with page.expect_download() as begun:
        page.get_by_test_id("strace-export-json").click()
    begun.value.save_as(tmp_path / "strace.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "strace.jsonl").read_text().splitlines()]
    assert any(row.get("kind") == "frame" and row.get("data") for row in rows)
    page.get_by_test_id("strace-pause").click()
    page.get_by_test_id("strace-stop").click()
    expect(view).to_have_attribute("data-phase", "ended")
    expect(frames.first).to_be_visible()
    page.set_viewport_size({"width": PHONE_WIDTH, "height": PHONE_HEIGHT})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    rows = stack.api.get("/ota/strace?device_id=1")["rows"]
    assert rows[0]["why"] == "done"
    assert rows[0]["entries"] > 0
