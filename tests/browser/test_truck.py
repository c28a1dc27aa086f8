"""A truck that drives: its place and its live values in the portal, and on the map."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from stack import Ports, Stack

from .steps import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PATIENCE_S = 60.0
PATIENCE_MS = 60_000
POINTS = 15
START = (121.4757, 31.2324)
NEAR_DEG = 0.01


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """In place of the session's: the page and the tests' own client use this one."""
    with Stack(tmp_path_factory.mktemp("truck"), Ports.free(), scenario="truck").running() as made:
        yield made


def place(stack: Stack) -> tuple[float, float] | None:
    """Longitude and latitude in degrees, as the cloud last stored them."""
    found = stack.api.get("/device/1/position")
    return None if found["longitude"] is None else (found["longitude"], found["latitude"])


def other_place(stack: Stack, than: tuple[float, float] | None) -> tuple[float, float]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = place(stack)
        if found is not None and found != than:
            return found
        time.sleep(0.2)
    raise AssertionError(f"no other place than {than} within {PATIENCE_S:.0f} s")


@pytest.mark.clause("C-144")
def test_the_truck_drives_over_the_map(page: Page, stack: Stack) -> None:
    stack.api.call("PUT", "/device/1/position", {"auto": True})
    first = other_place(stack, None)
    assert first == pytest.approx(START, abs=NEAR_DEG)
    sign_in(page, stack, "en", "/deviceDetail/index?device_id=1")
    table = page.get_by_test_id("live-table")
    expect(table.locator("[data-trust=good]")).to_have_count(POINTS, timeout=PATIENCE_MS)
    expect(page.get_by_test_id("value-place")).to_contain_text("°N 121.47")
    expect(page.get_by_test_id("value-model_live")).to_have_text("TANKER-1")
    page.get_by_test_id("place-link").first.click()
    expect(page.get_by_test_id("map-listed")).to_contain_text("1")
    card = page.get_by_test_id("device-card")
    expect(card).to_contain_text("121.4")
    shown = card.locator("p").first
    before = shown.inner_text()
    expect(shown).not_to_have_text(before, timeout=PATIENCE_MS)
    other_place(stack, first)
