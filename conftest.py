"""What holds for every test: examples have no time limit, and in CI nothing is skipped.

How long an example takes is the machine's affair: hypothesis would fail one that takes 200 ms, or that is
slow to make, which on a busy machine befalls any of thousands.

In CI every system package is there: a test that is skipped for want of one has failed. A test that needs a
program says "<program> is not installed" when it skips. On a developer's machine that is enough; with CI=true
it would hide that the guarantee was not tested.

A server that no package brings is another matter (`real_server`): its tests run where it is found, and are
left out with a sentence elsewhere, in CI too.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "unhurried", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

gc.set_threshold(100_000, 20, 100)  # as the cloud does; else a seventh of the tests' time looks for cycles

MISSING = "is not installed"


def pytest_collection_finish() -> None:
    """What was imported stays: no collection is to go through it."""
    gc.freeze()


@pytest.fixture(scope="session")
def real_server() -> Callable[[str, str], Path]:
    """real_server("emqx", "EDGE_TEST_EMQX"): path of the program, found by that variable or on the PATH.

    Without one the test is skipped with a sentence.
    """
    sys.path.insert(0, str(Path(__file__).resolve().parent / "scripts"))
    from stack import find_server

    def find(name: str, variable: str) -> Path:
        found = find_server(name, variable)
        if found is None:
            pytest.skip(f"{name} is not at hand on this machine: neither {variable} nor the PATH names one")
        return found

    return find


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and os.environ.get("CI") == "true":
        file, line, reason = report.longrepr
        if MISSING in reason:
            report.outcome = "failed"
            report.longrepr = f"{file}:{line}: {reason}; with CI=true that is a failure"
    return report
