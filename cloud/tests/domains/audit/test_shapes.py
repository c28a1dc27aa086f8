"""What is kept of a value by its schema: types one by one, and how deep and how long it may be."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.core.masking import CUT, MASK
from cloud.domains.audit.shapes import Shape

NEST = {
    "$ref": "#/$defs/Nest",
    "$defs": {
        "Nest": {
            "anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/Nest"}},
                {"type": "object", "properties": {"in": {"$ref": "#/$defs/Nest"}}},
                {"type": "integer"},
            ]
        }
    },
}


def nested(kind: type, levels: int) -> Any:
    """A number in so many lists or tables."""
    value: Any = 5
    for _ in range(levels):
        value = [value] if kind is list else {"in": value}
    return value


def depth(value: Any) -> tuple[int, Any]:
    levels = 0
    while isinstance(value, (list, dict)) and value:
        value = value[0] if isinstance(value, list) else value["in"]
        levels += 1
    return levels, value


@pytest.mark.parametrize("kind", [list, dict])
def test_eight_levels_are_kept(kind: type) -> None:
    assert depth(Shape(NEST).mask(nested(kind, 8))) == (8, 5)
    assert depth(Shape(NEST).mask(nested(kind, 9))) == (8, CUT)
    assert depth(Shape(NEST).mask(nested(kind, 30))) == (8, CUT)


def test_what_a_map_takes_is_a_level_deeper() -> None:
    schema = {**NEST, "$ref": None, "type": "object", "additionalProperties": {"$ref": "#/$defs/Nest"}}
    del schema["$ref"]
    for levels, kept in ((7, (8, 5)), (8, (8, CUT))):
        assert depth(Shape(schema).mask({"in": nested(list, levels)})) == kept


@pytest.mark.parametrize(
    ("schema", "kept", "hidden"),
    [
        ({"type": "integer"}, [0, 7, -1], ["x", 1.5, True, [1], {"a": 1}]),
        ({"type": "number"}, [0, 7, 1.5], ["x", True, [1]]),
        ({"type": "boolean"}, [True, False], [1, "x", 0.5]),
        ({"type": "string"}, ["x"], [1, 1.5, True, ["x"]]),
        ({"enum": ["a", 5]}, ["a", 5], ["b", 6]),
        ({"const": "a"}, ["a"], ["b"]),
        ({"type": "string", "format": "password"}, [], ["x"]),
    ],
)
def test_scalars_by_their_type(schema: dict[str, Any], kept: list[Any], hidden: list[Any]) -> None:
    shape = Shape(schema)
    for value in kept:
        assert shape.mask(value) == value and type(shape.mask(value)) is type(value)
    if "format" not in schema:
        for value in hidden:
            assert shape.mask(value) == MASK
    assert shape.mask(None) is None and shape.mask("") == ""


def test_a_list_and_a_table_keep_fifty_entries_and_say_how_many_more_there_were() -> None:
    numbers = Shape({"type": "array", "items": {"type": "integer"}})
    table = Shape({"type": "object", "additionalProperties": {"type": "integer"}})
    for count in (50, 51, 60):
        values = list(range(count))
        more = [] if count == 50 else [f"{CUT}{count - 50}"]
        assert numbers.mask(values) == values[:50] + more
        named = {f"n{n}": n for n in values}
        kept = dict(list(named.items())[:50])
        assert table.mask(named) == (kept if count == 50 else {**kept, CUT: count - 50})


def test_what_no_schema_names_is_hidden() -> None:
    shape = Shape({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert shape.mask({"a": 1, "b": 2, "c": None, "d": ""}) == {"a": 1, "b": MASK, "c": None, "d": ""}
    assert Shape({"type": "integer"}).mask([1]) == Shape({"type": "integer"}).mask({"a": 1}) == MASK
    pair = Shape({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]})
    assert pair.mask([1, "x"]) == [1, "x"]
