"""Internal slave and loop-write tasks of a gateway's newest configuration, and what came of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.fieldbus.schemas import (
    FieldbusReport,
    InternalSlaveBody,
    InternalSlaveDraft,
    LoopWritesBody,
    LoopWritesDraft,
)
from cloud.domains.fieldbus.sections import SectionService
from cloud.domains.fieldbus.service import FieldbusService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.schemas import Saved

router = APIRouter(tags=["fieldbus"])

Editor = Annotated[CurrentUser, requires("DeviceManage")]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Sections = Annotated[SectionService, service(SectionService)]
Service = Annotated[FieldbusService, service(FieldbusService)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]

INTERNAL_SLAVE = "/device/{device_id:int}/internal-slave"
LOOP_WRITE = "/device/{device_id:int}/loop-write"


@router.get("/device/{device_id:int}/fieldbus", operation_id="getFieldbusReport")
async def get_fieldbus_report(
    service: Service, user: Watcher, device_id: DeviceId
) -> Envelope[FieldbusReport]:
    """What the gateway said last of its internal slave (answers, exceptions, writes, masters) and of its
    loop-write tasks (messages sent, failed and missed).
    """
    return ok(await service.of_device(user.scope, device_id))


@router.get(INTERNAL_SLAVE, operation_id="getInternalSlave")
async def get_internal_slave(
    service: Sections, user: Watcher, device_id: DeviceId
) -> Envelope[InternalSlaveDraft]:
    """The internal slave and its mapped points in the newest configuration, deployed or not."""
    return ok(await service.internal_slave(user, device_id))


@router.put(INTERNAL_SLAVE, operation_id="putInternalSlave")
async def put_internal_slave(
    service: Sections, user: Editor, device_id: DeviceId, body: InternalSlaveBody
) -> Envelope[Saved]:
    """Replace them in the draft. What others changed since base stays, unless it is the same (409)."""
    return ok(await service.put_internal_slave(user, device_id, body))


@router.get(LOOP_WRITE, operation_id="getLoopWrites")
async def get_loop_writes(service: Sections, user: Watcher, device_id: DeviceId) -> Envelope[LoopWritesDraft]:
    """The loop-write tasks in the newest configuration, deployed or not."""
    return ok(await service.loop_writes(user, device_id))


@router.put(LOOP_WRITE, operation_id="putLoopWrites")
async def put_loop_writes(
    service: Sections, user: Editor, device_id: DeviceId, body: LoopWritesBody
) -> Envelope[Saved]:
    """Replace them in the draft. What others changed since base stays, unless it is the same (409)."""
    return ok(await service.put_loop_writes(user, device_id, body))
