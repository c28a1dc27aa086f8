"""Parameter plans: what is a plan, what it would do, and what it does to gateways that answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cloud.domains.deploy.schemas import DraftBody
from cloud.domains.jobs.schemas import JobDetail
from cloud.domains.jobs.states import JobQueue
from cloud.domains.parameters import service
from cloud.domains.parameters.planning import is_in_range
from cloud.domains.parameters.schemas import ParameterPlanBody, ParameterPlanRun
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.deployment import Step
from edge_contract.document.masking import MASK

from .conftest import NO_WIFI, RUN, Site, document

HOTSPOT = {"group": "hotspot", "values": {"ssid": "site", "password": "secret-123"}}


def steps(job: JobDetail) -> dict[int, tuple[str, str]]:
    assert job.summary is not None
    return {row["device_id"]: (row["step"], row["code"]) for row in job.summary["rows"]}


def body(**change: Any) -> ParameterPlanBody:
    return ParameterPlanBody.model_validate({"title": "t", "device_ids": [1], "changes": [RUN], **change})


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"device_ids": []}, "project_ids"),
        ({"agent_min": "2.0", "agent_max": "1.9"}, "agent_min"),
        ({"changes": [{"group": "none", "values": {"a": 1}}]}, "changes[0].group"),
        ({"changes": [RUN, {"group": "run", "row": "x", "values": {"power": "normal"}}]}, "changes[1].row"),
        ({"changes": [{"group": "uart", "values": {"baud": 9600}}]}, "changes[0].row"),
        ({"changes": [{"group": "uart", "row": "*", "values": {"baud": 1}}]}, "changes[0].values.baud"),
        ({"changes": [{"group": "uart", "row": "*", "values": {"what": 1}}]}, "changes[0].values.what"),
        ({"changes": [{"group": "uart", "row": "a", "values": {"name": "b"}}]}, "changes[0].values.name"),
        ({"changes": [{"group": "uart", "row": "a"}]}, "changes[0].values"),
        ({"changes": [{**RUN, "remove": True}]}, "changes[0].values"),
        ({"changes": [{"group": "hj212", "row": "*", "values": {"flag": 0}}]}, "version"),
        (
            {"changes": [{"group": "hotspot", "values": {"password": MASK}}]},
            "changes[0].values.password",
        ),
    ],
)
async def test_what_is_no_plan_is_refused_at_its_field(
    site: Site, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        await site.plans.create(site.user, body(**change))
    assert refused.value.field == field


async def test_a_plan_for_a_platform_of_others_begins_with_version_two(site: Site) -> None:
    number = await site.gateway("a")
    change = {"group": "hj212", "row": "*", "values": {"retry_times": 5}}
    plan = await site.plan(change, device_ids=[number], version=2)
    assert (plan.version, plan.author) == (2, "factory-x")


async def test_the_version_rises_and_secrets_stay_hidden(site: Site) -> None:
    number = await site.gateway("a")
    plan = await site.plan(HOTSPOT, device_ids=[number])
    assert plan.changes[0].values == {"ssid": "site", "password": MASK}
    (listed,) = (await site.plans.page(site.user, 1, 20, "")).rows
    assert listed == await site.plans.plan(site.user, plan.id) == plan
    changed = {**HOTSPOT, "values": {"ssid": "other", "password": MASK}}
    with pytest.raises(Conflict) as refused:
        await site.plans.change(site.user, plan.id, body(device_ids=[number], changes=[changed]))
    assert refused.value.reason == "parameters.version"
    await site.plans.change(site.user, plan.id, body(device_ids=[number], changes=[changed], version=2))
    row, _ = await site.plans.plan_targets(site.user, plan.id)
    assert row.changes[0]["values"] == {"ssid": "other", "password": "secret-123"}
    await site.plans.delete(site.user, plan.id)
    with pytest.raises(NotFound):
        await site.plans.delete(site.user, plan.id)


async def test_plans_gateways_and_projects_of_others_are_not_there(site: Site) -> None:
    foreign = await site.gateway("y", "factory-y")
    theirs = await site.project("y", "factory-y")
    mine = await site.plan(device_ids=[await site.gateway("x")])
    for targets in ({"device_ids": [foreign]}, {"device_ids": [], "project_ids": [theirs]}):
        with pytest.raises(NotFound):
            await site.plans.create(site.user, body(**targets))
    other = site.of("factory-y")
    assert (await site.plans.page(other, 1, 20, "")).total == 0
    for refused in (
        site.plans.plan(other, mine.id),
        site.plans.preview(other, mine.id, 1, 20),
        site.plans.results(other, mine.id, 1, 20),
        site.plans.change(other, mine.id, body(device_ids=[foreign], version=2)),
        site.plans.delete(other, mine.id),
        site.runner.begin(other, mine.id, ParameterPlanRun(version=1)),
    ):
        with pytest.raises(NotFound):
            await refused


async def test_a_preview_has_a_difference_for_each_gateway(site: Site) -> None:
    project = await site.project()
    one = await site.gateway("a", project_id=project)
    away = await site.gateway("b", project_id=project, online=False)
    old = await site.gateway("c", project_id=project, agent_version="1.3.9")
    drafted = await site.gateway("d", project_id=project)
    await site.configurations.save(
        site.user,
        drafted,
        DraftBody(document=document("gw-d") | {"history": {"max_mb": 9}}, base=site.running["gw-d"]),
    )
    plan = await site.plan(
        RUN,
        {"group": "hj212", "row": "*", "values": {"pw": "654321", "retry_times": 5}},
        {"group": "calibration", "row": "boiler.t", "values": {"scale": 1.5}},
        project_ids=[project], version=2, agent_min="1.4",
    )  # fmt: skip
    preview = await site.plans.preview(site.user, plan.id, 1, 20)
    assert (preview.total, preview.counts) == (4, {"": 1, "offline": 1, "version": 1, "has_draft": 1})
    rows = {row.device_id: row for row in preview.rows}
    assert [(each.field, each.before, each.after) for each in rows[one].changes] == [
        ("run.report_interval_s", None, 60),
        ("hj212.bureau.pw", MASK, MASK),
        ("hj212.bureau.retry_times", None, 5),
        ("calibration.boiler.t.slave", None, "boiler"),
        ("calibration.boiler.t.name", None, "t"),
        ("calibration.boiler.t.scale", None, 1.5),
    ]
    assert rows[away].changes == rows[one].changes
    assert (rows[old].skip, rows[old].changes) == ("version", [])
    assert (rows[drafted].skip, rows[drafted].changes) == ("has_draft", [])
    second = await site.plans.preview(site.user, plan.id, 2, 3)
    assert [row.device_id for row in second.rows] == [drafted]


async def test_a_preview_names_what_does_not_go_on_a_gateway(site: Site) -> None:
    number = await site.gateway("a")
    plan = await site.plan({"group": "run", "values": {"power": "saving"}}, device_ids=[number])
    (row,) = (await site.plans.preview(site.user, plan.id, 1, 20)).rows
    assert [fault.field for fault in row.faults] == ["run.report_interval_s"]
    done = await site.run(plan)
    assert steps(done) == {number: ("failed", "must be at least 60 with power saving")}
    assert site.deployed == []
    assert (await site.drafts())[number] is None
    (result,) = (await site.plans.results(site.user, plan.id, 1, 20)).rows
    assert (result.state, result.code) == ("refused", "must be at least 60 with power saving")


async def test_a_plan_changes_its_fields_alone_and_says_what_became_of_it(site: Site) -> None:
    project = await site.project()
    numbers = [await site.gateway(f"g{at}", project_id=project) for at in range(5)]
    site.parameters = [NO_WIFI]
    plan = await site.plan(RUN, HOTSPOT, project_ids=[project])
    done = await site.run(plan)
    assert (done.state, steps(done)) == ("completed", dict.fromkeys(numbers, ("done", "")))
    for gateway, sent in site.deployed:
        hotspot = {"ssid": "site", "password": "secret-123"}
        expected = {**document(gateway), "reporting": {"interval_s": 60}, "hotspot": hotspot}
        assert sent == expected
    results = await site.plans.results(site.user, plan.id, 1, 3)
    assert (results.total, len(results.rows)) == (5, 3)
    for row in results.rows:
        assert (row.version, row.state, row.code) == (1, "confirmed", "")
        assert [(each.group, each.condition, each.reason) for each in row.conditions] == [
            ("hotspot", "not_supported", "no WiFi")
        ]
    read = await site.gateway_parameters.read(site.user, numbers[0])
    assert read.plan is not None
    assert (read.plan.parameter_plan_id, read.plan.version, read.plan.state) == (plan.id, 1, "confirmed")
    assert [each.group for each in read.conditions] == ["hotspot"]


async def test_a_gateway_that_has_it_already_is_left_as_it_is(site: Site) -> None:
    number = await site.gateway("a")
    plan = await site.plan(device_ids=[number])
    await site.run(plan)
    again = await site.run(plan)
    assert (again.state, steps(again)) == ("completed", {number: ("done", "")})
    assert len(site.deployed) == 1
    (row,) = (await site.plans.results(site.user, plan.id, 1, 20)).rows
    assert (row.state, row.deployment_id) == ("unchanged", "")


async def test_the_access_password_is_asked_for_and_looked_at_again(site: Site) -> None:
    number = await site.gateway("a")
    plan = await site.plan(device_ids=[number])
    passwords = site.services.devices.access_passwords
    await passwords.put(site.user, number, "secret-of-a", "")
    with pytest.raises(NoPermission) as refused:
        await site.run(plan)
    assert (refused.value.reason, refused.value.arguments["device_id"]) == ("access_password.needed", number)
    given = replace(site.user, given={number: "secret-of-a"})
    job = await site.runner.begin(given, plan.id, ParameterPlanRun(version=plan.version))
    site.services.clock.pass_s(5)
    await passwords.put(site.user, number, "another-one", "")
    await site.jobs.runner.step(JobQueue.CAMPAIGN)
    assert steps(await site.jobs.detail(site.user, job.id)) == {number: ("failed", "access_password")}
    assert site.deployed == []


async def test_a_canary_that_goes_back_stops_the_plan_and_leaves_no_draft(site: Site) -> None:
    project = await site.project()
    numbers = [await site.gateway(f"g{at}", project_id=project) for at in range(3)]
    site.ends["gw-g0"] = Step.REVERTED
    plan = await site.plan(project_ids=[project])
    done = await site.run(plan)
    assert (done.state, done.code) == ("failed", "canary")
    assert [step for step, _ in steps(done).values()] == ["failed", "not_begun", "not_begun"]
    assert set((await site.drafts()).values()) == {None}
    (row,) = (await site.plans.results(site.user, plan.id, 1, 20)).rows
    assert (row.device_id, row.state, row.code) == (numbers[0], "reverted", "points")
    site.ends.clear()
    assert (await site.run(plan)).state == "completed"


@pytest.mark.parametrize("cut_before", [True, False])
async def test_an_interrupted_run_deploys_what_it_had_drafted(
    site: Site, monkeypatch: pytest.MonkeyPatch, cut_before: bool
) -> None:
    """Cut between a gateway's draft and its deployment, or behind that; somebody begins a draft meanwhile."""
    project = await site.project()
    numbers = [await site.gateway(f"g{at}", project_id=project) for at in range(3)]
    plan = await site.plan(project_ids=[project])
    request = site.deploy.request

    async def cut(*words: Any) -> Any:
        monkeypatch.setattr(site.deploy, "request", request)
        if not cut_before:
            await request(*words)
        raise KeyboardInterrupt

    monkeypatch.setattr(site.deploy, "request", cut)
    with pytest.raises(KeyboardInterrupt):
        await site.run(plan, canary=0)
    edited = document("gw-g2") | {"history": {"max_mb": 7}}
    await site.configurations.save(
        site.user, numbers[2], DraftBody(document=edited, base=site.running["gw-g2"])
    )
    await site.jobs.runner.resume()
    assert await site.jobs.runner.step(JobQueue.CAMPAIGN)
    (job,) = (await site.jobs.page(site.user, 1, 20)).rows
    ends = steps(await site.jobs.detail(site.user, job.id))
    assert ends == {numbers[0]: ("done", ""), numbers[1]: ("done", ""), numbers[2]: ("skipped", "has_draft")}
    expected = [
        (gateway, {**document(gateway), "reporting": {"interval_s": 60}}) for gateway in ("gw-g0", "gw-g1")
    ]
    assert site.deployed == expected


