"""A level of alarms that rules or standing alarms use is not taken away."""

from __future__ import annotations

import pytest

from cloud.core.events import AlarmLevelsRemoved
from cloud.core.scope import Scope
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.schemas import AlarmLevelsOption
from cloud.domains.options.service import OptionService
from cloud.domains.triggers.level_uses import AlarmLevelUses
from cloud.domains.triggers.schemas import LevelUses
from cloud.errors import Conflict, NoPermission

from .conftest import PLANT, Scene

ROOT = CurrentUser(3, "root", 0, frozenset({"SystemSetting"}), "", Scope.system())
OIL, HEAT = 201, 202


async def test_rules_and_standing_alarms_are_counted(scene: Scene) -> None:
    scene.levels = {OIL, HEAT}
    uses = AlarmLevelUses(scene.database)
    assert await uses.all(ROOT, [OIL, HEAT]) == []
    made = await scene.make(scene.above(90), alarm_type=OIL)
    await scene.make(scene.above(95, 2), level=HEAT, enabled=False)
    await scene.value(80)
    await scene.value(91)
    assert await uses.all(ROOT, [OIL, HEAT, 203]) == [
        LevelUses(level=OIL, rules=1, alarms=1),
        LevelUses(level=HEAT, rules=1, alarms=0),
    ]
    await scene.triggers.delete(PLANT, made.id)
    assert (await uses.all(ROOT, [OIL]))[0] == LevelUses(level=OIL, rules=0, alarms=1)
    await scene.evaluator.record()
    assert await uses.all(ROOT, [OIL]) == []


async def test_a_rule_that_names_a_level_twice_is_one(scene: Scene) -> None:
    scene.levels = {OIL}
    await scene.make(scene.above(90), alarm_type=OIL, level=OIL)
    assert await AlarmLevelUses(scene.database).all(ROOT, [OIL]) == [LevelUses(level=OIL, rules=1, alarms=0)]


async def test_only_the_platform_may_ask_over_all_tenants(scene: Scene) -> None:
    with pytest.raises(NoPermission):
        await AlarmLevelUses(scene.database).all(PLANT, [OIL])


async def test_one_in_use_is_refused_and_stays(scene: Scene) -> None:
    uses = AlarmLevelUses(scene.database)
    options = OptionService(scene.database, removing=uses.refuse_used, clock=scene.clock)
    levels = [{"id": number, "title": f"level {number}", "color": "#f00"} for number in (OIL, HEAT)]
    await options.put_option(ROOT, AlarmLevelsOption.model_validate({"value": levels}))
    scene.levels = {OIL, HEAT}
    made = await scene.make(scene.above(90), alarm_type=OIL)
    with pytest.raises(Conflict) as refused:
        await options.put_option(ROOT, AlarmLevelsOption.model_validate({"value": levels[1:]}))
    assert refused.value.reason == "alarm_level.in_use"
    assert refused.value.arguments == {"title": "level 201", "rules": 1, "alarms": 0}
    kept = await options.option("alarm_levels")
    assert isinstance(kept, AlarmLevelsOption)
    assert [level.id for level in kept.value] == [OIL, HEAT]
    renamed = [{**levels[0], "title": "oil"}]  # another title, and one that nothing uses gone
    await options.put_option(ROOT, AlarmLevelsOption.model_validate({"value": renamed}))
    await scene.triggers.delete(PLANT, made.id)
    await options.put_option(ROOT, AlarmLevelsOption.model_validate({"value": []}))
    await uses.refuse_used(AlarmLevelsRemoved({OIL: "oil"}))
