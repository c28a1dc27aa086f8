"""What keeps alarms quiet is said by the alarm, by its trigger and in a count."""

from __future__ import annotations

from cloud.domains.alarms.schemas import MaintenanceBody

from .conftest import GUEST, KEEPER, PLANT, Scene
from .test_life_cycle import HOUR_S, active, shelve


async def test_an_alarm_and_its_trigger_say_what_keeps_them_quiet_until_when(scene: Scene) -> None:
    trigger = await scene.make(scene.above(80))
    other = await scene.make(scene.above(90, 2))
    await scene.value(85)
    [number] = await active(scene)
    assert (await scene.alarms.detail(PLANT, number)).suppressions == []
    assert (await scene.triggers.trigger(PLANT, trigger.id)).suppressions == []
    await shelve(scene, number)
    [suppression] = (await scene.alarms.detail(PLANT, number)).suppressions
    assert (suppression.kind, suppression.user_name, suppression.reason, suppression.alarms) == (
        "shelved", PLANT.name, "pump is being repaired", 1
    )  # fmt: skip
    assert suppression.until_ms == scene.clock() + HOUR_S * 1000
    page = await scene.triggers.page(PLANT, 1, 10, "", None, None)
    assert {row.id: row.suppressions for row in page.rows} == {trigger.id: [suppression], other.id: []}
    body = MaintenanceBody(duration_s=2 * HOUR_S, reason="service")
    await scene.suppressions.maintain(KEEPER, scene.devices[0], body)
    kinds = [each.kind for each in (await scene.alarms.detail(PLANT, number)).suppressions]
    assert kinds == ["shelved", "maintenance"]
    assert [each.kind for each in (await scene.triggers.trigger(PLANT, trigger.id)).suppressions] == kinds
    assert await scene.reports.suppressions(PLANT) == {"shelved": 1, "maintenance": 1}
    assert await scene.reports.suppressions(GUEST) == {}
    await scene.suppressions.end(PLANT, suppression.id)
    assert [each.kind for each in (await scene.alarms.detail(PLANT, number)).suppressions] == ["maintenance"]
    scene.clock.pass_s(2 * HOUR_S)
    assert (await scene.triggers.trigger(PLANT, trigger.id)).suppressions == []
