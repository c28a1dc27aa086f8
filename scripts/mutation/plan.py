"""Which tests a module has, and which of its mutants are equal: the lists in tests.toml and equal.toml."""

from __future__ import annotations

import os.path
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from _environment import ROOT

from mutation.operators import Mutant

LIST = Path(__file__).with_name("tests.toml")
EQUAL = Path(__file__).with_name("equal.toml")


@dataclass(frozen=True)
class EqualMutants:
    """why: by module, text of the line and change; why nobody can see that change from outside."""

    why: Mapping[tuple[str, str, str], str]

    def __contains__(self, drawn: tuple[str, Mutant]) -> bool:
        name, mutant = drawn
        line = (ROOT / name).read_text().splitlines()[mutant.line - 1].strip()
        return (name, line, mutant.change) in self.why


def equal_mutants() -> EqualMutants:
    """What equal.toml lists."""
    entries = tomllib.loads(EQUAL.read_text()).get("equal", [])
    return EqualMutants(
        {(entry["module"], entry["line"], one): entry["why"] for entry in entries for one in entry["changes"]}
    )


def tests_of_modules() -> dict[str, list[str]]:
    """Paths of test files (or test ids) by path of the module, all from the top of the repository.

    In the file the tests of a module stand under its package: names are relative to `modules` and `tests` of
    the table they are in.
    """
    by_module: dict[str, list[str]] = {}
    for table in tomllib.loads(LIST.read_text())["package"]:
        for name, tests in table["tests_of"].items():
            by_module[f"{table['modules']}/{name}.py"] = [
                os.path.normpath(f"{table['tests']}/{test}") for test in tests
            ]
    return by_module
