"""A gateway's configuration from the portal: changed, refused, left again by itself, never lost."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .conftest import OUTPUT
from .steps import go, picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

DEVICE = 1
TAB = f"/deviceDetail/index?device_id={DEVICE}&tab=configuration"
CHECK_TIMEOUT_MS = 30_000
CONFIRMED_TIMEOUT_MS = 60_000
REVERTED_TIMEOUT_MS = 75_000
"""Thirty seconds on trial, the way back, and what a busy machine adds."""
POINT = "load"
TITLE = "1# 锅炉负荷 Load"


def state(stack: Stack) -> Any:
    return stack.api.get(f"/device/{DEVICE}/configuration")


def running(stack: Stack) -> Any:
    """The document that the gateway runs."""
    name = state(stack)["running"]["hash"]
    return stack.api.get(f"/device/{DEVICE}/configuration/{name}")["document"]


def save(stack: Stack, document: Any, note: str) -> str:
    body = {"document": document, "base": state(stack)["newest"], "note": note}
    return str(stack.api.call("PUT", f"/device/{DEVICE}/configuration", body)["hash"])


def open_tab(page: Page, stack: Stack, language: str, more: str = "") -> None:
    sign_in(page, stack, language, f"{TAB}{more}")
    shown(page)


def show_tab(page: Page, more: str) -> None:
    go(page, f"{TAB}{more}")
    shown(page)


def shown(page: Page) -> None:
    expect(page.get_by_test_id("configuration-standing")).to_be_visible(timeout=CHECK_TIMEOUT_MS)


def situation(page: Page, wanted: str) -> None:
    standing = page.get_by_test_id("configuration-standing")
    expect(standing).to_have_attribute("data-situation", wanted, timeout=CHECK_TIMEOUT_MS)


def ends(page: Page, wanted: str, timeout_ms: int) -> None:
    expect(page.get_by_test_id("deployment")).to_have_attribute("data-state", wanted, timeout=timeout_ms)


@pytest.fixture(autouse=True)
def settled(stack: Stack) -> Iterator[None]:
    """Every test begins and ends without a draft, on a configuration that the cloud knows."""
    stack.wait(
        lambda: (state(stack)["running"] or {}).get("known"), "the configuration is known", stack.agent
    )
    yield
    if state(stack)["draft"]:
        stack.api.call("DELETE", f"/device/{DEVICE}/configuration/draft")


def test_a_change_is_seen_deployed_followed_and_taken_back(page: Page, stack: Stack) -> None:
    language, title = "zh", "负荷 Load 2"
    open_tab(page, stack, language)
    situation(page, "inForce")
    picture(page, "configuration", language)

    page.get_by_test_id("edit-configuration").click()
    editor = page.get_by_test_id("document-editor")
    text = editor.input_value()
    assert TITLE in text
    changed = text.replace(TITLE, title).replace('"capture_cycle_ms": 5000', '"capture_cycle_ms": 4000')
    editor.fill(changed)
    page.get_by_test_id("draft-note").fill("title and cycle")
    page.get_by_test_id("save-draft").click()
    lines = page.get_by_test_id("difference-lines")
    expect(lines).to_contain_text(f"boiler.{POINT}", timeout=CHECK_TIMEOUT_MS)
    expect(lines).to_contain_text(title)
    expect(lines).to_contain_text("capture_cycle_ms")
    situation(page, "draft")
    picture(page, "configuration-difference", language)

    page.get_by_test_id("deploy-draft").click()
    expect(page.get_by_test_id("check-passed")).to_be_visible(timeout=CHECK_TIMEOUT_MS)
    expect(page.get_by_test_id("reach-period").first).to_contain_text("5 s → 4 s")
    expect(page.get_by_test_id("loads")).to_contain_text("rs485_2")
    picture(page, "configuration-deploy", language)
    page.get_by_test_id("deploy-submit").click()
    expect(page.get_by_test_id("deployment")).to_be_visible()
    page.reload()
    ends(page, "confirmed", CONFIRMED_TIMEOUT_MS)
    for step in ("sent", "received", "staged", "switched", "ended"):
        expect(page.get_by_test_id(f"step-{step}")).to_have_attribute("data-state", "done")
    picture(page, "configuration-confirmed", language)
    situation(page, "inForce")

    page.get_by_test_id("go-back").click()
    expect(page.get_by_test_id("check-passed")).to_be_visible(timeout=CHECK_TIMEOUT_MS)
    expect(page.get_by_test_id("reach-period").first).to_contain_text("4 s → 5 s")
    stack.wait(lambda: titled(stack) == title, "the new title is in the catalogue", stack.agent)
    page.get_by_test_id("deploy-submit").click()
    ends(page, "confirmed", CONFIRMED_TIMEOUT_MS)
    page.keyboard.press("Escape")
    page.get_by_test_id("configuration-view").locator("label").last.click()
    rows = page.get_by_test_id("deployment-row")
    expect(rows.nth(0)).to_have_attribute("data-state", "confirmed")
    expect(rows.nth(1)).to_have_attribute("data-state", "confirmed")
    expect(rows.nth(1).get_by_test_id("return-to")).to_be_visible()
    expect(rows.nth(0).get_by_test_id("return-to")).to_have_count(0)
    stack.wait(lambda: titled(stack) == TITLE, "the old title is back", stack.agent)


def titled(stack: Stack) -> str:
    """Title of the point, as the portal's other pages get it."""
    rows = stack.api.get(f"/device/dss?device_id={DEVICE}")["rows"]
    return str(next(row["ds_title"] for row in rows if row["ds_name"] == POINT))


