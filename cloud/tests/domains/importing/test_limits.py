"""A limit of gateways: the preview says it by row, and an apply beyond it does nothing."""

from __future__ import annotations

import pytest

from cloud.core.xlsx import Cell
from cloud.domains.identity.models import UserLimit
from cloud.domains.jobs.run import JobFailed

from .conftest import DEVICES, ImportServices, book, confirmed

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
THREE: list[list[Cell]] = [["gw-a", "A"], ["gw-b", "B"], ["gw-c", "C"]]


async def limit(importing: ImportServices, maximum: int) -> None:
    async with importing.services.database.session() as session:
        user_id = importing.users["factory-x"].id
        await session.merge(UserLimit(user_id=user_id, resource="devices", maximum=maximum))
        await session.commit()


async def test_rows_beyond_the_limit_are_wrong(importing: ImportServices) -> None:
    await limit(importing, 2)
    state = await importing.preview("factory-x", book(devices=(DEVICES, THREE)))
    page = await importing.imports.rows(importing.users["factory-x"], state.id, "wrong", None, 1, 100)
    assert [row.gateway_id for row in page.rows] == ["gw-c"]
    assert [cell.code for cell in page.rows[0].cells if cell.code] == ["limit_devices"]
    assert state.preview is not None and state.preview.new_devices == 2


async def test_a_limit_that_came_after_the_preview_ends_the_apply(importing: ImportServices) -> None:
    state = await importing.preview("factory-x", book(devices=(DEVICES, THREE)))
    await limit(importing, 2)
    user = importing.users["factory-x"]
    await importing.imports.apply(user, state.id, confirmed(state))
    with pytest.raises(JobFailed) as failed:
        await importing.applier.run(importing.run(user, {"import_id": state.id}))
    assert failed.value.code == "import.limit_devices"
    assert [await importing.device(name) for name in ("gw-a", "gw-b", "gw-c")] == [None] * 3
    assert not {"gw-a", "gw-b", "gw-c"} & importing.services.broker.keys()
