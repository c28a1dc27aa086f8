"""Which tests a module has: the list in tests.toml."""

from __future__ import annotations

import os.path
import tomllib
from pathlib import Path

LIST = Path(__file__).with_name("tests.toml")


def tests_of_modules() -> dict[str, list[str]]:
    """Paths of test files (or test ids) by path of the module, all from the top of the repository.

    In the file the tests of a module stand under its package: names are relative to `modules` and `tests` of
    the table they are in.
    """
    found: dict[str, list[str]] = {}
    for table in tomllib.loads(LIST.read_text())["package"]:
        for name, tests in table["tests_of"].items():
            found[f"{table['modules']}/{name}.py"] = [
                os.path.normpath(f"{table['tests']}/{test}") for test in tests
            ]
    return found
