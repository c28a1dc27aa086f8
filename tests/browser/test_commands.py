"""Commands from the portal: gateway actions, batches, presets and the access password, on the real stack."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from stack import Stack

from .steps import choose_language, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

END_TIMEOUT_MS = 30_000
ENDED = re.compile("resp|fail|networkError|notAuthorized|error")
NOT_AVAILABLE = {"zh": "没有蜂窝模块", "en": "no cellular modem"}
PASSWORD = "night-shift-7"


def open_commands(page: Page, stack: Stack, language: str) -> None:
    sign_in(page, stack, language, "/deviceDetail/index?device_id=1&tab=command")
    expect(page.get_by_test_id("batch-open")).to_be_visible()


def act(page: Page, name: str, *, confirmed: bool = False) -> Locator:
    """Choose an action of the gateway; its state once it has ended."""
    page.get_by_test_id("gateway-menu").click()
    page.get_by_test_id(f"action-{name}").click()
    if confirmed:
        page.get_by_test_id("action-confirm").click()
    state = page.get_by_test_id("action-state")
    expect(state).to_have_attribute("data-state", ENDED, timeout=END_TIMEOUT_MS)
    return state


def test_actions_of_the_gateway(page: Page, stack: Stack) -> None:
    open_commands(page, stack, "zh")
    for name in ("refresh", "forward"):
        expect(act(page, name)).to_have_attribute("data-state", "resp")
        expect(page.get_by_test_id("action-result")).not_to_be_empty()
        page.keyboard.press("Escape")
    expect(act(page, "csq")).to_contain_text(NOT_AVAILABLE["zh"])
    picture(page, "signal", "zh")
    page.keyboard.press("Escape")
    choose_language(page, "en")
    page.get_by_test_id("gateway-menu").click()
    known = page.get_by_test_id("action-csq")  # what a gateway has not is not asked of it twice
    expect(known).to_be_disabled()
    expect(known).to_have_attribute("title", re.compile(NOT_AVAILABLE["en"]))
    page.keyboard.press("Escape")
    expect(act(page, "reload", confirmed=True)).to_have_attribute("data-state", "resp")
    page.keyboard.press("Escape")
    page.get_by_test_id("tab-cmdlog").click()
    row = page.get_by_test_id("command-row").first
    expect(row).to_contain_text("admin")
    expect(row).to_contain_text("127.0.0.1")


def test_nothing_disturbing_is_sent_without_consent(page: Page, stack: Stack) -> None:
    open_commands(page, stack, "en")
    before = stack.api.get("/device/cmd?device_id=1")["total"]
    for name in ("reload", "reallocate", "reboot"):
        page.get_by_test_id("gateway-menu").click()
        page.get_by_test_id(f"action-{name}").click()
        expect(page.get_by_test_id("action-confirm")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("action-confirm")).to_have_count(0)
    assert stack.api.get("/device/cmd?device_id=1")["total"] == before


def test_batch_is_kept_as_a_preset_and_run(page: Page, stack: Stack) -> None:
    open_commands(page, stack, "en")
    wanted = "1.28"
    page.get_by_test_id("batch-open").click()
    submit = page.get_by_test_id("batch-submit")
    expect(submit).to_be_disabled()
    page.get_by_test_id("batch-value-pressure_setpoint").fill(wanted)
    page.get_by_test_id("batch-value-frequency_setpoint").fill("99")
    expect(submit).to_be_disabled()  # above its limit: then nothing is sent
    page.get_by_test_id("batch-value-frequency_setpoint").fill("43.5")
    submit.click()
    results = page.get_by_test_id("batch-results")
    expect(results).to_have_attribute("data-over", "true", timeout=END_TIMEOUT_MS)
    rows = page.get_by_test_id("batch-row")
    expect(rows).to_have_count(2)
    for place, text in enumerate((wanted, "43.50")):
        expect(rows.nth(place)).to_have_attribute("data-status", "resp")
        expect(rows.nth(place)).to_contain_text(text)

    page.get_by_test_id("preset-title").fill("night")
    page.get_by_test_id("preset-save").click()
    picture(page, "batch", "en")
    page.keyboard.press("Escape")
    preset = page.get_by_test_id("preset").filter(has_text="night")
    preset.get_by_test_id("preset-run").click()
    expect(page.get_by_test_id("preset-dialog")).to_contain_text(wanted)
    page.get_by_test_id("preset-confirm").click()
    expect(results).to_have_attribute("data-over", "true", timeout=END_TIMEOUT_MS)
    expect(rows.first).to_have_attribute("data-status", "resp")
    page.keyboard.press("Escape")

    preset.get_by_test_id("preset-edit").click()
    value = page.get_by_test_id("batch-value-pressure_setpoint")
    expect(value).to_have_value(wanted)
    value.fill("1.1")
    page.get_by_test_id("preset-save").click()
    expect(preset).to_contain_text("1.10")
    preset.get_by_test_id("preset-delete").click()
    page.get_by_test_id("preset-delete-confirm").click()
    expect(preset).to_have_count(0)


def test_access_password_is_asked_for(page: Page, stack: Stack) -> None:
    open_commands(page, stack, "en")
    page.get_by_test_id("tab-info").click()
    state = page.get_by_test_id("access-state")
    page.get_by_test_id("access-new").fill(PASSWORD)
    page.get_by_test_id("access-again").fill(PASSWORD + "x")
    expect(page.get_by_test_id("access-save")).to_be_disabled()
    page.get_by_test_id("access-again").fill(PASSWORD)
    page.get_by_test_id("access-save").click()
    expect(state).to_have_attribute("data-set", "true")

    page.get_by_test_id("tab-command").click()
    page.get_by_test_id("write-pressure_setpoint").click()
    page.get_by_test_id("command-value").fill("1.19")
    submit, outcome = page.get_by_test_id("command-submit"), page.get_by_test_id("command-state")
    password, go = page.get_by_test_id("access-password"), page.get_by_test_id("access-go")
    submit.click()
    password.fill("a guess")
    go.click()
    expect(page.get_by_test_id("access-dialog")).to_contain_text("Try again")
    expect(password).to_have_value("")
    expect(page.get_by_test_id("same-again")).to_have_count(0)
    password.fill(PASSWORD)
    go.click()
    expect(outcome).to_have_attribute("data-state", "resp", timeout=END_TIMEOUT_MS)
    page.keyboard.press("Escape")

    page.get_by_test_id("tab-info").click()
    page.get_by_test_id("access-clear").click()
    expect(state).to_have_attribute("data-set", "false")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dialogs_have_no_accessibility_violation(browser: Browser, stack: Stack, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 780}, base_url=stack.api.base, color_scheme=scheme
    )
    page = context.new_page()
    open_commands(page, stack, "zh")
    page.get_by_test_id("gateway-menu").click()
    found = {"menu": violations(page)}
    page.get_by_test_id("action-reboot").click()
    found["consent"] = violations(page)
    page.keyboard.press("Escape")
    page.get_by_test_id("batch-open").click()
    page.get_by_test_id("batch-value-frequency_setpoint").fill("99")
    found["batch"] = violations(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert {name: rules for name, rules in found.items() if rules} == {}
    assert width <= 360
