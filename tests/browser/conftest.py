"""A running stack with the built portal, and a real Chromium. Pictures are kept in test-output/."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from _environment import ROOT
from _stack import Ports, Stack

OUTPUT = ROOT / "test-output"
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free())
    try:
        made.prepare()
        made.start_cloud()
        made.start_plant()
        made.start_agent()
        made.api.login(*made.sign_in())
        made.wait(made.first_value, "a first value", made.cloud, made.plant, made.agent)
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    OUTPUT.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        made.close()
