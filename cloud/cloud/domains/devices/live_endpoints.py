"""The WebSocket on which browsers get what changes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, WebSocket

from cloud.core.services import service
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.errors import NoPermission
from cloud.realtime.clients import ClientRegistry
from cloud.realtime.socket import Conversation

router = APIRouter()

SOCKET = "/api/v1/ws"
"""Where it is, with the domain's prefix."""

LISTENER = "Monitor.DeviceMonitor"


@router.websocket("/ws")
async def real_time(
    socket: WebSocket,
    clients: Annotated[ClientRegistry, service(ClientRegistry)],
    identity: Annotated[IdentityService, service(IdentityService)],
    devices: Annotated[DeviceService, service(DeviceService)],
) -> None:
    """One conversation, until either side closes."""

    async def may_listen(token: str) -> CurrentUser:
        """The user of a token. Raises NoPermission when he may not listen, SessionExpired for an unknown
        token.
        """
        user = await identity.current(token)
        if not user.may(LISTENER):
            raise NoPermission(LISTENER)
        return user

    await Conversation(socket, clients, may_listen, devices.watchable).run()
