"""Slaves under another name, and points that leave their template."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.points.schemas import PointBatchBody, SlaveBody
from cloud.domains.templates.schemas import Attach, Detach, PreviewTemplateBody, RowPreviewBody
from cloud.errors import NotFound, ParameterError
from edge_contract.document.rename import renamed_in_place, renamed_slaves

from .conftest import Site, document, rows
from .test_applying import change, sqlite, use


async def coloured(site: Site, slave: str) -> dict[str, Any]:
    found = await site.settings.of_device(site.plant.scope, 1, slave)
    return {name: fields["line_color"] for (_, name), fields in found.items()}


async def colour(site: Site, slave: str, name: str) -> None:
    base = (await site.configurations.state(site.plant.scope, 1, 1, 1)).newest
    changed: Any = [{"slave": slave, "ds_name": name, "fields": {"line_color": "#112233"}}]
    await site.editor.save(site.plant, 1, PointBatchBody(base=base, changed=changed))


@pytest.mark.parametrize("whole", [False, True], ids=["rows", "document"])
async def test_a_renamed_slave_keeps_template_overrides_and_settings(site: Site, whole: bool) -> None:
    """On each database, by the editor of rows and by one of whole documents."""
    made = await site.template(content=rows("Ua", "Ub", tofixed=1))
    await use(site, made)
    await change(site, "m1", "Ua", tofixed=3)
    await colour(site, "m1", "Ua")
    await site.using.detach(site.plant, 1, Detach(slave="m1", points=["Ub"]))
    if whole:
        now = await site.document()
        named = {"m1": "meter"}
        await site.draft(
            slaves=[{**row, "name": named.get(row["name"], row["name"])} for row in now["slaves"]],
            points=[{**row, "slave": named.get(row["slave"], row["slave"])} for row in now["points"]],
        )
    else:
        await site.ports.change_slave(site.plant, 1, "m1", SlaveBody(name="meter"))
    link = (await site.using.links(site.plant.scope, 1))[0]
    assert (link.slave, link.version, link.own) == ("meter", 1, ["Ub"])
    assert await coloured(site, "meter") == {"Ua": "#112233"}
    told = await site.using.overrides(site.plant, 1, "meter", 1, 20)
    assert [(each.row, each.field, each.own_value) for each in told.rows] == [("Ua", "tofixed", 3)]
    await site.save(made, rows("Ua", "Ub", tofixed=2, unit="V"), 1)
    await site.run(site.plant, made, 1, version=2)
    points = await site.points("meter")
    assert (points["Ua"]["tofixed"], points["Ua"]["unit"]) == (3, "V")
    assert points["Ub"]["tofixed"] == 1 and "unit" not in points["Ub"], "it left the template"


@sqlite
async def test_detached_points_keep_their_values_and_come_back(site: Site) -> None:
    made = await site.template(content=rows("Ua", "Ub", tofixed=1))
    await use(site, made)
    before = await site.document()
    await site.using.detach(site.plant, 1, Detach(slave="m1", points=["Ua"]))
    usage = (await site.using.usage(site.plant, made, 1, 20)).rows[0].slaves[0]
    assert (usage.overridden, usage.own_rows) == (0, 2), "Ua, and own"
    await site.using.attach(site.plant, 1, Attach(slave="m1", template_id=made, version=1))
    assert (await site.using.links(site.plant.scope, 1))[0].own == []
    await site.using.detach(site.plant, 1, Detach(slave="m1"))
    await site.using.attach(site.plant, 1, Attach(slave="m1", template_id=made, version=1, own=["Ub"]))
    assert (await site.using.links(site.plant.scope, 1))[0].own == ["Ub"]
    assert await site.document() == before
    await site.draft(points=[row for row in before["points"] if row["name"] != "Ub"])
    await site.run(site.plant, made, 1, version=1, keep_overrides=False)
    assert "Ub" in await site.points("m1"), "a deleted one is the template's again"
    with pytest.raises(NotFound):
        await site.using.detach(site.plant, 1, Detach(slave="m1", points=["nobody"]))
    with pytest.raises(ParameterError):
        await site.using.detach(site.plant, 1, Detach(points=["Ua"]))
    with pytest.raises(NotFound):
        await site.using.attach(site.stranger, 1, Attach(slave="m1", template_id=made, version=1))


@sqlite
async def test_previews_are_paged_and_their_counts_exact(site: Site) -> None:
    made = await site.template(content=rows("Ua", "Ub"))
    for device_id in (1, 2):
        await use(site, made, "m2", device_id)
    await site.save(made, rows("Ua", "Uc", unit="V"), 1)
    pages = [
        await site.applying.preview(site.plant, made, PreviewTemplateBody(version=2, page=page, limit=1))
        for page in (1, 2, 3)
    ]
    assert [page.total for page in pages] == [2, 2, 2]
    assert [[row.device_id for row in page.rows] for page in pages] == [[2], [1], []]
    body = RowPreviewBody(device_id=1, version=2, limit=2)
    first = await site.applying.preview_rows(site.plant, made, body)
    last = await site.applying.preview_rows(site.plant, made, body.model_copy(update={"page": 2}))
    assert first.total == last.total == 3
    told = [(row.kind, row.slave, row.name, [f.field for f in row.fields]) for row in first.rows + last.rows]
    assert told == [
        ("changed", "m2", "Ua", ["unit"]),
        ("added", "m2", "Uc", ["address.item", "unit"]),
        ("removed", "m2", "Ub", []),
    ]


def slaves(*named: tuple[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "port": "com1", "protocol": "p", "address": address} for name, address in named]


@pytest.mark.parametrize(
    ("after", "whole", "in_place"),
    [
        ((("a", "1"), ("b", "2")), {}, {}),
        ((("x", "1"), ("b", "2")), {"a": "x"}, {"a": "x"}),
        ((("b", "2"), ("x", "1")), {"a": "x"}, {"a": "b", "b": "x"}),
        ((("b", "1"), ("a", "2")), {}, {"a": "b", "b": "a"}),
        ((("x", "9"), ("b", "2")), {"a": "x"}, {"a": "x"}),
        ((("b", "2"), ("x", "9")), {}, {"a": "b", "b": "x"}),
        ((("b", "2"),), {}, {}),
    ],
)
def test_which_slaves_have_another_name(after: Any, whole: dict[str, str], in_place: dict[str, str]) -> None:
    before = {"slaves": slaves(("a", "1"), ("b", "2")), "points": [{"slave": "a", "name": "p"}]}
    name = after[0][0] if after[0][0] == "x" else "x"
    now = {"slaves": slaves(*after), "points": [{"slave": name, "name": "p"}]}
    assert renamed_slaves(before, now) == whole
    assert renamed_in_place(before, now) == in_place


def test_a_document_without_slaves_renames_none() -> None:
    assert renamed_slaves(document("g"), {"slaves": None}) == {}
