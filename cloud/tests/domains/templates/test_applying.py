"""Templates on drafts: put in, previewed, applied, overridden, discarded, detached."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.deploy.schemas import DraftBody
from cloud.domains.inventory.models import DeviceShare
from cloud.domains.jobs.states import JobQueue
from cloud.domains.templates.content import Reference
from cloud.domains.templates.merge import MergeOutcome
from cloud.domains.templates.planning import Planned, of_slaves, present
from cloud.domains.templates.schemas import (
    ApplyTemplateBody,
    CreateTemplate,
    Detach,
    Instantiate,
    PreviewTemplateBody,
    Source,
    UsePointTemplate,
)
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

from .conftest import Site, rows

sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def use(site: Site, template_id: int, slave: str = "m1", device_id: int = 1, **words: Any) -> Any:
    body = UsePointTemplate(slave=slave, point_template_id=template_id, **words)
    return await site.using.use_points(site.plant, device_id, body)


async def change(site: Site, slave: str, name: str, **fields: Any) -> None:
    """Somebody edits one point of gateway 1."""
    points = (await site.document())["points"]
    await site.draft(
        points=[{**row, **fields} if (row["slave"], row["name"]) == (slave, name) else row for row in points]
    )


async def versions_of(site: Site, device_id: int = 1) -> dict[str, int]:
    return {each.slave: each.version for each in await site.using.links(site.plant.scope, device_id)}


async def test_a_new_version_reaches_every_slave_and_keeps_what_is_overridden(site: Site) -> None:
    """On each database: the whole way from a template to changed drafts."""
    made = await site.template(content=rows("Ua", "Ub", tofixed=1))
    for device_id, slave in ((1, "m1"), (1, "m2"), (2, "m2")):
        await use(site, made, slave, device_id)
    await change(site, "m1", "Ua", tofixed=3, max=400)
    assert list(await site.points("m1")) == ["own", "Ua", "Ub"]
    await site.save(made, rows("Ua", "Uc", tofixed=2), 1)

    usage = await site.using.usage(site.plant, made, 1, 20)
    assert [(row.device_id, [slave.slave for slave in row.slaves]) for row in usage.rows] == [
        (2, ["m2"]),
        (1, ["m1", "m2"]),
    ]
    m1 = usage.rows[1].slaves[0]
    assert {(o.row, o.field, o.template_value, o.own_value) for o in m1.overrides} == {
        ("Ua", "tofixed", 1, 3),
        ("Ua", "max", None, 400),
    }
    assert (m1.overridden, m1.own_rows, m1.version) == (2, 1, 1)

    preview = await site.applying.preview(site.plant, made, PreviewTemplateBody())
    assert (preview.version, preview.total, [row.state for row in preview.rows]) == (
        2,
        2,
        ["change", "change"],
    )
    of_m1 = next(each for row in preview.rows for each in row.slaves if each.slave == "m1")
    assert (of_m1.added, of_m1.changed, of_m1.removed, of_m1.kept) == (1, 0, 1, 1)
    assert preview.rows[1].draft_by == "enterprise-x"
    assert "Uc" not in await site.points("m1"), "a preview changes nothing"

    site.told.clear()
    summary = await site.run(site.plant, made, 1, 2, version=2)
    assert (summary["changed"], summary["unchanged"], summary["refused"]) == (2, 0, 0)
    assert (await site.points("m1"))["Ua"] == {
        "slave": "m1", "name": "Ua", "address": {"item": "Ua"}, "tofixed": 3, "max": 400,
    }  # fmt: skip
    assert list(await site.points("m2", 2)) == ["Ua", "Uc"] and site.told == [1, 2]
    assert await versions_of(site) == {"m1": 2, "m2": 2}
    before = await site.document()
    again = await site.run(site.plant, made, 1, 2, version=2)
    assert (again["changed"], again["unchanged"]) == (0, 2)
    assert await site.document() == before and site.told == [1, 2]
    await site.run(site.plant, made, 1, version=2, keep_overrides=False)
    assert (await site.points("m1"))["Ua"]["tofixed"] == 2


@sqlite
async def test_a_discarded_draft_takes_what_was_applied_back(site: Site) -> None:
    """Else all that a version changed would look like the gateway's own changes."""
    made = await site.template(content=rows("Ua"))
    await use(site, made)
    state = await site.configurations.state(site.plant.scope, 1, 1, 1)
    assert state.newest is not None
    async with site.services.database.session() as session:
        standing = await session.get(ConfigurationStateRow, 1)
        assert standing is not None
        standing.running = standing.accepted = state.newest
        standing.draft = standing.draft_base = None
        await session.commit()
    await site.save(made, rows("Ua", "Ub"), 1)
    await site.run(site.plant, made, 1, version=2)
    assert await versions_of(site) == {"m1": 2}
    await site.configurations.discard(site.plant, 1)
    assert await versions_of(site) == {"m1": 1}
    assert "Ub" not in await site.points("m1")
    await site.run(site.plant, made, 1, version=2)
    assert "Ub" in await site.points("m1")


