"""What a point's settings say of an alarm acts: whatever changes them, its rules follow at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from cloud.domains.devices.point_display import DisplayReader
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, DeviceShare
from cloud.domains.points.editing import Editing
from cloud.domains.points.point_service import PointService
from cloud.domains.points.schemas import PointBatchBody, PortBody, SlaveBody
from cloud.domains.points.service import PortService
from cloud.domains.points.settings import SettingService
from cloud.domains.triggers.models import TriggerRule
from cloud.domains.triggers.schemas import TriggerBody, TriggerRow
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from cloud.timeseries.base import SeriesColumn

from ...conftest import catalog
from .conftest import GATEWAYS, GUEST, PLANT, Scene

HOT = {"alarm_enable": True, "alarm_upper": 90.0}
TWO = {**HOT, "alarm_mode": "multi", "alarm_lower": 10, "alarm_lower2": 5, "alarm_upper2": 95}


class Editor:
    """The point editor of the scene's first gateway."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        services, clock = scene.services, scene.clock
        editing = Editing(scene.database, services.devices, services._changed, clock)
        self.settings = SettingService(scene.database, services.devices, services.alarms, clock)
        self.points = PointService(editing, self.settings, services.devices, services.commands)
        self.ports = PortService(editing, self.settings, None)  # type: ignore[arg-type]
        self.device_id = scene.devices[0]

    async def begin(self) -> None:
        """A configuration with what the gateway has."""
        lan = PortBody(name="lan", type="NET", ip="10.0.0.1", port=502)
        await self.ports.add_port(PLANT, self.device_id, lan)
        slave = SlaveBody(name="boiler", port="lan", protocol="modbus_tcp", address="1")
        await self.ports.add_slave(PLANT, self.device_id, slave)
        added = [{"slave": "boiler", "ds_name": name} for name in ("temperature", "setpoint")]
        added.append({"slave": "boiler", "ds_name": "pump", "ds_type": "swh"})
        await self.put(added=added)

    async def put(self, user: CurrentUser = PLANT, **changes: Any) -> None:
        base = (await self.points.points(user, self.device_id, None)).base
        await self.points.save(user, self.device_id, PointBatchBody(base=base, **changes))
        await self.scene.evaluator.advance()

    async def set(self, name: str = "temperature", user: CurrentUser = PLANT, **fields: Any) -> None:
        await self.put(user, changed=[{"slave": "boiler", "ds_name": name, "fields": fields}])

    async def deploy(self, *names: str, slave: str = "boiler") -> None:
        """The gateway runs other points."""
        await self.scene.services.catalogs.apply(GATEWAYS[0], catalog(*names, slave=slave))
        async with self.scene.database.session() as session:
            await session.execute(update(DataPoint).values(record=1))
            query = select(DataPoint.id).where(DataPoint.device_id == self.device_id)
            known = list(await session.scalars(query.where(DataPoint.removed.is_(False))))
            await session.commit()
        self.scene.points[:2] = (known * 2)[:2]
        await self.scene.evaluator.advance()

    async def triggers(self, user: CurrentUser = PLANT) -> list[TriggerRow]:
        """The oldest first."""
        return (await self.scene.triggers.page(user, 1, 100, "", None, None, "point")).rows[::-1]


@pytest.fixture
async def editor(scene: Scene) -> Editor:
    made = Editor(scene)
    await made.begin()
    return made


async def test_a_limit_raises_and_clears_and_is_listed_with_its_point(editor: Editor, scene: Scene) -> None:
    await editor.set(**HOT, alarm_deadband=5, alarm_delay_s=2, alarm_off_delay_s=3)
    await scene.value(80)
    await scene.value(91)
    await scene.value(92, seconds=3)
    await scene.value(86)
    await scene.value(84)
    await scene.value(84, seconds=4)
    assert await scene.kinds() == [(1, 91), (0, 84)]
    raised, cleared = await scene.events()
    assert (raised.title, raised.dsid) == ("temperature", scene.points[0])
    assert (raised.at - raised.since_ms, cleared.at - raised.recovered_ms) == (2000, 0)
    (row,) = await editor.triggers()
    assert row.origin is not None
    assert (row.origin.device_id, row.origin.slave, row.origin.ds_name) == (
        scene.devices[0], "boiler", "temperature",
    )  # fmt: skip
    assert (row.title, row.user_name, row.rule_count) == ("Boiler / temperature", "plant", 1)
    assert (await scene.triggers.page(PLANT, 1, 100, "", None, None, "user")).total == 0


