"""A running stack with the built portal, and a real Chromium. Pictures are kept in test-output/."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from _environment import ROOT
from playwright.sync_api import Browser, Page, expect
from stack import Ports, Stack

OUTPUT = ROOT / "test-output"
PAGE_TIMEOUT_MS = 30_000

expect.set_options(timeout=PAGE_TIMEOUT_MS)


@pytest.fixture(scope="session", autouse=True)
def prepared(prepared_once: None) -> None:
    """All stacks of these tests."""


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("stack"), Ports.free()).running() as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def signed_in(stack: Stack) -> None:
    """The tests' own client signs in for each file: a user's many sign-ins end his oldest."""
    stack.api.login(*stack.sign_in())


@pytest.fixture(scope="session", autouse=True)
def output() -> None:
    OUTPUT.mkdir(exist_ok=True)


@pytest.fixture(autouse=True)
def no_page_left(browser: Browser) -> Iterator[None]:
    """The page of a test that failed would go on drawing beside every later one."""
    before = list(browser.contexts)
    yield
    for context in [context for context in browser.contexts if context not in before]:
        context.close()


@pytest.fixture(params=["zh", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A page whose errors and requests to elsewhere fail the test."""
    context = browser.new_context(
        viewport={"width": 1366, "height": 820}, base_url=stack.api.base, reduced_motion="reduce"
    )
    made = context.new_page()
    made.set_default_timeout(PAGE_TIMEOUT_MS)
    problems: list[str] = []
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((stack.api.base, "data:", "blob:", "ws://127.0.0.1"))
            else problems.append(asked.url)
        ),
    )
    yield made
    made.unroute_all(behavior="ignoreErrors")  # what is asked for just now has nobody to answer to
    context.close()
    assert problems == []


@pytest.fixture
def tidy(stack: Stack) -> Iterator[None]:
    """The gateway ends on the configuration that it began with."""

    def state() -> Any:
        return stack.api.get("/device/1/configuration")

    begun = state()["running"]["hash"]
    yield
    if state()["draft"]:
        stack.api.call("DELETE", "/device/1/configuration/draft")
    deployment = stack.api.call("POST", "/device/1/deploy", {"hash": begun, "force": True})["id"]
    stack.wait(
        lambda: (
            (now := state())["running"]["hash"] == begun
            and now["deployment"]["id"] == deployment
            and now["deployment"]["state"] in ("confirmed", "unchanged")
        ),
        "the gateway runs what it began with",
        stack.agent,
    )
