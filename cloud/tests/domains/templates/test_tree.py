"""The tree of templates: whose it is, what is shared, versions, files, ready ones."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.points import validation
from cloud.domains.templates import tree, versions
from cloud.domains.templates.ready import READY
from cloud.domains.templates.schemas import (
    ChangeTemplate,
    CopyTemplate,
    CreateTemplate,
    ImportTemplate,
    MoveTemplate,
    Source,
)
from cloud.errors import CloudError, Conflict, NoPermission, NotFound, ParameterError

from .conftest import Site, rows

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

SAMPLE_GATEWAY = {
    "ports": [{"name": "com1", "type": "COM"}],
    "slaves": [{"name": "m1", "port": "com1", "protocol": "dlt645_2007"}],
}


async def group(site: Site, title: str = "Meters", parent_id: int | None = None, **words: Any) -> int:
    body = CreateTemplate(kind="group", category="point", title=title, parent_id=parent_id, **words)
    return (await site.tree.create(site.plant, body)).template_id


async def test_whose_it_is_and_who_uses_it(site: Site) -> None:
    made = await site.template(site.maker)
    assert [row.title for row in await site.tree.nodes(site.maker.scope, "point")] == ["Meter"]
    assert await site.tree.nodes(site.plant.scope, "point") == [], "of somebody above, not shared"
    with pytest.raises(NotFound):
        await site.tree.row(site.plant.scope, made)
    await site.tree.change(site.maker, made, ChangeTemplate(shared=True))
    shown = await site.tree.row(site.plant.scope, made)
    assert (shown.writes, shown.owner, shown.newest, shown.points) == (False, "factory-x", 1, 2)
    with pytest.raises(NoPermission):
        await site.tree.change(site.plant, made, ChangeTemplate(title="Mine"))
    assert await site.tree.nodes(site.stranger.scope, "point") == []
    of_platform = await site.template(site.platform, shared=True, title="Of all")
    assert {row.template_id for row in await site.tree.nodes(site.stranger.scope, "point")} == {of_platform}
    below = await site.template(site.plant)
    changed = await site.tree.change(site.maker, below, ChangeTemplate(title="Better", remark="r"))
    assert (changed.title, changed.owner, changed.writes) == ("Better", "enterprise-x", True)


async def test_groups_moving_and_order(site: Site) -> None:
    outer = await group(site)
    inner = await group(site, "Inner", outer)
    first, second = [await site.template(title=title, parent_id=inner) for title in ("A", "B")]
    await site.tree.move(site.plant, second, MoveTemplate(parent_id=inner, place=0))
    children = [row for row in await site.tree.nodes(site.plant.scope, "point") if row.parent_id == inner]
    assert [row.title for row in children] == ["B", "A"]
    with pytest.raises(Conflict) as into_itself:
        await site.tree.move(site.plant, outer, MoveTemplate(parent_id=inner))
    assert into_itself.value.reason == "template.into_itself"
    await site.tree.move(site.plant, inner, MoveTemplate(parent_id=None))
    assert (await site.tree.row(site.plant.scope, first)).parent_id == inner
    assert (await site.tree.row(site.plant.scope, inner)).parent_id is None
    with pytest.raises(Conflict) as full:
        await site.tree.remove(site.plant, inner, detach=True)
    assert full.value.reason == "template.group_full"
    await site.tree.remove(site.plant, outer, detach=False)
    with pytest.raises(ParameterError):
        await site.template(parent_id=first)
    of_maker = await site.tree.create(site.maker, CreateTemplate(kind="group", category="point", title="G"))
    await site.tree.move(site.maker, inner, MoveTemplate(parent_id=of_maker.template_id))
    assert (await site.tree.row(site.maker.scope, first)).owner == "factory-x"
    with pytest.raises(NotFound):
        await site.tree.row(site.plant.scope, first)


async def test_room_is_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = None
    for _ in range(tree.MAX_DEPTH):
        parent = await group(site, parent_id=parent)
    with pytest.raises(Conflict) as deep:
        await group(site, parent_id=parent)
    assert deep.value.reason == "template.too_deep"
    monkeypatch.setattr(tree, "MAX_NODES", tree.MAX_DEPTH)
    with pytest.raises(Conflict) as many:
        await site.template()
    assert many.value.reason == "template.too_many"


async def test_versions_are_kept_and_never_cross(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await site.template()
    assert await site.save(made, rows("Ua"), 1) == 2
    assert await site.save(made, rows("Ua"), 2) == 2, "the same again is no version"
    with pytest.raises(Conflict) as moved:
        await site.save(made, rows("Ub"), 1)
    assert (moved.value.reason, moved.value.rule) == ("template.moved", "2")
    old = await site.tree.version(site.plant.scope, made, 1)
    assert [row["name"] for row in old.document["points"]] == ["Ua", "Ub"]
    monkeypatch.setattr(versions, "KEEP_VERSIONS", 2)
    await site.save(made, rows("Ub"), 2)
    page = await site.tree.versions(site.plant.scope, made, 1, 20)
    assert ([each.number for each in page.rows], page.total) == ([3, 2], 2)
    with pytest.raises(NotFound):
        await site.tree.version(site.plant.scope, made, 1)


@pytest.mark.parametrize(
    ("category", "content", "field"),
    [
        ("point", {"points": [{"name": "a"}, {"name": "a"}]}, "document.points[1].name"),
        ("point", {"points": "none"}, "document.points"),
        ("point", {"points": [], "ports": []}, "document.ports"),
        (
            "point",
            {"points": [{"name": "a", "options": {"password": "x"}}]},
            "document.points[0].options.password",
        ),
        ("gateway", {"slaves": [{"name": "m", "port": "no"}]}, "document.slaves[0].port"),
        ("gateway", {**SAMPLE_GATEWAY, "templates": {"m9": {}}}, "document.templates.m9"),
        (
            "gateway",
            {**SAMPLE_GATEWAY, "templates": {"m1": {"template_id": 99, "version": 1}}},
            "document.templates.m1",
        ),
        ("gateway", {"defaults": {"slave": {"name": "x"}}}, "document.defaults.slave"),
    ],
)
async def test_what_is_no_content_names_its_fault(
    site: Site, category: str, content: Any, field: str
) -> None:
    with pytest.raises(ParameterError) as fault:
        await site.template(category=category, protocol="", content=content)
    assert fault.value.field == field


async def test_a_gateway_template_names_point_templates(site: Site) -> None:
    meter = await site.template()
    named = {**SAMPLE_GATEWAY, "templates": {"m1": {"template_id": meter, "version": 1}}}
    made = await site.template(category="gateway", protocol="", content=named)
    assert (await site.tree.row(site.plant.scope, made)).points == 2
    with pytest.raises(Conflict) as refused:
        await site.tree.remove(site.plant, meter, detach=True)
    assert refused.value.reason == "template.named"
    other = await site.template(protocol="modbus_tcp")
    wrong = {**SAMPLE_GATEWAY, "templates": {"m1": {"template_id": other, "version": 1}}}
    with pytest.raises(ParameterError):
        await site.save(made, wrong, 1)


async def test_a_file_makes_the_same_template_again(site: Site) -> None:
    meter = await site.template()
    named = {**SAMPLE_GATEWAY, "templates": {"m1": {"template_id": meter, "version": 1}}}
    made = await site.template(category="gateway", protocol="", content=named, title="Cabinet")
    file = await site.making.export(site.plant, made)
    copied = await site.making.from_file(site.stranger, ImportTemplate(file=file))
    again = await site.making.export(site.stranger, copied.template_id)
    assert again.document == file.document
    assert [(each.document, each.slaves) for each in again.templates.values()] == [
        (each.document, each.slaves) for each in file.templates.values()
    ]
    assert len(await site.tree.nodes(site.stranger.scope, "point")) == 1
    broken = file.model_copy(update={"document": {"slaves": [{"name": "m1", "port": "no"}]}})
    with pytest.raises(ParameterError):
        await site.making.from_file(site.stranger, ImportTemplate(file=broken))
    assert len(await site.tree.nodes(site.stranger.scope, "point")) == 1, "nothing of a file that is refused"


async def test_a_copy_is_the_users_own(site: Site) -> None:
    made = await site.template(site.maker, shared=True, content=rows("Ua"))
    copied = await site.tree.copy(site.plant, made, CopyTemplate(title="Mine"))
    assert (copied.owner, copied.writes, copied.shared, copied.points) == ("enterprise-x", True, False, 1)


@pytest.mark.parametrize("name", [each.name for each in READY.values() if each.protocol == each.name])
async def test_meters_are_ready(site: Site, name: str) -> None:
    body = CreateTemplate(category="point", title="M", source=Source(ready=name, language="en"))
    made = await site.making.create(site.plant, body)
    assert made.protocol == name
    content = (await site.tree.version(site.plant.scope, made.template_id, 1)).document["points"]
    items = {row["name"]: row for row in content}
    assert {"Ua", "Ib", "PS", "QS", "PF", "EPF", "EPF4"} <= items.keys()
    assert items["Ua"]["title"] == "Voltage phase A" and items["Ua"]["address"] == {"item": "Ua"}
    if name == "dlt645_2007":
        assert items["ONOFF"]["rw"] == "readwrite" and {"HZ", "NI", "REM", "OVD"} <= items.keys()
    assert next(each.points for each in site.tree.ready(site.plant) if each.name == name) == len(content)


async def test_inputs_and_outputs_of_an_s7_1200_are_ready(site: Site) -> None:
    ready = next(each for each in site.tree.ready(site.plant) if each.name == "s7_1200")
    body = CreateTemplate(category="point", title="P", source=Source(ready=ready.name, language="zh"))
    made = await site.making.create(site.plant, body)
    assert (made.protocol, ready.protocol, made.points, ready.points) == ("s7", "s7", 26, 26)
    content = (await site.tree.version(site.plant.scope, made.template_id, 1)).document["points"]
    items = {row["name"]: row for row in content}
    assert items["I1_5"]["address"] == {"area": "I", "offset": 1, "bit": 5}
    assert (items["Q0_3"]["rw"], items["Q0_3"]["title"]) == ("readonly", "输出 Q0.3")
    assert (items["AI1"]["address"], items["AI1"]["data_type"]) == ({"area": "I", "offset": 66}, "int16")
    document = {
        "ports": [{"name": "net1", "type": "NET", "host": "h", "port": 102}],
        "slaves": [
            {"name": "plc", "port": "net1", "protocol": "s7", "address": "1", "options": {"model": "1200"}}
        ],
        "points": [{**row, "slave": "plc"} for row in content],
    }
    assert validation.of_points(document) == []


@pytest.mark.parametrize(
    "words",
    [
        {"source": {"ready": "nothing"}},
        {"source": {}},
        {"source": {"device_id": 1}},
        {"source": {"device_id": 99, "slave": "m1"}},
        {"source": {"device_id": 1, "slave": "m9"}},
        {"kind": "group", "protocol": "s7"},
        {"category": "gateway", "protocol": "s7"},
    ],
)
async def test_what_cannot_be_made(site: Site, words: dict[str, Any]) -> None:
    with pytest.raises(CloudError):
        await site.making.create(site.plant, CreateTemplate(**{"category": "point", "title": "x", **words}))
    assert await site.tree.nodes(site.plant.scope, "point") == []
