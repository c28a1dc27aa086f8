"""Commands to data points: one, a batch, a preset; the presets themselves; access passwords."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.commands.schemas import (
    BatchStatus,
    CommandBody,
    CommandRef,
    CommandStatus,
    OriginFilter,
    Preset,
    PresetBody,
)
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.access_password_schemas import AccessPasswordBody, AccessPasswordState
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import ParameterError
from edge_contract.payloads import CommandState

router = APIRouter(tags=["commands"])


def caller(request: Request) -> str:
    """Address from which a request came, for the audit."""
    return request.client.host if request.client else ""


Service = Annotated[CommandService, service(CommandService)]
Devices = Annotated[DeviceService, service(DeviceService)]
Address = Annotated[str, Depends(caller)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
PresetId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Identifier = Query(pattern=r"^[A-Za-z0-9_-]{8,40}$")
Commander = Annotated[CurrentUser, requires("Device/cmd")]
Keeper = Annotated[CurrentUser, requires("DeviceManage")]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]

PRESETS = "/device/{device_id:int}/preset"
ACCESS_PASSWORD = "/device/{device_id:int}/accesspassword"  # noqa: S105 - a path


@router.post("/device/cmd", operation_id="sendCommand")
async def send_command(
    body: CommandBody, user: Commander, address: Address, service: Service
) -> Envelope[CommandRef]:
    """Write or read a data point, or carry out a batch or preset; cmdStatus has their outcome."""
    return ok(await service.request(user, body, address))


@router.get("/device/cmd", operation_id="listCommands")
async def list_commands(
    service: Service,
    user: Watcher,
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    batch_id: Annotated[str | None, Identifier] = None,
    status: CommandState | None = None,
    origin: OriginFilter | None = None,
    origin_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[CommandStatus]]:
    """The command log, newest first: who, when, from where, what, and what came of it.

    origin: people, or the linkages of triggers, rules of data exchange, or timed tasks; origin_id: one of
    these, with its kind as the origin.
    """
    page_of = service.page(
        user.scope,
        device_id,
        page,
        limit,
        batch_id=batch_id,
        status=status.value if status else "",
        origin=origin,
        origin_id=origin_id,
    )
    return ok(await page_of)


@router.get("/device/cmdStatus", operation_id="getCommandStatus")
async def get_command_status(
    service: Service,
    user: Watcher,
    id: Annotated[str | None, Identifier] = None,
    batch_id: Annotated[str | None, Identifier] = None,
) -> Envelope[CommandStatus | BatchStatus]:
    """Where a command stands, or how far a batch is. Raises ParameterError without exactly one of id and
    batch_id.
    """
    if (id is None) == (batch_id is None):
        raise ParameterError("id", "exactly one of id and batch_id")
    if id is not None:
        return Envelope(data=await service.status(user.scope, id))
    return Envelope(data=await service.batch(user.scope, batch_id or ""))


@router.get(PRESETS, operation_id="listPresets")
async def list_presets(device_id: DeviceId, user: Watcher, service: Service) -> Envelope[Rows[Preset]]:
    """Preset commands of a gateway by title; each write says why it could not be carried out now."""
    return ok(Rows(rows=await service.presets.of_device(user.scope, device_id)))


@router.post(PRESETS, operation_id="addPreset")
async def add_preset(
    device_id: DeviceId, body: PresetBody, user: Keeper, service: Service
) -> Envelope[Preset]:
    """Keep a new preset command."""
    return ok(await service.presets.add(user, device_id, body))


@router.put(PRESETS + "/{preset_id}", operation_id="changePreset")
async def change_preset(
    device_id: DeviceId, preset_id: PresetId, body: PresetBody, user: Keeper, service: Service
) -> Envelope[Preset]:
    """Replace a preset command."""
    return ok(await service.presets.change(user, device_id, preset_id, body))


@router.delete(PRESETS + "/{preset_id}", operation_id="deletePreset")
async def delete_preset(
    device_id: DeviceId, preset_id: PresetId, user: Keeper, service: Service
) -> Envelope[None]:
    """Forget a preset command."""
    await service.presets.delete(user, device_id, preset_id)
    return ok(None)


@router.get(ACCESS_PASSWORD, operation_id="getAccessPassword")
async def get_access_password(
    device_id: DeviceId, user: Watcher, service: Devices
) -> Envelope[AccessPasswordState]:
    """Whether writes to the gateway need a password."""
    return ok(await service.access_passwords.state(user, device_id))


@router.put(ACCESS_PASSWORD, operation_id="putAccessPassword")
async def put_access_password(
    device_id: DeviceId, body: AccessPasswordBody, user: Keeper, address: Address, service: Devices
) -> Envelope[None]:
    """Ask for this password with every write to the gateway, or with null for none; the owner's to decide."""
    await service.access_passwords.put(user, device_id, body.password, address)
    return ok(None)
