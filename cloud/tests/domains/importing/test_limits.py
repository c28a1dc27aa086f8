"""A limit of gateways: the preview says it by row, and an apply beyond it does nothing."""

from __future__ import annotations

import pytest

from cloud.core.xlsx import Cell
from cloud.domains.identity.models import UserLimit
from cloud.domains.jobs.run import JobFailed

from .test_import import DEVICES, Desk, book, confirmed, desk

__all__ = ["desk"]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
THREE: list[list[Cell]] = [["gw-a", "A"], ["gw-b", "B"], ["gw-c", "C"]]


async def limit(desk: Desk, maximum: int) -> None:
    async with desk.rooms.database.session() as session:
        user_id = desk.users["factory-x"].id
        await session.merge(UserLimit(user_id=user_id, resource="devices", maximum=maximum))
        await session.commit()


async def test_rows_beyond_the_limit_are_wrong(desk: Desk) -> None:
    await limit(desk, 2)
    state = await desk.preview("factory-x", book(devices=(DEVICES, THREE)))
    page = await desk.imports.rows(desk.users["factory-x"], state.id, "wrong", None, 1, 100)
    assert [row.gateway_id for row in page.rows] == ["gw-c"]
    assert [cell.code for cell in page.rows[0].cells if cell.code] == ["limit_devices"]
    assert state.preview is not None and state.preview.new_devices == 2


async def test_a_limit_that_came_after_the_preview_ends_the_apply(desk: Desk) -> None:
    state = await desk.preview("factory-x", book(devices=(DEVICES, THREE)))
    await limit(desk, 2)
    user = desk.users["factory-x"]
    await desk.imports.apply(user, state.id, confirmed(state))
    with pytest.raises(JobFailed) as failed:
        await desk.applier.run(desk.run(user, {"import_id": state.id}))
    assert failed.value.code == "import.limit_devices"
    assert [await desk.device(name) for name in ("gw-a", "gw-b", "gw-c")] == [None] * 3
    assert not {"gw-a", "gw-b", "gw-c"} & desk.rooms.broker.keys()
