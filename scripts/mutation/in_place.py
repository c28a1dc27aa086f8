"""Mutants in place: libraries, product and the collected tests are in memory, and a fork of that process
gives the changed function its new code. That costs the tests of its module and nothing else.

Not for what runs at the import (constants, defaults, tables), nor for a function that was called while
product or tests were imported: a value that was computed then does not change.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from _environment import ROOT

from mutation.loading import Loaded
from mutation.processes import (
    BROKEN,
    HOLDS,
    UNCHANGEABLE,
    LastTest,
    Limits,
    Outcome,
    end,
    limited,
    run_pytest,
    wait,
    write_to,
)

Order = tuple[str | None, int | None, list[str], str | None, int, float]
"""Module and number of a mutant, or neither; test files; one test of them, or all; limits."""


class InPlace:
    """The process that has it all in memory. libraries: names of the modules that are not the product's.

    tests: all that attempt() is asked for.
    """

    def __init__(self, tests: Sequence[str]) -> None:
        orders, write_orders = os.pipe()
        read_results, results = os.pipe()
        sys.stdout.flush()
        if not os.fork():
            os.close(write_orders)
            os.close(read_results)
            _serve(tests, os.fdopen(orders), os.fdopen(results, "w"))
        os.close(orders)
        os.close(results)
        self._orders = os.fdopen(write_orders, "w")
        self._results = os.fdopen(read_results)
        self.libraries: list[str] = self._answer()

    def attempt(
        self,
        tests: Sequence[str],
        limits: Limits,
        mutant: tuple[str, int] | None = None,
        only: str | None = None,
    ) -> Outcome:
        """Of a mutant, or of the tests as they are. only: one test, by its id."""
        module, number = mutant or (None, None)
        order = [module, number, list(tests), only, limits.cpu_s, limits.wall_s]
        print(json.dumps(order), file=self._orders, flush=True)
        return Outcome(*self._answer())

    def _answer(self) -> Any:
        answer = self._results.readline()
        if not answer:
            raise RuntimeError("the process that has the product in memory has ended")
        found = json.loads(answer)
        if isinstance(found, str):
            raise RuntimeError(f"the tests cannot be collected:\n{found}")
        return found


def _serve(tests: Sequence[str], orders: IO[str], results: IO[str]) -> None:
    """Import and collect everything, then one child for each order. Never returns."""
    code = BROKEN
    try:
        with tempfile.TemporaryDirectory(prefix="mutants", ignore_cleanup_errors=True) as folder:
            code = _Mutants(Loaded(), Path(folder), orders, results).run(tests)
    finally:
        end(code)


class _Mutants:
    """A plugin of pytest: where it would run the tests, it forks once for each mutant."""

    def __init__(self, loaded: Loaded, folder: Path, orders: IO[str], results: IO[str]) -> None:
        self._loaded, self._folder, self._orders, self._results = loaded, folder, orders, results
        self._output = folder / "output"
        self._collected = False

    def run(self, tests: Sequence[str]) -> int:
        """Exit code; a child ends as soon as it has one."""
        own = os.getpid()
        write_to(self._output)
        sys.setprofile(self._loaded.note_call)
        code = run_pytest(tests, self._folder, [self, LastTest(self._folder)])
        if os.getpid() != own:
            end(code)
        if not self._collected:
            self._send(self._output.read_text(errors="replace") or f"pytest ended with {code}")
        return code

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        if isinstance(collector, pytest.Module):
            self._loaded.test_file = str(collector.path.relative_to(ROOT))
        try:
            return (yield)
        finally:
            self._loaded.test_file = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        sys.setprofile(None)
        if session.testsfailed:
            return None
        self._collected = True
        gc.collect()
        gc.freeze()
        self._send(self._loaded.libraries)
        while order := self._orders.readline():
            if not self._fork(json.loads(order), session):
                return None
        return True

    def _fork(self, order: Order, session: pytest.Session) -> bool:
        """False in the child, which runs the tests."""
        module, number, tests, only, cpu_s, wall_s = order
        limits = Limits(cpu_s, wall_s)
        os.truncate(self._output, 0)
        child = os.fork()
        if child:
            outcome = wait(child, limits, self._folder)
            self._send([outcome.code, outcome.cpu_s, outcome.test, outcome.output])
            return True
        limited(limits)
        if module is not None and number is not None:
            self._change(ROOT / module, number, tests)
        by_file: dict[str, list[pytest.Item]] = {name: [] for name in tests}
        for item in session.items:
            file = str(item.path.relative_to(ROOT))
            if file in by_file and only in {None, item.nodeid}:
                by_file[file].append(item)
        session.items[:] = [item for items in by_file.values() for item in items]
        return False

    def _change(self, module: Path, number: int, tests: Sequence[str]) -> None:
        code = BROKEN
        try:
            code = HOLDS if self._loaded.change(module, number, tests) else UNCHANGEABLE
        finally:
            if code != HOLDS:
                end(code)

    def _send(self, answer: object) -> None:
        print(json.dumps(answer), file=self._results, flush=True)
