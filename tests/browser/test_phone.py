"""Every screen on a phone, in both languages: nothing covers a control, the head leaves room, legends fit.

EDGE_PHONE_PICTURES=1 keeps a picture of every screen in test-output/.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect
from stack import Stack

from .manifest import OUTSIDE_OTA, address, routes, switched
from .steps import GO, go, picture, settle, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

PICTURES = os.environ.get("EDGE_PHONE_PICTURES") == "1"
PHONE = {"width": 390, "height": 844}
HEAD_SHARE = 0.25
SHOWN_MS = 40_000
LIST_HEAD_PX = 170
ADMINISTRATOR = 0
"""Type of the user that is signed in."""

COVERED = """() => {
  const controls = 'button, a[href], input, select, textarea, [role=button], [role=tab], [role=switch]';
  const shown = one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const stuck = one => {
    for (let at = one; at; at = at.parentElement) {
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return at;
    }
    return null;
  };
  const found = [];
  for (const end of [0, document.documentElement.scrollHeight]) {
    window.scrollTo(0, end);
    const top = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
    for (const one of document.querySelectorAll(controls)) {
      if (!shown(one) || one.closest('[role=dialog]')) continue;
      const box = one.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      // What lies behind the head, or beyond an edge, can be scrolled to.
      if (!box.width || x < 0 || x > innerWidth || y < top || y > innerHeight) continue;
      if (end > 0 && box.top < top) continue;
      const hit = document.elementFromPoint(x, y);
      if (!hit || hit.contains(one) || one.contains(hit) || one.labels?.[0]?.contains(hit)) continue;
      const cover = stuck(hit);
      if (cover && !cover.contains(one)) {
        found.push(`${one.outerHTML.slice(0, 90)} is under ${cover.outerHTML.slice(0, 90)}`);
      }
    }
  }
  window.scrollTo(0, 0);
  return found;
}"""
"""Controls whose middle something lies on that does not scroll, at the page's beginning and at its end."""

HEAD = """path => {
  const page = [...document.querySelectorAll('[data-screen]')].find(
    one => one.dataset.screen === path && one.checkVisibility());
  const title = page?.querySelector('h1');
  // A title without a bar of its own stands in the page itself.
  const bar = title?.parentElement?.matches('section, main, [data-screen]') ? title : title?.parentElement;
  const head = page?.querySelector('[data-testid=page-head]') ?? bar;
  if (!head || title.matches('.visually-hidden')) return 0;
  return head.getBoundingClientRect().height;
}"""

CLIPPED = """() => [...document.querySelectorAll('[data-testid=chart-legend]')].flatMap(frame => [
  ...(frame.scrollWidth > frame.clientWidth + 1 ? [`legend of ${frame.scrollWidth} px`] : []),
  ...[...frame.querySelectorAll('th, td')].filter(one => {
    const box = one.getBoundingClientRect();
    return one.checkVisibility() && (one.scrollWidth > one.clientWidth + 1 || box.right > innerWidth + 1);
  }).map(one => one.textContent),
])"""
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def everything(stack: Stack) -> Iterator[None]:
    with switched(stack, ot=True, rl=True):
        yield


@pytest.fixture
def phone(browser: Browser, stack: Stack, language: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport=PHONE, base_url=stack.api.base, reduced_motion="reduce", has_touch=True
    )
    page = context.new_page()
    sign_in(page, stack, language, "/user/me")
    yield page
    context.close()


def inside() -> list[dict[str, Any]]:
    return [
        row for row in routes()
        if row["layout"] != "public" and row["path"] != OUTSIDE_OTA
        and not row.get("pending") and not row.get("external")
        and ADMINISTRATOR in row.get("userTypes", [ADMINISTRATOR])
    ]  # fmt: skip


def faults_of(page: Page, path: str) -> list[str]:
    head = page.evaluate(HEAD, path)
    found = [f"{path}: {one}" for one in page.evaluate(COVERED) + page.evaluate(CLIPPED)]
    if head > HEAD_SHARE * PHONE["height"]:
        found.append(f"{path}: the head is {head:.0f} px high")
    if (wide := page.evaluate(WIDE)) > 0:
        found.append(f"{path}: {wide} px too wide")
    return found


@pytest.mark.usefixtures("everything")
def test_every_screen_on_a_phone(phone: Page, language: str) -> None:
    faults: list[str] = []
    for row in inside():
        path = row["path"]
        phone.evaluate(GO, address(path))
        try:
            expect(phone.locator(f'[data-screen="{path}"]')).to_be_visible(timeout=SHOWN_MS)
            settle(phone)
        except (AssertionError, TimeoutError):
            faults.append(f"{path}: is not shown")
            continue
        if PICTURES:
            picture(phone, f"phone{path.replace('/', '-')}", language)
        faults += faults_of(phone, path)
    assert faults == []


def test_the_choices_of_the_list_monitor_share_lines_on_a_phone(phone: Page) -> None:
    go(phone, "/monitor/list")
    expect(phone.get_by_test_id("monitor-count")).not_to_be_empty()
    assert phone.evaluate(HEAD, "/monitor/list") <= LIST_HEAD_PX
    phone.get_by_test_id("monitor-views").click()
    expect(phone.get_by_test_id("monitor-view-title")).to_be_visible()
    phone.keyboard.press("Escape")
    phone.get_by_test_id("monitor-view-as").locator("label").last.click()
    expect(phone).to_have_url(re.compile("view=tiles"))


TABS = ("slaves", "live", "chart", "command", "cmdlog", "history", "onoff", "info")


def test_every_tab_of_a_device_on_a_phone(phone: Page, stack: Stack, language: str) -> None:
    faults: list[str] = []
    for tab in TABS:
        go(phone, f"/deviceDetail/index?device_id=1&tab={tab}")
        expect(phone.get_by_test_id(f"tab-{tab}")).to_have_attribute("aria-selected", "true")
        settle(phone)
        if PICTURES:
            picture(phone, f"phone-device-{tab}", language)
        faults += faults_of(phone, "/deviceDetail/index")
    assert faults == []


def test_the_age_of_values_is_seen_on_a_phone(phone: Page, stack: Stack) -> None:
    go(phone, "/deviceDetail/index?device_id=1")
    first = phone.locator('[data-testid^="age-"]').first
    expect(first).to_be_visible()
    expect(first).not_to_be_empty()
    go(phone, "/monitor/list")
    expect(phone.locator('[data-part="age"]').first).to_be_visible()
