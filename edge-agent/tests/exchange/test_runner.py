"""Rules of data exchange that run at the gateway, in simulated time, on both stores."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.exchange.runner import SAVE_S
from edge_agent.model import Quality
from edge_contract.errors import PayloadError
from edge_contract.exchange_rules import ExchangeRules, ExchangeState, exchange_hash
from edge_contract.limits import MAX_EXCHANGE_RESULTS
from edge_contract.payloads import Outcome

from .conftest import BEGIN_MS, Scene, rule


async def test_a_value_is_written_and_reported(scene: Scene) -> None:
    digest = await scene.give(rule(ratio=2, bias=1))
    await scene.value(20)
    assert scene.writes == [("pump.speed", 41)]
    (result,) = scene.report().results
    assert (result.rule, result.source, result.value, result.read) == (1, 20, 41, 41)
    assert (result.outcome, result.code, result.t_ms) == ("done", "", BEGIN_MS + 2000)
    assert scene.report().hash == digest
    scene.runner.acknowledged(scene.report())
    assert scene.report().results == []


@pytest.mark.clause("C-183")
async def test_only_what_is_good_and_another_value(scene: Scene) -> None:
    await scene.give(rule())
    await scene.value(1, quality=Quality.DEVICE_OFFLINE)
    assert scene.writes == []
    for value in (1, 1, 2):
        await scene.value(value)
    await scene.value(3, seconds=0.5)
    await scene.value(4, seconds=0.4)
    assert [value for _, value in scene.writes] == [1, 2]
    await scene.look(0.1)
    assert [value for _, value in scene.writes] == [1, 2, 4]


@pytest.mark.parametrize(
    ("source", "target", "value", "code"),
    [
        ("meter.open", "pump.run", True, ""),
        ("meter.open", "pump.speed", True, ""),
        ("meter.level", "pump.speed", "x", "not_a_number"),
    ],
)
async def test_a_value_that_is_nothing_for_its_target_says_so(
    scene: Scene, source: str, target: str, value: object, code: str
) -> None:
    await scene.give(rule(1, source, target))
    await scene.value(value, source)  # type: ignore[arg-type]
    assert scene.results()[1].code == code
    assert len(scene.writes) == (not code)


async def test_rules_that_this_configuration_cannot_run_are_named(scene: Scene) -> None:
    await scene.give(
        rule(1), rule(2, "gone.x", "pump.other"), rule(3, "meter.x", "pump.run"),
        rule(4, target="meter.open"), rule(5, "meter.words", "valve.lift"),
    )  # fmt: skip
    problems = {each.rule: (each.code, each.detail) for each in scene.report().problems}
    assert problems == {
        2: ("no_such_slave", "gone"), 3: ("no_such_point", "meter.x"), 4: ("read_only", "meter.open"),
        5: ("unfit", "meter.words"),
    }  # fmt: skip
    rows = scene.runner.rows()
    assert [(row.title, row.problem) for row in rows[:2]] == [("rule 1", ""), ("rule 2", "no_such_slave")]


@pytest.mark.clause("C-181")
async def test_rules_that_are_not_those_of_their_hash_are_refused(scene: Scene) -> None:
    with pytest.raises(PayloadError, match="hash"):
        await scene.runner.take(ExchangeRules(hash=exchange_hash([]), rules=[rule()]))
    assert scene.report().hash is None


@pytest.mark.clause("C-181")
async def test_a_restart_goes_on_with_rules_values_and_results(scene: Scene) -> None:
    digest = await scene.give(rule(), rule(2, target="pump.other", every_s=60))
    await scene.value(5)
    await scene.look()
    assert scene.writes == [("pump.speed", 5), ("pump.other", 5)]
    await scene.runner.finish()
    await scene.clock.sleep(10)
    await scene.start()
    assert (scene.report().hash, sorted(scene.results())) == (digest, [1, 2])
    await scene.value(5)
    assert len(scene.writes) == 2, "what went last goes no second time"
    await scene.value(6)
    assert scene.writes[2:] == [("pump.speed", 6)]
    await scene.look(60)
    assert scene.writes[3:] == [("pump.other", 6)]


async def test_a_kill_loses_what_rules_did_in_the_last_minute_and_no_rule(scene: Scene) -> None:
    digest = await scene.give(rule())
    await scene.value(5)
    await scene.clock.sleep(SAVE_S)
    await scene.start()
    assert (scene.report().hash, scene.report().results) == (digest, [])
    await scene.value(5)
    assert scene.writes == [("pump.speed", 5)] * 2


@pytest.mark.clause("C-185")
async def test_one_write_at_a_time_of_a_slave_and_the_newest_value_after_it(scene: Scene) -> None:
    scene.hold = asyncio.Event()
    await scene.give(rule(1), rule(2, target="pump.other"), rule(3, target="valve.lift"))
    await scene.value(1)
    assert (sorted(scene.writes), scene.max_at_once) == ([("pump.speed", 1), ("valve.lift", 1)], 2)
    for value in (2, 3):
        await scene.value(value)
    assert len(scene.writes) == 2
    scene.hold.set()
    await scene.look()
    await scene.look()
    await scene.look()
    assert sorted(scene.writes[2:]) == [("pump.other", 3), ("pump.speed", 3), ("valve.lift", 3)]
    assert scene.writes[2][0] != "pump.speed", "who has waited longest goes first"
    assert scene.max_at_once == 2


@pytest.mark.clause("C-185")
async def test_a_slave_that_is_silent_is_sent_nothing_and_gets_the_newest_value_afterwards(
    scene: Scene,
) -> None:
    await scene.give(rule())
    scene.offline = {"pump"}
    await scene.value(1)
    first = scene.results()[1]
    assert (first.value, first.outcome, first.code) == (1, "failed", "slave_offline")
    scene.runner.acknowledged(scene.report())
    for value in (2, 3):
        await scene.value(value, seconds=70)
    assert (scene.writes, scene.report().results) == ([], []), "it is said once"
    scene.offline = set()
    await scene.look()
    assert scene.writes == [("pump.speed", 3)]
    assert scene.results()[1].code == ""


@pytest.mark.parametrize(
    ("answer", "again"),
    [
        (("fail", "no_answer", Outcome.UNKNOWN), True),
        (("fail", "port_down", Outcome.FAILED), True),
        (("fail", "mismatch", Outcome.FAILED), False),
        (("error", "bad_value", Outcome.FAILED), False),
    ],
)
async def test_what_did_not_arrive_goes_again_after_a_minute(
    scene: Scene, answer: tuple[str, str, Outcome], again: bool
) -> None:
    await scene.give(rule())
    scene.answer = answer
    await scene.value(1)
    result = scene.results()[1]
    assert (result.code, result.outcome) == (
        answer[1],
        "unknown" if answer[2] is Outcome.UNKNOWN else "failed",
    )
    await scene.look(59)
    assert len(scene.writes) == 1
    await scene.look(1)
    assert len(scene.writes) == (2 if again else 1)


@pytest.mark.clause("C-184")
async def test_a_rule_goes_on_where_the_cloud_was(scene: Scene) -> None:
    states = [
        ExchangeState(rule=1, sent=5, ago_ms=200),
        ExchangeState(rule=2, sent=5, ago_ms=200, missed=True),
        ExchangeState(rule=9, sent=5, ago_ms=200),
    ]
    await scene.give(rule(1), rule(2, target="valve.lift"), states=states)
    await scene.value(5)
    assert scene.writes == []
    await scene.look(60)
    assert scene.writes == [("valve.lift", 5)]


@pytest.mark.clause("C-184")
async def test_rules_are_confirmed_when_what_those_before_have_begun_has_ended(scene: Scene) -> None:
    before = await scene.give(rule(1), rule(2, target="valve.lift"))
    assert scene.report().hash == before
    scene.hold = asyncio.Event()
    await scene.value(1)
    after = await scene.give(rule(2, target="valve.lift"))
    assert scene.report().hash == before
    scene.runner.changed.clear()
    scene.hold.set()
    await scene.look()
    assert scene.report().hash == after
    assert scene.runner.changed.is_set()
    assert sorted(scene.results()) == [1, 2], "what it did is reported also of a rule that is gone"
    scene.runner.acknowledged(scene.report())
    await scene.value(2)
    assert scene.writes[2:] == [("valve.lift", 2)]


@pytest.mark.clause("C-180")
async def test_a_cloud_that_runs_them_itself_ends_them(scene: Scene) -> None:
    await scene.give(rule())
    await scene.runner.withdraw()
    await scene.value(1)
    assert (scene.writes, scene.report().hash, scene.runner.rows()) == ([], exchange_hash([]), [])


@pytest.mark.clause("C-186")
async def test_without_a_set_clock_rules_run_and_results_wait_for_their_times(scene: Scene) -> None:
    scene.clock.wall_ms = 0
    await scene.give(rule())
    await scene.value(1)
    assert scene.writes == [("pump.speed", 1)]
    assert scene.report().results == []
    await scene.clock.sleep(5)
    scene.clock.wall_ms = BEGIN_MS
    assert scene.results()[1].t_ms == BEGIN_MS + 2000
    assert scene.results()[1].t_ms == BEGIN_MS + 2000, "and keeps it"


@pytest.mark.clause("C-182")
async def test_a_newer_result_is_not_acknowledged_with_the_one_before(scene: Scene) -> None:
    await scene.give(rule())
    await scene.value(1)
    report = scene.report()
    await scene.value(2)
    scene.runner.acknowledged(report)
    assert [each.value for each in scene.report().results] == [2]


@pytest.mark.clause("C-182")
async def test_a_report_has_those_that_have_waited_longest(scene: Scene) -> None:
    results = scene.runner._results
    await scene.give(rule())
    await scene.value(1)
    (made,) = scene.report().results
    for number in range(2, MAX_EXCHANGE_RESULTS + 2):
        results.put(type(made)(rule=number, source=1, value=1, t_ms=1))
    report = scene.report()
    assert [each.rule for each in report.results] == list(range(1, MAX_EXCHANGE_RESULTS + 1))
    scene.runner.acknowledged(report)
    assert [each.rule for each in scene.report().results] == [MAX_EXCHANGE_RESULTS + 1]


async def test_a_stop_in_the_middle_of_a_write_is_of_unknown_outcome_and_goes_again(scene: Scene) -> None:
    await scene.give(rule())
    scene.hold = asyncio.Event()
    running = asyncio.create_task(scene.runner.run())
    await scene.value(1)
    running.cancel()
    await asyncio.wait({running})
    assert (scene.results()[1].outcome, scene.results()[1].code) == ("unknown", "interrupted")
    await scene.runner.finish()
    scene.hold = None
    await scene.start()
    await scene.look(61)
    assert scene.writes == [("pump.speed", 1)] * 2
