"""Lists, handling, unread counts and who sees what, on both databases."""

from __future__ import annotations

import io
import sys

import pytest
from openpyxl import load_workbook
from pydantic import ValidationError

from cloud.domains.alarms.export import workbook
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.schemas import MAX_UNREAD, AlarmQuery, HandleBody, NoteBody, Unread
from cloud.domains.alarms.service import KEEP_MS
from cloud.domains.alarms.states import Status
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

from ...conftest import ADMIN, SYSTEM, catalog
from .conftest import MAY, Scene


async def ids(scene: Scene, user: CurrentUser = ADMIN, **words: object) -> list[int]:
    wanted = AlarmQuery(**words)  # type: ignore[arg-type]
    page = await scene.alarms.page(user, wanted, 1, 100)
    assert page.total == len(page.rows)
    assert [row.id for row in await scene.alarms.exported(user, wanted)] == [row.id for row in page.rows]
    return [row.id for row in page.rows]


async def test_the_value_of_a_point_stands_there_by_its_name(scene: Scene) -> None:
    await scene.come()
    await scene.services.catalogs.apply("gw-test-1", catalog("pump"))
    await scene.alarm(dsid=1, value=True)
    (row,) = (await scene.alarms.page(ADMIN, AlarmQuery(), 1, 10)).rows
    assert (row.value, row.point and row.point.ds_type) == (True, "swh")
    sheet = load_workbook(io.BytesIO(workbook([row], "zh", 0, {}))).active
    assert "开" in [cell.value for cell in list(sheet.iter_rows())[1]]


async def test_filters(scene: Scene) -> None:
    now = scene.clock()
    await scene.services.claims.claim("gw-test-2", "Pump 100%")
    await scene.come()
    await scene.services.catalogs.apply("gw-test-1", catalog("t"))
    old = await scene.alarm(at_ms=now - 61_000, alarm_type=1)
    fire = await scene.alarm(alarm_type=101, at_ms=now - 1, title="Hall 3")
    own = await scene.alarm(alarm_type=201, at_ms=now - 2, slave_id=1)
    mild = await scene.alarm(alarm_type=300, level=7, at_ms=now - 3, device_id=2, status=2, note="drill")
    strange = await scene.alarm(alarm_type=300, at_ms=now - 4, device_id=2, status=1)
    assert await ids(scene) == [fire, own, mild, strange, old]
    assert await ids(scene, from_ms=now - 60_000) == [fire, own, mild, strange]
    assert await ids(scene, to_ms=now - 1) == [own, mild, strange, old]
    assert await ids(scene, from_ms=now - 2, to_ms=now - 1) == [own]
    assert await ids(scene, status=2) == [mild]
    assert await ids(scene, alarm_type=300) == [mild, strange]
    assert await ids(scene, device_id=2) == [mild, strange]
    assert await ids(scene, level="danger") == [fire, old]
    assert await ids(scene, level="success") == []
    assert await ids(scene, level="custom") == [own, mild]
    assert await ids(scene, level="unknown") == [strange]
    assert await ids(scene, level="201") == [own]
    assert await ids(scene, level="7") == [mild]
    assert await ids(scene, level="1") == []
    assert await ids(scene, search="hall") == [fire]
    assert await ids(scene, search="100%") == [mild, strange]
    assert await ids(scene, search="%") == [mild, strange]
    assert await ids(scene, search="gw-test-2") == [mild, strange]
    assert await ids(scene, search="boiler") == [own]
    assert await ids(scene, search="drill") == [mild]
    for row in (await scene.alarms.page(ADMIN, AlarmQuery(), 1, 100)).rows:
        assert row.id in await ids(scene, level=row.shown)  # the filter is the one that is shown


async def test_pages(scene: Scene) -> None:
    made = [await scene.alarm() for _ in range(5)]
    first = await scene.alarms.page(ADMIN, AlarmQuery(), 1, 2)
    last = await scene.alarms.page(ADMIN, AlarmQuery(), 3, 2)
    assert ([row.id for row in first.rows], first.total) == (made[:2:-1], 5)
    assert [row.id for row in last.rows] == made[:1]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"level": "loud"}, "level"),
        ({"from_ms": 5, "to_ms": 5}, "endtime"),
    ],
)
async def test_wrong_questions_are_named(scene: Scene, words: dict[str, object], field: str) -> None:
    with pytest.raises(ParameterError) as caught:
        await ids(scene, **words)
    assert caught.value.field == field


