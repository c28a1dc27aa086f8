"""How deep an expression of a script may be, wherever it stands, and where a fault is."""

from __future__ import annotations

import pytest

from edge_agent.errors import ConfigError
from edge_agent.sandbox.language import compile_script
from edge_agent.sandbox.model import SandboxScript


def compiled(text: str) -> None:
    compile_script(SandboxScript("s", text, ("a", "b"), ("x",)))


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("x = {}", 60), ("x = 1\nx += {}", 60), ("if {}:\n    x = 1", 60), ("while {}:\n    break", 60),
        ("if a:\n    x = {}", 60), ("if a:\n    pass\nelse:\n    x = {}", 60),
        ("while a:\n    x = {}\n    break", 60), ("for i in (1, 2):\n    x = {}", 60),
        ("x = 1 + {}", 59), ("x = {} * 2", 59), ("x = a and {}", 59), ("x = a < {}", 59),
        ("x = {} < a < b", 59), ("x = 1 if {} else 2", 59), ("x = {} if a else 2", 59),
        ("x = 1 if a else {}", 59), ("x = not {}", 59),
        ("for i in range({}):\n    x = i", 59),
    ],
)  # fmt: skip
def test_operations_in_each_other(text: str, most: int) -> None:
    compiled(text.format("-" * most + "a"))
    with pytest.raises(ConfigError, match="at most 60 operations deep"):
        compiled(text.format("-" * (most + 1) + "a"))


@pytest.mark.parametrize("text", ["x = abs({})", "t = (a, {})", "t = (a, b)\nx = t[{}]"])
def test_an_argument_is_two_operations_deep(text: str) -> None:
    compiled(text.format("-" * 58 + "a"))
    with pytest.raises(ConfigError, match="at most 60 operations deep"):
        compiled(text.format("-" * 59 + "a"))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("x = = 1", 1, 5), ("x = 1\nif a\n    x = 2", 2, 5), ("a = 1\nx = 3", 1, 1), ("x = 1\nx = 5 @ a", 2, 7)],
)
def test_where_a_fault_is(text: str, line: int, column: int) -> None:
    with pytest.raises(ConfigError, match=f"line {line}, column {column}: "):
        compiled(text)
