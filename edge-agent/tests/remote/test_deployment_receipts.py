"""Deployments: once each, one at a time, and what the cloud and the local page are told."""

from __future__ import annotations

import asyncio
import copy

import pytest
from deploying import FILE, NOW, Site, steps

from edge_agent.config import versions
from edge_agent.config.state import MAX_OUTCOMES
from edge_agent.remote.deployments import Busy
from edge_contract.deployment import Origin, Step, document_hash


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"hash": "0" * 64}, "hash"),
        ({"expires_ms": NOW - 1}, "expired"),
    ],
)
@pytest.mark.clause("C-097")
async def test_refused_before_it_is_read(site: Site, change: dict[str, object], code: str) -> None:
    receipts = await site.end(site.deploy(site.changed(title="x"), **change))
    assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, code)


async def test_the_document_of_another_gateway_is_refused(site: Site) -> None:
    document = copy.deepcopy(site.document)
    document["gateway"]["id"] = "gw-other-1"
    receipts = await site.end(site.deploy(document))
    assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, "not_this_gateway")


@pytest.mark.clause("C-096")
@pytest.mark.clause("C-097")
async def test_one_at_a_time_and_once_each(site: Site) -> None:
    one = site.deploy(site.changed(title="one"))
    other = site.deploy(site.changed(title="other"), "deploy-02")
    site.deployments.take(one)
    site.deployments.take(one)
    receipts = await site.end(other)
    assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, "busy")
    assert (await site.receipts_of(one.id))[-1].step is Step.CONFIRMED
    assert len(site.plant.switches) == 1
    site.deployments.take(other)
    site.deployments.take(one)
    await asyncio.sleep(0.05)
    assert len(site.plant.switches) == 1, "neither the refused nor the confirmed one runs again"


@pytest.mark.clause("C-096")
async def test_the_final_receipt_comes_again_until_it_is_acknowledged(site: Site) -> None:
    deploy = site.deploy(site.changed(title="one"))
    receipts = await site.end(deploy)
    assert site.deployments.unsent() == [receipts[-1]]
    assert site.deployments.unsent() == [receipts[-1]]
    site.power_on()
    assert site.deployments.unsent() == [receipts[-1]]
    assert site.deployments.running().step is Step.CONFIRMED
    await site.deployments.acknowledged([deploy.id, "something-else"])
    assert site.deployments.unsent() == []
    async with site.working():
        site.deployments.take(deploy)
        await site.until(lambda: site.deployments.unsent() == [receipts[-1]])


@pytest.mark.clause("C-098")
async def test_a_check_reports_points_and_load_and_changes_nothing(site: Site) -> None:
    document = site.changed(capture_cycle_ms=500)
    document["points"].append(
        {**document["points"][0], "name": "q", "address": {"reg_type": "4X", "offset": 2}}
    )
    deploy = site.deploy(document, check_only=True)
    before = sorted(path.name for path in (site.data / versions.FOLDER).iterdir())
    receipts = await site.end(deploy)
    assert steps(receipts) == [Step.RECEIVED, Step.CHECKED]
    change = receipts[-1].change
    assert change is not None
    assert (change.points_added, change.points_removed, change.points_changed) == (1, 0, 2)
    (port,) = change.ports
    assert port.before is not None
    assert port.after == pytest.approx(2 * port.before, rel=0.01)
    assert sorted(path.name for path in (site.data / versions.FOLDER).iterdir()) == before
    assert site.deployments.unsent() == [receipts[-1]]
    await site.deployments.acknowledged([deploy.id])
    assert site.deployments.unsent() == []
    assert site.deployments.running().deployment is None
    again = await site.end(site.deploy(site.document, "deploy-03", check_only=True))
    assert again[-1].step is Step.UNCHANGED


@pytest.mark.clause("C-090")
async def test_the_running_document_is_reported_when_requested(site: Site) -> None:
    assert site.deployments.reports() == []
    site.deployments.report()
    assert site.deployments.changed.is_set()
    (report,) = site.deployments.reports()
    assert (report.hash, report.origin) == (site.deployments.running().hash, Origin.FILE)
    assert document_hash(report.document) == report.hash
    assert site.deployments.reports() == []


async def test_the_local_page_deploys_without_the_cloud(site: Site) -> None:
    document = copy.deepcopy(site.document)
    del document["cloud"]
    checked = await site.deployments.check_local(document)
    assert (checked.step, checked.change is not None and checked.change.restarts_link) == (Step.CHECKED, True)
    assert not site.plant.switches
    staged = await site.deployments.apply_local(document, "admin at 10.0.0.7", base=site.state.running.hash)
    assert staged.step is Step.STAGED
    await site.until(lambda: site.state.running.hash == staged.running or site.deployments._job is None)
    await site.until(lambda: site.deployments._job is None)
    situation = site.deployments.situation()
    assert situation.running.origin is Origin.LOCAL
    assert steps(situation.steps) == [Step.RECEIVED, Step.STAGED, Step.SWITCHED, Step.CONFIRMED]
    assert site.deployments.unsent() == [], "the cloud learns of it from hello and pulse"
    assert site.deployments.running().deployment is None
    wrong = await site.deployments.apply_local({"gateway": {}}, "admin")
    assert (wrong.code, len(wrong.faults)) == ("invalid", 1)


async def test_a_reload_takes_an_edited_file_in_and_starts_anew(site: Site) -> None:
    await site.deployments.reload()
    with pytest.raises(Busy):
        await site.deployments.reload()
    busy = await site.deployments.check_local(site.document)
    assert busy.code == "busy"
    await site.until(lambda: site.deployments._job is None)
    site.file.write_text(FILE.replace('address = "1"', 'address = "2"'))
    await site.deployments.reload()
    await site.until(lambda: site.deployments._job is None)
    assert [(one.slaves[0].address, watched) for one, watched in site.plant.switches] == [
        ("1", False),
        ("2", False),
    ]
    site.file.write_text("broken")
    await site.deployments.reload()
    await site.until(lambda: site.deployments._job is None)
    assert site.plant.configuration.slaves[0].address == "2"
    assert [fault.field for fault in site.deployments.situation().file_faults] == ["file"]


@pytest.mark.clause("C-097")
async def test_a_flood_of_deployments_is_bounded(site: Site) -> None:
    site.plant.linked = lambda: False  # type: ignore[method-assign]
    site.deployments.take(site.deploy(site.changed(title="one"), confirm_s=900))
    for number in range(500):
        site.deployments.take(site.deploy(site.document, f"flood-{number:04}"))
        if number % 10 == 0:
            await asyncio.sleep(0)
    assert (await site.receipts_of("deploy-01"))[-1].code == "link"
    assert len(site.state.past) <= MAX_OUTCOMES
    assert site.deployments.receipts.dropped > 0
