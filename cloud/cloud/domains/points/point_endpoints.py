"""Data points of a gateway's newest configuration."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from cloud.core.envelope import Envelope, ok
from cloud.core.large_json import LargeJsonRoute
from cloud.core.services import service
from cloud.domains.commands.endpoints import Address
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.endpoints import DeviceId, Editor, NameFilter, Watcher
from cloud.domains.points.point_service import PointService
from cloud.domains.points.schemas import PointBatchBody, PointReads, Points, ReadPointsBody, Saved

router = APIRouter(tags=["points"], route_class=LargeJsonRoute)


Service = Annotated[PointService, service(PointService)]
Commander = Annotated[CurrentUser, requires("Device/cmd")]

POINT = "/device/{device_id:int}/point"


@router.get(POINT, operation_id="listPoints")
async def list_points(
    service: Service, user: Watcher, device_id: DeviceId, slave: NameFilter = None
) -> Envelope[Points]:
    """Points of a slave device, or of all, with their faults; deployed or not."""
    return ok(await service.points(user, device_id, slave))


@router.put(POINT, operation_id="savePoints")
async def save_points(
    service: Service, user: Editor, device_id: DeviceId, body: PointBatchBody
) -> Envelope[Saved]:
    """Add, change and remove points in the draft: all or none; 409 when base is not the newest any more."""
    return ok(await service.save(user, device_id, body))


@router.post(POINT + "/read", operation_id="readPoints")
async def read_points(
    service: Service, user: Commander, address: Address, device_id: DeviceId, body: ReadPointsBody
) -> Envelope[PointReads]:
    """Ask the gateway to read points now; cmdStatus tells what came of each command."""
    return ok(await service.read_now(user, device_id, body, address))