async def test_two_levels_are_a_warning_within_a_danger(editor: Editor, scene: Scene) -> None:
    await editor.set(**TWO)
    for value in (50, 92, 96, 92, 50, 4):
        await scene.value(value)
    assert await scene.kinds() == [(5, 92), (1, 96), (0, 92), (0, 50), (5, 4), (1, 4)]


async def test_charts_are_told_the_limits_while_the_alarm_is_on(editor: Editor, scene: Scene) -> None:
    displays = DisplayReader(scene.database).displays
    await editor.set(**TWO)
    told = await displays(PLANT.scope, scene.devices[0])
    assert told["boiler", "temperature"].alarm_limits == (5, 10, 90, 95)
    await editor.set(alarm_mode="single")
    told = await displays(PLANT.scope, scene.devices[0])
    assert told["boiler", "temperature"].alarm_limits == (10, 90)
    await editor.set(alarm_enable=False)
    assert await displays(PLANT.scope, scene.devices[0]) == {}


async def test_one_side_is_enough(editor: Editor, scene: Scene) -> None:
    await editor.set(alarm_enable=True, alarm_lower=10)
    for value in (50, 1000, 9):
        await scene.value(value)
    assert await scene.kinds() == [(1, 9)]


async def test_a_switch_has_an_alarm_of_its_state(editor: Editor, scene: Scene) -> None:
    await editor.deploy("pump")
    await editor.set("pump", alarm_enable=True, alarm_state=0)
    for value in (True, False, True):
        await scene.value(value)
    assert await scene.kinds() == [(2, False), (0, True)]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"alarm_enable": True}, "alarm_enable"),
        ({**HOT, "alarm_lower": 90}, "alarm_lower"),
        ({**TWO, "alarm_lower2": 11}, "alarm_lower2"),
        ({**TWO, "alarm_upper2": 89}, "alarm_upper2"),
        ({**HOT, "alarm_lower": 80, "alarm_deadband": 6}, "alarm_deadband"),
        ({"ds_type": "str", "data_type": "string", **HOT}, "alarm_enable"),
        ({"ds_type": "swh", **HOT}, "alarm_state"),
    ],
)
async def test_what_cannot_be_names_its_field(editor: Editor, fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ParameterError) as refused:
        await editor.set(**fields)
    assert refused.value.field == f"changed.0.fields.{field}"
    assert await editor.triggers() == []


async def test_a_limit_that_changes_ends_the_alarm_of_the_one_before(editor: Editor, scene: Scene) -> None:
    await editor.set(**HOT)
    await scene.value(95)
    await editor.set(line_color="#ff0000")
    await editor.set(alarm_upper=97)
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95), (0, 95)]
    assert (await editor.triggers())[0].rules[0].version == 2
    await scene.value(98)
    await editor.set(alarm_enable=False)
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95), (0, 95), (1, 98), (0, 98)]
    assert await editor.triggers() == []


async def test_the_alarm_of_a_point_that_is_not_deployed_begins_with_it(editor: Editor, scene: Scene) -> None:
    await editor.put(added=[{"slave": "boiler", "ds_name": "pressure", **HOT}])
    assert await editor.triggers() == []
    await editor.deploy("pressure")
    await scene.value(95)
    assert await scene.kinds() == [(1, 95)]
    await editor.deploy("temperature", "setpoint")
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95), (0, 95)]
    assert await editor.triggers() == []


