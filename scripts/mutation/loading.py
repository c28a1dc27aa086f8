"""Modules with a change: imported so, or changed in memory after they were imported."""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import pytest
from _environment import ROOT

from mutation.operators import mutated

PRODUCT = {"edge_contract": "broker-config/contract", "edge_agent": "edge-agent", "cloud": "cloud"}
LIBRARIES = ("hypothesis.strategies", "hypothesis.stateful", "fastapi.testclient", "openpyxl", "amqtt.broker")
"""What tests import and the product does not."""
NOT_LOADED = ("__main__", "migrations")


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a file with one change; nothing is cached."""

    number: int | None = None
    used = False

    def get_code(self, fullname: str) -> CodeType:
        self.used = True
        return _code(Path(self.path), self.number)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, by its full name."""

    def __init__(self, name: str, path: Path, number: int | None) -> None:
        self._name, self._path = name, path
        self.loader = Loader(name, str(path))
        self.loader.number = number

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        """Before pytest's own finder, which takes what lies below a plugin; no test is imported yet."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._path, loader=self.loader)


class Loaded:
    """All of the product in memory, with its functions by module.

    libraries: names of the other modules in memory.
    """

    def __init__(self) -> None:
        self.test_file = ""  # that is imported, if one is
        self._called: dict[str, set[tuple[str, int]]] = {"": set()}  # by test file: files and first lines
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads cannot be forked
        for plugin in entry_points(group="pytest11"):
            if plugin.name != "schemathesis":
                plugin.load()
        for name in LIBRARIES:
            importlib.import_module(name)
        sys.setprofile(self.note_call)
        for name in PRODUCT:
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                if not any(part in NOT_LOADED for part in module.name.split(".")):
                    importlib.import_module(module.name)
        sys.setprofile(None)
        own = {*PRODUCT, "mutation", "_environment", "__main__"}
        self.libraries = [name for name in sys.modules if name.partition(".")[0] not in own]
        self._functions: dict[str, list[FunctionType]] = {}
        for each in gc.get_objects():
            if isinstance(each, FunctionType) and each.__module__:
                self._functions.setdefault(each.__module__, []).append(each)
        gc.collect()
        gc.freeze()  # pytest collects garbage often; what is here is none

    def note_call(self, frame: FrameType, event: str, _: object) -> None:
        """A profile function, for as long as something is imported."""
        if event == "call":
            called = self._called.setdefault(self.test_file, set())
            called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    def change(self, path: Path, number: int, test_files: Sequence[str]) -> bool:
        """Give the changed function its new code; False when the change is not in a function, or too late for
        these tests."""
        was, new = _code(path, None), _code(path, number)
        pairs = _functions(was, new)
        if not pairs:
            return False
        for old, code in pairs:
            place = (old.co_filename, old.co_firstlineno)
            if any(place in self._called.get(name, ()) for name in ("", *test_files)):
                return False
            live = [one for one in self._functions.get(module_name(path), []) if one.__code__ == old]
            if not live or code.co_freevars != old.co_freevars:
                return False
            for function in live:
                function.__code__ = code
        return True


def _code(path: Path, number: int | None) -> CodeType:
    return compile(mutated(path.read_text(), number), str(path), "exec", dont_inherit=True)


def _functions(was: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Functions that differ, of a module's or a class's code; none when that code itself differs."""
    if _shell(was) != _shell(new):
        return []
    pairs: list[tuple[CodeType, CodeType]] = []
    for old, code in zip(_inner(was), _inner(new), strict=True):
        if old == code:
            continue
        if old.co_flags & inspect.CO_OPTIMIZED:
            pairs.append((old, code))
        else:
            pairs += _functions(old, code)
    return pairs


def _inner(code: CodeType) -> list[CodeType]:
    return [item for item in code.co_consts if isinstance(item, CodeType)]


def _shell(code: CodeType) -> CodeType:
    """Code without the code that is defined in it."""
    return code.replace(co_consts=tuple(None if isinstance(c, CodeType) else c for c in code.co_consts))


def module_name(path: Path) -> str:
    """edge_agent.bus.schedule of .../edge-agent/edge_agent/bus/schedule.py."""
    for root in PRODUCT.values():
        if path.is_relative_to(ROOT / root):
            parts = path.relative_to(ROOT / root).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    raise ValueError(f"{path} is in none of the three programs")
