"""Who sees and changes triggers, and what a body may say."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import delete, update

from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.contacts.schemas import ContactGroupBody
from cloud.domains.inventory.models import DataPoint, DeviceShare
from cloud.domains.triggers.schemas import TriggerBody
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

from .conftest import GUEST, PLANT, Scene

MANY = 40


async def share(scene: Scene, device: int, *, writes: bool) -> None:
    async with scene.database.session() as session:
        session.add(
            DeviceShare(
                device_id=scene.devices[device], user_id=GUEST.id, role="visitor", writes=writes, created_ms=1
            )
        )
        await session.commit()


async def test_a_trigger_is_seen_by_who_sees_all_of_its_gateways(scene: Scene) -> None:
    made = await scene.make(scene.above(90), scene.above(90, point=2))
    await share(scene, 0, writes=True)
    assert (await scene.triggers.page(GUEST, 1, 20, "", None, None)).total == 0
    with pytest.raises(NotFound):
        await scene.triggers.trigger(GUEST, made.id)
    await share(scene, 1, writes=False)
    assert (await scene.triggers.page(GUEST, 1, 20, "", None, None)).total == 1
    for change in (
        scene.triggers.delete(GUEST, made.id),
        scene.triggers.enable(GUEST, made.id, False),
        scene.triggers.change(GUEST, made.id, scene.body(scene.above(90))),
    ):
        with pytest.raises(NoPermission):
            await change


async def test_who_sees_a_gateway_no_more_hears_nothing_of_it(scene: Scene) -> None:
    """A visitor's trigger is switched off when his share ends; the owner's goes on."""
    await share(scene, 0, writes=True)
    scene.now = GUEST
    theirs = await scene.triggers.create(GUEST, scene.body(scene.above(90)))
    mine = await scene.make(scene.above(90))
    await scene.triggers.access_taken(scene.devices[0])
    assert (await scene.triggers.trigger(PLANT, theirs.id)).enabled
    async with scene.database.session() as session:
        await session.execute(delete(DeviceShare))
        await session.commit()
    await scene.triggers.access_taken(scene.devices[0])
    assert not (await scene.triggers.trigger(PLANT, theirs.id)).enabled
    scene.now = PLANT
    await scene.triggers.enable(PLANT, mine.id, True)
    await scene.triggers.access_taken(scene.devices[0])
    assert (await scene.triggers.trigger(PLANT, mine.id)).enabled


async def test_an_owner_leaves_no_triggers_behind(scene: Scene) -> None:
    gone = await scene.make(scene.above(90), scene.above(90, point=2))
    stays = await scene.make(scene.above(90, point=2))
    await scene.triggers.owner_left(scene.devices[0])
    assert [row.id for row in (await scene.triggers.page(PLANT, 1, 20, "", None, None)).rows] == [stays.id]
    with pytest.raises(NotFound):
        await scene.triggers.trigger(PLANT, gone.id)


async def test_there_are_as_many_rules_as_are_evaluated(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.domains.triggers.service.MAX_RULES", 1)
    await scene.make(scene.above(90))
    with pytest.raises(Conflict) as raised:
        await scene.make(scene.above(90))
    assert raised.value.reason == "trigger.full"


async def test_a_point_of_somebody_else_is_not_there(scene: Scene) -> None:
    with pytest.raises(NotFound):
        await scene.triggers.create(GUEST, scene.body(scene.above(90)))
    with pytest.raises(NotFound):
        await scene.triggers.create(GUEST, scene.body({"type": 5, "slave_id": scene.slaves[-1]}))


async def test_the_list_is_searched_and_says_what_it_looks_at(scene: Scene) -> None:
    await scene.make(scene.above(90))
    second = await scene.make({"type": 5, "slave_id": scene.slaves[-1]}, enabled=False)
    triggers = scene.triggers
    assert (await triggers.page(PLANT, 1, 20, "BOIL", None, None)).rows[0].id == second.id
    assert (await triggers.page(PLANT, 1, 20, "pump", None, None)).total == 0
    assert (await triggers.page(PLANT, 1, 20, "", scene.devices[0], None)).total == 1
    assert (await triggers.page(PLANT, 1, 20, "", None, False)).rows[0].id == second.id
    (subject,) = (await triggers.page(PLANT, 1, 20, "", scene.devices[0], None)).rows[0].subjects
    assert (subject.device_title, subject.ds_title, subject.removed) == ("gw-a", "temperature", False)


async def test_a_trigger_of_a_removed_point_says_so(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    assert made.problem == ""
    async with scene.database.session() as session:
        gone = update(DataPoint).where(DataPoint.id == scene.points[0]).values(removed=True)
        await session.execute(gone)
        await session.commit()
    assert (await scene.triggers.trigger(PLANT, made.id)).problem == "point_removed"
    await scene.evaluator.refresh()
    await scene.value(95)
    assert await scene.events() == []


@pytest.mark.parametrize(
    ("condition", "field"),
    [
        ({"deadband": 1, "clear": 80}, "clear"),
        ({"clear": 95}, "clear"),
        ({"trigger_optype": 6}, "trigger_threshold"),
        ({"trigger_threshold": {"lolmt": 1, "uplmt": 2}}, "trigger_threshold"),
        ({"trigger_optype": 7, "trigger_threshold": {"lolmt": 3, "uplmt": 2}}, "trigger_threshold"),
        ({"type": 6, "trigger_optype": None, "trigger_threshold": None}, "dsid"),
    ],
)
async def test_a_fault_names_its_field(scene: Scene, condition: dict[str, Any], field: str) -> None:
    words = {name: value for name, value in {**scene.above(90), **condition}.items() if value is not None}
    with pytest.raises(ParameterError) as raised:
        await scene.make(words)
    assert raised.value.field == f"rules.0.conditions.0.{field}"


TYPE = "rules.0.alarm_type"
THRESHOLD = "rules.0.conditions.0.trigger_threshold"


@pytest.mark.parametrize(
    ("changes", "field", "kind"),
    [
        ({"trigger_threshold": True}, THRESHOLD, "float_type"),
        ({"trigger_threshold": float("nan")}, THRESHOLD, "finite_number"),
        ({"trigger_threshold": "Infinity"}, THRESHOLD, "finite_number"),
        ({"trigger_threshold": 1e16}, THRESHOLD, "less_than_equal"),
        ({"trigger_threshold": 10**400}, THRESHOLD, "float_type"),
        ({"trigger_threshold": "hot"}, THRESHOLD, "float_type"),
        ({"trigger_threshold": '"90"'}, THRESHOLD, "float_type"),
        ({"trigger_threshold": "[" * 100_000}, THRESHOLD, "float_type"),
        ({"trigger_threshold": {"lolmt": 1, "uplmt": "2"}}, f"{THRESHOLD}.uplmt", "float_type"),
        ({"trigger_threshold": '{"lolmt": 1}'}, f"{THRESHOLD}.uplmt", "missing"),
        ({"deadband": True}, "rules.0.conditions.0.deadband", "float_type"),
        ({"dsid": "7"}, "rules.0.conditions.0.dsid", "int_type"),
        ({"trigger_optype": True}, "rules.0.conditions.0.trigger_optype", "int_type"),
        ({"trigger_optype": "1"}, "rules.0.conditions.0.trigger_optype", "int_type"),
        ({"trigger_optype": 8}, "rules.0.conditions.0.trigger_optype", "enum"),
        ({"type": 9}, "rules.0.conditions.0", "union_tag_invalid"),
        ({"alarm_type": 0}, TYPE, "greater_than_equal"),
        ({"alarm_type": 3}, TYPE, "enum"),
        ({"alarm_type": 99}, TYPE, "enum"),
        ({"alarm_type": True}, TYPE, "int_type"),
        ({"level": "1"}, "rules.0.level", "int_type"),
        ({"delay_s": "5"}, "rules.0.delay_s", "float_type"),
        ({"again_s": 1.5}, "rules.0.again_s", "int_type"),
        ({"logic": "1"}, "rules.0.logic", "int_type"),
    ],
)
def test_a_number_is_a_number_and_its_fault_names_the_field(
    changes: dict[str, Any], field: str, kind: str
) -> None:
    condition = {"type": 1, "dsid": 1, "trigger_optype": 1, "trigger_threshold": 90}
    rule = {"title": "r", "conditions": [condition]}
    of_rule = {"alarm_type", "level", "delay_s", "again_s", "logic"}
    for name, value in changes.items():
        (rule if name in of_rule else condition)[name] = value
    with pytest.raises(ValidationError) as raised:
        TriggerBody.model_validate({"title": "a", "rules": [rule]})
    (error,) = raised.value.errors()
    assert (".".join(str(part) for part in error["loc"]), error["type"]) == (field, kind)


@pytest.mark.parametrize("field", ["alarm_type", "level"])
async def test_an_own_level_is_there(scene: Scene, field: str) -> None:
    with pytest.raises(ParameterError) as raised:
        await scene.make(scene.above(90), **{field: 201})
    assert (raised.value.field, raised.value.reason) == (f"rules.0.{field}", "trigger.no_level")
    scene.levels = {201}
    made = await scene.make(scene.above(90), **{field: 201})
    assert getattr(made.rules[0], field) == 201


async def test_a_point_that_is_only_written_has_no_values(scene: Scene) -> None:
    async with scene.database.session() as session:
        await session.execute(update(DataPoint).values(rw="writeonly"))
        await session.commit()
    with pytest.raises(ParameterError, match="dsid"):
        await scene.make(scene.above(90))


async def test_a_threshold_may_come_as_the_text_of_its_json(scene: Scene) -> None:
    limits = {"lolmt": 10, "uplmt": 20}
    made = await scene.make(scene.above(90, trigger_optype=7, trigger_threshold=json.dumps(limits)))
    assert made.rules[0].conditions[0].model_dump()["trigger_threshold"] == limits
    made = await scene.make(scene.above(90, trigger_threshold="90.5"))
    assert made.rules[0].conditions[0].model_dump()["trigger_threshold"] == 90.5


async def test_a_linkage_needs_the_right_to_write(scene: Scene) -> None:
    preset = await scene.preset(10)
    body = scene.body(scene.above(90), linkage=[{"preset_id": preset}])
    with pytest.raises(NoPermission):
        await scene.triggers.create(replace(PLANT, permissions=frozenset({"Trigger/index"})), body)
    await share(scene, 0, writes=True)
    other = await scene.preset(10, device=1)
    hidden = scene.body(scene.above(90), linkage=[{"preset_id": other}])
    with pytest.raises(NotFound):
        await scene.triggers.create(GUEST, hidden)


async def test_rules_that_stay_keep_their_numbers(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    first = made.rules[0].id
    body = scene.body(scene.above(90), id=first)
    body.rules = [*scene.body(scene.above(95)).rules, *body.rules]
    changed = await scene.triggers.change(PLANT, made.id, body)
    assert [rule.id == first for rule in changed.rules] == [False, True]
    foreign = scene.body(scene.above(90), id=10_000)
    with pytest.raises(ParameterError, match=r"rules\.0\.id"):
        await scene.triggers.change(PLANT, made.id, foreign)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"type": 2}, "interval_s"),
        ({"interval_s": 5}, "interval_s"),
        ({"mode": 1}, "mode"),
        ({"rules": []}, "rules"),
    ],
)
def test_a_body_that_says_nonsense(changes: dict[str, Any], rule: str) -> None:
    conditions = [{"type": 1, "dsid": dsid, "trigger_optype": 1, "trigger_threshold": 1} for dsid in (1, 2)]
    words = {"title": "t", "mode": 2, "rules": [{"title": "r", "conditions": conditions}]}
    TriggerBody.model_validate(words)
    with pytest.raises(ValidationError, match=rule):
        TriggerBody.model_validate({**words, **changes})


@pytest.mark.parametrize("alarm_type", [0, 3, 6, 100, 109, 200])
def test_an_alarm_has_a_type_of_an_alarm(alarm_type: int) -> None:
    conditions = [{"type": 3, "dsid": 1, "magnitude": 1}]
    rule = {"title": "r", "conditions": conditions, "alarm_type": alarm_type}
    with pytest.raises(ValidationError, match="alarm_type"):
        TriggerBody.model_validate({"title": "t", "rules": [rule]})


async def test_a_rule_names_contact_groups_that_its_saver_sees(scene: Scene) -> None:
    groups = ContactGroupService(scene.database, clock=scene.clock)
    mine = (await groups.create(PLANT, ContactGroupBody(title="Shift"))).id
    his = (await groups.create(GUEST, ContactGroupBody(title="Others"))).id
    for number in (his, 999):
        with pytest.raises(NotFound, match="contact group"):
            await scene.make(scene.above(80), groups=[number])
    trigger = await scene.make(scene.above(80), groups=[mine])
    assert (trigger.rules[0].groups, trigger.problem) == ([mine], "")
    assert [group.title for group in trigger.groups] == ["Shift"]
    await scene.value(90)
    [event] = await scene.events()
    assert event.reason is not None and event.reason["groups"] == [mine]
    await groups.delete(PLANT, mine)
    assert (await scene.triggers.trigger(PLANT, trigger.id)).problem == "group_removed"


async def test_more_lists_at_a_time_than_the_database_has_connections(scene: Scene) -> None:
    """Each takes one connection at a time: with a second one meanwhile they would wait for each other."""
    groups = ContactGroupService(scene.database, clock=scene.clock)
    number = (await groups.create(PLANT, ContactGroupBody(title="Shift"))).id
    trigger = await scene.make(scene.above(80), groups=[number])
    rows = await asyncio.gather(*(scene.triggers.trigger(PLANT, trigger.id) for _ in range(MANY)))
    assert {row.groups[0].title for row in rows} == {"Shift"}


async def test_who_saves_later_than_somebody_else_is_told(scene: Scene) -> None:
    """base: as both began; without one the newest is meant."""
    made = await scene.make(scene.above(90))
    theirs = await scene.triggers.change(PLANT, made.id, scene.body(scene.above(91)), made.changed_ms)
    assert theirs.changed_ms > made.changed_ms
    with pytest.raises(Conflict) as refused:
        await scene.triggers.change(PLANT, made.id, scene.body(scene.above(92)), made.changed_ms)
    assert (refused.value.reason, refused.value.field) == ("trigger.moved", "base")
    assert refused.value.arguments == {"user": "plant", "changed_ms": theirs.changed_ms}
    assert await scene.triggers.trigger(PLANT, made.id) == theirs
    switched = await scene.triggers.enable(PLANT, made.id, False)
    with pytest.raises(Conflict):
        await scene.triggers.change(PLANT, made.id, scene.body(scene.above(93)), theirs.changed_ms)
    await scene.triggers.change(PLANT, made.id, scene.body(scene.above(94)), switched.changed_ms)
    await scene.triggers.change(PLANT, made.id, scene.body(scene.above(95)))