async def test_handling(scene: Scene) -> None:
    number = await scene.alarm()
    admin = await scene.user("chief")
    await scene.give(1, admin)
    row = await scene.alarms.handle(admin, number, HandleBody(status=1))
    assert (row.status, row.handled_by, row.handled_name) == (Status.HANDLED, admin.id, "chief")
    assert row.handled_ms == scene.clock()
    for body in (HandleBody(status=2), HandleBody(status=1)):
        with pytest.raises(Conflict) as refused:
            await scene.alarms.handle(admin, number, body)
        assert refused.value.reason == "alarm.step"
    with pytest.raises(ParameterError) as lacking:
        await scene.alarms.handle(admin, number, HandleBody(status=0, note="  "))
    assert (lacking.value.field, lacking.value.reason) == ("note", "alarm.note_needed")
    row = await scene.alarms.handle(admin, number, HandleBody(status=0, note=" still hot "))
    assert (row.status, row.note) == (Status.UNHANDLED, "still hot")
    assert (await scene.alarms.handle(admin, number, HandleBody(status=2, note="drill"))).note == "drill"
    assert [each["status"] for each in scene.told] == [1, 0, 2]
    assert {each["event"] for each in scene.told} == {"changed"}
    await scene.alarms.delete(admin, number)
    assert scene.told[-1] == {"type": "alarm", "pid": 0, "did": 1, "id": number, "event": "deleted"}
    with pytest.raises(NotFound):
        await scene.alarms.delete(admin, number)


async def test_a_note_changes_nothing_else(scene: Scene) -> None:
    number = await scene.alarm()
    admin, guest = await scene.user("chief"), await scene.user("guest")
    await scene.give(1, admin)
    before = await scene.alarms.handle(admin, number, HandleBody(status=1))
    row = await scene.alarms.note(admin, number, "smells of oil")
    assert row == before.model_copy(update={"note": "smells of oil"})
    last = (await scene.alarms.detail(admin, number)).changes[-1]
    assert (last.what.value, last.user_name, last.note) == ("noted", "chief", "smells of oil")
    assert last.before == last.after
    row = await scene.alarms.handle(admin, number, HandleBody(status=0, note="not yet"))
    row = await scene.alarms.handle(admin, number, HandleBody(status=1))
    assert row.note == "not yet", "who handles without a word takes none away"
    with pytest.raises(NotFound):
        await scene.alarms.note(guest, number, "hello")
    async with scene.database.session() as session:
        session.add(DeviceShare(device_id=1, user_id=guest.id, role="visitor", writes=False, created_ms=1))
        await session.commit()
    with pytest.raises(NoPermission):
        await scene.alarms.note(guest, number, "hello")


@pytest.mark.parametrize("note", ["", "  ", "x" * 501, "a\x00b"])
def test_a_note_says_something(note: str) -> None:
    with pytest.raises(ValidationError):
        NoteBody(note=note)


async def test_a_gateway_knows_how_many_of_its_alarms_are_open(scene: Scene) -> None:
    """Recovered, handled, false and old ones are not; its status follows, and browsers are told."""
    await scene.come()
    admin = await scene.user("chief")
    await scene.give(1, admin)

    async def state() -> tuple[str, object]:
        row = await scene.services.devices.row(SYSTEM, 1)
        return row.status, row.presence.arguments.get("count")

    await scene.alarm(recovered_ms=scene.clock())
    await scene.alarm(alarm_type=3)
    old = await scene.alarm(at_ms=scene.clock() - KEEP_MS - 1)
    numbers = [await scene.alarm() for _ in range(3)]
    assert await state() == ("online", None)
    scene.services.changed.clear()
    await scene.alarms.handle(admin, numbers[0], HandleBody(status=2))
    assert (await state(), scene.services.changed) == (("alarm", 3), [1])
    await scene.alarms.delete(admin, numbers[1])
    assert await state() == ("alarm", 2)
    await scene.alarms.forget_old(scene.clock())
    assert (await state(), scene.services.changed) == (("alarm", 1), [1, 1, 1])
    await scene.alarms.handle(admin, numbers[2], HandleBody(status=1))
    assert await state() == ("online", None)
    with pytest.raises(NotFound):
        await scene.alarms.delete(admin, old)