def test_what_the_gateway_refuses_is_told_by_field(page: Page, stack: Stack) -> None:
    document = running(stack)
    document["ports"][1]["baud"] = 1
    document["points"][0]["tofixed"] = 77
    name = save(stack, document, "faulty")
    open_tab(page, stack, "en", f"&deploy={name}")
    refused = page.get_by_test_id("check-refused")
    expect(refused).to_be_visible(timeout=CHECK_TIMEOUT_MS)
    expect(refused).to_contain_text("ports[1].baud")
    expect(refused).to_contain_text("points[0].tofixed")
    expect(page.get_by_test_id("deploy-submit")).to_be_disabled()
    picture(page, "configuration-faults", "en")

    base = state(stack)["running"]["hash"]
    sent = stack.api.call("POST", f"/device/{DEVICE}/deploy", {"hash": name, "base": base})
    show_tab(page, f"&deployment={sent['id']}")
    ends(page, "refused", CHECK_TIMEOUT_MS)
    faults = page.get_by_test_id("faults")
    expect(faults).to_contain_text("ports[1].baud")
    expect(page.get_by_test_id("step-switched")).to_have_attribute("data-state", "skipped")
    faults.get_by_role("button", name="points[0].tofixed").click()
    marked = page.get_by_test_id("document-text").locator("[data-found=true]")
    expect(marked).to_contain_text('"tofixed": 77')
    assert state(stack)["running"]["hash"] == base
    expect(page.get_by_test_id("failed-deployment")).to_be_visible()
    page.get_by_test_id("configuration-view").locator("label").first.click()
    row = page.locator(f'[data-testid="version-row"][data-hash="{name}"]')
    expect(row).to_have_attribute("data-past", "refused")
    expect(row.get_by_test_id("deploy-version")).to_have_text("Deploy…")


def test_what_makes_things_worse_is_left_again(page: Page, stack: Stack) -> None:
    document = running(stack)
    boiler = next(row for row in document["slaves"] if row["name"] == "boiler")
    boiler["address"] = "9"
    name = save(stack, document, "wrong address")
    before = state(stack)["running"]["hash"]
    open_tab(page, stack, "zh", f"&deploy={name}")
    expect(page.get_by_test_id("check-passed")).to_be_visible(timeout=CHECK_TIMEOUT_MS)
    page.get_by_test_id("confirm-within").click()
    page.get_by_role("option").first.click()
    page.get_by_test_id("deploy-submit").click()
    expect(page.get_by_test_id("watching")).to_be_visible(timeout=CHECK_TIMEOUT_MS)
    picture(page, "configuration-watching", "zh")
    situation(page, "underWay")
    ends(page, "reverted", REVERTED_TIMEOUT_MS)
    expect(page.get_by_test_id("deployment-reason")).to_contain_text("boiler")
    expect(page.get_by_test_id("step-ended")).to_have_attribute("data-state", "failed")
    picture(page, "configuration-reverted", "zh")
    stack.wait(lambda: state(stack)["running"]["hash"] == before, "what ran before runs again", stack.agent)
    situation(page, "draft")


