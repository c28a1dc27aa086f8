"""The delivery ledgers of gateways."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.forwarding.schemas import Condition, GatewayTargetRow, TargetRow
from cloud.domains.forwarding.service import ForwardingService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["forwarding"])

Service = Annotated[ForwardingService, service(ForwardingService)]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/device/{device_id:int}/targets", operation_id="listDeviceTargets")
async def list_device_targets(
    service: Service, user: Watcher, device_id: DeviceId
) -> Envelope[list[TargetRow]]:
    """The targets that a gateway forwards to beside the cloud, with what each took and refused, by name."""
    return ok(await service.of_device(user.scope, device_id))


@router.get("/forwarding/targets", operation_id="listTargets")
async def list_targets(
    service: Service,
    user: Watcher,
    condition: Condition | None = None,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[GatewayTargetRow]]:
    """Targets of all gateways that you see, those that are down first.

    search: in the gateway's title or serial number, the target's name, the reason.
    """
    return ok(await service.page(user.scope, condition or "", search.strip(), page, limit))
