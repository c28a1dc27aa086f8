"""Actions of a gateway, by the specification's GETs; each makes a command and answers its id."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cloud.core.envelope import Envelope, ok
from cloud.domains.commands.endpoints import Address, Commander, DeviceId, Keeper, Service
from cloud.domains.commands.schemas import CommandRef, SignalStrength
from cloud.domains.identity.access import CHANGES
from edge_contract.payloads import CommandAction

router = APIRouter(tags=["commands"], dependencies=[CHANGES])

REFRESH_S = 120
"""Every point of a large gateway on slow lines."""
RESTART_S = 300
"""A gateway that is to restart answers when it is back; its operating system may take minutes."""
RELOAD_S = 60
CONNECT_S = 60
MODEM_S = 8
"""csq is waited for, within the portal's 10 s."""

Once = Annotated[str | None, Query(alias="request_id", pattern=r"^[A-Za-z0-9_-]{8,64}$")]
"""As in CommandBody."""
SlaveName = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


@router.get("/device/refresh/{device_id:int}", operation_id="refreshDevice")
async def refresh(
    device_id: DeviceId,
    user: Commander,
    address: Address,
    service: Service,
    slave: SlaveName = None,
    once: Once = None,
) -> Envelope[CommandRef]:
    """Read every point now, or those of one slave."""
    action = CommandAction.REFRESH
    return ok(
        await service.act(user, device_id, action, address, slave=slave, expires_s=REFRESH_S, request_id=once)
    )


@router.get("/device/forward/{device_id:int}", operation_id="forwardDevice")
async def forward(
    device_id: DeviceId, user: Commander, address: Address, service: Service, once: Once = None
) -> Envelope[CommandRef]:
    """Send what waits on the gateway; the command's value is the number of batches."""
    return ok(await service.act(user, device_id, CommandAction.FORWARD, address, request_id=once))


@router.get("/device/reload/{device_id:int}", operation_id="reloadDevice")
async def reload(
    device_id: DeviceId, user: Keeper, address: Address, service: Service, once: Once = None
) -> Envelope[CommandRef]:
    """Build everything anew from the configuration that runs."""
    return ok(
        await service.act(user, device_id, CommandAction.RELOAD, address, expires_s=RELOAD_S, request_id=once)
    )


@router.get("/device/reboot/{device_id:int}", operation_id="rebootDevice")
async def reboot(
    device_id: DeviceId, user: Keeper, address: Address, service: Service, once: Once = None
) -> Envelope[CommandRef]:
    """Start the gateway again; the command ends when it is back."""
    return ok(
        await service.act(
            user, device_id, CommandAction.REBOOT, address, expires_s=RESTART_S, request_id=once
        )
    )


@router.get("/device/reallocation/{device_id:int}", operation_id="reallocateDevice")
async def reallocate(
    device_id: DeviceId, user: Keeper, address: Address, service: Service, once: Once = None
) -> Envelope[CommandRef]:
    """Make the gateway leave the broker and connect anew."""
    return ok(
        await service.act(
            user, device_id, CommandAction.REALLOCATE, address, expires_s=CONNECT_S, request_id=once
        )
    )


@router.get("/device/csq/{device_id:int}", operation_id="getSignalStrength")
async def csq(
    device_id: DeviceId, user: Commander, address: Address, service: Service
) -> Envelope[SignalStrength]:
    """Signal strength of the gateway's modem, waited for."""
    taken = await service.act(user, device_id, CommandAction.SIGNAL, address, expires_s=MODEM_S)
    end = await service.outcome(user.scope, taken.id, MODEM_S)
    value = end.result_value if isinstance(end.result_value, int) else None
    return ok(SignalStrength(id=end.id, status=end.status, code=end.code, value=value))
