"""Alarm settings of points in a file: told where they cannot be, and acting once they are imported."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import select

from cloud.domains.importing.difference import difference
from cloud.domains.jobs.run import JobFailed
from cloud.domains.triggers.models import Trigger, TriggerRule

from ...conftest import catalog
from .conftest import ImportServices, book, whole
from .test_difference import NOW, point, said, told


def test_an_alarm_that_cannot_be_is_told_at_a_cell_that_changes() -> None:
    """The upper limit is 5 now."""
    lower = difference(said(points=[point(alarm_enable=True, alarm_lower=9)]), NOW)
    assert told(lower) == [
        ("wrong", "points", ("plc", "t"), ["alarm_enable:True", "alarm_lower:limit_order"])
    ]
    has_lower = replace(NOW, settings={("plc", "t"): {"alarm_lower": 5.0}})
    upper = difference(said(points=[point(alarm_upper=4)]), has_lower)
    assert told(upper) == [("wrong", "points", ("plc", "t"), ["alarm_upper:limit_order"])]
    assert upper.settings == {}


async def test_an_alarm_that_is_imported_acts_with_the_importers_rights(
    importing: ImportServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    await importing.services.catalogs.apply("gw-new", catalog("t", slave="plc"))
    heads = ["SN", "slave", "ds_name", "alarm_enable", "alarm_upper"]
    file = book(points=(heads, [["gw-new", "plc", "t", True, 90]]))
    state = await importing.preview("factory-x", file)
    with monkeypatch.context() as patched:
        patched.setattr("cloud.domains.triggers.point_alarms.MAX_RULES", 0)
        patched.setattr(
            importing.applier, "_follow_alarms", partial(importing.services.alarms.follow, refuses=True)
        )
        with pytest.raises(JobFailed) as failed:
            await importing.apply("factory-x", state)
        assert failed.value.code == "import.too_many_rules"
    await importing.apply("factory-x", await importing.preview("factory-x", file))
    async with importing.services.database.reading() as session:
        (trigger,) = await session.scalars(select(Trigger))
        (rule,) = await session.scalars(select(TriggerRule))
    assert (trigger.user_id, rule.body["conditions"][0]["trigger_threshold"]) == (
        importing.users["factory-x"].id, 90,
    )  # fmt: skip