async def test_it_follows_its_point_and_slave_to_other_names(editor: Editor, scene: Scene) -> None:
    await editor.set(**HOT)
    scene.now = None
    await editor.set(ds_name="heat", user=replace(GUEST, scope=PLANT.scope))
    await editor.ports.change_slave(PLANT, editor.device_id, "boiler", SlaveBody(name="kettle"))
    assert [row.origin.ds_name for row in await editor.triggers() if row.origin] == ["temperature"]
    await editor.deploy("heat", slave="kettle")
    (row,) = await editor.triggers()
    assert row.origin is not None
    assert (row.origin.slave, row.origin.ds_name, row.user_name) == ("kettle", "heat", "plant")
    await scene.value(95)
    assert await scene.kinds() == [(1, 95)]


async def test_a_copy_of_a_slave_has_the_limits_but_not_the_linkage(editor: Editor, scene: Scene) -> None:
    preset = await scene.preset(20)
    await editor.set(**HOT, alarm_linkage=[{"on": "raised", "preset_id": preset}])
    copy = SlaveBody(name="second", port="lan", protocol="modbus_tcp", address="2", points_of="boiler")
    await editor.ports.add_slave(PLANT, editor.device_id, copy)
    await editor.deploy("temperature", slave="second")
    (row,) = await editor.triggers()
    assert (row.rules[0].linkage, row.rule_count) == ([], 1)


async def test_a_point_that_goes_takes_its_alarm_along(editor: Editor, scene: Scene) -> None:
    await editor.set(**HOT)
    await scene.value(95)
    await editor.put(removed=[{"slave": "boiler", "ds_name": "temperature"}])
    assert len(await editor.triggers()) == 1  # the gateway still runs it
    await editor.deploy("setpoint")
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95), (0, 95)]


async def test_a_linkage_writes_with_the_rights_of_who_set_it(editor: Editor, scene: Scene) -> None:
    preset = await scene.preset(20)
    linkage = [{"on": "raised", "preset_id": preset}]
    nobody = replace(PLANT, permissions=frozenset())
    with pytest.raises(NoPermission):
        await editor.set(user=nobody, **HOT, alarm_linkage=linkage)
    with pytest.raises(NotFound):
        await editor.set(**HOT, alarm_linkage=[{"on": "raised", "preset_id": preset + 1}])
    await editor.set(**HOT, alarm_linkage=linkage)
    with pytest.raises(NoPermission):  # a limit that is lowered would carry it out too
        await editor.set(user=nobody, alarm_upper=10)
    await scene.value(95)
    assert [command.value for _, command in scene.services.sent] == [20]
    (row,) = await editor.triggers()
    runs = (await scene.triggers.linkage_runs(PLANT, row.id, 1, 10)).rows
    assert [(run.kind, run.problem) for run in runs] == [("raised", "")]
    scene.now = None
    await scene.value(50)
    await scene.value(95)
    runs = (await scene.triggers.linkage_runs(PLANT, row.id, 1, 10)).rows
    assert [run.problem for run in runs] == ["no_user", ""]


async def test_of_two_levels_the_outer_one_has_the_linkage(editor: Editor, scene: Scene) -> None:
    await editor.set(**TWO, alarm_linkage=[{"on": "raised", "preset_id": await scene.preset(20)}])
    await scene.value(92)
    assert scene.services.sent == []
    await scene.value(96)
    assert len(scene.services.sent) == 1


async def test_it_is_changed_at_its_point_alone_and_seen_by_who_sees_the_gateway(
    editor: Editor, scene: Scene
) -> None:
    await editor.set(**HOT)
    (row,) = await editor.triggers()
    assert await editor.triggers(GUEST) == []
    body = scene.body(scene.above(95))
    for change in (
        scene.triggers.change(PLANT, row.id, TriggerBody.model_validate(body.model_dump())),
        scene.triggers.enable(PLANT, row.id, False),
        scene.triggers.delete(PLANT, row.id),
    ):
        with pytest.raises(Conflict) as refused:
            await change
        assert refused.value.reason == "trigger.of_point"


