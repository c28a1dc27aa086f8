"""What an operator does again and again."""

from __future__ import annotations

import json
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from stack import Stack

from .conftest import OUTPUT

LIVE_TIMEOUT_MS = 30_000
DEPLOY_TIMEOUT_MS = 60_000
QUIET_FRAMES = 6
"""So many frames in a row nothing moves and nothing is asked; an effect asks in the frame after."""

GO = "path => history.pushState({}, '', path)"
"""As a click on a link inside the portal: the page is not loaded anew."""

COUNT_CALLS = """
  window.calls = 0;
  const asked = window.fetch;
  window.fetch = (...words) => {
    window.calls += 1;
    return asked(...words).finally(() => { window.calls -= 1; });
  };
"""
QUIET = """frames => {
  const shown = [...document.querySelectorAll('[data-testid$="loading-state"], [aria-busy="true"]')];
  const late = shown.some(one => one.checkVisibility());
  const ends = one => Number.isFinite(one.effect?.getComputedTiming().endTime);
  const moves = document.getAnimations().some(one => one.playState === 'running' && ends(one));
  window.quiet = late || moves || window.calls > 0 ? 0 : (window.quiet ?? 0) + 1;
  return window.quiet >= frames;
}"""


def choose_language(page: Page, language: str) -> None:
    switch = page.get_by_test_id("language-switch")
    switch.click()
    choice = page.get_by_test_id(f"language-{language}")
    expect(choice).to_be_visible()
    if choice.is_enabled():
        choice.click()
    else:
        switch.click()
    expect(choice).to_be_hidden()  # else the next click would close it


def prefer(language: str) -> str:
    """Script that makes a language the chosen one of a browser where none is chosen."""
    kept = json.dumps({"state": {"language": language}, "version": 1})
    return f"localStorage.getItem('edge.preferences') ?? localStorage.setItem('edge.preferences', '{kept}')"


def fill_sign_in(page: Page, user: str, password: str) -> None:
    page.get_by_test_id("login-username").fill(user)
    page.get_by_test_id("login-password").fill(password)
    page.get_by_test_id("login-submit").click()


def sign_in(page: Page, stack: Stack, language: str, path: str = "/monitor/device") -> None:
    """Signed in, with a session of the page's own, and the portal open; nothing is typed for it."""
    name, password = stack.sign_in()
    made = stack.api.call("POST", "/login/login", {"username": name, "password": password})
    tokens = {
        "token": made["token"],
        "refreshToken": made["refresh_token"],
        "expiresAtMs": (time.time() + made["expires_in"]) * 1000,
    }
    kept = {"edge.session": tokens, "edge.preferences": {"state": {"language": language}, "version": 1}}
    page.add_init_script(COUNT_CALLS)
    page.goto("/healthz")  # a page of the same origin, whose storage is the portal's
    page.evaluate(
        "kept => Object.entries(kept).forEach(([k, v]) => localStorage.setItem(k, JSON.stringify(v)))", kept
    )
    page.goto(path)
    if path == "/monitor/device":
        expect(page.get_by_test_id("device-row").first).to_be_visible()
    else:
        expect(page.locator("h1:visible").first).to_be_visible()


def go(page: Page, path: str) -> None:
    """Open another screen of the portal, as a link does."""
    page.evaluate(GO, path)
    expect(page.locator(f'[data-screen="{path.partition("?")[0]}"]:visible')).to_have_count(1)


def deploy_draft(page: Page, back: str) -> None:
    """From the notice of an undeployed draft on a tab to the end of the trial, and back."""
    page.get_by_test_id("draft-deploy").click()
    expect(page.get_by_test_id("check-passed")).to_be_visible(timeout=DEPLOY_TIMEOUT_MS)
    page.get_by_test_id("deploy-submit").click()
    ended = page.get_by_test_id("deployment")
    expect(ended).to_have_attribute("data-state", "confirmed", timeout=DEPLOY_TIMEOUT_MS)
    go(page, back)


def settle(page: Page) -> None:
    """Wait until everything has come, and what fades has faded. The page was opened by sign_in."""
    page.evaluate("window.quiet = 0")
    page.wait_for_function(QUIET, arg=QUIET_FRAMES)


def violations(page: Page) -> list[str]:
    """Broken rules of accessibility, with the first place of each, once the page is settled."""
    settle(page)
    return [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in Axe().run(page).response["violations"]]


def picture(page: Page, name: str, language: str) -> None:
    page.screenshot(path=OUTPUT / f"{name}-{language}.png")


def open_device(page: Page) -> None:
    page.get_by_test_id("device-row").first.click()
    expect(page.get_by_test_id("live-table")).to_be_visible()
