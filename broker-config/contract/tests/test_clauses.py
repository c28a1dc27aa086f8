"""Every clause of CONTRACT.md is bound by a test of the repository, and every bound number exists."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
CONTRACT = REPOSITORY / "broker-config" / "contract" / "CONTRACT.md"
TEST_FOLDERS = [
    "tests",
    "broker-config/contract/tests",
    "edge-agent/tests",
    "cloud/tests",
    "firmware-sim/tests",
]

BINDING = re.compile(r"mark\.clause\(([^)]*)\)")
NUMBER = re.compile(r"C-\d{3}")


@cache
def bound() -> dict[str, list[str]]:
    """Files that bind each number."""
    result: dict[str, list[str]] = {}
    for folder in TEST_FOLDERS:
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            for arguments in BINDING.findall(file.read_text(encoding="utf-8")):
                for number in NUMBER.findall(arguments):
                    result.setdefault(number, []).append(str(file.relative_to(REPOSITORY)))
    return result


@cache
def stated() -> list[str]:
    return re.findall(r"^- \*\*(C-\d{3})\*\* ", CONTRACT.read_text(encoding="utf-8"), re.MULTILINE)


def test_clauses_are_numbered_once_and_rise() -> None:
    assert len(stated()) > 50
    assert [number for number, count in Counter(stated()).items() if count > 1] == []
    assert stated() == sorted(stated())


def test_every_clause_is_bound_by_a_test() -> None:
    assert sorted(set(stated()) - bound().keys()) == []


def test_every_bound_number_is_a_clause() -> None:
    unknown = {number: files for number, files in bound().items() if number not in stated()}
    assert unknown == {}
