"""Every screen in both languages: a heading, its title, no error, no failed call, nothing too wide.

EDGE_CRAWL_AXE=all checks all screens for accessibility in both colour schemes, instead of one of each kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response, TimeoutError, expect
from stack import Stack

from .manifest import routes
from .steps import choose_language, fill_sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ALL_AXE = os.environ.get("EDGE_CRAWL_AXE") == "all"
DESKTOP = {"width": 1366, "height": 820}
PHONE = {"width": 390, "height": 844}
SHOWN_MS = 10_000
CHINESE = re.compile("[\u4e00-\u9fff]")
WITHOUT_OTA = "/ota-link"
QUERY = {"/deviceDetail": "?device_id=1", "/slavedevice": "?device_id=1&device_title=x"}
SAMPLE = ("/monitor/device", "/monitor/list", "/monitorScreen/screen", "/flow-link", "/user/me")
LINKS = {
    "ota": "https://ota.example",
    "flow": "https://flow.example",
    "gis": "/gis/",
    "screen": "https://screen.example",
    "ota_hosts": [],
}

GO = "path => history.pushState({}, '', path)"
HEADING = """path => {
  const page = [...document.querySelectorAll('[data-screen]')].find(
    one => one.dataset.screen === path && one.checkVisibility());
  const shown = heading => heading.checkVisibility() && heading.innerText.trim();
  return page && [...page.querySelectorAll('h1, h2')].some(shown);
}"""
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def everything(stack: Stack) -> Iterator[None]:
    """A cloud that offers all that can be switched on; afterwards as it was."""
    flags, links = stack.api.get("/dict?key=CDCF"), stack.api.get("/option?name=links")
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {**flags, "ot": 1, "rl": 1}})
    stack.api.call("PUT", "/option", {"name": "links", "value": LINKS})
    yield
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": flags})
    stack.api.call("PUT", "/option", links)


def inside() -> list[dict[str, Any]]:
    """Screens behind the sign-in that a platform user may open while everything is on."""
    return [row for row in routes() if row["layout"] != "public" and row["path"] != WITHOUT_OTA]


def address(path: str) -> str:
    return path + next((query for end, query in QUERY.items() if end in path), "")


class Watch:
    """What must not happen while a page is shown."""

    def __init__(self, page: Page) -> None:
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("console", lambda said: self._console(said.type, said.text))
        page.on("response", self._response)
        page.on("requestfailed", lambda asked: self._failed(asked.url, asked.failure or ""))

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.problems.append(f"console: {text}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status}: {response.url}")

    def _failed(self, url: str, why: str) -> None:
        if "ERR_ABORTED" not in why:  # the page was left
            self.problems.append(f"{why}: {url}")


def signed_in(browser: Browser, stack: Stack, language: str, scheme: str = "light") -> Page:
    context = browser.new_context(
        viewport=DESKTOP, base_url=stack.api.base, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto("/login")
    choose_language(page, language)
    fill_sign_in(page, *stack.sign_in())
    expect(page.get_by_test_id("user-menu")).to_be_visible()
    return page


def show(page: Page, row: dict[str, Any]) -> None:
    page.evaluate(GO, address(row["path"]))
    try:
        page.wait_for_function(HEADING, arg=row["path"], timeout=SHOWN_MS)
    except TimeoutError as error:
        raise AssertionError(f"{row['path']} shows no heading; the address is {page.url}") from error
    if not row.get("pending"):
        page.wait_for_load_state("networkidle")


def faults_of(page: Page, row: dict[str, Any], language: str) -> list[str]:
    """What is wrong with the page that is shown, on a desktop and on a phone."""
    found = []
    if row["title"][language] not in page.title() and "deviceDetail" not in row["path"]:
        found.append(f"its title is {page.title()}")
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        if page.evaluate(TOO_WIDE):
            found.append(f"wider than {size['width']} px")
    page.set_viewport_size(DESKTOP)
    if language == "en":
        lines = page.locator("body").inner_text().splitlines()
        found += [
            f"Chinese: {line}"
            for line in lines
            if CHINESE.search(line) and not re.search("[A-Za-z]{3}", line)
        ]
    return found


@pytest.mark.usefixtures("everything")
def test_every_screen(browser: Browser, stack: Stack, language: str) -> None:
    page = signed_in(browser, stack, language)
    watch = Watch(page)
    faults: dict[str, list[str]] = {}
    for row in inside():
        assert row["title"][language], row["path"]
        show(page, row)
        found = faults_of(page, row, language) + watch.problems
        if found:
            faults[row["path"]] = found
        watch.problems = []
    page.context.close()
    assert faults == {}


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_public_screens(browser: Browser, stack: Stack, language: str, size: dict[str, int]) -> None:
    context = browser.new_context(
        viewport=size, base_url=stack.api.base, locale="zh-CN" if language == "zh" else "en-GB"
    )  # type: ignore[arg-type]
    page = context.new_page()
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
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(browser: Browser, stack: Stack, scheme: str) -> None:
    page = signed_in(browser, stack, "zh", scheme)
    found: dict[str, list[str]] = {}
    for row in (row for row in inside() if ALL_AXE or row["path"] in SAMPLE):
        show(page, row)
        result = Axe().run(page)
        rules = [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in result.response["violations"]]
        if rules:
            found[row["path"]] = rules
    page.context.close()
    assert found == {}


def test_addresses_that_are_no_screen(browser: Browser, stack: Stack) -> None:
    page = signed_in(browser, stack, "zh")
    landing = re.compile("/monitor/device$")
    for path in ("/", "/nothing/here", "/auth-redirect", "/auth-redirect?redirect=https://elsewhere.example"):
        page.goto(path)
        expect(page).to_have_url(landing)
    page.goto("/redirect/deviceDetail/index?device_id=1&tab=info")
    expect(page).to_have_url(re.compile(r"/deviceDetail/index\?device_id=1&tab=info"))
    page.goto("/auth-redirect?redirect=/fee/overview")
    expect(page).to_have_url(re.compile("/fee/overview$"))
    page.goto("/trigger/editTrigger?id=3")
    expect(page.locator('[data-screen="/alarm/trigger/editTrigger"] h1')).to_be_visible()
    page.goto(WITHOUT_OTA)
    expect(page.locator(f'[data-screen="{WITHOUT_OTA}"] h1')).to_be_visible()
    page.goto("/user/authrule")
    expect(page).to_have_url(re.compile("/401"))
    page.get_by_test_id("why").click()
    expect(page.get_by_test_id("why-reasons")).to_contain_text("权限规则")
    page.context.close()
