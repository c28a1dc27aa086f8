"""A replacing import removes gateways only as its preview named them and its user confirmed."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from cloud.core.xlsx import Cell
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.inventory.project_models import Project
from cloud.domains.jobs.run import JobFailed
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

from .conftest import DEVICES, POINTS, ImportServices, book, confirmed

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
ALL: dict[str, Any] = {"project_id": None}
KEPT = book(devices=(DEVICES, [["gw-keep", "Keep"]]))


@pytest.fixture
async def fleet(importing: ImportServices) -> ImportServices:
    """Factory x has three gateways, two of them in project 1; a user below it, factory y and the platform
    have one each, and that of y is shared with x, read only.
    """
    users = importing.users
    async with importing.services.database.session() as session:
        for number, owner in ((1, "factory-x"), (2, "factory-y")):
            session.add(
                Project(
                    id=number, path=f"/{number}/", kind="project", title=f"P{number}",
                    owner_id=users[owner].id, created_ms=0,
                )
            )  # fmt: skip
        await session.flush()
        for gateway, owner, project in (
            ("gw-keep", "factory-x", 1), ("gw-a", "factory-x", 1), ("gw-b", "factory-x", None),
            ("gw-below", "enterprise-x", 1), ("gw-y", "factory-y", None),
        ):  # fmt: skip
            session.add(
                Device(
                    gateway_id=gateway, title=gateway, secret_hash="", created_ms=0,
                    owner_id=users[owner].id, project_id=project,
                )
            )  # fmt: skip
        await session.commit()
    other = await importing.device("gw-y")
    assert other is not None
    async with importing.services.database.session() as session:
        share = DeviceShare(device_id=other.id, user_id=users["factory-x"].id, role="owner", writes=False)
        share.created_ms = 0
        session.add(share)
        await session.commit()
    return importing


async def there(importing: ImportServices) -> set[str]:
    names = ("gw-keep", "gw-a", "gw-b", "gw-below", "gw-y", "gw-test-1")
    return {name for name in names if await importing.device(name) is not None}


async def removed(importing: ImportServices, state_id: str) -> list[str]:
    page = await importing.imports.rows(importing.users["factory-x"], state_id, "removed", "devices", 1, 100)
    return [row.gateway_id for row in page.rows]


async def test_nothing_goes_unless_it_is_asked_for(fleet: ImportServices) -> None:
    state = await fleet.preview("factory-x", KEPT, "replace")
    assert state.preview is not None and state.preview.removed_devices == 0
    await fleet.apply("factory-x", state)
    assert len(await there(fleet)) == 6


async def test_own_gateways_go_that_the_file_does_not_name_and_nobody_elses(fleet: ImportServices) -> None:
    state = await fleet.preview("factory-x", KEPT, "replace", remove=ALL)
    assert state.preview is not None and state.preview.removed_devices == 2
    assert await removed(fleet, state.id) == ["gw-a", "gw-b"]
    for count in (0, 1, 3):
        with pytest.raises(Conflict) as refused:
            await fleet.imports.apply(
                fleet.users["factory-x"], state.id, confirmed(state, remove_devices=count)
            )
        assert refused.value.reason == "import.removal_unconfirmed"
    assert len(await there(fleet)) == 6
    done = await fleet.apply("factory-x", state, removed=2)
    assert (done["removed"], done["kept"]) == (2, 0)
    assert await there(fleet) == {"gw-keep", "gw-below", "gw-y", "gw-test-1"}


async def test_only_of_a_project_that_is_seen(fleet: ImportServices) -> None:
    state = await fleet.preview("factory-x", KEPT, "replace", remove={"project_id": 1})
    assert await removed(fleet, state.id) == ["gw-a"]
    for project in (2, 99):
        with pytest.raises(NotFound) as refused:
            await fleet.preview("factory-x", KEPT, "replace", remove={"project_id": project})
        assert "2" not in refused.value.message
    with pytest.raises(ParameterError):
        await fleet.preview("factory-x", KEPT, "merge", remove=ALL)
    points = book(points=(POINTS, [["gw-keep", "plc", "t", "4X", 1]]))
    with pytest.raises(ParameterError):
        await fleet.preview("factory-x", points, "replace", remove=ALL)


async def test_a_wrong_row_may_be_that_of_a_gateway_that_would_go(fleet: ImportServices) -> None:
    wrong = book(devices=(DEVICES, [["gw-keep", "Keep"], [None, "gw-a without its number"]]))
    state = await fleet.preview("factory-x", wrong, "replace", remove=ALL)
    with pytest.raises(Conflict) as refused:
        await fleet.apply("factory-x", state, skip_wrong=True, removed=2)
    assert refused.value.reason == "import.removal_with_wrong_rows"


async def test_what_became_anothers_or_moved_since_the_preview_stays(fleet: ImportServices) -> None:
    state = await fleet.preview("factory-x", KEPT, "replace", remove=ALL)
    other = fleet.users["enterprise-x"].id
    async with fleet.services.database.session() as session:
        await session.execute(update(Device).where(Device.gateway_id == "gw-a").values(owner_id=other))
        await session.commit()
    done = await fleet.apply("factory-x", state, removed=2)
    assert (done["removed"], done["kept"]) == (1, 1)
    assert "gw-a" in await there(fleet) and "gw-b" not in await there(fleet)


async def test_a_run_that_was_cut_goes_on_with_those_that_are_left(fleet: ImportServices) -> None:
    state = await fleet.preview("factory-x", KEPT, "replace", remove=ALL)
    fleet.stubborn = {"gw-b"}
    user = fleet.users["factory-x"]
    assert (await fleet.apply("factory-x", state, removed=2))["kept"] == 1
    fleet.stubborn = set()
    again = fleet.run(user, {"import_id": state.id})
    again.attempt = 2
    done = await fleet.applier.run(again)
    assert (done["removed"], done["kept"]) == (2, 0)
    assert not {"gw-a", "gw-b"} & await there(fleet)


async def test_an_import_for_one_gateway_needs_no_column_for_it(fleet: ImportServices) -> None:
    device = await fleet.device("gw-keep")
    assert device is not None
    content = book(
        ports=(["name", "type", "ip"], [["lan", "NET", "10.0.0.1"]]),
        slaves=(["name", "port", "protocol", "address"], [["plc", "lan", "modbus_tcp", 1]]),
        points=(POINTS, [[None, "plc", "t", "4X", 1], ["gw-a", "plc", "u", "4X", 2]]),
    )
    state = await fleet.preview("factory-x", content, only=device.id)
    assert state.gateway_id == "gw-keep" and not state.columns["ports"][0].is_key
    assert state.preview is not None
    assert {kind: (c.added, c.wrong) for kind, c in state.preview.counts.items()} == {
        "ports": (1, 0), "slaves": (1, 0), "points": (1, 1),
    }  # fmt: skip
    page = await fleet.imports.rows(fleet.users["factory-x"], state.id, "wrong", "", 1, 9)
    assert [cell.code for cell in page.rows[0].cells] == ["other_gateway"]
    await fleet.apply("factory-x", state, skip_wrong=True)
    assert [point["name"] for point in (await fleet.document("gw-keep"))["points"]] == ["t"]
    assert (await fleet.document("gw-a")) == {}
    with pytest.raises(ParameterError):
        await fleet.preview("factory-x", KEPT, "replace", only=device.id, remove=ALL)


async def test_an_import_for_one_gateway_is_refused_before_its_file_is_read(fleet: ImportServices) -> None:
    shared, foreign = await fleet.device("gw-y"), await fleet.device("gw-test-1")
    assert shared is not None and foreign is not None
    with pytest.raises(NoPermission) as refused:
        await fleet.imports.single(fleet.users["factory-x"], shared.id)
    assert refused.value.reason == "device.shared_read_only"
    with pytest.raises(NotFound):
        await fleet.imports.single(fleet.users["factory-x"], foreign.id)


def with_project(text: Cell) -> bytes:
    return book(devices=([*DEVICES, "项目"], [["gw-new", "New", text], ["gw-a", "gw-a", "P1"]]))


async def test_a_project_is_named_and_one_that_may_not_be_is_told_in_the_preview(
    fleet: ImportServices,
) -> None:
    user = fleet.users["factory-x"]
    for text, code in (("99", "unknown_project"), ("P2", "unknown_project"), (2, "unknown_project")):
        state = await fleet.preview("factory-x", with_project(text))
        page = await fleet.imports.rows(user, state.id, "wrong", "", 1, 20)
        assert [(row.gateway_id, row.cells[-1].code) for row in page.rows] == [("gw-new", code)]
    state = await fleet.preview("factory-x", with_project(" p1 "))
    page = await fleet.imports.rows(user, state.id, "", "", 1, 20)
    assert [(row.kind, row.cells[-1].after) for row in page.rows] == [("added", "P1")]
    async with fleet.services.database.session() as session:
        await session.execute(update(Project).where(Project.id == 1).values(kind="group"))
        await session.commit()
    with pytest.raises(JobFailed) as refused:
        await fleet.apply("factory-x", state)
    assert (refused.value.code, refused.value.detail) == ("import.project_is_group", "gw-new")
    assert await fleet.device("gw-new") is None