def test_two_editors_lose_nothing(page: Page, stack: Stack) -> None:
    document = running(stack)
    open_tab(page, stack, "zh")
    page.get_by_test_id("edit-configuration").click()
    editor = page.get_by_test_id("document-editor")
    editor.fill(editor.input_value().replace(TITLE, "mine"))
    other = copy.deepcopy(document)
    other["gateway"]["title"] = "theirs"
    theirs = save(stack, other, "theirs")

    page.get_by_test_id("save-draft").click()
    expect(page.get_by_test_id("conflict-over")).to_be_visible()
    settle(page)
    picture(page, "configuration-conflict", "zh")
    page.get_by_test_id("conflict-see").click()
    expect(page.get_by_test_id("difference-lines")).to_contain_text("theirs")
    page.get_by_test_id("unsaved").get_by_role("button").click()
    assert '"title": "mine"' in page.get_by_test_id("document-editor").input_value()
    page.get_by_test_id("save-draft").click()
    page.get_by_test_id("conflict-over").click()
    expect(page.get_by_test_id("difference-lines")).to_contain_text("mine")
    now = state(stack)
    assert now["draft"]["hash"] != theirs
    assert theirs in [row["hash"] for row in now["versions"]]
    page.get_by_test_id("discard-draft").click()
    expect(page.get_by_test_id("draft")).to_have_count(0)


def test_a_file_is_looked_at_before_it_is_kept(page: Page, stack: Stack) -> None:
    toml = (stack.data / "agent" / "gateway.toml").read_text()
    open_tab(page, stack, "en")

    def upload(name: str, text: str) -> None:
        file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        page.get_by_test_id("configuration-file").set_input_files([file])  # type: ignore[list-item]

    upload("gateway.toml", toml.replace(TITLE, "from a file").replace('unit = "%"', "unit = %", 1))
    page.get_by_test_id("save-draft").click()
    expect(page.get_by_test_id("document-error")).to_contain_text(re.compile(r"Line \d+, column 8"))
    upload("gateway.toml", toml.replace('id = "gw-demo-0001"', 'id = "other"', 1))
    page.get_by_test_id("save-draft").click()
    expect(page.get_by_test_id("document-error-field")).to_have_text("gateway.id")
    upload("gateway.toml", toml.replace(TITLE, "from a file"))
    expect(page.get_by_test_id("draft-note")).to_have_value(re.compile("gateway.toml"))
    page.get_by_test_id("save-draft").click()
    expect(page.get_by_test_id("difference-lines")).to_contain_text("from a file")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation_and_no_overflow(browser: Browser, stack: Stack, scheme: str) -> None:
    document = running(stack)
    document["points"][0]["title"] = f"axe {scheme}"
    document["local_page"]["port"] += 1
    name = save(stack, document, "axe")
    context = browser.new_context(
        viewport={"width": 360, "height": 780} if scheme == "dark" else {"width": 1366, "height": 820},
        base_url=stack.api.base,
        color_scheme=scheme,
    )
    page = context.new_page()
    open_tab(page, stack, "zh" if scheme == "light" else "en")
    found: dict[str, list[str]] = {}
    for view in (
        "versions",
        "compare",
        "document",
        "deployments",
        "document&cfg_edit=1",
        f"versions&deploy={name}",
    ):
        show_tab(page, f"&cfg={view}")
        label = re.sub("[^a-z]+", "-", view)[:20].strip("-")
        if "deploy=" in view:
            expect(page.get_by_test_id("check-passed")).to_be_visible(timeout=CHECK_TIMEOUT_MS)
            expect(page.get_by_test_id("link-warning")).to_contain_text("local_page.port")
            expect(page.get_by_test_id("deploy-submit")).to_be_disabled()
            page.get_by_test_id("link-meant").check()
            expect(page.get_by_test_id("deploy-submit")).to_be_enabled()
        found[label] = violations(page)
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            found[label].append("wider than the window")
        page.screenshot(path=OUTPUT / f"configuration-{label}-{scheme}.png")
    context.close()
    assert {label: rules for label, rules in found.items() if rules} == {}
