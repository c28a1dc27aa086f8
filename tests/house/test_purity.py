"""Pure rooms do no I/O, do not wait and do not ask the time; the contract needs one library."""

import sys
from pathlib import Path

import pytest
import rules


@pytest.mark.parametrize("path", rules.pure_files(), ids=lambda path: str(path.relative_to(rules.ROOT)))
def test_pure_module(path: Path) -> None:
    assert rules.impurities(path.read_text()) == set()


def test_the_rule_catches_a_planted_import() -> None:
    assert rules.impurities("from asyncio import sleep\nimport struct") == {"asyncio"}
    assert rules.impurities("def f():\n    import time") == {"time"}


def test_contract_needs_only_its_schema_library() -> None:
    for path in (rules.ROOT / "broker-config" / "contract" / "edge_contract").rglob("*.py"):
        outside = rules.imported(path.read_text()) - set(sys.stdlib_module_names) - {"__future__"}
        assert outside <= rules.CONTRACT_MAY_IMPORT_OUTSIDE_STANDARD_LIBRARY, path
