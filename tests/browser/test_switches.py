"""Both buttons of every kind of switch, on portal and local page, and what the device holds after each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Ports, Stack, held

from .steps import picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

END_TIMEOUT_MS = 30_000
SWITCHES = {
    "pump": (("On", "Off"), ("0X", 0), (1, 0)),
    "brake": (("On", "Off"), ("0X", 1), (0, 1)),
    "door": (("Open", "Closed"), ("0X", 2), (1, 0)),
    "heater": (("On", "Off"), ("4X", 0), (170, 85)),
    "remote": (("Remote", "Local"), ("4X", 1), (0xF8, 0xF0)),
}
"""Words of both positions, where the switch lies in the device, and what it holds there for them."""
MODES = {"Run": 2, "Service": 5, "Stop": 0}
TITLES = {
    "pump": "水泵 Pump", "brake": "制动 Brake", "door": "柜门 Door", "heater": "加热器 Heater",
    "remote": "远程控制 Remote control", "mode": "运行方式 Mode",
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("site"), Ports.free(), scenario="switches").running() as made:
        yield made


@pytest.fixture
def portal(browser: Browser, site: Stack) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1366, "height": 820}, base_url=site.api.base)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    sign_in(page, site, "en", "/deviceDetail/index?device_id=1")
    yield page
    context.close()
    assert problems == []


@pytest.fixture
def local(browser: Browser, site: Stack) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1366, "height": 850}, locale="en-GB")
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.add_init_script("localStorage.setItem('language', 'en')")
    page.goto(f"http://127.0.0.1:{site.ports.local_page}/")
    page.fill("#password", (site.data / "agent" / "local-admin.txt").read_text().strip())
    page.keyboard.press("Enter")
    expect(page.locator(".point").first).to_be_visible()
    yield page
    context.close()
    assert problems == []


@pytest.mark.parametrize("name", SWITCHES)
def test_both_buttons_of_the_portal(portal: Page, site: Stack, name: str) -> None:
    words, place, levels = SWITCHES[name]
    value = portal.get_by_test_id(f"value-{name}")
    expect(value).to_have_text(words[1])
    portal.get_by_test_id(f"write-{name}").click()
    choice, state = portal.get_by_test_id("command-switch"), portal.get_by_test_id("command-state")
    expect(choice.locator("label")).to_have_text([words[1], words[0]])
    for word, level in zip(words, levels, strict=True):
        choice.get_by_text(word, exact=True).click()
        expect(portal.get_by_test_id("command-submit")).to_contain_text(word)
        portal.get_by_test_id("command-submit").click()
        expect(value).to_have_text(word)
        expect(state).to_have_attribute("data-state", "resp", timeout=END_TIMEOUT_MS)
        assert held(site.ports.modbus, *place) == level, f"{name} after {word}"
        expect(portal.get_by_test_id("command-current")).to_have_text(word)
    if name == "remote":
        picture(portal, "switch", "en")


@pytest.mark.parametrize("name", SWITCHES)
def test_both_buttons_of_the_local_page(local: Page, site: Stack, name: str) -> None:
    words, place, levels = SWITCHES[name]
    row = local.locator(".point").filter(has_text=TITLES[name])
    expect(row.locator(".value")).to_have_text(words[1])
    for word, level in zip(words, levels, strict=True):
        row.get_by_role("button").click()
        entry = local.locator("#write-input select")
        expect(entry.locator("option")).to_have_text(list(words))
        entry.select_option(label=word)
        local.click("#write-go")
        expect(local.locator("#write-state")).to_contain_text(word)
        local.click("#write-go")
        expect(local.locator("#write-state")).to_have_class("is-good", timeout=END_TIMEOUT_MS)
        expect(local.locator("#write-state")).to_contain_text(word)
        assert held(site.ports.modbus, *place) == level, f"{name} after {word}"
        local.click("#write-go")
        expect(row.locator(".value")).to_have_text(word)


def test_a_selector_is_chosen_and_shown_by_its_names(portal: Page, local: Page, site: Stack) -> None:
    value = portal.get_by_test_id("value-mode")
    portal.get_by_test_id("write-mode").click()
    state = portal.get_by_test_id("command-state")
    for name, level in MODES.items():
        portal.get_by_test_id("command-value").click()
        portal.get_by_role("option", name=name, exact=True).click()
        portal.get_by_test_id("command-submit").click()
        expect(value).to_have_text(name)
        expect(state).to_have_attribute("data-state", "resp", timeout=END_TIMEOUT_MS)
        assert held(site.ports.modbus, "4X", 2) == level
        expect(local.locator(".point").filter(has_text=TITLES["mode"]).locator(".value")).to_have_text(name)


def test_batch_preset_and_list_speak_in_names(portal: Page, site: Stack) -> None:
    portal.get_by_test_id("tab-command").click()
    portal.get_by_test_id("batch-open").click()
    portal.get_by_test_id("batch-value-brake").get_by_text("On", exact=True).click()
    portal.get_by_test_id("batch-value-door").get_by_text("Open", exact=True).click()
    portal.get_by_test_id("batch-value-mode").click()
    portal.get_by_role("option", name="Run", exact=True).click()
    portal.get_by_test_id("batch-submit").click()
    results = portal.get_by_test_id("batch-results")
    expect(results).to_have_attribute("data-over", "true", timeout=END_TIMEOUT_MS)
    rows = portal.get_by_test_id("batch-row")
    for place, word in enumerate(("On", "Open", "Run")):
        expect(rows.nth(place)).to_have_attribute("data-status", "resp")
        expect(rows.nth(place)).to_contain_text(word)
    found = [held(site.ports.modbus, *place) for place in (("0X", 1), ("0X", 2), ("4X", 2))]
    assert found == [0, 1, 2]
    portal.get_by_test_id("preset-title").fill("shift")
    portal.get_by_test_id("preset-save").click()
    portal.keyboard.press("Escape")
    preset = portal.get_by_test_id("preset").filter(has_text="shift")
    for word in ("= On", "= Open", "= Run"):
        expect(preset).to_contain_text(word)
    sign_in(portal, site, "en", "/monitor/list?device=1")
    for name, word in (("brake", "On"), ("door", "Open"), ("mode", "Run")):
        expect(portal.get_by_test_id(f"value-{name}")).to_have_text(word)
    for name, value in (("brake", False), ("door", False), ("mode", 0)):
        rows_ = site.api.get("/device/dss?device_id=1")["rows"]
        dsid = next(row["dsid"] for row in rows_ if row["ds_name"] == name)
        site.api.call("POST", "/device/cmd", {"dsid": dsid, "value": value})


def test_live_chart_and_history_speak_in_names(portal: Page, site: Stack) -> None:
    portal.get_by_test_id("tab-history").click()
    sources = site.api.get("/device/dss?device_id=1")["rows"]
    chosen = [str(row["dsid"]) for row in sources if row["ds_name"] in ("door", "mode")]
    sign_in(portal, site, "en", f"/deviceDetail/index?device_id=1&tab=history&points={','.join(chosen)}")
    legend = portal.get_by_test_id("history-chart").locator("table")
    expect(legend).to_contain_text("Closed")
    expect(legend).to_contain_text("Stop")
    picture(portal, "switch-history", "en")
