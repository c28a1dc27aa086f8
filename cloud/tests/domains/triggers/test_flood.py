"""Many alarms at once are recorded together, and one gateway's failure is its own."""

from __future__ import annotations

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from cloud.domains.alarms.models import Suppression
from cloud.domains.alarms.rule_alarms import RECOVERED, AlarmAgain, AlarmOver, RuleAlarm, RuleAlarms
from cloud.domains.alarms.schemas import AlarmQuery
from cloud.domains.triggers.recording import MAX_GROUPS, MAX_TRANSITIONS, GroupFindings, portions
from edge_contract.alarms.evaluation import Transition, TransitionKind

from .conftest import PLANT, Scene

MANY = 400
MAX_STATEMENTS = 14
"""For MANY alarms; a statement or more for each would be many times that."""


def alarm(scene: Scene, rule_id: int, **changes: object) -> RuleAlarm:
    columns = {
        "rule_id": rule_id, "device_id": scene.devices[rule_id % 2], "slave_id": None, "dsid": None,
        "at_ms": scene.clock(), "since_ms": scene.clock(), "alarm_type": 1, "level": None, "title": "many",
        "value": 1, "reason": {},
    }  # fmt: skip
    return RuleAlarm(**(columns | changes))  # type: ignore[arg-type]


def over(scene: Scene, rule_id: int, raised_ms: int) -> AlarmOver:
    return AlarmOver(rule_id, raised_ms, scene.clock(), 0, RECOVERED)


async def record(scene: Scene, *found: RuleAlarm | AlarmAgain | AlarmOver) -> int:
    """How many statements it took."""
    alarms = RuleAlarms(scene.alarms._publisher, clock=scene.clock)
    statements: list[str] = []

    def ran(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    engine = scene.database.writing_engine.sync_engine
    event.listen(engine, "before_cursor_execute", ran)
    try:
        async with scene.database.session() as session:
            await alarms.record(session, found)
            await session.commit()
    finally:
        event.remove(engine, "before_cursor_execute", ran)
    return len(statements)


async def test_many_alarms_and_their_ends_take_few_statements(scene: Scene) -> None:
    begun = scene.clock()
    raised = await record(scene, *(alarm(scene, rule) for rule in range(1, MANY + 1)))
    counts = await scene.alarms.page(PLANT, AlarmQuery(view="active"), 1, 1)
    assert counts.total == MANY
    scene.clock.pass_s(1)
    ended = await record(scene, *(over(scene, rule, begun) for rule in range(1, MANY + 1)))
    assert (await scene.alarms.page(PLANT, AlarmQuery(view="active"), 1, 1)).total == 0
    assert (await scene.alarms.page(PLANT, AlarmQuery(), 1, 1)).total == 2 * MANY
    assert raised <= MAX_STATEMENTS
    assert ended <= MAX_STATEMENTS + MANY // 500 + 2


async def test_an_alarm_that_begins_lasts_and_ends_in_one_commit_is_whole(scene: Scene) -> None:
    begun = scene.clock()
    again = AlarmAgain(7, begun, begun + 5)
    first = alarm(scene, 7)
    scene.clock.pass_s(1)
    await record(scene, first, again, over(scene, 7, begun), over(scene, 7, begun))
    events = await scene.events()
    assert [(each.alarm_type, each.at) for each in events] == [(1, begun), (0, scene.clock())]
    assert events[0].recovered_ms == scene.clock()
    changes = (await scene.alarms.detail(PLANT, events[0].id)).changes
    assert [(each.what, each.before, each.after) for each in changes] == [
        ("raised", "normal", "unacknowledged"),
        ("cleared", "unacknowledged", "returned"),
    ]


async def test_recorded_again_it_makes_nothing_twice(scene: Scene) -> None:
    begun = scene.clock()
    found = (alarm(scene, 1), alarm(scene, 2), over(scene, 1, begun))
    await record(scene, *found)
    before = await scene.events()
    await record(scene, *found)
    assert await scene.events() == before
    assert len(before) == 3


async def test_each_new_alarm_is_quiet_by_what_is_said_of_its_own_gateway_and_rule(scene: Scene) -> None:
    async with scene.database.session() as session:
        for kind, rule_id in (("shelved", 2), ("out_of_service", 4)):
            session.add(
                Suppression(
                    kind=kind, device_id=scene.devices[0], rule_id=rule_id, title="", reason="works",
                    user_name="plant", begin_ms=1, until_ms=scene.clock() + 10_000,
                )
            )  # fmt: skip
        await session.commit()
    await record(scene, *(alarm(scene, rule) for rule in (1, 2, 3, 4, 6)))
    assert {each.rule_id: each.state for each in await scene.events()} == {
        1: "unacknowledged",
        2: "shelved",
        3: "unacknowledged",
        4: "out_of_service",
        6: "unacknowledged",
    }


def group(device_id: int, transitions: int) -> GroupFindings:
    one = Transition(1, 1, TransitionKind.RAISED, 1, 1, 1, 0, 1)
    return GroupFindings(device_id, {}, [one] * transitions, [], "{}")


def test_portions_are_bounded_and_keep_a_gateway_together() -> None:
    sizes = [MAX_TRANSITIONS - 1, 1, 1, 3 * MAX_TRANSITIONS, 2]
    found = portions(group(number, size) for number, size in enumerate(sizes))
    assert [[each.device_id for each in some] for some in found] == [[0, 1], [2], [3], [4]]
    many = list(portions(group(number, 0) for number in range(2 * MAX_GROUPS + 1)))
    assert [len(some) for some in many] == [MAX_GROUPS, MAX_GROUPS, 1]
    assert list(portions([])) == []


async def test_a_gateway_that_cannot_be_recorded_keeps_no_other_from_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for point in (0, 2):
        await scene.make(scene.above(90, point))
    for point in (0, 2):
        await scene.value(80, point)
    whole = scene.recorder.record

    async def record_unless_first(found: list[GroupFindings]) -> None:
        if any(each.device_id == scene.devices[0] for each in found):
            raise OperationalError("insert", {}, Exception("no such gateway"))
        await whole(found)

    monkeypatch.setattr(scene.recorder, "record", record_unless_first)
    monkeypatch.setattr(scene.evaluator, "record", scene.linkages.carry_out)
    for point in (0, 2):
        await scene.value(95, point)
    await scene.evaluator._record_groups()
    assert [each.device_id for each in await scene.events()] == [scene.devices[1]]
    monkeypatch.undo()
    await scene.evaluator.refresh()
    await scene.evaluator.record()
    assert {each.device_id for each in await scene.events()} == set(scene.devices)