@sqlite
async def test_what_a_gateway_refuses_is_told_and_others_go_on(site: Site) -> None:
    made = await site.template(content=rows("Ua"))
    await use(site, made)
    await use(site, made, "m2", 2)
    slaves = (await site.document(2))["slaves"]
    await site.draft(2, slaves=[{**row, "protocol": "dlt645_1997"} for row in slaves])
    await site.save(made, rows("Ua", "Ub"), 1)
    preview = await site.applying.preview(site.plant, made, PreviewTemplateBody(version=2))
    assert {row.device_id: row.state for row in preview.rows} == {1: "change", 2: "template.protocol"}
    summary = await site.run(site.plant, made, 2, 1, 99, version=2)
    assert [row["state"] for row in summary["rows"]] == ["template.protocol", "change", "template.not_found"]
    assert (summary["changed"], summary["refused"]) == (1, 2)
    assert list(await site.points("m2", 2)) == ["Ua"]


@sqlite
async def test_who_may_apply(site: Site) -> None:
    made = await site.template(site.maker, shared=True)
    body = ApplyTemplateBody(device_ids=[1])
    job = await site.applying.apply(site.plant, made, body)
    assert (job.kind, job.title, job.user_name) == ("template.apply", "Meter", "enterprise-x")
    for user, ids, error in ((site.stranger, [1], NotFound), (site.maker, [1, 99], NotFound)):
        with pytest.raises(error):
            await site.applying.apply(user, made, ApplyTemplateBody(device_ids=ids))
    async with site.services.database.session() as session:
        session.add(DeviceShare(device_id=1, user_id=site.stranger.id, role="visitor", created_ms=1))
        await session.commit()
    theirs = await site.template(site.stranger)
    with pytest.raises(NoPermission):
        await site.applying.apply(site.stranger, theirs, body)
    with pytest.raises(NoPermission):
        await site.using.use_points(site.stranger, 1, UsePointTemplate(slave="m1", point_template_id=theirs))
    with pytest.raises(NotFound):
        await site.using.use_points(site.plant, 1, UsePointTemplate(slave="m1", point_template_id=theirs))


@sqlite
async def test_a_job_does_it(site: Site) -> None:
    made = await site.template()
    await use(site, made)
    await site.save(made, rows("Ua", "Ub", "Uc"), 1)
    job = await site.applying.apply(site.plant, made, ApplyTemplateBody(device_ids=[1]))
    assert await site.jobs.runner.step(JobQueue.WORK)
    detail = await site.jobs.detail(site.plant, job.id)
    assert (detail.state, detail.summary and detail.summary["changed"]) == ("completed", 1)
    assert "Uc" in await site.points("m1")


@sqlite
async def test_gateways_that_do_not_use_it_get_it_too(site: Site) -> None:
    made = await site.template()
    await use(site, made, "m2", 2)
    onto = {"device_ids": [1, 2], "others": True, "slave": "m1"}
    preview = await site.applying.preview(site.plant, made, PreviewTemplateBody.model_validate(onto))
    assert (preview.total, {row.state for row in preview.rows}) == (2, {"change"})
    assert [(each.slave, each.added) for row in preview.rows for each in row.slaves] == [("m1", 2)] * 2

    job = await site.applying.apply(site.plant, made, ApplyTemplateBody.model_validate(onto))
    assert await site.jobs.runner.step(JobQueue.WORK)
    summary = (await site.jobs.detail(site.plant, job.id)).summary or {}
    assert (summary["changed"], summary["refused"]) == (2, 0)
    assert await versions_of(site) == {"m1": 1}
    assert await versions_of(site, 2) == {"m1": 1, "m2": 1}
    assert list(await site.points("m1")) == ["own", "Ua", "Ub"], "a gateway's own points stay"

    wrong = PreviewTemplateBody(device_ids=[1], others=True, slave="m9")
    assert [row.state for row in (await site.applying.preview(site.plant, made, wrong)).rows] == [
        "template.not_found"
    ]
    frame = await site.template(category="gateway", protocol="", content=GATEWAY_TEMPLATE)
    assert (await site.run(site.plant, frame, 1, 2, version=1, others=True))["changed"] == 2
    assert {row["name"] for row in (await site.document(2))["slaves"]} == {"m1", "m2", "plc", "meter"}


