"""Template rows and a gateway's own changes: laws that hold for any rows, and each rule by an example."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.templates.content import (
    Reference,
    checked,
    expanded,
    off_slave,
    on_slave,
    parts_of,
    references_of,
    with_parts,
    without_secrets,
)
from cloud.domains.templates.merge import applied, listed, overrides_of
from cloud.errors import ParameterError
from edge_contract.document.difference import rows_difference
from edge_contract.document.patch import patched_rows
from edge_contract.document.values import flat, nested, same

NAMES = st.sampled_from("abcd")
VALUES = st.one_of(st.integers(0, 3), st.booleans(), st.sampled_from(["x", "y"]), st.just(1.0))
ADDRESSES = st.dictionaries(st.sampled_from(["offset", "item"]), VALUES, min_size=1, max_size=2)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "ratio": VALUES,
        "unit": VALUES,
        "selector": st.dictionaries(NAMES, VALUES),
        "address": ADDRESSES,
    },
)
TABLES = st.dictionaries(NAMES, FIELDS).map(
    lambda rows: [{"name": name, **fields} for name, fields in rows.items()]
)
LAWS = settings(max_examples=50, deadline=None)


def by_name(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {row["name"]: row for row in rows}


@LAWS
@given(TABLES, TABLES)
def test_a_template_with_its_overrides_is_what_the_gateway_has(
    template: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> None:
    known, here = ({(row["name"],): flat(row) for row in some} for some in (template, rows))
    change = rows_difference(known, here, deep=False)
    fields = sum(map(len, change.changed.values()))
    assert overrides_of(template, rows).count() == fields + len(change.removed)
    made = by_name([nested(row) for row in patched_rows("points", known, change).values()])
    assert made.keys() == by_name(rows).keys()
    assert all(same(made[name], row) for name, row in by_name(rows).items())


@LAWS
@given(TABLES, TABLES, TABLES, st.booleans(), st.booleans())
def test_applying_twice_changes_nothing(
    rows: list[dict[str, Any]],
    before: list[dict[str, Any]],
    after: list[dict[str, Any]],
    keep: bool,
    fill: bool,
) -> None:
    once = applied(rows, before, after, keep=keep, fill=fill)
    for known in (after, before):  # before: as when the note of what was applied got lost
        if known is before and not keep:
            continue
        twice = applied(once.rows, known, after, keep=keep, fill=fill)
        if known is before and once.orphans:
            continue
        assert (twice.added, twice.changed, twice.removed) == ([], [], [])
        assert twice.rows == once.rows


@LAWS
@given(TABLES, TABLES, TABLES)
def test_own_rows_stay_and_without_overrides_the_rest_is_the_template(
    rows: list[dict[str, Any]], before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    made = by_name(applied(rows, before, after, keep=False).rows)
    own = by_name(rows).keys() - by_name(before).keys()
    assert made.keys() == by_name(after).keys() | own
    assert all(same(made[name], row) for name, row in by_name(after).items())


@LAWS
@given(TABLES, TABLES, TABLES)
def test_what_is_overridden_survives_every_version(
    rows: list[dict[str, Any]], before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    overrides = overrides_of(before, rows)
    made = by_name(applied(rows, before, after, keep=True).rows)
    for name, fields in overrides.fields.items():
        values = flat(made[name])
        for field, value in fields.items():
            assert (
                field not in values if field not in flat(by_name(rows)[name]) else same(values[field], value)
            )
    assert not made.keys() & (overrides.removed & by_name(before).keys())


@LAWS
@given(FIELDS)
def test_flat_fields_make_the_row_again(fields: dict[str, Any]) -> None:
    assert nested(flat(fields)) == fields


def points(**rows: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, **fields} for name, fields in rows.items()]


def test_a_new_version_with_overrides_kept() -> None:
    v1 = points(a={"ratio": 1, "address": {"area": "D", "offset": 1}}, b={"unit": "V"}, c={}, d={"unit": "A"})
    v2 = points(
        a={"ratio": 2, "address": {"area": "W", "offset": 1}}, c={}, e={"unit": "Hz"}, o={"unit": "K"}
    )
    here = points(
        o={"unit": "C", "max": 9},
        a={"ratio": 1, "address": {"area": "D", "offset": 7}},
        b={"unit": "V"},
        d={"unit": "mA"},
    )
    made = applied(here, v1, v2, keep=True)
    assert made.rows == points(
        o={"unit": "C", "max": 9},
        a={"ratio": 2, "address": {"area": "W", "offset": 7}},
        d={"unit": "mA"},
        e={"unit": "Hz"},
    )
    assert (made.added, made.changed, made.removed) == (["e"], ["a"], ["b"])
    assert (made.clashes, made.orphans) == (["o"], ["d"])
    assert sorted(made.overridden) == ["a", "c", "o"], "c was taken out, which is an override too"


def test_a_new_version_without_them() -> None:
    v1, v2 = points(a={"unit": "V"}, b={}), points(a={"unit": "kV"}, c={})
    made = applied(points(a={"unit": "mV", "max": 3}, o={}), v1, v2, keep=False)
    assert made.rows == points(a={"unit": "kV"}, o={}, c={})
    assert made.overridden == []


def test_what_the_template_leaves_open_is_the_rows_to_say() -> None:
    v1 = points(m={"retries": 1})
    here = points(m={"retries": 3, "address": "0042", "options": {"password": "1"}})
    made = applied(here, v1, v1, keep=False, fill=True)
    assert made.rows == points(m={"retries": 1, "address": "0042", "options": {"password": "1"}})


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (7, 7.0, True),
        (True, 1, False),
        ({"a": 1}, {"a": 1.0}, True),
        ([1], [True], False),
        ({}, {"a": 1}, False),
    ],
)
def test_values_are_the_same_as_the_gateway_reads_them(one: Any, other: Any, equal: bool) -> None:
    assert same(one, other) is equal


def test_overrides_are_told_with_both_values() -> None:
    template = points(a={"unit": "V", "ratio": 1}, b={})
    found = list(listed(template, overrides_of(template, points(a={"unit": "V", "max": 3}))))
    named = {(row, field): (theirs, own) for row, field, theirs, own in found}
    assert set(named) == {("a", "max"), ("a", "ratio"), ("b", "")}
    assert named["a", "ratio"][0] == 1 and named["a", "max"][1] == 3


def fault_of(category: str, document: Any) -> tuple[str, str]:
    with pytest.raises(ParameterError) as refused:
        checked(category, document)
    return refused.value.field, refused.value.rule


CABINET: dict[str, Any] = {
    "ports": [{"name": "lan"}], "slaves": [{"name": "m1", "port": "lan"}, {"name": "m2", "port": "lan"}],
    "points": [{"slave": "m1", "name": "a"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "field", "rule"),
    [
        ({"more": 1}, "more", "only defaults, points, ports, slaves, templates"),
        ({"x" * 200: 1}, "x" * 100, "only defaults, points, ports, slaves, templates"),
        ({"ports": {}}, "ports", "a list of at most 1000 tables"),
        ({"templates": []}, "templates", "a table by slave"),
        ({"templates": {"m9": {}}}, "templates.m9", "must be the name of a slave"),
        ({"templates": {"m" * 99: {}}}, "templates." + "m" * 64, "must be the name of a slave"),
        ({"templates": {"m1": {}}}, "templates.m1", "a slave has a template or points of its own"),
        ({"defaults": []}, "defaults", "port and slave"),
        ({"defaults": {"point": {}}}, "defaults", "port and slave"),
        ({"defaults": {"port": {"name": 1}}}, "defaults.port",
         "only baud, capture_cycle_ms, data_bits, min_interval_ms, parity, stop_bits"),
        ({"defaults": {"slave": []}}, "defaults.slave",
         "only capture_cycle_ms, response_timeout_ms, retries, storage_cycle_s"),
        ({"slaves": [*CABINET["slaves"], {"name": "m3", "port": "lan", "options": {"password": "x"}}]},
         "slaves[2].options.password", "no secrets: each gateway has its own"),
        ({"slaves": [{"name": "m1", "port": "lan", "options": {"p" * 150 + "password": "x"}}]},
         f"slaves[0].options.{'p' * 92}", "no secrets: each gateway has its own"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_template_names_its_first_fault(changes: dict[str, Any], field: str, rule: str) -> None:
    assert fault_of("gateway", CABINET | changes) == (f"document.{field}", rule)
    assert fault_of("point", {"ports": []}) == ("document.ports", "only points")


@pytest.mark.parametrize(
    ("reference", "taken"),
    [
        ({"template_id": 1, "version": 1}, True),
        ({"template_id": 2**31 - 1, "version": 2**31 - 1}, True),
        ({"template_id": 0, "version": 1}, False),
        ({"template_id": 1, "version": 0}, False),
        ({"template_id": 2**31, "version": 1}, False),
        ({"template_id": True, "version": 1}, False),
        ({"template_id": "1", "version": 1}, False),
        ({"template_id": 1}, False),
        ({"template_id": 1, "version": 1, "own": []}, False),
        (5, False),
    ],
)
def test_which_template_a_slave_has(reference: Any, taken: bool) -> None:
    document = CABINET | {"templates": {"m2": reference}}
    if taken:
        stored, _ = checked("gateway", document)
        assert references_of(stored) == {"m2": Reference(reference["template_id"], reference["version"])}
    else:
        rule = "template_id and version, both positive whole numbers"
        assert fault_of("gateway", document) == ("document.templates.m2", rule)


def test_a_template_holds_5000_points_and_1000_ports_and_slaves() -> None:
    points = [{"name": f"p{n}"} for n in range(5001)]
    assert fault_of("point", {"points": points}) == ("document.points", "a list of at most 5000 tables")
    assert len(checked("point", {"points": points[1:]})[0]["points"]) == 5000
    for section in ("ports", "slaves"):
        rows = [{"name": f"n{n}", "port": "lan"} for n in range(1000)]
        empty: dict[str, Any] = {"ports": [{"name": "lan"}], "slaves": [], "points": []}
        assert len(checked("gateway", empty | {section: rows})[0][section]) == 1000
        more = empty | {section: [*rows, {"name": "more", "port": "lan"}]}
        assert fault_of("gateway", more) == (f"document.{section}", "a list of at most 1000 tables")


def test_a_template_has_at_most_900_kib() -> None:
    def document(size: int) -> dict[str, Any]:
        return {"points": [{"name": "a", "title": "x" * size}]}

    _, content = checked("point", document(0))
    spare = 900 * 1024 - len(content)
    assert len(checked("point", document(spare))[1]) == 900 * 1024
    assert fault_of("point", document(spare + 1)) == ("document", "at most 921600 bytes")


def test_what_a_template_gives_a_gateway() -> None:
    """Its defaults where a row says nothing, and the points of each slave's own template."""
    document = CABINET | {"defaults": {"port": {"baud": 9600}, "slave": {"retries": 2}}}
    document["slaves"] = [{"name": "m1", "port": "lan", "retries": 1}, {"name": "m2", "port": "lan"}]
    parts = expanded(document, {"m2": [{"name": "b"}]})
    assert parts.ports == [{"baud": 9600, "name": "lan"}]
    assert [row["retries"] for row in parts.slaves] == [1, 2]
    assert parts.points == [{"slave": "m1", "name": "a"}, {"slave": "m2", "name": "b"}]
    assert parts.of_slave("m2") == [{"slave": "m2", "name": "b"}] == on_slave([{"name": "b"}], "m2")
    assert off_slave(parts.of_slave("m2")) == [{"name": "b"}]
    assert with_parts({"gateway": 1, "ports": []}, parts) == {"gateway": 1, **{
        name: getattr(parts, name) for name in ("ports", "slaves", "points")
    }}  # fmt: skip
    assert parts_of({"ports": [{"name": "lan"}]}).ports == [{"name": "lan"}]
    assert without_secrets({"name": "m1", "options": {"password": "x", "pdu": 1}}) == {
        "name": "m1", "options": {"pdu": 1},
    }  # fmt: skip