async def test_a_run_of_some_gateways_leaves_the_others_alone(site: Site) -> None:
    numbers = [await site.gateway(f"g{at}") for at in range(3)]
    plan = await site.plan(device_ids=numbers)
    assert steps(await site.run(plan, device_ids=numbers[1:2])) == {numbers[1]: ("done", "")}
    listed = await site.gateway_parameters.gateways(site.user, numbers)
    assert [one.plan is not None for one in listed] == [False, True, False]
    foreign = await site.gateway("y", "factory-y")
    with pytest.raises(Conflict) as idle:
        await site.run(plan, device_ids=[foreign])
    assert idle.value.reason == "project.nothing_to_do"


async def test_who_is_left_alone_is_named_and_not_touched(site: Site) -> None:
    project = await site.project()
    one = await site.gateway("a", project_id=project)
    away = await site.gateway("b", project_id=project, online=False)
    new = await site.gateway("c", project_id=project, agent_version="2.0.0")
    plan = await site.plan(project_ids=[project], agent_max="1.9")
    done = await site.run(plan)
    assert steps(done) == {one: ("done", ""), away: ("skipped", "offline"), new: ("skipped", "version")}
    waiting = await site.run(plan, wait=True)
    assert steps(waiting)[away] == ("kept", "")


async def test_a_local_edit_is_not_overwritten(site: Site) -> None:
    number = await site.gateway("a")
    plan = await site.plan(device_ids=[number])
    edited = document("gw-a") | {"history": {"max_mb": 7}}
    await site.reports("gw-a", edited)
    assert (await site.run(plan)).state == "completed"
    assert site.deployed == [("gw-a", edited | {"reporting": {"interval_s": 60}})]


