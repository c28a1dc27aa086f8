"""A value is typed key by key: what is sent is what was typed, and nothing else can be sent."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import open_device, picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

COMMAND_TIMEOUT_MS = 40_000
KEY_MS = 15
TYPED = [
    ("zh", "frequency_setpoint", "Hz", "42.25"),
    ("en", "pressure_setpoint", "MPa", "0.97"),
    ("en", "level_setpoint", "mm", "-12"),
]
NO_NUMBER = [
    ".",
    "-",
    "1.",
    ".5",
    "4e1",
    "4 1",
    " 41",
    "41 ",
    "4..1",
    "41Hz",
    "1,234",
    "42.256",
    "41..",
    "0x29",
]
NUMBERS = [("41.5", "41.5"), ("41,5", "41.5"), ("41，5", "41.5"), ("４１．５", "41.5"), ("41。5", "41.5")]


def open_writing(page: Page, point: str) -> None:
    page.get_by_test_id(f"write-{point}").click()
    page.get_by_test_id("command-value").click()


def retype(page: Page, text: str) -> None:
    page.get_by_test_id("command-value").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(text, delay=KEY_MS)


@pytest.mark.parametrize(("language", "point", "unit", "typed"), TYPED)
def test_what_is_typed_is_written(
    page: Page, stack: Stack, language: str, point: str, unit: str, typed: str
) -> None:
    sign_in(page, stack, language)
    open_device(page)
    open_writing(page, point)
    page.keyboard.type(typed, delay=KEY_MS)
    expect(page.get_by_test_id("command-value")).to_have_value(typed)
    submit = page.get_by_test_id("command-submit")
    expect(submit).to_contain_text(f" {typed} {unit}")
    submit.click()
    expect(page.get_by_test_id("command-requested")).to_have_text(f"{typed} {unit}")
    expect(page.get_by_test_id("command-read-back")).to_have_text(
        f"{typed} {unit}", timeout=COMMAND_TIMEOUT_MS
    )
    picture(page, f"typed-{point}", language)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id(f"value-{point}")).to_have_text(typed)


def test_what_is_no_number_cannot_be_sent(page: Page, stack: Stack) -> None:
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
    sign_in(page, stack, "zh")
    open_device(page)
    open_writing(page, "frequency_setpoint")
    sent.clear()
    field, submit = page.get_by_test_id("command-value"), page.get_by_test_id("command-submit")
    expect(submit).to_be_disabled()
    for text in NO_NUMBER:
        retype(page, text)
        expect(field).to_have_value(text)
        expect(page.get_by_test_id("command-value-error")).to_be_visible()
        expect(submit).to_be_disabled()
        page.keyboard.press("Enter")
    picture(page, "typed-wrong", "zh")
    for text, plain in NUMBERS:
        retype(page, text)
        expect(field).to_have_value(text)
        expect(page.get_by_test_id("command-value-error")).to_have_count(0)
        expect(submit).to_contain_text(f" {plain} Hz")
        expect(submit).to_be_enabled()
    assert sent == []
