"""What gateways say of their internal slave and loop-write tasks, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from cloud.domains.fieldbus import service as module
from cloud.domains.fieldbus.models import GatewayFieldbus
from cloud.domains.fieldbus.schemas import (
    ReportedInternalSlave,
    ReportedLoopWrite,
    ReportedMaster,
)
from cloud.domains.fieldbus.service import FieldbusService
from cloud.errors import NotFound
from edge_contract.fieldbus import FieldbusFigures, InternalSlaveFigures, LoopWriteFigures, MasterFigures

from ...conftest import GATEWAY, SYSTEM, DomainServices
from ..tenants import tree

SLAVE = InternalSlaveFigures(
    id=7,
    points=2,
    listens="0.0.0.0:1502",
    masters=[MasterFigures(peer="10.0.0.9:50000", since_ms=5, requests=12)],
    requests=40,
    exceptions=3,
    values_written=4,
    refused=1,
    bad_frames=2,
    discarded_bytes=8,
    last_error="10.0.0.9:50000: boiler.load: no good value",
    last_error_ms=6,
)
CLOCK = LoopWriteFigures(
    name="clock",
    outcome="no_answer",
    last_ms=9,
    sent=5,
    failed=1,
    missed=2,
    last_error="no answer",
    last_error_ms=9,
)
BOTH = FieldbusFigures(internal_slave=SLAVE, loop_writes=[CLOCK])


@pytest.fixture
def fieldbus(services: DomainServices) -> FieldbusService:
    return FieldbusService(services.database, services.devices, clock=services.clock)


@pytest.mark.clause("C-190", "C-191")
async def test_the_newest_word_replaces_the_one_before(
    services: DomainServices, fieldbus: FieldbusService
) -> None:
    assert (await fieldbus.of_device(SYSTEM, 1)).reported_ms == 0
    fieldbus.said(GATEWAY, FieldbusFigures(internal_slave=SLAVE))
    fieldbus.said(GATEWAY, BOTH)
    await fieldbus.write()
    report = await fieldbus.of_device(SYSTEM, 1)
    assert report.reported_ms == services.clock.now
    assert report.internal_slave == ReportedInternalSlave(
        id=7,
        points=2,
        listens="0.0.0.0:1502",
        masters=[ReportedMaster(peer="10.0.0.9:50000", since_ms=5, requests=12)],
        requests=40,
        exceptions=3,
        values_written=4,
        refused=1,
        bad_frames=2,
        discarded_bytes=8,
        last_error="10.0.0.9:50000: boiler.load: no good value",
        last_error_ms=6,
    )
    assert report.loop_writes == [
        ReportedLoopWrite(
            name="clock",
            outcome="no_answer",
            last_ms=9,
            sent=5,
            failed=1,
            missed=2,
            last_error="no answer",
            last_error_ms=9,
        )
    ]
    fieldbus.said(GATEWAY, FieldbusFigures(loop_writes=[CLOCK]))
    await fieldbus.write()
    assert (await fieldbus.of_device(SYSTEM, 1)).internal_slave is None
    fieldbus.said(GATEWAY, FieldbusFigures())
    await fieldbus.write()
    assert (await fieldbus.of_device(SYSTEM, 1)).reported_ms == 0


async def test_a_gateway_without_either_is_written_once(
    fieldbus: FieldbusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a fleet most gateways have neither, and each says so with every pulse."""
    fieldbus.said(GATEWAY, FieldbusFigures())
    assert len(fieldbus._said) == 1
    await fieldbus.write()
    fieldbus.said(GATEWAY, FieldbusFigures())
    assert fieldbus._said == {}
    fieldbus.said(GATEWAY, BOTH)
    fieldbus.said(GATEWAY, FieldbusFigures())
    await fieldbus.write()
    assert (await fieldbus.of_device(SYSTEM, 1)).reported_ms == 0
    fieldbus.forget(GATEWAY)
    fieldbus.said(GATEWAY, FieldbusFigures())
    assert len(fieldbus._said) == 1


async def test_a_gateway_that_is_not_there_is_left_out(
    services: DomainServices, fieldbus: FieldbusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GATEWAYS_AT_ONCE", 1)
    for gateway in ("aaa-nobody", GATEWAY, "zzz-nobody"):
        fieldbus.said(gateway, BOTH)
    await fieldbus.write()
    async with services.database.reading() as session:
        assert await session.scalar(select(func.count()).select_from(GatewayFieldbus)) == 1
    fieldbus.said(GATEWAY, FieldbusFigures())
    fieldbus.forget(GATEWAY)
    await fieldbus.write()
    assert (await fieldbus.of_device(SYSTEM, 1)).internal_slave is not None


async def test_who_does_not_see_the_gateway_sees_nothing(
    services: DomainServices, fieldbus: FieldbusService
) -> None:
    fieldbus.said(GATEWAY, BOTH)
    await fieldbus.write()
    stranger = (await tree(services.database))["person-x"].scope
    with pytest.raises(NotFound):
        await fieldbus.of_device(stranger, 1)
