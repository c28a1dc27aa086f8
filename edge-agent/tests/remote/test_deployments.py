"""Deployments: judged, switched to, confirmed or left again by the gateway itself."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from deploying import P, Site, steps

from edge_agent.config.state_store import StateStore
from edge_agent.errors import StoreFull
from edge_agent.model import PointKey
from edge_contract.deployment import Origin, Step


@pytest.fixture
def power_cut(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.clause("C-095")
async def test_what_is_as_good_as_before_is_confirmed(site: Site) -> None:
    before = site.state.running
    deploy = site.deploy(site.changed(title="Boiler"))
    receipts = await site.end(deploy)
    assert steps(receipts) == [Step.RECEIVED, Step.STAGED, Step.SWITCHED, Step.CONFIRMED]
    assert [one.running for one in receipts] == [before.hash, before.hash, deploy.hash, deploy.hash]
    assert (site.state.running.hash, site.state.running.origin) == (deploy.hash, Origin.CLOUD)
    assert site.state.previous == before
    assert [watched for _, watched in site.plant.switches] == [True]
    assert site.plant.watches_ended == 1
    assert site.clock.seconds < 10, "nobody waits for the end of the time"
    assert site.dead_man[-1] == 0.0


@pytest.mark.clause("C-095")
async def test_a_wrong_slave_address_is_left_again_at_the_end_of_its_time(site: Site) -> None:
    before = site.state.running
    receipts = await site.end(site.deploy(site.changed(address="9")))
    assert steps(receipts)[-2:] == [Step.SWITCHED, Step.REVERTED]
    assert (receipts[-1].code, receipts[-1].running) == ("points", before.hash)
    assert receipts[-1].detail == "2 of 2 points that were good are not: boiler (2: no answer)"
    running = site.state.running
    assert (running.hash, running.origin) == (before.hash, before.origin)
    assert before.since_ms < running.since_ms <= site.clock.now_ms(), "it runs since the return"
    site.deployments.report()
    (report,) = site.deployments.reports()
    assert report.t_ms == running.since_ms == site.deployments.since_ms
    assert [watched for _, watched in site.plant.switches] == [True, False]
    assert site.plant.configuration.slaves[0].address == "1"
    assert 30 <= site.clock.seconds <= 32


@pytest.mark.clause("C-095")
async def test_a_wrong_address_of_the_cloud_is_left_again(site: Site) -> None:
    document = copy.deepcopy(site.document)
    document["cloud"]["url"] = "mqtts://elsewhere.example"
    receipts = await site.end(site.deploy(document))
    assert (receipts[-1].step, receipts[-1].code) == (Step.REVERTED, "link")
    assert "connection refused" in receipts[-1].detail


@pytest.mark.clause("C-093")
@pytest.mark.parametrize("cloud", [None, {"url": "mqtts://cloud.example", "enable": False}])
async def test_the_cloud_cannot_take_the_link_away(site: Site, cloud: dict[str, object] | None) -> None:
    """A draft of rows alone, forced too: nobody could reach the gateway any more."""
    document = copy.deepcopy(site.document)
    del document["cloud"]
    if cloud is not None:
        document["cloud"] = cloud
    field = "cloud.url" if cloud is None else "cloud.enable"
    for name, settings in (("deploy-01", {"base": None}), ("deploy-02", {"check_only": True})):
        receipts = (await site.end(site.deploy(document, name, **settings)))[-1]
        assert (receipts.step, receipts.code) == (Step.REFUSED, "invalid")
        assert [fault.field for fault in receipts.faults] == [field]
    assert not site.plant.switches


@pytest.mark.clause("C-095")
async def test_nothing_is_confirmed_while_the_link_is_gone_however_well_it_collects(site: Site) -> None:
    """Without a good point before, the link is all that a trial can go by."""
    good, before = site.plant.good, site.state.running.hash
    site.plant.good = set  # type: ignore[assignment]
    site.plant.linked = lambda: False  # type: ignore[method-assign]
    receipts = await site.end(site.deploy(site.changed(title="Boiler"), healthy_share=0.0))
    assert steps(receipts)[-2:] == [Step.SWITCHED, Step.REVERTED]
    assert (receipts[-1].code, receipts[-1].running) == ("link", before)
    assert 30 <= site.clock.seconds <= 32
    site.plant.good = good  # type: ignore[method-assign]
    del site.plant.linked
    assert (await site.end(site.deploy(site.changed(title="Boiler"), "deploy-02")))[-1].step is Step.CONFIRMED


async def test_points_that_are_left_out_or_turned_off_are_not_missed(site: Site) -> None:
    document = site.changed(enable=False)
    assert (await site.end(site.deploy(document)))[-1].step is Step.CONFIRMED


@pytest.mark.parametrize(("share", "step"), [(0.5, Step.CONFIRMED), (0.6, Step.REVERTED)])
@pytest.mark.clause("C-095")
async def test_the_share_that_is_requested_is_the_share_that_counts(
    site: Site, share: float, step: Step
) -> None:
    document = copy.deepcopy(site.document)
    document["slaves"].append({**document["slaves"][0], "name": "other", "address": "2"})
    document["points"].append({**document["points"][0], "slave": "other"})
    await site.end(site.deploy(document))
    good = site.plant.good

    def half() -> set[PointKey]:
        return good() - {P} if site.plant.switches[1:] else good()

    site.plant.good = half  # type: ignore[method-assign]
    receipts = await site.end(site.deploy(site.changed(title="B"), "deploy-02", healthy_share=share))
    assert receipts[-1].step is step


@pytest.mark.clause("C-094")
async def test_what_cannot_be_put_together_or_fails_goes_back_at_once(site: Site) -> None:
    site.plant.cannot = lambda configuration: configuration.slaves[0].title == "cannot"
    site.plant.crashes = lambda configuration: configuration.slaves[0].title == "crash"
    receipts = await site.end(site.deploy(site.changed(title="cannot")))
    assert (receipts[-1].step, receipts[-1].code, receipts[-1].detail) == (
        Step.REVERTED,
        "error",
        "cannot be put together",
    )
    receipts = await site.end(site.deploy(site.changed(title="crash"), "deploy-02"))
    assert (receipts[-1].step, receipts[-1].code) == (Step.REVERTED, "crash")
    assert site.clock.seconds < 5


@pytest.mark.clause("C-091")
async def test_what_runs_already_changes_nothing(site: Site) -> None:
    receipts = await site.end(site.deploy(site.document, base="0" * 64))
    assert steps(receipts) == [Step.RECEIVED, Step.UNCHANGED]
    assert not site.plant.switches


@pytest.mark.clause("C-092")
async def test_another_base_is_a_conflict_and_none_is_a_decision(site: Site) -> None:
    changed = site.changed(title="x")
    receipts = await site.end(site.deploy(changed, base="0" * 64))
    assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, "conflict")
    receipts = await site.end(site.deploy(changed, "deploy-02", base=None))
    assert receipts[-1].step is Step.CONFIRMED


@pytest.mark.clause("C-093")
async def test_every_fault_is_reported_and_nothing_is_touched(site: Site) -> None:
    document = site.changed(address="300", port="nowhere")
    document["points"][1]["ratio"] = 0
    document["spelt"] = 1
    receipts = await site.end(site.deploy(document))
    assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, "invalid")
    fields = {fault.field for fault in receipts[-1].faults}
    assert {"slaves[0].port", "points[1].ratio", "file"} <= fields
    assert not site.plant.switches
    assert site.state_store.versions.hashes() == [site.state.running.hash]


@pytest.mark.clause("C-093")
async def test_a_device_that_is_not_there_and_a_bus_without_time_are_faults(site: Site) -> None:
    document = copy.deepcopy(site.document)
    document["ports"].append({"name": "com1", "type": "COM", "device": "/dev/ttyNONE", "baud": 300})
    document["slaves"].append(
        {"name": "meter", "port": "com1", "protocol": "modbus_rtu", "address": "1", "capture_cycle_ms": 100}
    )
    document["points"].append({**document["points"][0], "slave": "meter"})
    receipts = await site.end(site.deploy(document))
    assert [fault.field for fault in receipts[-1].faults] == ["ports[1].device", "ports[1]"]
    document["ports"][1]["device"] = "/dev/null"
    receipts = await site.end(site.deploy(document, "deploy-02", base=None, check_only=True))
    assert receipts[-1].step is Step.CHECKED, "without a base the estimate does not stop it"


@pytest.mark.clause("C-094")
async def test_a_medium_that_refuses_refuses_the_deployment(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, payload: bytes) -> None:
        raise StoreFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr("edge_agent.config.versions.write_durable", full)
        receipts = await site.end(site.deploy(site.changed(title="x")))
        assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, "store")
        patch.setattr("edge_agent.config.state_store.write_durable", full)
        receipts = await site.end(site.deploy(site.changed(title="x"), "deploy-02"))
        assert (receipts[-1].step, receipts[-1].code) == (Step.REFUSED, "store")
    assert not site.plant.switches


async def test_the_way_back_is_taken_although_the_medium_refuses(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edge_agent.config.state_store import write_durable

    refused = []

    def full(path: Path, payload: bytes) -> None:
        if b'"reverted"' in payload and len(refused) < 3:
            refused.append(path)
            raise StoreFull("no room")
        write_durable(path, payload)

    monkeypatch.setattr("edge_agent.config.state_store.write_durable", full)
    receipts = await site.end(site.deploy(site.changed(address="9")))
    assert receipts[-1].step is Step.REVERTED
    assert site.plant.configuration.slaves[0].address == "1"
    assert refused
    assert StateStore(site.data).state == site.state


@pytest.mark.clause("C-094")
async def test_a_trial_that_was_interrupted_goes_on(power_cut: Site) -> None:
    site = power_cut
    async with site.working():
        site.clock.stands_still_after = 1.0
        site.deployments.take(site.deploy(site.changed(title="on trial"), confirm_s=900))
        await site.until(lambda: site.state.trial is not None and site.plant.switches)
    site.clock.stands_still_after = None
    site.power_on()
    assert site.state.trial is not None
    assert site.state.trial.starts == 2
    assert site.deployments.running().step is Step.SWITCHED
    async with site.working():
        busy = site.deploy(site.changed(title="x"), "deploy-02")
        site.deployments.take(busy)
        assert (await site.receipts_of("deploy-01"))[-1].step is Step.CONFIRMED
        assert (await site.receipts_of("deploy-02"))[-1].code == "busy"
