"""Rows of a document: their fields by the specification's names, and documents made of changed ones."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.points.fields import FIELDS, api_fields, written
from cloud.domains.points.rows import with_rows, without
from cloud.domains.points.schemas import PointFields, PortFields, SettingFields, SlaveFields
from cloud.domains.points.settings import LINKAGE
from cloud.errors import Conflict, NotFound
from edge_contract.document.patch import hanging

from .conftest import document


def names(made: dict[str, Any], slave: str = "boiler") -> list[str]:
    return [row["name"] for row in made["points"] if row["slave"] == slave]


def point(name: str, slave: str = "boiler") -> dict[str, Any]:
    return {"slave": slave, "name": name}


def test_a_row_is_shown_by_the_names_of_the_specification_and_keeps_what_has_none() -> None:
    row = {"slave": "m", "name": "a", "address": {"reg_type": "4X", "offset": 3, "bit": 2, "x": 1}, "y": 5}
    assert api_fields("points", row) == {
        "slave": "m", "ds_name": "a", "regtype": "4X", "addroffset": 3, "bit_offset": 2, "bit_enable": True,
    }  # fmt: skip
    changed = written("points", {"addroffset": 4, "ds_title": "A", "bit_enable": False}, row)
    assert changed == {
        "slave": "m", "name": "a", "title": "A", "address": {"reg_type": "4X", "offset": 4, "x": 1}, "y": 5,
    }  # fmt: skip
    assert row["address"]["offset"] == 3


def test_a_bit_that_is_switched_on_is_the_lowest_unless_one_was_named() -> None:
    assert written("points", {"bit_enable": True})["address"] == {"bit": 0}
    assert written("points", {"bit_enable": True}, {"address": {"bit": 5}})["address"] == {"bit": 5}
    assert "address" not in written("points", {"bit_offset": None}, {"address": {"bit": 5}})


def test_every_field_of_a_body_has_its_place() -> None:
    for section, body in (("ports", PortFields), ("slaves", SlaveFields), ("settings", SettingFields)):
        in_no_sheet = {LINKAGE} if section == "settings" else set()
        assert {name.field for name in FIELDS[section]} | in_no_sheet == set(body.model_fields), section
    rest = set(PointFields.model_fields) - set(SettingFields.model_fields)
    assert {name.field for name in FIELDS["points"]} | {"bit_enable"} == rest


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from([name.field for name in FIELDS["points"] if name.field != "slave"]),
        st.integers(0, 9) | st.text("ab", min_size=1, max_size=3),
    )
)
def test_what_is_shown_and_written_back_is_the_same_row(fields: dict[str, Any]) -> None:
    row = written("points", fields)
    again = written("points", api_fields("points", row))
    assert again == row
    assert written("points", api_fields("points", row), row) == row


def test_added_points_stand_with_their_slave_and_where_they_were_put() -> None:
    before = document()
    kept = copy.deepcopy(before)
    added = [point("z"), point("x"), point("y"), point("p", "pump")]
    places = {("boiler", "x"): ("boiler", "a"), ("boiler", "y"): ("boiler", "x")}
    made = with_rows(before, "points", added, after=places)
    assert [(row["slave"], row["name"]) for row in made["points"]] == [
        ("boiler", "a"), ("boiler", "x"), ("boiler", "y"), ("boiler", "b"), ("boiler", "z"),
        ("pump", "a"), ("pump", "p"),
    ]  # fmt: skip
    assert before == kept


def test_places_that_are_not_there_or_lead_round_lose_no_row() -> None:
    ring = {("boiler", "x"): ("boiler", "y"), ("boiler", "y"): ("boiler", "x"), ("boiler", "z"): ("no", "no")}
    made = with_rows(document(), "points", [point("x"), point("y"), point("z")], after=ring)
    assert sorted(names(made)) == ["a", "b", "x", "y", "z"]


def test_two_points_may_swap_their_names_and_none_may_stand_twice() -> None:
    rows = {(row["slave"], row["name"]): row for row in document()["points"]}
    swap = {("boiler", "a"): {**rows["boiler", "a"], "name": "b"}, ("boiler", "b"): point("a")}
    assert names(with_rows(document(), "points", changed=swap)) == ["b", "a"]
    with pytest.raises(Conflict) as refused:
        with_rows(document(), "points", [point("a")])
    assert refused.value.reason == "points.twice"
    with pytest.raises(NotFound):
        with_rows(document(), "points", removed=[("boiler", "no")])


def test_a_new_name_of_a_slave_or_port_is_followed() -> None:
    slave = {**document()["slaves"][0], "name": "kettle"}
    made = with_rows(document(), "slaves", changed={("boiler",): slave})
    assert names(made, "kettle") == ["a", "b"]
    assert made["scripts"][0] == {
        "name": "s", "slave": "kettle", "text": "x = 1", "inputs": {"p": "kettle.a", "q": "pump.a"},
    }  # fmt: skip
    port = {**document()["ports"][0], "name": "com9"}
    made = with_rows(document(), "ports", changed={("com1",): port})
    assert {row["port"] for row in made["slaves"]} == {"com9"}


def test_what_hangs_on_a_port_keeps_it_or_goes_with_it() -> None:
    below = hanging(document(), "ports", ("com1",))
    assert {name: len(rows) for name, rows in below.items()} == {"slaves": 2, "points": 3, "scripts": 1}
    with pytest.raises(Conflict) as refused:
        without(document(), "ports", ("com1",), cascade=False)
    assert refused.value.arguments == {"slaves": 2, "points": 3, "scripts": 1}
    gone = without(document(), "ports", ("com1",), cascade=True)
    assert gone == {"gateway": document()["gateway"], "ports": [], "slaves": [], "points": [], "scripts": []}
    assert names(without(document(), "slaves", ("pump",), cascade=True), "pump") == []
