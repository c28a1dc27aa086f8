"""Pure: what one document changes against another."""

from __future__ import annotations

import copy
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.configuration.difference import (
    Altered,
    Difference,
    DocumentFieldChange,
    PeriodChange,
    Section,
    difference,
)
from cloud.domains.deploy import views
from cloud.domains.deploy.schemas import ConfigurationDifference
from edge_contract.document.masking import MASK, masked, unmasked

from .conftest import document

names = st.sampled_from(["Ua", "Ub", "Uc", "Ia"])
documents = st.builds(lambda points: document(*points), st.lists(names, unique=True))


def large(points: int) -> dict[str, Any]:
    """As many points as a gateway may have, on 100 slaves."""
    return document(
        slaves=[
            {"name": f"s{n}", "port": "lan", "protocol": "modbus_tcp", "address": "1"} for n in range(100)
        ],
        points=[
            {
                "slave": f"s{n % 100}",
                "name": f"p{n}",
                "title": f"Point {n}",
                "ratio": 0.1,
                "unit": "kWh",
                "record": 2,
                "capture_freq": 1,
                "address": {"reg_type": "4X", "offset": n, "endian": "ABCD"},
            }
            for n in range(points)
        ],
    )


def test_points_by_name_with_each_field() -> None:
    before, after = document("Ua", "Ub"), document("Ua", "Uc")
    after["points"][0] = {
        "slave": "meter",
        "name": "Ua",
        "ratio": 1.0,
        "capture_freq": 6,
        "address": {"item": "x"},
    }
    before["points"][0]["address"] = {"item": "Ua", "length": 2}
    found = difference(before, after)
    assert (found.points.added, found.points.removed) == (["meter.Uc"], ["meter.Ub"])
    assert found.points.changed == [
        Altered(
            "meter.Ua",
            [
                DocumentFieldChange("address.item", "Ua", "x"),
                DocumentFieldChange("address.length", 2, None),
                DocumentFieldChange("capture_freq", None, 6),
                DocumentFieldChange("ratio", 0.1, 1.0),
            ],
        )
    ]
    assert found.periods == [PeriodChange(10_000, 60_000, 1)]
    assert (found.points_reached, found.slaves_reached) == (3, 1)


def test_a_port_reaches_every_point_behind_it() -> None:
    before, after = document("Ua", "Ub", "Uc"), document("Ua", "Ub", "Uc")
    after["ports"][0]["capture_cycle_ms"] = 1000
    found = difference(before, after)
    assert found.points.names() == set()
    assert found.ports.changed == [Altered("lan", [DocumentFieldChange("capture_cycle_ms", 10_000, 1000)])]
    assert found.periods == [PeriodChange(10_000, 1000, 3)]
    assert (found.points_reached, found.slaves_reached) == (3, 1)


def test_a_slaves_own_cycle_goes_before_its_ports() -> None:
    before, after = document("Ua"), document("Ua")
    before["slaves"][0]["capture_cycle_ms"] = after["slaves"][0]["capture_cycle_ms"] = 500
    after["ports"][0]["capture_cycle_ms"] = 1
    assert difference(before, after).periods == []


def test_secrets_change_unseen() -> None:
    before, after = document("Ua"), document("Ua")
    after["slaves"][0]["options"]["password"] = "654321"
    assert difference(before, after).slaves.changed == [
        Altered("meter", [DocumentFieldChange("options.password", MASK, MASK)])
    ]
    hidden = masked(after)
    assert hidden["slaves"][0]["options"] == {"password": MASK}
    assert "654321" not in str(hidden)
    assert after["slaves"][0]["options"]["password"] == "654321"
    listed = masked({"mqtt": {"access_token": ["a", "b"], "key": "k", "password": ""}})
    assert listed == {"mqtt": {"access_token": [MASK, MASK], "key": "k", "password": ""}}


def test_a_mask_that_comes_back_is_the_secret_of_the_row_of_that_name() -> None:
    before = document("Ua")
    before["slaves"].insert(0, {"name": "first", "options": {"password": "111111"}})
    sent = masked(before)
    sent["slaves"].reverse()
    sent["slaves"].append({"name": "copy", "options": {"password": MASK}})
    sent["slaves"][0]["title"] = MASK  # no secret's name
    made = unmasked(sent, before)
    assert [row["options"]["password"] for row in made["slaves"]] == [
        before["slaves"][1]["options"]["password"], "111111", MASK,
    ]  # fmt: skip
    assert made["slaves"][0]["title"] == MASK


@given(documents)
def test_what_was_masked_comes_back_whole(content: dict[str, Any]) -> None:
    assert unmasked(masked(content), content) == content


def test_other_sections_by_field() -> None:
    before, after = document(), document(cloud={"url": "mqtt://b"}, storage={"max_mb": 1})
    before["cloud"] = {"url": "mqtt://a"}
    assert difference(before, after).other == [
        DocumentFieldChange("cloud.url", "mqtt://a", "mqtt://b"),
        DocumentFieldChange("storage.max_mb", None, 1),
    ]


