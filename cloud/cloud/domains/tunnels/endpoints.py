"""Virtual serial ports and the way to a gateway's page."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request

from cloud.core.changes import only_looked
from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import CHANGES, requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tunnels.schemas import GatewayTunnel, ProxyState, TunnelRow, VcomBody, VcomTunnel
from cloud.domains.tunnels.service import TunnelService

router = APIRouter(tags=["tunnels"])


def address(request: Request) -> str:
    """Where the caller is."""
    return request.client.host if request.client else ""


Service = Annotated[TunnelService, service(TunnelService)]
Manager = Annotated[CurrentUser, requires("DeviceManage")]
Address = Annotated[str, Depends(address)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
LeaseId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


@router.get("/device/vcom", operation_id="listAllVirtualPorts")
async def list_all_virtual_ports(
    user: Manager,
    service: Service,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    living: bool | None = None,
) -> Envelope[Page[GatewayTunnel]]:
    """Tunnels to the ports of all gateways, newest first. search: gateway, port or user."""
    return ok(await service.all_tunnels(user.scope, page, limit, search.strip(), living))


@router.post("/device/vcom/{device_id:int}", operation_id="openVirtualPort")
async def open_virtual_port(
    device_id: DeviceId, body: VcomBody, user: Manager, service: Service, caller: Address
) -> Envelope[VcomTunnel]:
    """Borrow a port of a gateway. It is not polled until the tunnel ends."""
    return ok(await service.open_vcom(user, device_id, body, caller))


@router.get("/device/vcom/{device_id:int}", operation_id="listVirtualPorts")
async def list_virtual_ports(
    device_id: DeviceId, user: Manager, service: Service
) -> Envelope[Rows[TunnelRow]]:
    """Tunnels to a gateway's ports, open and past, newest first."""
    return ok(Rows(rows=await service.tunnels(user.scope, device_id)))


@router.delete("/device/vcom/{device_id:int}/{lease}", operation_id="closeVirtualPort")
async def close_virtual_port(
    device_id: DeviceId, lease: LeaseId, user: Manager, service: Service
) -> Envelope[TunnelRow]:
    """End a tunnel; polling goes on."""
    return ok(await service.close_vcom(user, device_id, lease))


@router.get("/device/rproxy/{device_id:int}", operation_id="gatewayPage", dependencies=[CHANGES])
async def gateway_page(
    device_id: DeviceId,
    user: Manager,
    service: Service,
    caller: Address,
    mode: Annotated[Literal["status", "open", "close"], Query()] = "status",
) -> Envelope[ProxyState]:
    """The way to a gateway's own page: whether there is one, open one, close it."""
    if mode == "open":
        return ok(await service.open_page(user, device_id, caller))
    if mode == "close":
        return ok(await service.close_page(user, device_id))
    only_looked()
    return ok(await service.page_state(user.scope, device_id))
