"""The delivery ledgers of gateways, and the targets of their newest configurations."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.forwarding.forwarders import ForwarderBody, Forwarders, ForwarderService
from cloud.domains.forwarding.schemas import GatewayTargetRow, TargetRow, Wanted
from cloud.domains.forwarding.service import ForwardingService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.schemas import Hash, Saved

router = APIRouter(tags=["forwarding"])

Editor = Annotated[CurrentUser, requires("DeviceManage")]
Rows = Annotated[ForwarderService, service(ForwarderService)]
Service = Annotated[ForwardingService, service(ForwardingService)]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
ForwarderName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

FORWARDER = "/device/{device_id:int}/forwarder"


@router.get("/device/{device_id:int}/targets", operation_id="listDeviceTargets")
async def list_device_targets(
    service: Service, user: Watcher, device_id: DeviceId
) -> Envelope[list[TargetRow]]:
    """The targets that a gateway forwards to beside the cloud, with what each took and did not, by name."""
    return ok(await service.of_device(user.scope, device_id))


@router.get("/forwarding/targets", operation_id="listTargets")
async def list_targets(
    service: Service,
    user: Watcher,
    condition: Wanted | None = None,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[GatewayTargetRow]]:
    """Targets of all gateways that you see, those in trouble first, then those that are down.

    search: in the gateway's title or serial number, the target's name, the reason.
    """
    return ok(await service.page(user.scope, condition or "", search.strip(), page, limit))


@router.get(FORWARDER, operation_id="listForwarders")
async def list_forwarders(service: Rows, user: Watcher, device_id: DeviceId) -> Envelope[Forwarders]:
    """Targets of the newest configuration, deployed or not; secrets are masked, and a mask that is saved
    keeps what it hides.
    """
    return ok(await service.forwarders(user, device_id))


@router.put(FORWARDER, operation_id="saveForwarder")
async def save_forwarder(
    service: Rows, user: Editor, device_id: DeviceId, body: ForwarderBody
) -> Envelope[Saved]:
    """Add a target to the draft, or put it in the place of the one that `was` names, unless somebody changed
    that one since base.
    """
    return ok(await service.save(user, device_id, body))


@router.delete(FORWARDER + "/{forwarder_name}", operation_id="deleteForwarder")
async def delete_forwarder(
    service: Rows,
    user: Editor,
    device_id: DeviceId,
    forwarder_name: ForwarderName,
    base: Annotated[Hash | None, Query()] = None,
) -> Envelope[Saved]:
    """Take a target out of the draft, unless somebody changed it since base, the version that the editor saw;
    whatever it is now when base is left out.
    """
    return ok(await service.delete(user, device_id, forwarder_name, base))