async def test_it_stays_when_who_set_it_sees_the_gateway_no_more(editor: Editor, scene: Scene) -> None:
    async with scene.database.session() as session:
        session.add(
            DeviceShare(
                device_id=scene.devices[0], user_id=GUEST.id, role="visitor", writes=True, created_ms=1
            )
        )
        await session.commit()
    await editor.set(user=GUEST, **HOT)
    async with scene.database.session() as session:
        await session.execute(delete(DeviceShare))
        await session.commit()
    scene.now = GUEST
    await scene.triggers.access_taken(scene.devices[0])
    await scene.value(95)
    assert await scene.kinds() == [(1, 95)]


async def test_an_owner_who_leaves_takes_the_linkage_along_and_leaves_the_limits(
    editor: Editor, scene: Scene
) -> None:
    await editor.set(**HOT, alarm_linkage=[{"on": "raised", "preset_id": await scene.preset(20)}])
    await scene.triggers.owner_left(scene.devices[0])
    await scene.services.alarms.owner_left(scene.devices[0])
    await scene.evaluator.advance()
    (row,) = await editor.triggers()
    assert (row.user_name, row.rules[0].linkage) == ("", [])
    await scene.value(95)
    assert await scene.kinds() == [(1, 95)]
    assert scene.services.sent == []


async def test_there_are_as_many_rules_as_are_evaluated(
    editor: Editor, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.domains.triggers.point_alarms.MAX_RULES", 1)
    await editor.set(**HOT)
    with pytest.raises(Conflict) as refused:
        await editor.set("setpoint", **HOT)
    assert (refused.value.reason, refused.value.field) == ("trigger.full", "alarm_enable")
    await editor.set("setpoint", line_color="#ff0000")
    await editor.set(alarm_upper=95)
    assert [
        row.rules[0].conditions[0].model_dump()["trigger_threshold"] for row in await editor.triggers()
    ] == [95]


async def test_a_kill_makes_an_alarm_once_and_what_was_set_before_acts_from_the_start(
    editor: Editor, scene: Scene
) -> None:
    """As after the update that made settings act, and over a process that dies with a value unrecorded."""
    async with scene.database.session() as session:
        session.add(
            PointSetting(
                device_id=scene.devices[0], slave="boiler", name="temperature", changed_ms=1,
                alarm_enable=True, alarm_upper=90,
            )
        )  # fmt: skip
        session.add(  # kept before settings were checked
            PointSetting(
                device_id=scene.devices[0], slave="boiler", name="setpoint", changed_ms=1,
                alarm_enable=True, alarm_lower=9, alarm_upper=1,
            )
        )  # fmt: skip
        await session.commit()
    for _ in range(2):
        scene.restart()
        await scene.services.alarms.follow_all()
        await scene.evaluator.refresh()
    assert len(await editor.triggers()) == 1
    await scene.value(80)
    scene.clock.pass_s(1)
    await scene.series.write([SeriesColumn(scene.points[0], [scene.clock()], [95.0], [0])])
    for _ in range(2):
        scene.restart()
        await scene.services.alarms.follow_all()
        await scene.evaluator.refresh()
        await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]


async def test_a_setting_that_is_not_kept_leaves_no_rule(editor: Editor, scene: Scene) -> None:
    async with scene.database.session() as session:
        session.add(
            PointSetting(
                device_id=scene.devices[0], slave="boiler", name="temperature", changed_ms=1,
                alarm_enable=True, alarm_upper=90,
            )
        )  # fmt: skip
        await scene.services.alarms.follow(session, scene.devices[0])
        assert len(list(await session.scalars(select(TriggerRule)))) == 1
        await session.rollback()
    async with scene.database.session() as session:
        await scene.services.alarms.follow(session, scene.devices[0])
        await session.commit()
    await scene.evaluator.advance()
    await scene.value(95)
    assert await scene.kinds() == []
