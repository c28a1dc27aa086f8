"""What a trial asks of slaves, what it tells meanwhile, and its end on demand."""

from __future__ import annotations

import asyncio
import copy

import pytest
from deploying import Site

from edge_agent.config.load import parse
from edge_agent.config.model import Configuration
from edge_agent.forwarding.link import LinkState
from edge_agent.model import DeviceState, PointKey
from edge_agent.points import LiveTable
from edge_agent.remote.health import Signs, Verdict, Wanted, assess, expected, polled_slaves, silent_words
from edge_agent.remote.running_health import RunningHealth
from edge_agent.remote.service import reverting
from edge_agent.remote.trial import NoTrial
from edge_contract.deployment import Document, Receipt, Step
from edge_contract.limits import MAX_MISSING
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
    receipts = await site.end(site.deploy(with_analyser(site, "9"), "deploy-02", healthy_share=0.5))
    assert (receipts[-1].step, receipts[-1].code, receipts[-1].detail) == (
        Step.REVERTED,
        "slaves",
        "silent: analyser",
    )
    assert receipts[-1].missing is not None
    assert receipts[-1].missing.slaves == ["analyser"]


@pytest.mark.clause("C-095")
@pytest.mark.parametrize("way", [{"address": "9"}, {"address": "9", "enable": False}])
async def test_a_new_slave_must_answer_when_it_is_enabled(site: Site, way: dict[str, object]) -> None:
    receipts = await site.end(site.deploy(with_analyser(site, **way), healthy_share=0.0))  # type: ignore[arg-type]
    assert receipts[-1].step is (Step.REVERTED if "enable" not in way else Step.CONFIRMED)


@pytest.mark.clause("C-095")
async def test_a_slave_that_was_silent_may_stay_so_until_it_is_reached_otherwise(site: Site) -> None:
    await site.end(site.deploy(with_analyser(site, "2")))
    site.plant.answering = lambda: {"boiler"}  # type: ignore[method-assign]
    receipts = await site.end(site.deploy(with_analyser(site, "2", title="Analyser"), "deploy-02"))
    assert (receipts[-1].step, receipts[-1].detail) == (Step.CONFIRMED, "silent: analyser")
    assert receipts[-1].missing is not None and receipts[-1].missing.slaves == ["analyser"]
    for number, way in enumerate(({"response_timeout_ms": 900}, {"address": "7"})):
        document = with_analyser(site, **{"address": "2", **way})  # type: ignore[arg-type]
        receipts = await site.end(site.deploy(document, f"deploy-1{number}"))
        assert receipts[-1].step is (Step.REVERTED if "address" in way else Step.CONFIRMED)


@pytest.mark.clause("C-099")
async def test_what_is_missing_is_reported_when_it_changes(site: Site) -> None:
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
    receipts = await site.receipts_of("deploy-01")
    assert (receipts[-1].step, receipts[-1].code, receipts[-1].detail) == (
        Step.REVERTED,
        "asked",
        "ended by ann",
    )
    assert (site.state.running.hash, receipts[-1].running) == (before, before)
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
    verdict = assess(
        Wanted([], slaves, 0.9, link=True), Signs(set(), set(), slaves, False, {"s000": "no_answer"})
    )
    assert (verdict.code, verdict.words) == (
        "slaves",
        "silent: s000 (no_answer), s001, s002, s003, s004 and 95 more slaves",
    )
    assert verdict.missing is not None
    assert (len(verdict.missing.slaves), verdict.missing.slaves_all) == (MAX_MISSING, 100)
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


def configured(*points: str) -> Configuration:
    """Two slaves on a port; points: fields of each."""
    slaves = "".join(
        f'[[slaves]]\nname = "s{n}"\nport = "lan"\nprotocol = "modbus_tcp"\naddress = "{n}"\n' for n in (1, 2)
    )
    rows = "".join(
        f'[[points]]\nname = "p{n}"\n{fields}\naddress = {{ reg_type = "4X", offset = {n} }}\n'
        for n, fields in enumerate(points)
    )
    port = '[[ports]]\nname = "lan"\ntype = "NET"\nhost = "192.0.2.1"\nport = 502\n'
    return parse(f'[gateway]\nid = "gw-test"\n{port}{slaves}{rows}')


def test_what_is_read_within_half_of_the_time_is_expected() -> None:
    """Of the points that were good; those that are read later, on demand or never tell nothing."""
    after = configured(
        'slave = "s1"\ncollect_delay_ms = 13999', 'slave = "s1"\ncollect_delay_ms = 14000',
        'slave = "s2"\ncollect_delay_ms = 14000', 'slave = "s1"\nrw = "writeonly"',
        'slave = "s1"\ncollect_mode = "on_demand"',
    )  # fmt: skip
    good = {PointKey(point.slave, point.name) for point in after.points}
    assert expected(good, after, 30) == {PointKey("s1", "p0")}, "period and delay within 15 s"
    assert expected(good - {PointKey("s1", "p0")}, after, 30) == frozenset()
    assert expected(good, after, 30.002) == {
        PointKey(f"s{slave}", f"p{n}") for slave, n in ((1, 0), (1, 1), (2, 2))
    }
    assert polled_slaves(after, 30) == {"s1"}
    assert polled_slaves(after, 30.002) == polled_slaves(after) == {"s1", "s2"}


def test_a_verdict_names_what_is_missing_and_the_first_five_slaves() -> None:
    points = [PointKey(f"s{n}", f"p{m}") for n in range(7) for m in range(n + 1)]
    slaves = [f"s{n}" for n in range(7)]

    def verdict(share: float, good: int, answering: int, linked: bool = True) -> Verdict:
        signs = Signs(points[:good], slaves[:answering], slaves, linked, {"s6": "no answer", "": "refused"})
        return assess(Wanted(points, slaves, share, True), signs)

    assert verdict(1.0, 28, 7) == Verdict() and verdict(1.0, 28, 7).well
    half = verdict(0.5, 14, 7)
    assert (half.code, half.missing and half.missing.points_all) == ("", 14), "exactly the share is enough"
    less = verdict(0.5, 13, 7)
    assert (less.code, less.well) == ("points", False)
    assert less.words == "15 of 28 points that were good are not: s6 (7: no answer), s5 (6), s4 (2)"
    assert verdict(1.0, 0, 7).words.endswith(
        "s6 (7: no answer), s5 (6), s4 (5), s3 (4), s2 (3) and 2 more slaves"
    )
    silent = verdict(1.0, 28, 1)
    assert (silent.code, silent.words) == ("slaves", "silent: s1, s2, s3, s4, s5 and 1 more slaves")
    assert verdict(1.0, 28, 2).words == "silent: s2, s3, s4, s5, s6 (no answer)"
    assert verdict(1.0, 28, 7, linked=False).words == "no link to the cloud: refused"
    gone = verdict(1.0, 0, 0, linked=False).missing
    assert gone is not None and (len(gone.points), gone.points_all, gone.slaves_all, gone.link) == (
        20,
        28,
        7,
        True,
    )
    long = silent_words([f"slave-{n}-{'x' * 60}" for n in range(5)], {})
    assert len(long) == 200
