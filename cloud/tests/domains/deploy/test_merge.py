"""Two documents that were made from the same one, and the one that has the changes of both. Pure."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.configuration.rebase import MergeConflict, merged
from edge_contract.deployment import Document
from edge_contract.document.rows import key_of

from .conftest import document

BASE = document("a", "b", "c", storage={"commit_s": 1, "days": 30}, history={"enable": True})
NAMES = st.sets(st.sampled_from("abcdefgh"))


def changed(**sections: Any) -> Document:
    return {**copy.deepcopy(BASE), **sections}


def points(made: Document) -> list[str]:
    return [row["name"] for row in made["points"]]


def test_changes_of_other_rows_and_fields_come_together() -> None:
    draft = changed(storage={"commit_s": 5, "days": 30}, scripts=[{"name": "s", "text": ""}])
    draft["points"][1]["ratio"] = 2
    draft["points"].pop(0)
    running = changed(storage={"commit_s": 1}, local_page={"port": 80})
    running["ports"][0]["host"] = "10.0.0.9"
    running["points"].append({"slave": "meter", "name": "z"})
    del running["history"]
    made = merged(BASE, draft, running)
    assert points(made) == ["b", "c", "z"]
    assert (made["points"][0]["ratio"], made["ports"][0]["host"]) == (2, "10.0.0.9")
    assert made["storage"] == {"commit_s": 5}
    assert (made["local_page"], made["scripts"]) == ({"port": 80}, draft["scripts"])
    assert "history" not in made


def test_rows_stand_before_their_neighbours_and_a_new_order_stays() -> None:
    def rows(*names: str) -> Document:
        return document(*names)

    base, appended = rows("a", "b"), rows("a", "b", "y")
    assert points(merged(base, rows("x", "a", "b"), appended)) == ["x", "a", "b", "y"]
    assert points(merged(base, rows("a", "x", "b", "z"), appended)) == ["a", "x", "b", "y", "z"]
    assert points(merged(base, rows("b", "a"), appended)) == ["b", "a", "y"]
    assert points(merged(base, rows("a", "b", "x"), rows("b", "a"))) == ["b", "a", "x"]


def point(**fields: Any) -> dict[str, Any]:
    return {"points": [{"slave": "meter", "name": "a", **fields}]}


@pytest.mark.parametrize(
    ("draft", "running", "what"),
    [
        ({"storage": {"commit_s": 2}}, {"storage": {"commit_s": 3}}, "storage.commit_s"),
        ({"storage": {"days": 30}}, {"storage": {"commit_s": 3, "days": 30}}, "storage.commit_s"),
        ({"storage": None}, {"storage": {"days": 1}}, "storage"),
        ({"ports": []}, {"ports": [{"name": "lan", "type": "COM"}]}, "ports lan"),
        (point(ratio=1), {"points": []}, "points meter.a"),
        (point(ratio=True), point(ratio=1), "points meter.a"),
        ({"points": []}, {"points": ["broken"]}, "points"),
        ({"points": []}, {"points": [{"slave": [], "name": {}}]}, "points"),
        ({"scripts": [{"name": "s"}]}, {"scripts": [{"name": "s", "text": "x"}]}, "scripts s"),
    ],
)
def test_what_both_changed_is_named(draft: Any, running: Any, what: str) -> None:
    with pytest.raises(MergeConflict) as error:
        merged(BASE, changed(**draft), changed(**running))
    assert error.value.what == what


def test_a_section_that_is_no_list_of_rows_counts_as_a_whole() -> None:
    assert merged(BASE, changed(), changed(points="broken"))["points"] == "broken"
    assert merged(BASE, changed(points=[]), changed())["points"] == []
    twice = [{"slave": "meter", "name": "a"}] * 2
    assert merged(BASE, changed(points=twice), changed())["points"] == twice


@settings(max_examples=50, deadline=None)
@given(NAMES, NAMES, NAMES)
def test_every_row_that_either_added_is_there_and_none_that_either_removed(
    base: set[str], draft: set[str], running: set[str]
) -> None:
    documents = [document(*sorted(names)) for names in (base, draft, running)]
    made = merged(*documents)
    assert set(points(made)) == (draft - base) | (running - base) | (base & draft & running)
    assert len({key_of("points", row) for row in made["points"]}) == len(made["points"])
    assert merged(documents[0], documents[1], documents[0]) == documents[1]