def test_numbers_are_equal_by_value_and_booleans_are_no_numbers() -> None:
    before, after = document("Ua", "Ub"), document("Ua", "Ub")
    before["points"][0]["ratio"], after["points"][0]["ratio"] = 7, 7.0
    before["points"][1]["on_value"], after["points"][1]["on_value"] = 1, True
    assert difference(before, after).points.changed == [
        Altered("meter.Ub", [DocumentFieldChange("on_value", 1, True)])
    ]


def test_a_document_of_another_shape_is_still_compared() -> None:
    found = difference({"points": "none", "x": [1]}, {"points": [{"name": "a"}, 5], "x": {"y": 1}})
    assert (found.points.added, found.other) == ([".a"], [DocumentFieldChange("x", [1], {"y": 1})])


def test_forwarders_are_told_by_name_and_their_secrets_are_not() -> None:
    usb = {"name": "usb", "kind": "file", "options": {"folder": "/a", "password": "one"}}
    moved = {**usb, "options": {"folder": "/b", "password": "two"}}
    spare = {"name": "spare", "kind": "file"}
    found = difference({"forwarders": [usb, spare]}, {"forwarders": [moved]})
    assert found.other == [
        DocumentFieldChange("forwarders.spare", spare, None),
        DocumentFieldChange("forwarders.usb.options.folder", "/a", "/b"),
        DocumentFieldChange("forwarders.usb.options.password", MASK, MASK),
    ]


@given(documents, documents)
def test_what_is_added_one_way_is_removed_the_other(one: dict[str, Any], other: dict[str, Any]) -> None:
    there, back = difference(one, other), difference(other, one)
    assert set(there.points.added) == set(back.points.removed)
    assert there.points_reached == back.points_reached
    assert difference(one, copy.deepcopy(one)).points_reached == 0


def test_the_work_of_comparing_grows_with_the_points() -> None:
    def calls(count: int) -> int:
        """Of functions, for a comparison in which every point has changed."""
        before, after = large(count), large(count)
        for point in after["points"]:
            point["ratio"] = 0.01
        after["ports"][0]["capture_cycle_ms"] = 1000
        made = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal made
            made += event == "call"

        sys.setprofile(counted)
        try:
            found = difference(before, after)
        finally:
            sys.setprofile(None)
        assert (len(found.points.changed), found.points_reached) == (count, count)
        assert found.periods == [PeriodChange(10_000, 1000, count)]
        return made

    assert calls(20_000) < 25 * calls(1_000)


def test_lists_are_cut_and_marked_as_truncated() -> None:
    """Counts are of all rows."""

    def section(count: int) -> Section:
        names = [f"n{n}" for n in range(count)]
        return Section(names, names, [Altered(name, []) for name in names])

    def field_changes(name: str, count: int) -> list[DocumentFieldChange]:
        return [DocumentFieldChange(f"{name}.f{n}", n, None) for n in range(count)]

    def answer(count: int, **more: Any) -> ConfigurationDifference:
        every: dict[str, Any] = {name: section(count) for name in ("points", "slaves", "ports", "scripts")}
        periods = [PeriodChange(1, 2, n) for n in range(count)]
        other = field_changes("storage", count)
        listed = Difference(
            **{**every, "other": other, "periods": periods, **more}, points_reached=7, slaves_reached=3
        )
        return views.difference("a", "b", listed, 2, link_lost=False)

    complete, cut = answer(2), answer(3)
    assert not complete.truncated and cut.truncated
    for name in ("points", "slaves", "ports", "scripts"):
        counts = getattr(cut.counts, name)
        assert (counts.added, counts.removed, counts.changed) == (3, 3, 3)
        for listed in (complete, cut):
            rows = getattr(listed, name)
            assert (list(rows.added), list(rows.removed)) == (["n0", "n1"], ["n0", "n1"])
            assert [row.name for row in rows.changed] == ["n0", "n1"]
    assert [row.points for row in cut.periods] == [0, 1] == [row.before for row in cut.other]
    assert (cut.counts.other, cut.counts.points_reached, cut.counts.slaves_reached) == (3, 7, 3)
    assert (cut.before, cut.after, cut.link, cut.link_lost) == ("a", "b", [], False)
    one_more = (
        Section(["x"] * 3, [], []),
        Section([], ["x"] * 3, []),
        Section([], [], [Altered("x", [])] * 3),
    )
    for longer in one_more:
        for name in ("points", "slaves", "ports", "scripts"):
            assert answer(0, **{name: longer}).truncated
    assert answer(0, other=field_changes("storage", 3)).truncated
    assert answer(0, periods=[PeriodChange(1, 2, 1)] * 3).truncated
    reach = answer(0, other=field_changes("cloud", 3))
    assert len(reach.link) == 3 and not reach.truncated, "how the gateway is reached is answer complete"


def test_a_port_that_names_no_cycle_is_read_every_second() -> None:
    rows = {"slaves": [{"name": "m", "port": "lan"}], "points": [{"slave": "m", "name": "a"}]}
    before, after = (
        {**rows, "ports": [{"name": "lan", **more}]} for more in ({}, {"capture_cycle_ms": 5000})
    )
    assert difference(before, after).periods == [PeriodChange(1000, 5000, 1)]
    lost = {**rows, "slaves": [], "ports": []}
    assert difference(lost, after).periods == [PeriodChange(1000, 5000, 1)], "also without its slave"
