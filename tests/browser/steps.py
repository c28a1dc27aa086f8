"""What an operator does again and again."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from stack import Stack

from .conftest import OUTPUT

LIVE_TIMEOUT_MS = 15_000


def choose_language(page: Page, language: str) -> None:
    page.get_by_test_id("language-switch").click()
    choice = page.get_by_test_id(f"language-{language}")
    if choice.is_enabled():
        choice.click()
    else:
        page.keyboard.press("Escape")


def fill_sign_in(page: Page, user: str, password: str) -> None:
    page.get_by_test_id("login-username").fill(user)
    page.get_by_test_id("login-password").fill(password)
    page.get_by_test_id("login-submit").click()


def sign_in(page: Page, stack: Stack, language: str) -> None:
    page.goto("/")
    choose_language(page, language)
    fill_sign_in(page, *stack.sign_in())
    expect(page.get_by_test_id("device-row").first).to_be_visible()


def picture(page: Page, name: str, language: str) -> None:
    page.screenshot(path=OUTPUT / f"{name}-{language}.png")


def open_device(page: Page) -> None:
    page.get_by_test_id("device-row").first.click()
    expect(page.get_by_test_id("live-table")).to_be_visible()
