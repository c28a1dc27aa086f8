"""Names of projects, products and templates in sheets, without a database."""

from __future__ import annotations

import pytest

from cloud.domains.importing.names import NameIndex, Names, Node, WrongName, in_tree, names_of

TREE = [
    Node(1, "/1/", "North", True),
    Node(4, "/1/4/", "Pumps", False),
    Node(5, "/1/5/", "Valves", False),
    Node(2, "/2/", "South", True),
    Node(6, "/2/6/", "Pumps", False),
    Node(7, "/7/", "12", False),
]


def test_a_name_is_found_by_its_path_or_by_its_title_alone() -> None:
    names = names_of(TREE, [(9, "PX-1", "Pump X"), (10, "PX-2", "Pump X")])
    for said, number in (("north / PUMPS", 4), ("North/Pumps", 4), (" valves ", 5), (77, 77), ("12", 7)):
        assert names.number_of("project_id", said) == number
    assert names.number_of("product_id", "px-1") == 9
    assert names.number_of("other_id", 3) == 3
    for name, said, code in (
        ("project_id", "Pumps", "ambiguous_project"),
        ("project_id", "North", "unknown_project"),
        ("project_id", "", "unknown_project"),
        ("product_id", "pump x", "ambiguous_product"),
        ("other_id", "a", "unknown_other"),
    ):
        with pytest.raises(WrongName) as wrong:
            names.number_of(name, said)
        assert wrong.value.code == code


def test_what_an_export_says_leads_back() -> None:
    names = names_of(
        TREE, [(9, "PX-1", "Pump X"), (10, "PX-1", "Pump Y"), (11, "11", "Eleven"), (12, " c", "C")]
    )
    fields = {"project_id": 4, "product_id": 9, "title": "Gateway", "other_id": 4}
    shown = names.with_names(fields)
    assert shown == {**fields, "project_id": shown["project_id"]}
    assert names.number_of("project_id", shown["project_id"]) == 4
    assert names.with_names({"product_id": 11, "project_id": 7}) == {"product_id": 11, "project_id": 7}
    assert names.with_names({"product_id": 12}) == {"product_id": 12}
    assert names.with_names({"project_id": 99, "product_id": None}) == {"project_id": 99, "product_id": None}


def test_of_a_closed_kind_a_number_must_be_one_of_it() -> None:
    closed = in_tree(TREE, is_closed=True)
    assert closed.number_of(4) == 4
    assert closed.cell_of(99) is None
    with pytest.raises(WrongName, match="unknown"):
        closed.number_of(99)
    with pytest.raises(WrongName, match="unknown"):
        closed.number_of(1)
    assert not NameIndex().is_closed
    assert in_tree(TREE).cell_of(99) == 99


def test_a_part_of_a_path_that_is_not_there_is_left_out() -> None:
    found = in_tree([Node(4, "/1/4/", "Pumps", False), Node(8, "/", "Alone", False)])
    assert found.number_of("Pumps") == 4
    assert found.cell_of(8) == "Alone"


def test_names_of_another_kind_are_added() -> None:
    names = Names().also("template_id", in_tree(TREE))
    assert names.number_of("template_id", "Valves") == 5
