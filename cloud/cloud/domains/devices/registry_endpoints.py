"""Adding, copying, editing many, removing, resetting and binding gateways, and new secrets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from cloud.core.envelope import Envelope, Rows, ok
from cloud.core.services import service
from cloud.domains.devices.binding import BindService
from cloud.domains.devices.endpoints import DeviceId, Keeper, Watcher
from cloud.domains.devices.registry_service import RegistryService
from cloud.domains.devices.schemas import (
    BatchRow,
    BindBody,
    BindCode,
    Bound,
    DeviceBatchBody,
    DeviceDetail,
    DeviceImpact,
    NewDevice,
    NewDeviceBody,
    ResetStatusBody,
)
from cloud.domains.identity.access import CHANGES, requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import ParameterError

router = APIRouter(tags=["devices"])


Service = Annotated[RegistryService, service(RegistryService)]
Binding = Annotated[BindService, service(BindService)]
Saver = Annotated[CurrentUser, requires("Device/save")]


@router.post("/device", operation_id="createDevice")
async def create_device(service: Service, user: Saver, body: NewDeviceBody) -> Envelope[NewDevice]:
    """Add a gateway, or copy one; the reply has the secret, this once."""
    return ok(await service.create(user, body))


@router.post("/device/batch", operation_id="changeDevices")
async def change_devices(service: Service, user: Saver, body: DeviceBatchBody) -> Envelope[Rows[BatchRow]]:
    """The same change of several gateways, or its taking back; each row says what became of one. Raises
    ParameterError without exactly one of update and back.
    """
    if body.update is not None and body.back is None:
        return ok(Rows(rows=await service.update(user, body.update)))
    if body.back is not None and body.update is None:
        return ok(Rows(rows=await service.put_back(user, body.back)))
    raise ParameterError("update", "this or back, one of them")


@router.post("/device/bind", operation_id="bindDevice")
async def bind_device(service: Binding, user: Watcher, body: BindBody) -> Envelope[Bound]:
    """Bind a gateway by the code in its QR code."""
    return ok(await service.bind(user, body))


@router.get("/device/{device_id:int}/bindcode", operation_id="getBindCode", dependencies=[CHANGES])
async def get_bind_code(service: Binding, user: Keeper, device_id: DeviceId) -> Envelope[BindCode]:
    """The code for the QR code of a gateway, made when there is none yet."""
    return ok(await service.code(user, device_id))


@router.get("/device/{device_id:int}/impact", operation_id="getDeviceImpact")
async def get_device_impact(service: Service, user: Keeper, device_id: DeviceId) -> Envelope[DeviceImpact]:
    """What the deletion of a gateway would take along."""
    return ok(await service.impact(user, device_id))


@router.post("/device/{device_id:int}/status", operation_id="resetDeviceStatus")
async def reset_device_status(
    service: Service, user: Keeper, device_id: DeviceId, body: ResetStatusBody
) -> Envelope[DeviceDetail]:
    """normal: forget what the gateway lost. offline: take it for away until its next message."""
    return ok(await service.reset(user, device_id, body))


@router.post("/device/{device_id:int}/secret", operation_id="renewSecret")
async def renew_secret(service: Service, user: Saver, device_id: DeviceId) -> Envelope[NewDevice]:
    """A new secret, in the reply this once; the gateway is cut off until it has it."""
    return ok(await service.renew_secret(user, device_id))


@router.delete("/device/{device_id:int}", operation_id="deleteDevice")
async def delete_device(service: Service, user: Saver, device_id: DeviceId) -> Envelope[None]:
    """Remove a gateway with everything of it."""
    await service.delete(user, device_id)
    return ok(None)
