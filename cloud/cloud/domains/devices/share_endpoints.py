"""Owner and shares of a gateway."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from cloud.core.envelope import Envelope, Rows, ok
from cloud.core.services import service
from cloud.domains.devices.endpoints import DeviceId, Keeper, Watcher
from cloud.domains.devices.schemas import DeviceAccess
from cloud.domains.devices.share_schemas import OwnerBody, Share, ShareBody
from cloud.domains.devices.shares import ShareService

router = APIRouter(tags=["devices"])


Service = Annotated[ShareService, service(ShareService)]
UserId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/device/{device_id:int}/share", operation_id="listShares")
async def list_shares(service: Service, user: Keeper, device_id: DeviceId) -> Envelope[Rows[Share]]:
    """With whom a gateway is shared; a visitor gets his own row only."""
    return ok(Rows(rows=await service.shares(user, device_id)))


@router.post("/device/{device_id:int}/share", operation_id="putShare")
async def put_share(service: Service, user: Keeper, device_id: DeviceId, body: ShareBody) -> Envelope[Share]:
    """Share a gateway with a user, or change what he may do with it."""
    return ok(await service.put(user, device_id, body))


@router.delete("/device/{device_id:int}/share/{user_id:int}", operation_id="deleteShare")
async def delete_share(
    service: Service, user: Keeper, device_id: DeviceId, user_id: UserId
) -> Envelope[None]:
    """End a share, one's own too; makers of devices may end every visit."""
    await service.delete(user, device_id, user_id)
    return ok(None)


@router.post("/device/{device_id:int}/leave", operation_id="leaveDevice")
async def leave_device(service: Service, user: Watcher, device_id: DeviceId) -> Envelope[None]:
    """Give up one's own share, or a gateway that belongs to oneself: it goes to who stands above, or is
    nobody's again; its shares and its bind code end.
    """
    await service.leave(user, device_id)
    return ok(None)


@router.put("/device/{device_id:int}/owner", operation_id="changeOwner")
async def change_owner(
    service: Service, user: Keeper, device_id: DeviceId, body: OwnerBody
) -> Envelope[DeviceAccess]:
    """Give a gateway to another user; its shares end."""
    return ok(await service.give(user, device_id, body))