async def test_the_alarm_of_an_absence_is_open_while_it_lasts(scene: Scene) -> None:
    await scene.notify()
    await scene.come()
    await scene.go()
    async with scene.database.session() as session:
        assert (await session.get_one(Device, 1)).open_alarms == 1
    assert (await scene.services.devices.row(SYSTEM, 1)).status == "offline"
    await scene.come()
    assert (await scene.services.devices.row(SYSTEM, 1)).status == "online"


async def test_a_recovery_has_nothing_to_handle(scene: Scene) -> None:
    number = await scene.alarm(alarm_type=0, status=1)
    with pytest.raises(Conflict):
        await scene.alarms.handle(ADMIN, number, HandleBody(status=0, note="x"))


async def test_who_sees_and_who_may_change(scene: Scene) -> None:
    await scene.services.claims.claim("gw-test-2", "Other")
    a, b = await scene.user("factory-a"), await scene.user("factory-b")
    below = await scene.user("plant-a", a)
    guest, helper = await scene.user("guest"), await scene.user("helper")
    await scene.give(1, below)
    await scene.give(2, b)
    await scene.share(1, guest, writes=False)
    await scene.share(1, helper, writes=True)
    mine, other = await scene.alarm(), await scene.alarm(device_id=2)
    for user in (a, below, guest, helper):
        assert await ids(scene, user) == [mine]
        assert await ids(scene, user, device_id=2) == []
        with pytest.raises(NotFound):
            await scene.alarms.handle(user, other, HandleBody(status=1))
        with pytest.raises(NotFound):
            await scene.alarms.delete(user, other)
    assert await ids(scene, b) == [other]
    for work in (scene.alarms.handle(guest, mine, HandleBody(status=1)), scene.alarms.delete(guest, mine)):
        with pytest.raises(NoPermission):
            await work
    assert (await scene.alarms.handle(helper, mine, HandleBody(status=1))).handled_name == "helper"
    assert (await scene.alarms.unread(b)).alarm == 0
    scene.clock.pass_s(1)
    await scene.alarm(device_id=2)
    assert [(await scene.alarms.unread(user)).alarm for user in (a, below, guest, helper, b)] == [0] * 4 + [1]


async def test_unread_and_read_all(scene: Scene) -> None:
    await scene.notify()
    await scene.alarm()
    owner = await scene.user("owner")
    await scene.give(1, owner)
    second = await scene.user("second", owner)
    await scene.give(1, second)
    assert await scene.alarms.unread(owner) == Unread(alarm=0, onoffline=0)  # it was before him
    scene.clock.pass_s(1)
    await scene.come()
    await scene.go()
    scene.clock.pass_s(60)
    await scene.come()
    assert await scene.alarms.unread(owner) == Unread(alarm=2, onoffline=2)
    assert await scene.alarms.read(owner, "alarm") == Unread(alarm=0, onoffline=2)
    assert scene.users_told == [(owner.id, {"type": "unread", "alarm": 0, "onoffline": 2})]
    assert await scene.alarms.unread(second) == Unread(alarm=2, onoffline=2)
    await scene.alarms.read(owner, "onoffline")
    assert await scene.alarms.unread(owner) == Unread(alarm=0, onoffline=0)
    scene.clock.pass_s(1)
    await scene.go()
    assert await scene.alarms.unread(owner) == Unread(alarm=1, onoffline=1)
    deaf = CurrentUser(owner.id, "owner", 1, MAY - {"DeviceMonitor_Online"}, "", owner.scope)
    assert await scene.alarms.unread(deaf) == Unread(alarm=1, onoffline=0)


async def test_an_absence_noted_late_is_unread_although_it_began_before_the_mark(scene: Scene) -> None:
    await scene.notify(delay_s=300)
    owner = await scene.user("owner")
    await scene.give(1, owner)
    scene.clock.pass_s(1)
    await scene.come()
    await scene.go()
    scene.clock.pass_s(200)
    await scene.alarms.read(owner, "alarm")
    await scene.alarms.read(owner, "onoffline")
    scene.clock.pass_s(101)
    await scene.services.outages.find_due()
    assert await scene.alarms.unread(owner) == Unread(alarm=1, onoffline=1)


async def test_counting_stops(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_UNREAD == 1000
    monkeypatch.setattr(sys.modules[AlarmRepository.__module__], "MAX_UNREAD", 3)
    owner = await scene.user("owner")
    await scene.give(1, owner)
    scene.clock.pass_s(1)
    for _ in range(5):
        await scene.alarm()
    assert (await scene.alarms.unread(owner)).alarm == 3
