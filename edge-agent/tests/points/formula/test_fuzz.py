"""Hostile formulas: the compiler raises nothing but a ConfigError, a formula gives nothing but an answer."""

from __future__ import annotations

import builtins

import pytest
from fuzzing.engine import run
from fuzzing.formula import ESCAPES, NAMES, Formulas

from edge_agent.errors import ConfigError
from edge_agent.points.formula import compile_formula


@pytest.mark.parametrize("text", ESCAPES, ids=ascii)
def test_escapes_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="formula"):
        compile_formula(text, NAMES)


def test_a_compiled_formula_reaches_no_builtin(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = compile_formula("a ** 2 + max(a, b) // b", NAMES)
    reached: list[str] = []
    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda *words: (reached.append(words[0]), real(*words))[1])
    formula([1, 0])
    monkeypatch.undo()
    assert reached == []
    names = formula.evaluate.__globals__["__builtins__"]  # type: ignore[attr-defined]
    assert set(names) == {"ArithmeticError", "TypeError", "ValueError"}


def test_generated_texts() -> None:
    result = run(Formulas(), 2_500, seed=645, name="formula")
    assert not result.failure, result.failure
    assert result.counts["compiled"] > 600
    assert result.counts["values"] > 600
