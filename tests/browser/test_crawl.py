"""Every screen in both languages: a heading, its title, no error, no failed call, nothing too wide.

EDGE_CRAWL_AXE=all checks all screens for accessibility in both colour schemes, instead of one of each kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, TimeoutError, expect
from stack import Stack

from .manifest import OUTSIDE_OTA, address, routes, switched
from .steps import GO, QUIET, QUIET_FRAMES, choose_language, prefer, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ALL_AXE = os.environ.get("EDGE_CRAWL_AXE") == "all"
DESKTOP = {"width": 1366, "height": 820}
PHONE = {"width": 390, "height": 844}
SHOWN_MS = 30_000
CHINESE = re.compile("[\u4e00-\u9fff]")
OF_A_DEVICE = ("deviceDetail", "deviceDetail/index", "slavedevice")
"""Their tabs are called as the device is."""
SAMPLE = ("/monitor/device", "/monitor/list", "/monitorScreen/screen", "/flow-link", "/user/me")

HEADING = """path => {
  const page = [...document.querySelectorAll('[data-screen]')].find(
    one => one.dataset.screen === path && one.checkVisibility());
  const shown = heading => heading.checkVisibility() && heading.innerText.trim();
  return page && [...page.querySelectorAll('h1, h2')].some(shown);
}"""
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
WALK = f"""async ([visits, patienceMs, frames]) => {{
  const heading = {HEADING}, quiet = {QUIET};
  const until = async done => {{
    const end = performance.now() + patienceMs;
    while (!done()) {{
      if (performance.now() > end) return false;
      await new Promise(requestAnimationFrame);
    }}
    return true;
  }};
  const found = {{}};
  for (const {{ path, address, pending }} of visits) {{
    history.pushState({{}}, '', address);
    const shown = await until(() => heading(path));
    window.quiet = 0;
    const rests = shown && await until(() => quiet(pending ? 2 : frames));
    const text = document.body.innerText;
    found[path] = {{ shown, rests, title: document.title, wide: {TOO_WIDE}, text, at: location.href }};
  }}
  return found;
}}"""
"""Goes to each screen as a link does; what is announced only asks for nothing and is soon at rest."""


@pytest.fixture
def everything(stack: Stack) -> Iterator[None]:
    """A cloud that offers all that can be switched on; afterwards as it was."""
    with switched(stack, ot=True, rl=True, announced=True):
        yield


def inside() -> list[dict[str, Any]]:
    """Screens behind the sign-in that a platform user may open while everything is on."""
    of_platform = [row for row in routes() if 0 in (row.get("userTypes") or [0])]
    return [row for row in of_platform if row["layout"] != "public" and row["path"] != OUTSIDE_OTA]


class Watch:
    """What must not happen while a page is shown, with the address where it did."""

    def __init__(self, page: Page) -> None:
        self.problems: list[str] = []
        self._page = page
        page.on("pageerror", lambda error: self._tell(f"error: {error}"))
        page.on("console", lambda said: self._console(said.type, said.text))
        page.on("response", self._response)
        page.on("requestfailed", lambda asked: self._failed(asked.url, asked.failure or ""))

    def _tell(self, what: str) -> None:
        self.problems.append(f"{self._page.url}: {what}")

    def _console(self, kind: str, text: str) -> None:
        left = "closed before the connection is established" in text  # as a call that is aborted
        drawn = "GL Driver Message" in text  # how fast a map is drawn without a graphics card
        if kind in ("error", "warning") and not (left or drawn):
            self._tell(f"console: {text}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self._tell(f"{response.status}: {response.url}")

    def _failed(self, url: str, why: str) -> None:
        if "ERR_ABORTED" not in why:  # the page was left
            self._tell(f"{why}: {url}")


def signed_in(browser: Browser, stack: Stack, language: str, scheme: str = "light") -> Page:
    context = browser.new_context(
        viewport=DESKTOP, base_url=stack.api.base, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    sign_in(page, stack, language, "/user/me")
    return page


def show(page: Page, row: dict[str, Any]) -> None:
    page.evaluate(GO, address(row["path"]))
    try:
        page.wait_for_function(HEADING, arg=row["path"], timeout=SHOWN_MS)
    except TimeoutError as error:
        raise AssertionError(f"{row['path']} shows no heading; the address is {page.url}") from error


def faults_of(row: dict[str, Any], found: dict[str, Any], language: str) -> list[str]:
    """What is wrong with a screen as it was found."""
    if not found["shown"]:
        return [f"it shows no heading; the address is {found['at']}"]
    faults = [] if found["rests"] else ["it never comes to rest"]
    if row["title"][language] not in found["title"] and not row["path"].endswith(OF_A_DEVICE):
        faults.append(f"its title is {found['title']}")
    if found["wide"]:
        faults.append("wider than the window")
    if language == "en":
        faults += [
            f"Chinese: {line}"
            for line in found["text"].splitlines()
            if CHINESE.search(line) and not re.search("[A-Za-z]{3}", line)
        ]
    return faults


@pytest.mark.usefixtures("everything")
@pytest.mark.timeout(360)
def test_every_screen(browser: Browser, stack: Stack) -> None:
    """One session for all: a page that was drawn once comes at once when it is opened again."""
    page = signed_in(browser, stack, "zh")
    watch = Watch(page)
    visits = [
        {"path": row["path"], "address": address(row["path"]), "pending": bool(row.get("pending"))}
        for row in inside()
    ]
    faults: dict[str, list[str]] = {}
    for language in ("zh", "en"):
        choose_language(page, language)
        for size in (DESKTOP, PHONE):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            found = page.evaluate(WALK, [visits, SHOWN_MS, QUIET_FRAMES])
            for row in inside():
                assert row["title"][language], row["path"]
                wrong = faults_of(row, found[row["path"]], language)
                faults[f"{row['path']} {language} {size['width']} px"] = wrong
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    page.context.close()
    assert {where: wrong for where, wrong in faults.items() if wrong} == {}
    assert watch.problems == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_public_screens(browser: Browser, stack: Stack, language: str, size: dict[str, int]) -> None:
    context = browser.new_context(viewport=size, base_url=stack.api.base)  # type: ignore[arg-type]
    page = context.new_page()
    page.add_init_script(prefer(language))
    watch = Watch(page)
    for path in (row["path"] for row in routes() if row["layout"] == "public"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert not page.evaluate(TOO_WIDE), path
        chinese = CHINESE.search(page.locator("body").inner_text())
        assert bool(chinese) == (language == "zh"), path
    context.close()
    assert watch.problems == []


@pytest.mark.usefixtures("everything")
@pytest.mark.timeout(900 if ALL_AXE else 180)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(browser: Browser, stack: Stack, scheme: str) -> None:
    page = signed_in(browser, stack, "zh", scheme)
    found: dict[str, list[str]] = {}
    for row in (row for row in inside() if ALL_AXE or row["path"] in SAMPLE):
        show(page, row)
        rules = violations(page)
        if rules:
            found[row["path"]] = rules
    page.context.close()
    assert found == {}


def test_addresses_that_are_no_screen(browser: Browser, stack: Stack) -> None:
    page = signed_in(browser, stack, "zh")
    landing = re.compile("/dashboard/index$")
    outside = "/auth-redirect?redirect=https://elsewhere.example"
    for path in ("/", "/nope", "/nothing/here", "/deviceDetail/nope", "/auth-redirect", outside):
        page.goto(path)
        expect(page).to_have_url(landing)
    page.goto("/deviceDetail/index?device_id=999")
    page.get_by_test_id("device-gone-start").click()
    expect(page).to_have_url(landing)
    page.goto("/redirect/deviceDetail/index?device_id=1&tab=info")
    expect(page).to_have_url(re.compile(r":\d+/deviceDetail/index\?device_id=1&tab=info"))
    page.goto("/auth-redirect?redirect=/user/me")
    expect(page).to_have_url(re.compile(r":\d+/user/me$"))
    page.goto("/hisData")
    expect(page.locator('[data-screen="/dataCenter/hisData"] h1')).to_be_visible()
    for announced in ("/fee/overview", "/dataReport?id=3"):
        page.goto(announced)  # not built, and not shown
        expect(page).to_have_url(landing)
    page.goto(OUTSIDE_OTA)
    expect(page.locator(f'[data-screen="{OUTSIDE_OTA}"] h1')).to_be_visible()
    page.goto("/user/authrule")
    expect(page).to_have_url(re.compile("/401"))
    page.get_by_test_id("why").click()
    expect(page.get_by_test_id("why-reasons")).to_contain_text("权限规则")
    page.context.close()
