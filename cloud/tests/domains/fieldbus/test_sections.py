"""Internal slave and loop-write tasks as sections of a gateway's draft."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from cloud.domains.fieldbus.schemas import (
    InternalSlaveBody,
    InternalSlaveFields,
    LoopWriteFields,
    LoopWritesBody,
    MappedPointFields,
)
from cloud.domains.fieldbus.sections import SectionService
from cloud.domains.points.editing import Editing
from cloud.errors import Conflict, ParameterError

from ..points.conftest import ALICE, Site
from ..points.conftest import site as site

DESCRIBED = json.loads((Path(__file__).parents[4] / "web/src/api/sections.json").read_text())
"""The sections as the agent's models have them."""


@pytest.fixture
def sections(site: Site) -> SectionService:
    return SectionService(
        Editing(site.services.database, site.services.devices, site._tell, site.services.clock)
    )


def mapped(name: str, offset: int, slave: str = "boiler", **more: Any) -> dict[str, Any]:
    return {"slave": slave, "name": name, "reg_type": "4X", "offset": offset, **more}


def slave(
    *points: dict[str, Any], base: str | None = None, own: dict[str, Any] | None = None
) -> InternalSlaveBody:
    given = {"id": 7} if own is None else own
    return InternalSlaveBody.model_validate({"base": base, "internal_slave": given, "points": points})


def task(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "interval_s": 10, "slave": "boiler", "content": "number", "value": 1, **more}


def tasks(*given: dict[str, Any], base: str | None = None) -> LoopWritesBody:
    return LoopWritesBody.model_validate({"base": base, "tasks": given})


@pytest.mark.parametrize(
    ("section", "model"),
    [
        ("internal_slave", InternalSlaveFields),
        ("internal_slave_points", MappedPointFields),
        ("loop_writes", LoopWriteFields),
    ],
)
def test_fields_and_their_ranges_are_the_agents(section: str, model: type[BaseModel]) -> None:
    shape = model.model_json_schema()
    assert [each["name"] for each in DESCRIBED[section]] == list(shape["properties"])
    for each in DESCRIBED[section]:
        field = shape["properties"][each["name"]]
        parts = [part for part in field.get("anyOf", [field]) if part.get("type") != "null"]
        choices = next((part["enum"] for part in parts if "enum" in part), None)
        assert sorted(each.get("choices", [])) == sorted(choices or []), each["name"]
        assert (each["name"] in shape.get("required", [])) == each["required"]
        assert field.get("default") == each.get("default"), each["name"]
        if each["kind"] == "integer":
            (part,) = parts
            assert (part.get("minimum"), part.get("maximum")) == (each["min"], each["max"]), each["name"]


async def test_the_internal_slave_is_replaced_as_a_whole(site: Site, sections: SectionService) -> None:
    base = await site.begin()
    first = await sections.internal_slave(ALICE, 1)
    assert (first.base, first.changeable, first.internal_slave, first.points) == (base, True, None, [])
    kept = await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 0), mapped("b", 1), base=base))
    document = await site.document()
    assert document["internal_slave"] == {"id": 7}
    assert document["internal_slave_points"] == [mapped("a", 0), mapped("b", 1)]
    now = await sections.internal_slave(ALICE, 1)
    assert (now.base, now.internal_slave, len(now.points)) == (kept.base, {"id": 7}, 2)
    none = InternalSlaveBody(base=kept.base, internal_slave=None, points=[])
    await sections.put_internal_slave(ALICE, 1, none)
    assert {"internal_slave", "internal_slave_points"} & (await site.document()).keys() == set()


async def test_loop_writes_are_replaced_in_their_order(site: Site, sections: SectionService) -> None:
    base = await site.begin()
    await sections.put_loop_writes(ALICE, 1, tasks(task("b", offset=1), task("a", offset=0), base=base))
    assert [row["name"] for row in (await site.document())["loop_writes"]] == ["b", "a"]
    await sections.put_loop_writes(ALICE, 1, tasks(task("a", content="string", value="go", message="custom")))
    (row,) = (await sections.loop_writes(ALICE, 1)).tasks
    assert (row["value"], row["message"]) == ("go", "custom")


