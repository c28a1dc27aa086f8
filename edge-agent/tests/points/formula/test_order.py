"""Formulas over formulas: operands first, rings refused by name."""

from __future__ import annotations

import random

import pytest

from edge_agent.errors import ConfigError
from edge_agent.points.formula import Formula, compile_formula, cycles, order


def formulas(**texts: str) -> dict[int, Formula]:
    """Keys are places in the alphabet; x, y and z are plain points."""
    names = {chr(code): code - 96 for code in range(97, 123)}
    return {names[name]: compile_formula(text, names) for name, text in texts.items()}


def test_operands_come_first() -> None:
    assert order(formulas(a="b + x", b="c * 2", c="x + y")) == [3, 2, 1]
    assert order({}) == []


def test_a_ring_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        order(formulas(a="b + x", b="c + 1", c="d", d="b"), name=lambda key: f"m1.{chr(key + 96)}")
    assert caught.value.field == "m1.b.formula"
    assert caught.value.rule.endswith("m1.b -> m1.c -> m1.d -> m1.b")


def test_a_formula_over_itself() -> None:
    with pytest.raises(ConfigError, match="1 -> 1"):
        order(formulas(a="a + 1"))


def test_every_ring_is_detected() -> None:
    assert cycles(formulas(a="b", b="a", c="d + a", d="c", e="a", f="x")) == [[1, 2], [3, 4]]
    assert cycles(formulas(a="b", b="x")) == []


def test_a_chain_of_twenty_thousand() -> None:
    count = 20_000
    shuffled = list(range(count))
    random.Random(1).shuffle(shuffled)
    chain = {
        key: Formula("", (key + 1,), ("next",), lambda values: (values[0], None))  # type: ignore[arg-type, return-value]
        for key in shuffled
    }
    assert order(chain) == list(reversed(range(count)))


def test_a_knot_shows_its_shortest_ring_through_the_lowest() -> None:
    knot = formulas(a="b + c", b="d", c="a", d="a", e="f", f="e + d")
    assert cycles(knot) == [[1, 3], [5, 6]]


@pytest.mark.parametrize("seed", range(30))
def test_rings_are_rings_and_none_is_left_out(seed: int) -> None:
    chance = random.Random(seed)
    needs = {
        key: tuple(chance.sample(range(1, 13), chance.randint(0, 2)))
        for key in chance.sample(range(1, 13), 12)
    }
    made = {
        key: Formula("", others, tuple(map(str, others)), lambda values: (values[0], None))  # type: ignore[arg-type, return-value]
        for key, others in needs.items()
    }
    rings = cycles(made)
    for ring in rings:
        assert ring[0] == min(ring)
        assert all(after in needs[key] for key, after in zip(ring, [*ring[1:], ring[0]], strict=True))
    opened = {key: formula for key, formula in made.items() if key not in {k for ring in rings for k in ring}}
    if not rings:
        assert sorted(order(made)) == sorted(made)
    elif not cycles(opened):
        assert sorted(order(opened)) == sorted(opened)
