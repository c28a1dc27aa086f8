"""What a trial asks of slaves, what it tells meanwhile, and its end on demand."""

from __future__ import annotations

import asyncio
import copy

import pytest
from deploying import Site

from edge_agent.forwarding.link import LinkState
from edge_agent.model import DeviceState
from edge_agent.points import LiveTable
from edge_agent.remote.health import Signs, Wanted, judge
from edge_agent.remote.running_health import RunningHealth
from edge_agent.remote.service import reverting
from edge_agent.remote.trial import NoTrial
from edge_contract.deployment import Document, Receipt, Step
from edge_contract.limits import MOST_MISSING
from edge_contract.payloads import CommandAction

from .gateway_bench import Bench, ask


def with_analyser(site: Site, address: str, **more: object) -> Document:
    """The running document with a second slave of one point among eleven."""
    document = copy.deepcopy(site.document)
    boiler, point = document["slaves"][0], document["points"][0]
    document["slaves"] = [boiler, {**boiler, "name": "analyser", "address": address, **more}]
    document["points"] = [{**point, "name": f"t{number}", "address": {"reg_type": "4X", "offset": number}}
                          for number in range(10)]  # fmt: skip
    document["points"].append({**point, "slave": "analyser", "name": "o2"})
    return document


@pytest.mark.clause("C-095")
async def test_a_slave_that_answered_before_must_answer_whatever_the_share(site: Site) -> None:
    assert (await site.end(site.deploy(with_analyser(site, "2"))))[-1].step is Step.CONFIRMED
    told = await site.end(site.deploy(with_analyser(site, "9"), "deploy-02", healthy_share=0.5))
    assert (told[-1].step, told[-1].code, told[-1].detail) == (Step.REVERTED, "slaves", "silent: analyser")
    assert told[-1].missing is not None
    assert told[-1].missing.slaves == ["analyser"]


@pytest.mark.clause("C-095")
@pytest.mark.parametrize("way", [{"address": "9"}, {"address": "9", "enable": False}])
async def test_a_new_slave_must_answer_when_it_is_enabled(site: Site, way: dict[str, object]) -> None:
    told = await site.end(site.deploy(with_analyser(site, **way), healthy_share=0.0))  # type: ignore[arg-type]
    assert told[-1].step is (Step.REVERTED if "enable" not in way else Step.CONFIRMED)


@pytest.mark.clause("C-095")
async def test_a_slave_that_was_silent_may_stay_so_until_it_is_reached_otherwise(site: Site) -> None:
    await site.end(site.deploy(with_analyser(site, "2")))
    site.plant.answering = lambda: {"boiler"}  # type: ignore[method-assign]
    told = await site.end(site.deploy(with_analyser(site, "2", title="Analyser"), "deploy-02"))
    assert (told[-1].step, told[-1].detail) == (Step.CONFIRMED, "silent: analyser")
    assert told[-1].missing is not None and told[-1].missing.slaves == ["analyser"]
    for number, way in enumerate(({"response_timeout_ms": 900}, {"address": "7"})):
        document = with_analyser(site, **{"address": "2", **way})  # type: ignore[arg-type]
        told = await site.end(site.deploy(document, f"deploy-1{number}"))
        assert told[-1].step is (Step.REVERTED if "address" in way else Step.CONFIRMED)


