"""The gateway's own page on a real agent and plant, with no cloud anywhere: what somebody beside it does."""

from __future__ import annotations

import json
import re
import socket
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from stack import Ports, Stack

from .conftest import OUTPUT
from .steps import COUNT_CALLS, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PATIENCE_MS = 40_000
TRIAL_MS = 40_000
"""A switch, the first good values and five seconds without a break, on a slow machine."""
TABS = ["values", "alarms", "bus", "link", "config", "history", "tools", "system"]
PHONE, DESK = {"width": 360, "height": 780}, {"width": 1366, "height": 850}
MANY = 5000
MOST_NODES = 60


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A plant and an agent whose cloud was never started."""
    made = Stack(tmp_path_factory.mktemp("site"), Ports.free())
    made.prepare()
    try:
        made.start_plant()
        made.start_agent()
        made.wait(lambda: listens(made.ports.local_page), "the page answers", made.agent)
        yield made
    finally:
        made.stop()


def opened(browser: Browser, site: Stack, language: str, size: dict[str, int], scheme: str = "light") -> Page:
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",  # a changed value fades for longer than it stands
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(COUNT_CALLS)
    page.add_init_script(
        f"localStorage.getItem('language') ?? localStorage.setItem('language', '{language}')"
    )
    page.goto(f"http://127.0.0.1:{site.ports.local_page}/")
    page.fill("#password", (site.data / "agent" / "local-admin.txt").read_text().strip())
    page.keyboard.press("Enter")
    expect(page.locator(".point").first).to_be_visible()
    return page


def test_first_language_is_chinese(browser: Browser, site: Stack) -> None:
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{site.ports.local_page}/")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.click("#language")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    context.close()


@pytest.fixture
def desk(browser: Browser, site: Stack) -> Iterator[Page]:
    """Signed in, in English; an error of the page fails the test."""
    page = opened(browser, site, "en", DESK)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    page.context.close()
    assert problems == []


@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    [("zh", PHONE, "light"), ("en", DESK, "dark")],
    ids=["zh-phone", "en-desk"],
)
def test_every_tab_fits_is_accessible_and_asks_nobody_else(
    browser: Browser, site: Stack, language: str, size: dict[str, int], scheme: str
) -> None:
    page = opened(browser, site, language, size, scheme)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on(
        "request",
        lambda asked: problems.append(asked.url) if "127.0.0.1" not in asked.url.split("/")[2] else None,
    )
    for tab in TABS:
        page.click(f"#tab-{tab}")
        expect(page.locator(f"#{tab}")).to_be_visible()
        found = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], tab
        assert found == [], tab
        page.screenshot(path=OUTPUT / f"gateway-{tab}-{language}-{scheme}.png")
    assert problems == []
    page.context.close()


def test_the_tabs_are_walked_by_keyboard(desk: Page) -> None:
    desk.focus("#tab-values")
    for tab in [*TABS[1:], TABS[0]]:
        desk.keyboard.press("ArrowRight")
        expect(desk.locator(f"#tab-{tab}")).to_be_focused()
        expect(desk.locator(f"#{tab}")).to_be_visible()


def test_the_link_says_why_there_is_none(desk: Page) -> None:
    desk.click("#tab-link")
    expect(desk.locator("#cloud")).to_contain_text("Connection refused")
    expect(desk.locator("#outbox")).to_contain_text("Not yet known (available after 10 minutes of operation)")
    expect(desk.locator("#cloud")).to_contain_text("Disconnected since")
    expect(desk.locator("#secret-now")).to_have_text("A secret is set.")


def test_thousands_of_points_stay_fluid(browser: Browser, site: Stack) -> None:
    page = opened(browser, site, "en", PHONE)

    def many_points(route: Route) -> None:
        told = route.fetch().json()
        first = told["points"][0]
        told["points"] = [
            {**first, "id": at, "name": f"p{at}", "title": f"Point {at}"} for at in range(1, MANY + 1)
        ]
        route.fulfill(body=json.dumps(told), content_type="application/json")

    def many_values(route: Route) -> None:
        told = route.fetch().json()
        told["values"] = [
            [at, told["t_ms"], at / 10, 3 if at % 1000 == 0 else 0] for at in range(1, MANY + 1)
        ]
        route.fulfill(body=json.dumps(told), content_type="application/json")

    page.route("**/api/points", many_points)
    page.route("**/api/live", many_values)
    page.reload()
    expect(page.locator("#count")).to_have_text(f"{MANY} of {MANY} points")
    page.evaluate("scrollTo(0, 150000)")
    expect(page.get_by_text("Point 2340", exact=True)).to_be_visible()
    assert page.locator("#groups > *").count() <= MOST_NODES
    took_ms = page.evaluate(
        """Math.min(...Array.from({ length: 5 }, () => {
             const t = performance.now(); drawValues(); return performance.now() - t; }))"""
    )
    print(f"{MANY} points drawn again in {took_ms:.1f} ms")
    assert took_ms < 250
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".point").count() == MANY, "paper has them all"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#groups > *").count() <= MOST_NODES
    page.check("#abnormal")
    expect(page.locator("#count")).to_have_text(f"5 of {MANY} points")
    expect(page.locator(".point .quality")).to_have_text(["Bad frame"] * 5)
    page.uncheck("#abnormal")
    page.fill("#search", "point 4999")
    expect(page.locator(".point")).to_have_count(1)
    page.unroute_all(behavior="ignoreErrors")  # an answer under way would end with the page
    page.context.close()


def test_history_chart_table_and_file(desk: Page, tmp_path: Path) -> None:
    desk.click("#tab-history")
    expect(desk.locator("#history-points input").first).to_be_visible(timeout=PATIENCE_MS)
    for at in (1, 2):
        desk.locator("#history-points input").nth(at).check()
    desk.get_by_role("button", name="1 h", exact=True).click()
    expect(desk.locator("#history-state")).to_contain_text("samples")
    expect(desk.locator("#chart .uplot canvas")).to_be_visible()
    desk.hover("#chart .u-over", position={"x": 300, "y": 40})
    expect(desk.locator(".readout li")).to_have_count(4)
    desk.locator("#history-table-box summary").click()
    expect(desk.locator("#history-table tbody tr").first).to_contain_text(re.compile(r"Good|Not yet read"))
    with desk.expect_download() as download:
        desk.click("#history-csv")
    download.value.save_as(tmp_path / "samples.csv")
    lines = (tmp_path / "samples.csv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "time,slave,point,value,quality"
    assert len(lines) > 3
    desk.click("#resend-go")
    desk.click("#sure-go")
    expect(desk.locator("#resend-state")).to_contain_text(re.compile(r"sent|No data stored"))


def test_a_support_bundle_holds_no_secret(desk: Page, site: Stack, tmp_path: Path) -> None:
    desk.click("#tab-system")
    expect(desk.locator("#log code").first).to_be_visible()
    with desk.expect_download() as download:
        desk.click("#support")
    download.value.save_as(tmp_path / "support.zip")
    with zipfile.ZipFile(tmp_path / "support.zip") as file:
        whole = b"".join(file.read(name) for name in file.namelist())
    assert b"gw-demo" in whole
    for name in ("cloud-secret", "local-admin.txt"):
        assert (site.data / "agent" / name).read_bytes().strip() not in whole, name


def test_a_draft_is_refused_at_its_line_and_then_deployed_and_taken_back(desk: Page) -> None:
    desk.click("#tab-config")
    text = desk.locator("#draft-text")
    expect(text).to_have_value(re.compile(r"\[gateway\]"))
    running, first = text.input_value(), desk.locator("#running dd").first.inner_text()
    text.fill(running.replace('parity = "N"', 'parity = "X"', 1))
    desk.click("#draft-check")
    expect(desk.locator("#draft-state")).to_have_text("Errors: 1")
    fault = desk.locator("#draft-faults button")
    expect(fault).to_have_text(re.compile(r"^ports\[1\]\.parity · Line \d+$"))
    fault.click()
    chosen = text.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert chosen == 'parity = "X"'

    text.fill(running.replace("锅炉房 Boiler house", "锅炉房 Boiler house two", 1))
    desk.click("#draft-apply")
    desk.click("#sure-go")
    expect(desk.locator("#deploy-box")).to_be_visible()
    expect(desk.locator("#deploy-word")).to_contain_text(
        "The new configuration is confirmed", timeout=TRIAL_MS
    )
    expect(desk.locator("#title")).to_have_text("锅炉房 Boiler house two")
    expect(desk.locator("#login")).to_be_hidden()
    expect(desk.locator("#running")).to_contain_text("local page")
    desk.screenshot(path=OUTPUT / "gateway-deployed-en.png", full_page=True)

    desk.get_by_role("button", name=f"Revert {first}").click()
    desk.click("#sure-go")
    expect(desk.locator("#running dd").first).to_have_text(first, timeout=TRIAL_MS)
    expect(desk.locator("#deploy-word")).to_contain_text("is confirmed", timeout=TRIAL_MS)
    expect(text).to_have_value(running)


def test_a_draft_that_makes_things_worse_is_reverted(desk: Page) -> None:
    desk.click("#tab-config")
    text = desk.locator("#draft-text")
    expect(text).to_have_value(re.compile(r"\[gateway\]"))
    running = text.input_value()
    text.fill(re.sub(r'(type = "NET"\nhost = "127\.0\.0\.1"\nport = )\d+', r"\g<1>1", running, count=1))
    desk.evaluate("document.getElementById('confirm-s').options[0].value = '30'")  # the shortest there is
    desk.select_option("#confirm-s", "30")
    desk.click("#draft-apply")
    desk.click("#sure-go")
    word = desk.locator("#deploy-word")
    expect(word).to_contain_text("Trial run", timeout=PATIENCE_MS)
    expect(word).to_contain_text("reverted to the previous one", timeout=TRIAL_MS + 30_000)
    expect(word).to_contain_text("points did not recover")
