"""Pure rooms do no I/O, do not wait and do not ask the time; the contract needs one library."""

import sys
from pathlib import Path

import pytest
import rules

sys.path.insert(0, str(rules.ROOT / "scripts"))
from mutation import plan


@pytest.mark.parametrize("path", rules.pure_files(), ids=lambda path: str(path.relative_to(rules.ROOT)))
def test_pure_module(path: Path) -> None:
    assert rules.impurities(path.read_text()) == set()


def test_the_rule_catches_a_planted_import() -> None:
    assert rules.impurities("from asyncio import sleep\nimport struct") == {"asyncio"}
    assert rules.impurities("def f():\n    import time") == {"time"}

    assert rules.impurities("from datetime import datetime\nx = datetime.now()") == {"datetime.now"}
    assert rules.impurities("with open('x') as f: pass") == {"open"}
    assert rules.impurities("if TYPE_CHECKING:\n    from sqlalchemy import Row") == set()


def test_who_says_that_it_is_pure_is_checked() -> None:
    """By its docstring, its package's or its README."""
    assert rules.says_pure('"""Frames. Pure."""')
    assert not rules.says_pure('"""Purely for tests."""\ndef f(): "Pure."')
    text = "Owns `a.py`, `b.py` (pure), `c.py` is pure. Pure: `d.py` the queue,\n`e.py`. `f.py` reads."
    assert rules.named_pure(text) & set("abcdef") == set("bcde")
    found = {str(path.relative_to(rules.ROOT)) for path in rules.pure_files()}
    assert {
        "edge-agent/edge_agent/bus/schedule.py",
        "edge-agent/edge_agent/bus/breaker.py",
        "edge-agent/edge_agent/points/formula/grammar.py",
        "broker-config/contract/edge_contract/topics.py",
        "broker-config/contract/edge_contract/exchange.py",
    } <= found
    assert len(found) > 180


def test_every_pure_module_of_the_programs_has_tests_that_are_to_notice_changes() -> None:
    """scripts/mutate knows the tests of each; the simulator's own models are outside of it."""
    pure = {str(path.relative_to(rules.ROOT)) for path in rules.pure_files()}
    wanted = {
        name for name in pure if not name.startswith("firmware-sim/") and not name.endswith("__init__.py")
    }
    listed = plan.tests_of_modules()
    assert wanted - listed.keys() == set(), "not in scripts/mutation/tests.toml"
    assert listed.keys() - wanted == set(), "in scripts/mutation/tests.toml, but no pure module"
    missing = {test for tests in listed.values() for test in tests if not (rules.ROOT / test).is_file()}
    assert missing == set()
    assert all(listed.values())


def test_contract_needs_only_its_schema_library() -> None:
    for path in (rules.ROOT / "broker-config" / "contract" / "edge_contract").rglob("*.py"):
        outside = rules.imported(path.read_text()) - set(sys.stdlib_module_names) - {"__future__"}
        assert outside <= rules.CONTRACT_MAY_IMPORT_OUTSIDE_STANDARD_LIBRARY, path
