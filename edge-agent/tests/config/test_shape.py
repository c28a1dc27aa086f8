"""Whatever the typed model refuses, the search for every fault finds at least one."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.check import check
from edge_agent.config.lenient import parse_leniently
from edge_agent.config.model import Configuration
from edge_agent.config.shape import shape_faults

GOOD: dict[str, Any] = {
    "gateway": {"id": "gw-1"},
    "cloud": {"url": "mqtts://broker", "enable": False},
    "local_page": {"host": "127.0.0.1", "port": 8090},
    "storage": {"commit_interval_s": 1.0},
    "ports": [{"name": "lan", "type": "NET", "host": "h"}, {"name": "com", "type": "COM", "device": "/d"}],
    "slaves": [
        {"name": "a", "port": "lan", "protocol": "modbus_tcp", "address": "1", "options": {"max_gap": 3}},
        {"name": "m", "port": "com", "protocol": "dlt645_2007", "address": "202311150042"},
    ],
    "points": [
        {"slave": "a", "name": "p", "address": {"reg_type": "4X", "offset": 0}, "selector": {"0": "off"}},
        {"slave": "a", "name": "c", "type": "cal", "formula": "p + 1"},
        {"slave": "a", "name": "s", "type": "cal", "script": "lines"},
        {"slave": "m", "name": "u", "data_type": "double", "address": {"item": "Ua"}, "min": 1.0},
    ],
    "scripts": [
        {"name": "lines", "slave": "a", "text": "s = x + n", "inputs": {"x": "p"}, "state": {"n": 1}}
    ],
}  # fmt: skip

junk = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just("a\n"),
    st.dates(), st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=3), st.integers()),
    st.sampled_from([10**400, -(2**64), "x" * 70, [{}], {"0": 1}, ["a"], [[]],
                     {str(n): "t" for n in range(101)}, [{}] * 1001, "a" * 5000]),
)  # fmt: skip


def places(table: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in a table."""
    parts = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    found = [path] if path else []
    for key, value in parts:
        found += places(value, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    tables = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(1, 4))):
        *above, last = draw(st.sampled_from(places(tables) or [("gateway",)]))
        at: Any = tables
        for key in above:
            at = at[key]
        change = draw(st.sampled_from(["replace", "remove", "rename"]))
        if change == "replace":
            at[last] = copy.deepcopy(draw(junk))
        elif isinstance(at, dict):
            value = at.pop(last, None)
            if change == "rename":
                at[draw(st.text(max_size=8))] = value
        elif last < len(at):
            del at[last]
    return tables


@given(mutated())
@settings(max_examples=400, deadline=None)
def test_a_refused_table_has_a_fault_and_the_rest_is_checked(tables: dict[str, Any]) -> None:
    try:
        msgspec.convert(tables, Configuration, strict=True)
    except msgspec.ValidationError:
        assert list(shape_faults(tables, Configuration))
        rest = parse_leniently(tables)
        list(rest.meant(check(rest.configuration, rest.unjudged)))
    else:
        assert not list(shape_faults(tables, Configuration))


def test_the_table_is_right() -> None:
    assert not list(check(msgspec.convert(GOOD, Configuration, strict=True)))


def test_too_long_lists_and_tables() -> None:
    many = copy.deepcopy(GOOD)
    many["points"][0]["selector"] = {str(n): "t" for n in range(101)}
    many["scripts"] *= 101
    assert [fault.field for fault in shape_faults(many, Configuration)] == ["points[0].selector", "scripts"]
