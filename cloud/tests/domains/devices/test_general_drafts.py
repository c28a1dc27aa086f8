"""Collection and reporting in a gateway's form: fields of its configuration's draft, and no columns."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import Drafts, NewDraft
from cloud.domains.configuration.general import fault_of, fields_of, with_fields
from cloud.domains.configuration.rebase import rebased
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.schemas import DeviceBack, DeviceUpdate
from cloud.errors import CloudError, ParameterError

from ...conftest import SYSTEM
from .test_registry import Office, office

__all__ = ["office"]

FOUR = {"low_power": True, "collect_interval_s": 2.5, "report_interval_s": 300, "slave_timeout_ms": 700}


async def document_of(office: Office, number: int) -> dict[str, Any] | None:
    async with office.services.database.reading() as session:
        _, text = await Drafts(session, office.users["factory-x"], 1).newest(number)
    return None if text is None else read(text)


async def test_the_form_writes_the_draft_and_reads_it_back(office: Office) -> None:
    user, change = office.users["enterprise-x"], office.services.devices.change
    number = await office.add("enterprise-x", "gw-2")
    assert await document_of(office, number) is None
    shown = await change(user, number, DeviceFields.model_validate(FOUR | {"model": "M1"}))
    assert {name: getattr(shown, name) for name in FOUR} == FOUR
    assert shown.settings_pending == list(FOUR)
    assert shown.model == "M1"
    document = await document_of(office, number)
    assert document == {
        "gateway": {"id": "gw-2"},
        "collection": {"capture_cycle_ms": 2500, "response_timeout_ms": 700},
        "reporting": {"interval_s": 300, "power": "saving"},
    }
    shown = await change(
        user, number, DeviceFields(low_power=False, collect_interval_s=None, report_interval_s=None)
    )
    assert (shown.low_power, shown.collect_interval_s, shown.report_interval_s) == (False, None, None)
    assert await document_of(office, number) == {
        "gateway": {"id": "gw-2"},
        "collection": {"response_timeout_ms": 700},
    }


async def test_what_is_the_same_makes_no_draft(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2")
    await office.services.devices.change(
        office.users["enterprise-x"], number, DeviceFields(low_power=False, report_interval_s=None)
    )
    assert await document_of(office, number) is None


async def test_power_saving_without_an_interval_changes_nothing_at_all(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2", model="M1")
    for fields in ({"low_power": True}, {"low_power": True, "report_interval_s": 59}):
        with pytest.raises(ParameterError, match="report_interval_s"):
            await office.services.devices.change(
                office.users["enterprise-x"], number, DeviceFields.model_validate({**fields, "model": "M2"})
            )
    assert (await office.services.devices.detail(SYSTEM, number)).model == "M1"
    assert await document_of(office, number) is None


async def test_a_new_gateway_and_a_copy_have_them_in_their_first_draft(office: Office) -> None:
    first = await office.add("enterprise-x", "gw-2", report_interval_s=60, slave_timeout_ms=300)
    copy = await office.add("enterprise-x", "gw-3", copy_of=first, report_interval_s=120)
    assert await document_of(office, copy) == {
        "gateway": {"id": "gw-3"},
        "collection": {"response_timeout_ms": 300},
        "reporting": {"interval_s": 120},
    }


async def test_a_batch_says_of_each_what_it_had_and_is_taken_back(office: Office) -> None:
    user = office.users["factory-x"]
    mine = [await office.add("enterprise-x", f"gw-{n}") for n in (2, 3)]
    saving = DeviceFields(low_power=True, report_interval_s=600)
    await office.services.devices.change(user, mine[1], saving)
    wanted = DeviceFields(report_interval_s=30)
    rows = await office.registry.update(user, DeviceUpdate(ids=mine, fields=wanted))
    assert [(row.state, row.reason, row.before) for row in rows] == [
        ("changed", "", {"report_interval_s": None}),
        ("skipped", "device.saving_interval", {}),
    ]
    back = DeviceBack(device_id=mine[0], fields=DeviceFields.model_validate(rows[0].before), now=wanted)
    assert [row.state for row in await office.registry.put_back(user, [back])] == ["changed"]
    assert (await office.services.devices.detail(SYSTEM, mine[0])).report_interval_s is None
    (row,) = await office.registry.put_back(user, [back])
    assert row.reason == "device.changed_since"


async def test_who_may_not_change_the_gateway_changes_no_draft(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2")
    for name in ("factory-y", "person-x"):
        with pytest.raises(CloudError):
            await office.services.devices.change(
                office.users[name], number, DeviceFields(report_interval_s=60)
            )
    assert await document_of(office, number) is None


async def test_a_draft_of_before_the_first_report_keeps_them(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2", report_interval_s=60)
    draft = await document_of(office, number)
    assert draft is not None
    runs = {"gateway": {"id": "gw-2"}, "reporting": {"interval_s": 0, "power": "normal"}, "ports": []}
    assert rebased(draft, runs)["reporting"] == {"interval_s": 60, "power": "normal"}


async def test_the_rest_of_the_document_stays(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2")
    held = {"gateway": {"id": "gw-2"}, "storage": {"max_mb": 7}, "reporting": {"later": 1}, "ports": []}
    async with office.services.database.session() as session:
        drafts = Drafts(session, office.users["factory-x"], 1)
        await drafts.keep(number, NewDraft(held, written(held, "gw-2"), None))
        await session.commit()
    await office.services.devices.change(
        office.users["factory-x"], number, DeviceFields(report_interval_s=60)
    )
    assert await document_of(office, number) == held | {"reporting": {"later": 1, "interval_s": 60}}


@pytest.mark.parametrize(
    "document", [{"collection": 5}, {"collection": {"capture_cycle_ms": "x"}}, {"reporting": [1]}, {}]
)
def test_a_document_of_strange_sections_is_read_as_without(document: dict[str, Any]) -> None:
    assert set(fields_of(document).values()) <= {None, False}
    assert fields_of(with_fields(document, FOUR)) == FOUR


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"low_power": True, "report_interval_s": 60}, None),
        (
            {"low_power": True, "report_interval_s": 59},
            ("report_interval_s", "at least 60 with power saving"),
        ),
        (
            {"low_power": True, "report_interval_s": None},
            ("report_interval_s", "at least 60 with power saving"),
        ),
        ({"low_power": True}, ("report_interval_s", "at least 60 with power saving")),
        ({"low_power": False, "report_interval_s": 59}, None),
        ({}, None),
    ],
)
def test_power_saving_needs_an_interval_of_a_minute(fields: dict[str, Any], fault: object) -> None:
    assert fault_of(fields) == fault