@sqlite
@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"others": True, "device_ids": [1]}, "slave"),
        ({"others": True, "slave": "m1"}, "device_ids"),
        ({"slave": "m1", "device_ids": [1]}, "slave"),
    ],
)
async def test_other_gateways_are_named_with_their_slave(site: Site, words: Any, field: str) -> None:
    made = await site.template()
    with pytest.raises(ParameterError) as refused:
        await site.applying.preview(site.plant, made, PreviewTemplateBody.model_validate(words))
    assert refused.value.field == field
    assert (
        await site.applying.preview(
            site.stranger,
            await site.template(site.stranger),
            PreviewTemplateBody(device_ids=[1], others=True, slave="m1"),
        )
    ).total == 0


GATEWAY_TEMPLATE: dict[str, Any] = {
    "ports": [{"name": "net1", "type": "NET", "port": 502}],
    "slaves": [
        {"name": "plc", "port": "net1", "protocol": "modbus_tcp"},
        {"name": "meter", "port": "net1", "protocol": "dlt645_2007"},
    ],
    "points": [{"slave": "plc", "name": "p1", "address": {"offset": 1}}],
    "defaults": {"port": {"capture_cycle_ms": 5000}, "slave": {"retries": 2}},
}


@sqlite
async def test_a_gateway_template_with_the_gateways_own_values(site: Site) -> None:
    meter = await site.template(content=rows("Ua"))
    named = {**GATEWAY_TEMPLATE, "templates": {"meter": {"template_id": meter, "version": 1}}}
    made = await site.template(category="gateway", protocol="", content=named, title="Cabinet")
    values = {
        "ports": {"net1": {"host": "10.0.0.8"}},
        "slaves": {"plc": {"address": "3", "options": {"password": "s"}}},
    }
    body = Instantiate(gateway_template_id=made, values=values)  # type: ignore[arg-type]
    applied = await site.using.instantiate(site.plant, 1, body)
    assert applied.state == "change"
    found = await site.document()
    assert found["ports"][1] == {
        "name": "net1",
        "type": "NET",
        "port": 502,
        "host": "10.0.0.8",
        "capture_cycle_ms": 5000,
    }
    plc = next(row for row in found["slaves"] if row["name"] == "plc")
    assert (plc["address"], plc["retries"], plc["options"]) == ("3", 2, {"password": "s"})
    assert [row["name"] for row in found["slaves"]] == ["m1", "m2", "plc", "meter"], "its own stay"
    assert list(await site.points("meter")) == ["Ua"] and list(await site.points("plc")) == ["p1"]
    assert await versions_of(site) == {"": 1, "meter": 1}
    assert (await site.using.instantiate(site.plant, 1, body)).state == "none"

    usage = (await site.using.usage(site.plant, made, 1, 20)).rows[0].slaves[0]
    told = {(each.row, each.field): each.own_value for each in usage.overrides}
    assert told["ports.net1", "host"] == "10.0.0.8" and told["slaves.plc", "options.password"] == "******"

    await site.save(meter, rows("Ua", "Ub"), 1)
    await site.run(site.plant, meter, 1, version=2)
    less = {"ports": named["ports"], "slaves": [named["slaves"][1]], "templates": named["templates"]}
    await site.save(made, less, 1)
    summary = await site.run(site.plant, made, 1, version=2, keep_overrides=False)
    assert summary["changed"] == 1
    found = await site.document()
    assert [row["name"] for row in found["slaves"]] == ["m1", "m2", "meter"]
    assert found["ports"][1]["host"] == "10.0.0.8", "what the template leaves open"
    assert list(await site.points("meter")) == ["Ua", "Ub"], "a newer version of its point template stays"
    assert await versions_of(site) == {"": 2, "meter": 2}


@sqlite
async def test_a_slave_with_points_of_its_own_stays_without_its_template(site: Site) -> None:
    made = await site.template(category="gateway", protocol="", content=GATEWAY_TEMPLATE, title="Cabinet")
    await site.using.instantiate(site.plant, 1, Instantiate(gateway_template_id=made))
    await site.draft(points=[*(await site.document())["points"], {"slave": "plc", "name": "mine"}])
    await site.save(made, {"ports": [], "slaves": []}, 1)
    assert (await site.run(site.plant, made, 1, version=2))["changed"] == 1
    found = await site.document()
    assert [row["name"] for row in found["slaves"]] == ["m1", "m2", "plc"]
    assert [row["name"] for row in found["ports"]] == ["com1", "net1"]
    assert list(await site.points("plc")) == ["mine"]


@sqlite
@pytest.mark.parametrize("values", [{"ports": {"no": {"host": "x"}}}, {"slaves": {"plc": {"name": "other"}}}])
async def test_values_are_of_rows_that_there_are(site: Site, values: Any) -> None:
    made = await site.template(category="gateway", protocol="", content=GATEWAY_TEMPLATE)
    before = await site.document()
    with pytest.raises(ParameterError):
        await site.using.instantiate(site.plant, 1, Instantiate(gateway_template_id=made, values=values))
    assert await site.document() == before


