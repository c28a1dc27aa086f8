"""Words for what msgspec refuses; the library's own never reach a person."""

from __future__ import annotations

import enum
import re
from typing import Annotated, Any, Literal

import msgspec
import pytest

from edge_agent.config.shape import shape_faults
from edge_agent.rules import MAX_QUOTED, fault_of, request_fault, shortened


class Way(enum.Enum):
    NORTH = "N"


class Part(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=3, pattern="^[a-z]*$(?!\\n)")] = "a"
    count: Annotated[int, msgspec.Meta(ge=1, le=9)] | None = None
    share: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.5
    way: Literal["N", "E"] = "N"
    items: Annotated[list[int], msgspec.Meta(max_length=2)] = []
    on: bool = False
    to: Way = Way.NORTH


class Outer(msgspec.Struct, forbid_unknown_fields=True):
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
    (fault,) = shape_faults({"part": part}, Outer)
    assert (fault.field, fault.rule) == (path, rule)
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"part": part}, Outer, strict=True)
    field, words = fault_of(caught.value)
    assert field == path
    assert not re.search(r"Expected|Object|Invalid|`", words), words


@pytest.mark.parametrize("long", ["x" * 100_000, "x\n" * 50_000, "x - at `$.part`" * 10_000])
def test_what_is_quoted_is_cut(long: str) -> None:
    for part, path in (({"to": long}, "part.to"), ({long: 1}, "part"), ({"way": long}, "part.way")):
        (fault,) = shape_faults({"part": part}, Outer)
        assert fault.field == path and len(fault.rule) < 200 and "\N{HORIZONTAL ELLIPSIS}" in fault.rule
        with pytest.raises(msgspec.ValidationError) as caught:
            msgspec.convert({"part": part}, Outer, strict=True)
        field, rule = fault_of(caught.value)
        assert field == path and len(rule) < 200
    (fault,) = shape_faults({"part": {"to": "x" * 55}}, Outer)
    assert fault.rule == f"must be one of the known values, which '{'x' * 55}' is not"


@pytest.mark.parametrize("size", [1, 39, 40, 41, 60, 61, 80, 81, 100, 101, 120, 121, 200, 201])
def test_a_long_text_is_quoted_in_short(size: int) -> None:
    quoted = shortened("x" * size)
    assert len(quoted) == min(size, MAX_QUOTED)
    assert quoted == "x" * size if size <= MAX_QUOTED else quoted == "x" * (MAX_QUOTED - 1) + "…"


@pytest.mark.parametrize(
    ("body", "field", "rule"),
    [
        ({"part": {"nmae": "a"}}, "part.nmae", "there is no such field"),
        ({"prat": {}}, "prat", "there is no such field"),
        ({}, "part", "must be given"),
        ({"part": {"count": 0}}, "part.count", "must be at least 1"),
        ([], "body", "must be a table, not a list"),
        ({"x" * 80: 1}, "x" * 59 + "…", "there is no such field"),
    ],
)
def test_faults_of_a_request_name_the_field(body: Any, field: str, rule: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(body, Outer, strict=True)
    assert request_fault(caught.value, "body") == (field, rule)
