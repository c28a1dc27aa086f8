"""Rows added, replaced and removed in a document: their places, and what follows a new name."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from edge_contract.document.difference import slaves_reached
from edge_contract.document.patch import hanging, with_rows, without
from edge_contract.document.references import newly_unresolved, unresolved
from edge_contract.document.rename import renamed, renamed_in_place, renamed_slaves
from edge_contract.document.rows import keyed, rows_of
from edge_contract.errors import RowMissing, RowTwice, RowUnnamed

PLANT: dict[str, Any] = {
    "ports": [{"name": "lan"}, {"name": "com1"}],
    "slaves": [{"name": "a", "port": "lan"}, {"name": "b", "port": "com1"}, {"name": "c", "port": "lan"}],
    "points": [
        {"slave": "a", "name": "p1"},
        {"slave": "a", "name": "p2"},
        {"slave": "b", "name": "p1"},
    ],
    "scripts": [
        {"name": "mean", "slave": "b", "inputs": {"x": "a.p1", "y": "p1", "z": "c.p1"}},
        {"name": "sum", "slave": "c", "inputs": {"x": "a"}},
    ],
}


def point(name: str) -> dict[str, str]:
    slave, _, own = name.partition(".")
    return {"slave": slave, "name": own}


def placed(added: str, after: dict[str, str] | None = None, **more: Any) -> str:
    """Points of the plant with some added; after: name of an added one to what it goes behind."""
    kept = copy.deepcopy(PLANT)
    keys = {tuple(a.split(".")): tuple(b.split(".")) for a, b in (after or {}).items()}
    made = with_rows(PLANT, "points", [point(each) for each in added.split()], after=keys, **more)
    assert kept == PLANT, "the given one stays as it is"
    return " ".join(f"{row['slave']}.{row['name']}" for row in made["points"])


def test_a_point_goes_behind_those_of_its_slave_and_of_a_new_slave_to_the_end() -> None:
    assert placed("a.p3 c.p1 b.p2 a.p4") == "a.p1 a.p2 a.p3 a.p4 b.p1 b.p2 c.p1"
    assert placed("") == "a.p1 a.p2 b.p1"


def test_an_added_row_stands_where_it_is_wanted() -> None:
    assert placed("a.x", {"a.x": "a.p1"}) == "a.p1 a.x a.p2 b.p1"
    assert placed("a.x a.y", {"a.x": "a.p1", "a.y": "a.p1"}) == "a.p1 a.x a.y a.p2 b.p1"
    assert placed("a.x a.y", {"a.x": "a.p1", "a.y": "a.x"}) == "a.p1 a.x a.y a.p2 b.p1"
    assert placed("a.y a.x", {"a.x": "a.p1", "a.y": "a.x"}) == "a.p1 a.x a.y a.p2 b.p1"
    assert placed("a.x a.y", {"a.x": "a.gone", "a.y": "a.y"}) == "a.p1 a.p2 a.x a.y b.p1", "nowhere to go"
    assert placed("a.x a.y", {"a.x": "a.y", "a.y": "a.x"}) == "a.p1 a.p2 b.p1 a.x a.y", "a ring"


def test_a_place_is_named_as_it_was_before() -> None:
    changed = {("a", "p1"): {"slave": "a", "name": "first"}}
    assert placed("a.x", {"a.x": "a.p1"}, changed=changed) == "a.first a.x a.p2 b.p1"
    assert placed("a.x", {"a.x": "a.p1"}, removed=[("a", "p1")]) == "a.p2 a.x b.p1"


def test_rows_of_other_sections_go_to_the_end() -> None:
    made = with_rows(PLANT, "slaves", [{"name": "d"}, {"name": "e"}], after={("e",): ("a",)})
    assert [row["name"] for row in made["slaves"]] == ["a", "e", "b", "c", "d"]
    assert made["points"] == PLANT["points"]


def test_what_names_a_slave_follows_its_new_name() -> None:
    made = with_rows(PLANT, "slaves", changed={("a",): {"name": "boiler", "port": "lan"}})
    assert [row["slave"] for row in made["points"]] == ["boiler", "boiler", "b"]
    assert made["scripts"] == [
        {"name": "mean", "slave": "b", "inputs": {"x": "boiler.p1", "y": "p1", "z": "c.p1"}},
        {"name": "sum", "slave": "c", "inputs": {"x": "a"}},
    ], "a text without a dot is a point"
    moved = with_rows(PLANT, "slaves", changed={("b",): {"name": "b", "port": "lan"}})
    assert moved == {
        **PLANT,
        "slaves": [PLANT["slaves"][0], {"name": "b", "port": "lan"}, PLANT["slaves"][2]],
    }


def test_what_names_a_port_follows_and_points_do_not() -> None:
    made = with_rows(PLANT, "ports", changed={("lan",): {"name": "a"}})
    assert [row["port"] for row in made["slaves"]] == ["a", "com1", "a"]
    assert (made["points"], made["scripts"]) == (PLANT["points"], PLANT["scripts"])


def test_a_row_that_is_changed_and_removed_is_removed_and_nothing_follows() -> None:
    made = with_rows(PLANT, "slaves", changed={("a",): {"name": "x"}}, removed=[("a",)])
    assert [row["name"] for row in made["slaves"]] == ["b", "c"]
    assert made["points"] == PLANT["points"]


def test_rows_that_are_missing_twice_or_without_a_name() -> None:
    for arguments in ({"changed": {("x",): {"name": "x"}}}, {"removed": [("x",)]}):
        with pytest.raises(RowMissing, match="slaves x: is not there"):
            with_rows(PLANT, "slaves", **arguments)  # type: ignore[arg-type]
    with pytest.raises(RowTwice, match="slaves b: must be unique"):
        with_rows(PLANT, "slaves", changed={("a",): {"name": "b"}})
    with pytest.raises(RowUnnamed):
        with_rows(PLANT, "slaves", [{"port": "lan"}])
    assert with_rows(PLANT, "points", [{"name": "own"}])["points"][-1] == {"name": "own"}, "of the gateway"


def test_what_hangs_on_a_port_and_on_a_slave() -> None:
    names = {
        (section, name): {
            below: [row["name"] for row in rows] for below, rows in hanging(PLANT, section, (name,)).items()
        }
        for section, name in (("ports", "lan"), ("ports", "com1"), ("slaves", "a"), ("slaves", "c"))
    }
    assert names == {
        ("ports", "lan"): {"slaves": ["a", "c"], "points": ["p1", "p2"], "scripts": ["sum"]},
        ("ports", "com1"): {"slaves": ["b"], "points": ["p1"], "scripts": ["mean"]},
        ("slaves", "a"): {"points": ["p1", "p2"]},
        ("slaves", "c"): {"scripts": ["sum"]},
    }


def test_a_port_goes_with_everything_below_it() -> None:
    made = without(PLANT, "ports", ("lan",))
    assert {name: [row["name"] for row in rows] for name, rows in made.items()} == {
        "ports": ["com1"], "slaves": ["b"], "points": ["p1"], "scripts": ["mean"],
    }  # fmt: skip
    assert len(PLANT["points"]) == 3
    with pytest.raises(RowMissing):
        without(PLANT, "slaves", ("x",))


def test_a_name_that_another_row_has_or_that_is_not_there() -> None:
    with pytest.raises(RowMissing, match="slaves x: is not there"):
        renamed(PLANT, "slaves", {"x": "y"})
    with pytest.raises(RowTwice, match="slaves b: must be unique"):
        renamed(PLANT, "slaves", {"a": "b"})
    made = renamed(PLANT, "slaves", {"a": "b", "b": "a"})
    assert [row["slave"] for row in made["points"]] == ["b", "b", "a"], "two may change their names"


def slave(name: str, address: str = "", **fields: str) -> dict[str, str]:
    return {"name": name, "port": "lan", "protocol": "fx", "address": address, **fields}


def known_again(before: list[Any], after: list[Any], *points: str) -> dict[str, str]:
    """points: of both documents, each of the slaves that it has."""
    documents = [
        {"slaves": rows, "points": [p for p in map(point, points) if p["slave"] in {r["name"] for r in rows}]}
        for rows in (before, after)
    ]
    return renamed_slaves(*documents)


def test_a_slave_is_known_again_by_its_address_when_it_is_the_only_one() -> None:
    assert known_again([slave("a", "1"), slave("b", "2")], [slave("y", "2"), slave("x", "1")]) == {
        "a": "x",
        "b": "y",
    }
    assert known_again([slave("a", "1")], [slave("x", "1", port="com1")]) == {}
    assert known_again([slave("a", "1")], [slave("x", "1", protocol="mc")]) == {}
    assert known_again([slave("a"), slave("b")], [slave("b"), slave("x")]) == {}, "without an address"
    assert known_again([slave("a", "1"), slave("b", "1")], [slave("x", "1")]) == {}, "one of two"
    assert known_again([slave("a", "1")], [slave("x", "1"), slave("y", "1")]) == {}, "two of one"


def test_a_slave_is_known_again_by_its_place_and_its_points() -> None:
    before, after = [slave("a", "1"), slave("b", "2")], [slave("x", "9"), slave("b", "2")]
    assert known_again(before, after, "a.p", "a.q", "x.q", "x.p", "b.p") == {"a": "x"}
    assert known_again(before, after, "a.p", "a.q", "x.p") == {}, "another point"
    assert known_again(before, after) == {}, "no points tell nothing"
    assert known_again(before, [*after, slave("c", "3")], "a.p", "x.p") == {}, "the places moved"
    assert known_again([slave("a", "1")], [slave("a", "2")], "a.p") == {}
    mixed = [slave("a", "1"), slave("b", "2")], [slave("y", "2"), slave("x", "9")]
    assert known_again(*mixed, "a.p", "y.p") == {"b": "y"}, "a name is given once"


def test_names_by_place() -> None:
    assert renamed_in_place(PLANT, {"slaves": [{"name": "a"}, {"name": "x"}, {"name": "c"}]}) == {"b": "x"}
    assert renamed_in_place(PLANT, {"slaves": [{"name": "x"}]}) == {}


def test_rows_as_far_as_there_are_any() -> None:
    row = {"slave": "a", "name": "p"}
    assert rows_of({"points": [row, "x", None]}, "points") == [row]
    assert rows_of({"points": "x"}, "points") == rows_of({}, "points") == []
    assert keyed("points", [row]) == {("a", "p"): row}
    for wrong in ("x", [row, "x"], [row, row], [{"slave": "a"}], [{"name": "p", "slave": 1}]):
        assert keyed("points", wrong) is None


def test_slaves_that_differ_or_are_on_a_port_that_does() -> None:
    slaves = PLANT["slaves"]
    assert slaves_reached([("lan",)], [], slaves) == {"a", "c"}
    assert slaves_reached([("com1",)], [("a",), ("gone",)], slaves) == {"a", "b", "gone"}
    assert slaves_reached([], [], slaves) == set()


NAMING: dict[str, Any] = {
    "forwarders": [
        {"name": "bureau", "options": {"mapping": [{"factor": "w01018", "point": "a.p1", "flow": "a.p2"}]}},
        {"name": "scada", "options": {"variables": [{"name": "x", "point": "b.p1"}]}},
        {"name": "stick", "options": {"points": ["a", "b.p1"]}},
    ],
    "slaves": [{"name": "a"}, {"name": "b"}],
    "points": [
        {"slave": "a", "name": "p1"},
        {"slave": "a", "name": "p2", "formula": "p1 * 2 + {b.p1}"},
        {"slave": "b", "name": "p1"},
    ],
    "scripts": [{"name": "s", "slave": "a", "inputs": {"x": "p1", "y": "b.p1"}, "text": "z = x"}],
    "internal_slave_points": [{"slave": "a", "name": "p1", "offset": 0}],
}


def test_a_renamed_point_is_followed_by_everything_that_names_it() -> None:
    made = with_rows(NAMING, "points", changed={("a", "p1"): {"slave": "a", "name": "q"}})
    assert made["forwarders"][0]["options"]["mapping"][0] == {
        "factor": "w01018", "point": "a.q", "flow": "a.p2",
    }  # fmt: skip
    assert made["forwarders"][1:] == NAMING["forwarders"][1:]
    assert made["points"][1]["formula"] == "q * 2 + {b.p1}"
    assert made["scripts"][0]["inputs"] == {"x": "q", "y": "b.p1"}
    assert made["internal_slave_points"] == [{"slave": "a", "name": "q", "offset": 0}]
    assert list(unresolved(made)) == []


def test_what_names_a_point_or_slave_that_goes_is_named_by_its_field() -> None:
    assert list(unresolved(NAMING)) == []
    without_point = with_rows(NAMING, "points", removed=[("b", "p1")])
    assert [each.field for each in newly_unresolved(NAMING, without_point)] == [
        "forwarders[1].options.variables[0].point",
        "forwarders[2].options.points[1]",
        "points[1].formula",
        "scripts[0].inputs.y",
    ]
    without_slave = without(NAMING, "slaves", ("a",))
    assert [each.field for each in newly_unresolved(NAMING, without_slave)] == [
        "forwarders[0].options.mapping[0].point",
        "forwarders[0].options.mapping[0].flow",
        "forwarders[2].options.points[0]",
    ]
    assert list(newly_unresolved(without_point, without_point)) == [], "what was broken before is not new"