async def test_only_what_was_seen_is_run(site: Site) -> None:
    number = await site.gateway("a")
    plan = await site.plan(device_ids=[number])
    with pytest.raises(Conflict) as changed:
        await site.runner.begin(site.user, plan.id, ParameterPlanRun(version=2))
    assert changed.value.reason == "parameters.changed"
    await site.plans.change(site.user, plan.id, body(device_ids=[number], version=2, enabled=False))
    with pytest.raises(Conflict) as disabled:
        await site.runner.begin(site.user, plan.id, ParameterPlanRun(version=2))
    assert disabled.value.reason == "parameters.disabled"
    nothing = await site.plan(device_ids=[await site.gateway("b", online=False)])
    with pytest.raises(Conflict) as idle:
        await site.runner.begin(site.user, nothing.id, ParameterPlanRun(version=1))
    assert idle.value.reason == "project.nothing_to_do"


async def test_an_owner_has_so_many_plans(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_PLANS", 1)
    number = await site.gateway("a")
    await site.plan(device_ids=[number])
    with pytest.raises(Conflict) as refused:
        await site.plan(device_ids=[number])
    assert refused.value.reason == "parameters.too_many"


@pytest.mark.parametrize(
    ("version", "lowest", "highest", "inside"),
    [
        ("1.4.0", "", "", True),
        ("", "", "", True),
        ("", "1", "", False),
        ("dev", "", "9", False),
        ("1.10", "1.9", "", True),
        ("1.9", "1.10", "", False),
        ("1.4.0", "1.4", "1.4", True),
        ("1.4.1", "", "1.4", False),
        ("1.4.0+build", "1.4.0", "1.4.0", True),
    ],
)
def test_versions_are_compared_by_number(version: str, lowest: str, highest: str, inside: bool) -> None:
    assert is_in_range(version, lowest, highest) is inside
