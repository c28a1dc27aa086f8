"""A press is sent once, what nobody answered is unknown, and one dialog asks for the access password."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from _environment import PYTHON, ROOT
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

END_TIMEOUT_MS = 40_000
ENDED = re.compile("resp|fail|networkError|notAuthorized|error")
PASSWORD = "night-shift-7"
COMMANDS = "/deviceDetail/index?device_id=1&tab=command"


@contextmanager
def fault(stack: Stack, text: str) -> Iterator[None]:
    """The device of the setpoint answers so, for a while."""

    def put(kind: str) -> None:
        words = [str(PYTHON), "-m", "firmware_sim", "fault", str(stack.data / "plant"), "boiler", kind]
        subprocess.run(words, check=True, cwd=ROOT, timeout=60)

    put(text)
    try:
        yield
    finally:
        put("none")


def sent(stack: Stack) -> int:
    """How many commands there are."""
    total: int = stack.api.get("/device/cmd?device_id=1")["total"]
    return total


def all_ended(stack: Stack, total: int) -> None:
    """So many commands are there, and none is under way."""

    def over() -> bool:
        page = stack.api.get("/device/cmd?device_id=1&limit=5")
        return page["total"] >= total and all(row["finished_ms"] for row in page["rows"])

    stack.wait(over, f"{total} commands have ended", stack.agent)


def test_a_double_click_sends_once_and_the_same_only_on_purpose(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", COMMANDS)
    page.get_by_test_id("write-pressure_setpoint").click()
    value, submit = page.get_by_test_id("command-value"), page.get_by_test_id("command-submit")
    outcome, again = page.get_by_test_id("command-state"), page.get_by_test_id("send-again")
    before = sent(stack)
    with fault(stack, "slow:400"):
        value.fill("1.21")
        submit.dblclick()
        expect(outcome).to_have_attribute("data-state", ENDED, timeout=END_TIMEOUT_MS)
    assert sent(stack) == before + 1
    expect(submit).to_be_disabled()
    for _ in range(5):
        value.press("Enter")
    submit.dblclick(force=True)
    expect(again).to_be_visible()
    assert sent(stack) == before + 1, "the same value needs a confirmation"
    again.dblclick()
    all_ended(stack, before + 2)
    expect(submit).not_to_have_attribute("data-loading", "true")
    expect(again).to_be_visible()
    assert sent(stack) == before + 2
    value.fill("1.22")
    for _ in range(5):
        value.press("Enter")
    all_ended(stack, before + 3)
    expect(submit).to_be_disabled()
    assert sent(stack) == before + 3


def test_a_double_click_on_a_batch_and_a_gateway_action_sends_once(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh", COMMANDS)
    before = sent(stack)
    page.get_by_test_id("batch-open").click()
    page.get_by_test_id("batch-value-pressure_setpoint").fill("1.23")
    page.get_by_test_id("batch-submit").dblclick()
    expect(page.get_by_test_id("batch-results")).to_have_attribute(
        "data-over", "true", timeout=END_TIMEOUT_MS
    )
    expect(page.get_by_test_id("batch-submit")).to_be_disabled()
    assert sent(stack) == before + 1
    page.keyboard.press("Escape")
    page.get_by_test_id("gateway-menu").click()
    page.get_by_test_id("action-reload").click()
    page.get_by_test_id("action-confirm").dblclick()
    expect(page.get_by_test_id("action-state")).to_have_attribute("data-state", ENDED, timeout=END_TIMEOUT_MS)
    assert sent(stack) == before + 2


def test_a_write_without_an_answer_is_unknown_and_settles(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", COMMANDS)
    page.get_by_test_id("write-pressure_setpoint").click()
    state = page.get_by_test_id("command-state")
    with fault(stack, "silent"):
        page.get_by_test_id("command-value").fill("1.27")
        page.get_by_test_id("command-submit").click()
        expect(state).to_have_attribute("data-outcome", "unknown", timeout=END_TIMEOUT_MS)
        expect(page.get_by_test_id("command-outcome")).to_have_text("Result unknown, may have been written")
    expect(state).to_have_attribute("data-outcome", re.compile("settled_"), timeout=90_000)
    expect(state).to_have_attribute("data-state", "fail")
    expect(page.get_by_test_id("command-outcome")).to_contain_text("was read at")


def test_one_dialog_asks_once_a_session_on_every_way(page: Page, stack: Stack) -> None:
    stack.api.call("PUT", "/device/1/accesspassword", {"password": PASSWORD})
    try:
        sign_in(page, stack, "en", COMMANDS)
        page.get_by_test_id("gateway-menu").click()
        page.get_by_test_id("action-reload").click()
        page.get_by_test_id("action-confirm").click()
        dialog, field = page.get_by_test_id("access-dialog"), page.get_by_test_id("access-password")
        field.fill("a guess")
        page.get_by_test_id("access-go").click()
        expect(field).to_have_value("")
        expect(dialog).to_contain_text("Try again")
        field.fill(PASSWORD)
        page.get_by_test_id("access-go").click()
        expect(page.get_by_test_id("action-state")).to_have_attribute(
            "data-state", "resp", timeout=END_TIMEOUT_MS
        )
        page.keyboard.press("Escape")
        page.get_by_test_id("write-pressure_setpoint").click()
        page.get_by_test_id("command-value").fill("1.24")
        page.get_by_test_id("command-submit").click()
        state = page.get_by_test_id("command-state")
        expect(state).to_have_attribute("data-state", "resp", timeout=END_TIMEOUT_MS)
        expect(dialog).to_have_count(0)
        page.reload()
        page.get_by_test_id("write-pressure_setpoint").click()
        page.get_by_test_id("command-value").fill("1.25")
        page.get_by_test_id("command-submit").click()
        expect(field).to_be_visible()  # kept in memory only
        dialog.get_by_role("button", name="Cancel").click()
        expect(page.get_by_test_id("command-error")).to_contain_text("access password")
    finally:
        stack.api.call("PUT", "/device/1/accesspassword", {"password": None})
