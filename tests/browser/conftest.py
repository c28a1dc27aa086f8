"""A running stack with the built portal, and a real Chromium. Pictures are kept in test-output/."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from _environment import ROOT
from _stack import Ports, Stack

OUTPUT = ROOT / "test-output"


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


@pytest.fixture(scope="session", autouse=True)
def output() -> None:
    OUTPUT.mkdir(exist_ok=True)
