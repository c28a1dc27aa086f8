"""Commands to data points."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from cloud.domains.commands.schemas import CommandBody, CommandRef, CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.kit.envelope import Envelope, Page, ok
from cloud.kit.paging import PageNumber, PageSize

router = APIRouter(tags=["commands"])


def commands(request: Request) -> CommandService:
    service: CommandService = request.app.state.services.commands
    return service


Service = Annotated[CommandService, Depends(commands)]
Commander = Annotated[CurrentUser, requires("Device/cmd")]


@router.post("/device/cmd", operation_id="sendCommand")
async def send_command(body: CommandBody, user: Commander, service: Service) -> Envelope[CommandRef]:
    """Write or read a data point; the outcome comes from cmdStatus and over the WebSocket."""
    return ok(await service.request(body, user))


@router.get("/device/cmd", operation_id="listCommands", dependencies=[requires("Monitor.DeviceMonitor")])
async def list_commands(
    service: Service,
    device_id: Annotated[int, Query(ge=1, le=2**31 - 1)],
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[CommandStatus]]:
    """Commands of a gateway, newest first."""
    return ok(await service.page(device_id, page, limit))


@router.get(
    "/device/cmdStatus", operation_id="getCommandStatus", dependencies=[requires("Monitor.DeviceMonitor")]
)
async def get_command_status(
    service: Service, id: Annotated[str, Query(pattern=r"^[A-Za-z0-9_-]{8,40}$")]
) -> Envelope[CommandStatus]:
    """Where a command stands."""
    return ok(await service.status(id))