@sqlite
async def test_detached_rows_are_the_gateways_own(site: Site) -> None:
    made = await site.template(content=rows("Ua"))
    await use(site, made)
    before = await site.document()
    with pytest.raises(Conflict) as used:
        await site.tree.remove(site.plant, made, detach=False)
    assert (used.value.reason, used.value.arguments) == ("template.in_use", {"count": 1})
    await site.using.detach(site.plant, 1, Detach(slave="m1"))
    assert (await site.document(), await versions_of(site)) == (before, {})
    with pytest.raises(NotFound):
        await site.using.detach(site.plant, 1, Detach(slave="m1"))
    await site.tree.remove(site.plant, made, detach=False)
    second = await site.template(content=rows("Ub"))
    await use(site, second, "m2")
    await site.tree.remove(site.plant, second, detach=True)
    assert list(await site.points("m2")) == ["Ub"] and await versions_of(site) == {}


@sqlite
async def test_templates_made_from_a_gateway_leave_secrets_behind(site: Site) -> None:
    source = Source(device_id=1, slave="m1", link=True)
    made = await site.making.create(
        site.plant, CreateTemplate(category="point", title="From m1", source=source)
    )
    assert (made.protocol, made.points) == ("dlt645_2007", 1)
    assert await versions_of(site) == {"m1": 1}
    body = CreateTemplate(category="gateway", title="From it", source=Source(device_id=1, link=True))
    whole = await site.making.create(site.plant, body)
    content = (await site.tree.version(site.plant.scope, whole.template_id, 1)).document
    assert content["templates"] == {"m1": {"template_id": made.template_id, "version": 1}}
    assert all("password" not in str(row) for row in content["slaves"])
    assert await versions_of(site) == {"": 1, "m1": 1}
    preview = await site.applying.preview(site.plant, whole.template_id, PreviewTemplateBody())
    assert [row.state for row in preview.rows] == ["none"], "it is what the gateway has"


@sqlite
async def test_a_gateway_without_a_configuration_gets_one(site: Site) -> None:
    await site.services.claims.claim("gw-test-3", "Third")
    made = await site.template(category="gateway", protocol="", content=GATEWAY_TEMPLATE)
    applied = await site.using.instantiate(site.platform, 3, Instantiate(gateway_template_id=made))
    found = await site.configurations.document(site.platform, 3, applied.hash)
    assert found.document["gateway"] == {"id": "gw-test-3"} and len(found.document["slaves"]) == 2


@sqlite
async def test_who_edits_at_the_same_time_is_not_overwritten(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await site.template(content=rows("Ua"))
    state = await site.configurations.state(site.plant.scope, 1, 1, 1)
    content = await site.document()
    read_first = site.using._drafts.opened
    edited: list[bool] = []

    async def opened(*arguments: Any) -> Any:
        found = await read_first(*arguments)
        if not edited:
            edited.append(True)
            changed = {**content, "history": {"enable": False}}
            saving = site.configurations.save(site.maker, 1, DraftBody(document=changed, base=state.newest))
            await asyncio.create_task(saving)  # somebody else, with a session of his own
        return found

    monkeypatch.setattr(site.using._drafts, "opened", opened)
    await use(site, made)
    found = await site.document()
    assert found["history"] == {"enable": False} and "Ua" in await site.points("m1")


def test_what_left_its_template_and_was_deleted_is_given_again() -> None:
    links = {"m1": Reference(1, 2, frozenset({"Ua", "Ub"})), "m2": Reference(1, 2)}
    document = {"points": [{"slave": "m1", "name": "Ua"}, {"slave": "m2", "name": "Ub"}]}
    assert present(links, document) == {"m1": Reference(1, 2, frozenset({"Ua"})), "m2": Reference(1, 2)}
    assert present({"m2": Reference(1, 2)}, document) == {"m2": Reference(1, 2)}


def test_what_a_gateway_uses_is_of_slaves_that_it_has() -> None:
    own = Reference(1, 1)
    assert of_slaves({"": own, "m1": own, "m9": own}, {"slaves": [{"name": "m1"}]}) == {"": own, "m1": own}


def test_a_plan_changes_something_when_any_slave_gets_another_row() -> None:
    none = MergeOutcome([], [], [], [], ["x"], ["y"], ["z"])
    for change in ({"added": ["a"]}, {"changed": ["a"]}, {"removed": ["a"]}):
        outcome = replace(none, **change)  # type: ignore[arg-type]
        assert Planned({}, {}, {"m1": [none], "m2": [none, outcome]}).changes()
    assert not Planned({}, {}, {"m1": [none], "m2": [none]}).changes()
    assert not Planned({}, {}).changes()