async def test_what_no_form_knows_and_what_is_written_as_a_default_stay(
    site: Site, sections: SectionService
) -> None:
    rows = [mapped("a", 0, endian="ABCD", shade=3), mapped("b", 1, shade=4)]
    base = await site.begin(internal_slave={"id": 7, "port": 1502, "later": True}, internal_slave_points=rows)
    await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 0), base=base, own={"id": 8}))
    document = await site.document()
    assert document["internal_slave"] == {"id": 8, "port": 1502, "later": True}
    assert document["internal_slave_points"] == rows[:1]


async def test_editors_of_different_rows_do_not_disturb_each_other(
    site: Site, sections: SectionService
) -> None:
    await site.begin()
    base = (await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 0), mapped("b", 1)))).base
    await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 5), mapped("b", 1), base=base))
    await sections.put_internal_slave(
        ALICE,
        1,
        slave(mapped("a", 0), mapped("b", 9), mapped("a", 3, "pump"), base=base, own={"id": 7, "port": 2502}),
    )
    document = await site.document()
    assert document["internal_slave"] == {"id": 7, "port": 2502}
    assert document["internal_slave_points"] == [mapped("a", 5), mapped("b", 9), mapped("a", 3, "pump")]


async def test_who_changes_the_same_as_another_is_told_what_and_by_whom(
    site: Site, sections: SectionService
) -> None:
    await site.begin()
    base = (await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 0)))).base
    await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 5), base=base, own={"id": 9}))
    before = await site.document()
    with pytest.raises(Conflict) as refused:
        await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 6), base=base, own={"id": 10}))
    assert refused.value.reason == "fieldbus.changed"
    assert refused.value.arguments == {
        "what": "id, boiler.a",
        "author": ALICE.name,
    }
    assert await site.document() == before


async def test_of_a_version_that_is_forgotten_nothing_can_be_merged(
    site: Site, sections: SectionService
) -> None:
    await site.begin()
    with pytest.raises(Conflict) as refused:
        await sections.put_loop_writes(ALICE, 1, tasks(task("a"), base="f" * 64))
    assert refused.value.reason == "configuration.moved"


async def test_what_no_draft_can_hold_is_refused_at_its_field(site: Site, sections: SectionService) -> None:
    await site.begin()
    with pytest.raises(ParameterError, match=r"internal_slave_points\[1\]\.name"):
        await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 0), mapped("a", 5)))
    with pytest.raises(ParameterError, match=r"loop_writes\[0\]\.slave"):
        await sections.put_loop_writes(ALICE, 1, tasks(task("a", slave="none")))
    assert "internal_slave_points" not in await site.document()


@pytest.mark.parametrize(
    ("own", "field"),
    [({"id": 0}, "id"), ({"id": 255}, "id"), ({"port": 0}, "port"), ({"colour": 1}, "colour")],
)
def test_a_field_beyond_its_range_is_named(own: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        slave(own=own)
    assert refused.value.errors()[0]["loc"] == ("internal_slave", field)


def test_a_row_is_named_by_its_place() -> None:
    with pytest.raises(ValidationError) as refused:
        slave(mapped("a", 0), mapped("b", 65_536))
    assert refused.value.errors()[0]["loc"] == ("points", 1, "offset")
    with pytest.raises(ValidationError) as refused:
        tasks(task("a", interval_s=0))
    assert refused.value.errors()[0]["loc"] == ("tasks", 0, "interval_s")


async def test_a_mapped_point_follows_its_name_and_cannot_lose_it(
    site: Site, sections: SectionService
) -> None:
    """As everywhere in the document."""
    base = await site.begin()
    base = (await sections.put_internal_slave(ALICE, 1, slave(mapped("a", 0), base=base))).base
    with pytest.raises(ParameterError, match=r"internal_slave_points\[0\]\.name"):
        await site.put(base, removed=[{"slave": "boiler", "ds_name": "a"}])
    renamed = {"slave": "boiler", "ds_name": "a", "fields": {"ds_name": "c"}}
    await site.put(base, changed=[renamed])
    assert (await site.document())["internal_slave_points"] == [mapped("c", 0)]
