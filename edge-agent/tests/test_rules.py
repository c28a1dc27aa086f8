"""Words for what msgspec refuses; the library's own never reach a person."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
import pytest

from edge_agent.config.shape import shape_faults
from edge_agent.rules import fault_of


class Part(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=3, pattern="^[a-z]*$(?!\\n)")] = "a"
    count: Annotated[int, msgspec.Meta(ge=1, le=9)] | None = None
    share: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.5
    way: Literal["N", "E"] = "N"
    items: Annotated[list[int], msgspec.Meta(max_length=2)] = []
    on: bool = False


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    part: Part


@pytest.mark.parametrize(
    ("part", "path", "rule"),
    [
        ({"count": "x"}, "part.count", "must be a whole number or nothing, not a text"),
        ({"count": 0}, "part.count", "must be at least 1"),
        ({"share": 1.0}, "part.share", "must be below 1.0"),
        ({"name": ""}, "part.name", "must have at least 1 characters"),
        ({"name": "abcd"}, "part.name", "must have at most 3 characters"),
        ({"name": "A"}, "part.name", "must fit the pattern ^[a-z]*$"),
        ({"way": "X"}, "part.way", "must be one of N, E, not 'X'"),
        ({"items": [1, 2, 3]}, "part.items", "must have at most 2 items"),
        ({"items": [1, "b"]}, "part.items[1]", "must be a whole number, not a text"),
        ({"on": 1}, "part.on", "must be true or false, not a whole number"),
        ({"nmae": "a"}, "part", "must not have 'nmae': there is no such field; is 'name' meant?"),
        ([], "part", "must be a table, not a list"),
    ],
)
def test_every_rule_has_our_words(part: Any, path: str, rule: str) -> None:
    (fault,) = shape_faults({"part": part}, Whole)
    assert (fault.field, fault.rule) == (path, rule)
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"part": part}, Whole, strict=True)
    field, words = fault_of(caught.value)
    assert field == path
    assert not re.search(r"Expected|Object|Invalid|`", words), words
