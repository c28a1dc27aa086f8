"""The configuration document: golden cases, which the portal's tests read too, and laws for any document."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from edge_contract.document.difference import FieldChange, difference, rows_difference
from edge_contract.document.masking import MASK, masked, secrets_in, unmasked
from edge_contract.document.merge import merge
from edge_contract.document.patch import patched, with_rows
from edge_contract.document.rename import renamed, renamed_slaves
from edge_contract.document.rows import by_key, key_of, keyed, name_of, row_of
from edge_contract.document.tables import TABLES
from edge_contract.document.values import ABSENT, flat, nested, same, value_at, with_values
from edge_contract.errors import DocumentError, RowMissing, RowTwice, RowUnnamed

CASES = Path(__file__).with_name("document")


def cases(name: str) -> Any:
    rows = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    assert len(rows) >= 3
    return pytest.mark.parametrize("case", rows, ids=[row["case"] for row in rows])


def as_lists(changes: list[FieldChange]) -> list[list[Any]]:
    return [[each.field, *(None if v is ABSENT else v for v in each[1:])] for each in changes]


@cases("difference")
def test_difference(case: dict[str, Any]) -> None:
    before, after = copy.deepcopy(case["before"]), copy.deepcopy(case["after"])
    made = difference(before, after)
    assert {
        name: {
            "added": [name_of(key) for key in rows.added],
            "removed": [name_of(key) for key in rows.removed],
            "changed": {name_of(key): as_lists(changes) for key, changes in rows.changed.items()},
            **({} if rows.order is None else {"order": [name_of(key) for key in rows.order]}),
        }
        for name, rows in made.sections.items()
    } == case["sections"]
    assert as_lists(made.other) == case["other"]
    assert bool(made) == bool(case["sections"] or case["other"])
    assert same(patched(before, made), after)
    assert (before, after) == (case["before"], case["after"]), "neither is written into"


@cases("merge")
def test_merge(case: dict[str, Any]) -> None:
    made = merge(case["base"], case["mine"], case["theirs"])
    assert json.dumps(made.document) == json.dumps(case["merged"])
    assert [str(clash) for clash in made.clashes] == case["clashes"]


@cases("rename")
def test_rename(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(DocumentError) as error:
            renamed(case["document"], case["section"], case["names"])
        assert [error.value.field, error.value.rule] == case["error"]
    else:
        assert renamed(case["document"], case["section"], case["names"]) == case["renamed"]


@cases("mask")
def test_mask(case: dict[str, Any]) -> None:
    assert masked(case["document"]) == case["masked"]
    assert unmasked(case["masked"], case["document"]) == case["document"]


@cases("value")
def test_value(case: dict[str, Any]) -> None:
    path = tuple(case["path"])
    made = with_values(case["row"], [(path, case["value"])])
    assert value_at(made, path) == case["value"]
    assert json.dumps(made, sort_keys=True) == json.dumps(case["made"], sort_keys=True)


NAMES = st.sampled_from("abcd")
SCALARS = st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([0.5, 1.0, "", "x", MASK])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
FIELDS = st.dictionaries(st.sampled_from(["unit", "address", "options", "password"]), VALUES, max_size=3)


def tables(section: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    keys = st.fixed_dictionaries(dict.fromkeys(TABLES[section].key, NAMES))
    rows = st.lists(st.builds(lambda key, fields: {**fields, **key}, keys, FIELDS), max_size=4)
    return rows.map(lambda some: list({key_of(section, row): row for row in some}.values()))


def documents() -> st.SearchStrategy[dict[str, Any]]:
    sections = {name: tables(name) | st.just("broken") | st.just([{}]) for name in TABLES}
    others = {"storage": VALUES, "cloud": FIELDS}
    return st.fixed_dictionaries({}, optional={**sections, **others})


DOCUMENTS = documents()
VALID = st.fixed_dictionaries({name: tables(name) for name in TABLES}, optional={"storage": FIELDS})
LAWS = settings(max_examples=100, deadline=None)


def exact(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@LAWS
@given(DOCUMENTS, DOCUMENTS)
def test_a_difference_applied_makes_the_other_document(one: Any, other: Any) -> None:
    kept = exact(one)
    change = difference(one, other)
    made = patched(one, change)
    assert made == other
    assert same(made, other), "true is not 1"
    assert exact(one) == kept
    assert not difference(made, other)
    assert bool(change) == (not same(one, other))


@LAWS
@given(DOCUMENTS, DOCUMENTS)
def test_what_is_added_one_way_is_removed_the_other(one: Any, other: Any) -> None:
    there, back = difference(one, other), difference(other, one)
    assert there.sections.keys() == back.sections.keys()
    for name, rows in there.sections.items():
        assert rows.added.keys() == back.rows(name).removed.keys()
        assert rows.changed.keys() == back.rows(name).changed.keys()


@LAWS
@given(DOCUMENTS, DOCUMENTS)
def test_a_merge_with_one_side_unchanged_is_the_other_side(base: Any, other: Any) -> None:
    for made in (merge(base, other, base), merge(base, base, other), merge(base, other, other)):
        assert made.clashes == []
        assert exact(by_section(made.document)) == exact(by_section(other))


def by_section(document: dict[str, Any]) -> dict[str, Any]:
    """Rows of the sections by their names; their order is the law of another test."""
    return {name: unordered(name, value) for name, value in document.items()}


def unordered(name: str, value: Any) -> Any:
    rows = keyed(name, value) if name in TABLES else None
    return value if rows is None else sorted(map(exact, rows.values()))


@LAWS
@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_a_merge_without_a_clash_is_the_same_from_both_sides(base: Any, mine: Any, theirs: Any) -> None:
    there, back = merge(base, mine, theirs), merge(base, theirs, mine)
    assert set(there.clashes) == set(back.clashes)
    if not there.clashes:
        assert exact(by_section(there.document)) == exact(by_section(back.document))


@LAWS
@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_a_merge_is_made_once(base: Any, mine: Any, theirs: Any) -> None:
    """Merged again, it changes nothing."""
    once = merge(base, mine, theirs)
    again = merge(theirs, once.document, theirs)
    assert again.clashes == []
    assert exact(by_section(again.document)) == exact(by_section(once.document))


@LAWS
@given(
    VALID, st.sampled_from(["ports", "slaves"]), st.lists(st.sampled_from("wxyz"), unique=True, min_size=4)
)
def test_a_new_name_and_the_old_one_again(document: Any, section: str, free: list[str]) -> None:
    names = {row["name"]: new for row, new in zip(document[section], free, strict=False)}
    made = renamed(document, section, names)
    assert {row["name"] for row in made[section]} == set(names.values())
    back = renamed(made, section, {new: old for old, new in names.items()})
    assert back == document
    assert renamed(document, section, {}) == document


@LAWS
@given(DOCUMENTS)
def test_what_was_masked_comes_back(document: Any) -> None:
    hidden = masked(document)
    assert masked(hidden) == hidden
    rows = [keyed(name, document.get(name, [])) for name in TABLES]
    assume(None not in rows)  # rows that nothing knows again
    assert exact(unmasked(hidden, document)) == exact(document)


@LAWS
@given(DOCUMENTS)
def test_no_secret_is_left(document: Any) -> None:
    left = masked(document, mask="(hidden)")
    assert set(secrets_in(left)) <= {"(hidden)"}
    assert len(list(secrets_in(left))) == len(list(secrets_in(document)))


@LAWS
@given(FIELDS)
def test_flat_fields_make_the_row_again(fields: dict[str, Any]) -> None:
    assume(all(fields.get(name) != {} for name in ("address", "options")))
    assert nested(flat(fields)) == fields


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


def test_errors_name_the_row() -> None:
    document = {"points": [{"slave": "m", "name": "a"}]}
    with pytest.raises(RowMissing) as missing:
        row_of(document, "points", ("m", "b"))
    assert (missing.value.field, missing.value.rule) == ("points m.b", "is not there")
    with pytest.raises(RowTwice) as twice:
        with_rows(document, "points", [{"slave": "m", "name": "a"}])
    assert (twice.value.field, twice.value.section, twice.value.key) == ("points m.a", "points", ("m", "a"))
    with pytest.raises(RowUnnamed):
        with_rows(document, "points", [{"slave": "m"}])
    change = difference(document, {"points": [{"slave": "m", "name": "a", "unit": "V"}]})
    with pytest.raises(RowMissing):
        patched({"points": []}, change)
    with pytest.raises(RowTwice):
        patched(document, difference({"points": []}, document))


def test_a_renamed_slave_is_known_again_by_its_bus() -> None:
    slave = {"name": "m", "port": "lan", "protocol": "modbus_tcp", "address": "1"}
    before, after = {"slaves": [slave]}, {"slaves": [{"name": "x"}, {**slave, "name": "meter"}]}
    assert renamed_slaves(before, after) == {"m": "meter"}
    assert renamed_slaves(before, {"slaves": [slave, {**slave, "name": "copy"}]}) == {}


def test_fields_of_a_row_as_one_value_each() -> None:
    rows = [by_key({"ports": [{"name": "a", "x": {"y": y, "z": 1}}]}, "ports") for y in (1, 2)]
    deep, whole = rows_difference(*rows), rows_difference(*rows, deep=False)
    assert [each.field for each in deep.changed["a",]] == ["x.y"]
    assert [each.field for each in whole.changed["a",]] == ["x"]