@pytest.mark.clause("C-099")
async def test_what_is_missing_is_told_when_it_changes(site: Site) -> None:
    await site.end(site.deploy(with_analyser(site, "2")))
    good, answering, begun = site.plant.good, site.plant.answering, site.clock.seconds

    def late(seconds: float) -> bool:
        return site.state.trial is None or site.clock.seconds > begun + seconds

    site.plant.good = lambda: good() if late(8) else set()  # type: ignore[method-assign]
    site.plant.answering = lambda: answering() if late(5) else {"boiler"}  # type: ignore[method-assign]
    seen: list[Receipt] = []
    site.deployments.take(site.deploy(with_analyser(site, "2", title="x"), "deploy-02", confirm_s=60))
    while not any(one.step is Step.CONFIRMED for one in seen):
        seen += [one for one in site.deployments.unsent() if one.id == "deploy-02"]
        await asyncio.sleep(0)
    missing = [one.missing for one in seen if one.step is Step.SWITCHED and one.missing is not None]
    assert [(one.slaves, one.points_all) for one in missing] == [(["analyser"], 10), ([], 10)]
    assert len({one.t_ms // 1000 for one in seen if one.step is Step.SWITCHED}) >= 2
    shown = [one.step for one in site.deployments.situation().steps]
    assert shown.count(Step.SWITCHED) == 1, "the page shows the newest word on a step"


@pytest.mark.clause("C-099")
async def test_a_trial_is_ended_on_demand_and_no_other_one(site: Site) -> None:
    with pytest.raises(NoTrial, match="nothing is on trial"):
        site.deployments.revert("deploy-01", "ann")
    before = site.state.running.hash
    site.plant.linked = lambda: False  # type: ignore[method-assign]
    site.clock.stands_still_after = 20.0
    site.deployments.take(site.deploy(site.changed(title="x"), confirm_s=900))
    await site.until(lambda: site.plant.switches)
    with pytest.raises(NoTrial, match="deploy-01 is on trial"):
        site.deployments.revert("deploy-02", "ann")
    site.clock.stands_still_after = None
    site.deployments.revert("deploy-01", "ann")
    told = await site.told("deploy-01")
    assert (told[-1].step, told[-1].code, told[-1].detail) == (Step.REVERTED, "asked", "ended by ann")
    assert (site.state.running.hash, told[-1].running) == (before, before)
    assert site.clock.seconds < 800
    assert (await site.end(site.deploy(site.changed(title="y"), "deploy-03", healthy_share=0.0)))[
        -1
    ].code == "link"


@pytest.mark.clause("C-099")
async def test_the_command_revert() -> None:
    bench, ended = Bench(), []

    def revert(deployment: str, who: str) -> None:
        if deployment != "deploy-01":
            raise NoTrial("deploy-01 is on trial")
        ended.append((deployment, who))

    bench.actions[CommandAction.REVERT] = reverting(revert)
    assert (await bench.ask(ask(CommandAction.REVERT, deployment="deploy-01"))).state == "resp"
    assert ended == [("deploy-01", "the cloud")]
    for arguments, code in (({"deployment": "other-01"}, "no_trial"), ({}, "bad_argument")):
        result = await bench.ask(ask(CommandAction.REVERT, f"command-{code}", **arguments))
        assert (result.state, result.code) == ("error", code)


def test_names_are_bounded_and_counted() -> None:
    slaves = [f"s{number:03}" for number in range(100)]
    verdict = judge(
        Wanted([], slaves, 0.9, link=True), Signs(set(), set(), slaves, False, {"s000": "no_answer"})
    )
    assert (verdict.code, verdict.words) == (
        "slaves",
        "silent: s000 (no_answer), s001, s002, s003, s004 and 95 more slaves",
    )
    assert verdict.missing is not None
    assert (len(verdict.missing.slaves), verdict.missing.slaves_all) == (MOST_MISSING, 100)
    assert verdict.missing.link


def test_what_answered_is_remembered_where_nobody_asks() -> None:
    states = [
        DeviceState("now", True, 1, "ok", heard=True),
        DeviceState("lent", False, 1, "port_lent", heard=True),
        DeviceState("fresh", False, 0, "never_read"),
        DeviceState("silent", False, 1, "no_answer"),
    ]
    health = RunningHealth(None, {}, LiveTable(), lambda: states, LinkState())  # type: ignore[arg-type]
    assert health.answering() == {"now"}
    assert health.answered({"fresh", "silent"}) == {"now", "lent", "fresh"}
    assert health.answered(set()) == {"now", "lent"}
