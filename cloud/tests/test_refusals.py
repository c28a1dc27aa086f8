"""What the cloud refuses has words in the portal, in both languages."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from cloud.errors import NotFound, Thing

ROOT = Path(__file__).parents[2]
ERRORS = {"Busy", "Conflict", "DamagedHistory", "NoPermission", "ParameterError", "Unavailable", "__init__"}
"""What is called with a reason; __init__ by classes that give their own."""

MADE = {"deploy.", "firmware.", "not_found.", "project.no_", "task.schedule.", "tunnel."}
"""Beginnings of reasons that end in a word of another list."""

SCHEDULE = ROOT / "broker-config/contract/edge_contract/tasks/schedule.py"


def refusals(language: str) -> dict[str, str]:
    """Code to words, of all files of a language. A plural's second form is none of its own."""
    source = ROOT / "web/src"
    files = [source / f"i18n/locales/{language}.json", *source.glob(f"features/*/locales/{language}.json")]
    found: dict[str, str] = {}
    for file in files:
        found |= dict(leaves(json.loads(file.read_text()).get("refusal", {})))
    return {code.removesuffix("_one"): words for code, words in found.items()}


def leaves(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, below in tree.items():
        if isinstance(below, dict):
            yield from leaves(below, f"{above}{name}.")
        else:
            yield f"{above}{name}", below


def reasons() -> set[str]:
    """Of every error that the cloud's source makes; of what is put together its beginning."""
    found: set[str] = set()
    for file in sorted((ROOT / "cloud/cloud").rglob("*.py")):
        tree = ast.parse(file.read_text())
        named = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            for given in call.keywords:
                if name in ERRORS and given.arg == "reason":
                    found |= set(texts(named.get(getattr(given.value, "id", ""), given.value)))
    return found - {""}


def texts(value: ast.expr) -> Iterator[str]:
    """Of a text or a choice of two; of a text that is put together its beginning."""
    if isinstance(value, ast.Constant):
        yield str(value.value)
    elif isinstance(value, ast.JoinedStr):
        yield from texts(value.values[0])
    elif isinstance(value, ast.IfExp):
        yield from (*texts(value.body), *texts(value.orelse))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_refusal_has_words(language: str) -> None:
    words, said = refusals(language), reasons()
    assert said >= {"preset.taken", "export.too_many", "configuration.behind", "text.half", "tunnel."}
    assert {reason for reason in said - MADE if not words.get(reason, "").strip()} == set()
    faults = {f"task.schedule.{field}" for field in re.findall(r'ValueError\("(\w+): ', SCHEDULE.read_text())}
    assert len(faults) > 4
    assert {reason for reason in faults if not words.get(reason, "").strip()} == set()
    assert {each for each in MADE & said if not any(code.startswith(each) for code in words)} == set()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_everything_that_may_be_missing_has_words(language: str) -> None:
    words = {code: text for code, text in refusals(language).items() if code.startswith("not_found.")}
    assert {NotFound(each).reason for each in get_args(Thing)} == set(words)
    assert all(text.strip() for text in words.values())


def test_what_an_operator_named_is_in_his_message_alone() -> None:
    error = NotFound("user", "worker-9")
    assert (error.message, error.reason) == ("user worker-9 not found", "not_found.user")
    assert NotFound("data point").reason == "not_found.data_point"
