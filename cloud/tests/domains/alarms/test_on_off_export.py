"""The on-offline log: counts, and the workbook."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from openpyxl import load_workbook

from cloud.core.scope import Scope
from cloud.domains.alarms.on_off_export import on_off_workbook
from cloud.errors import ParameterError

from ...conftest import SYSTEM
from .conftest import Scene


async def test_counts_and_rows_of_a_period(scene: Scene) -> None:
    await scene.come()
    began = scene.clock()
    await scene.go()
    scene.clock.pass_s(90)
    await scene.come()
    await scene.go()
    outages = scene.services.outages
    ever = {"device_id": None, "slaves": True, "search": ""}
    assert await outages.counts(SYSTEM, 0, 2**53, **ever) == (2, 1)
    assert await outages.counts(SYSTEM, began + 1, 2**53, **ever) == (1, 1)
    assert await outages.counts(Scope(77, "/77/"), 0, 2**53, **ever) == (0, 0)
    with pytest.raises(ParameterError) as refused:
        await outages.counts(SYSTEM, 5, 5, **ever)
    assert refused.value.field == "endtime"
    rows = (await outages.events(SYSTEM, 0, 2**53, limit=10)).rows
    sheet = load_workbook(io.BytesIO(on_off_workbook(rows, "en", 60))).active
    head, *lines = [[cell.value for cell in line] for line in sheet.iter_rows()]
    assert head[:3] == ["Time (UTC+01:00)", "Status", "Device"]
    assert [(line[1], line[6], line[7]) for line in lines] == [
        ("Offline", 0, "Yes"),
        ("Online", 90, None),
        ("Offline", 90, None),
    ]
    local = datetime.fromtimestamp(began / 1000 + 3600, UTC).replace(tzinfo=None, microsecond=0)
    assert lines[2][0] == local
