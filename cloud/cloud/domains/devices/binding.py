"""Binding a gateway by the code in its QR code.

The code is made when it is first requested and ends with a change of owner. Who scans it owns a gateway
that is nobody's and is not shared, else visits it, read only.
"""

from __future__ import annotations

import logging
import secrets

from cloud.core.changes import touch
from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.devices.registry_repository import RegistryRepository
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.schemas import BindBody, BindCode, Bound
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.devices.shares import MAX_SHARES, access_of
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.inventory.ownership import user_limits
from cloud.domains.inventory.visibility import OWNER, VISITOR, not_owner
from cloud.errors import Conflict, NoPermission, NotFound

log = logging.getLogger(__name__)

CODE_BYTES = 18
"""As many as nobody guesses."""


class BindService:
    """Who has the code may look at the gateway, and has it when it is nobody's."""

    def __init__(self, database: Database, devices: DeviceService, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._devices = devices
        self._clock = clock

    async def code(self, user: CurrentUser, device_id: int) -> BindCode:
        """The code of a gateway, made when there is none yet. Raises NotFound for a gateway that the user
        does not see, NoPermission when he is not its owner.
        """
        await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            device = await DeviceRepository(session, user.scope).device(device_id)
            if device is None:
                raise NotFound("device")
            if (await access_of(session, user.scope, device)).role != OWNER:
                raise not_owner()
            if device.bind_code is None:
                device.bind_code = secrets.token_urlsafe(CODE_BYTES)
                await session.commit()
                log.info("bind code of gateway %d made by %s", device_id, user.name)
            role = await self._role(ShareRepository(session, user.scope), device)
        return BindCode(bind_code=device.bind_code, scan_bind=device.scan_bind, role=role)

    async def bind(self, user: CurrentUser, body: BindBody) -> Bound:
        """Bind the gateway with this code: the user becomes its owner when it is nobody's, else a visitor who
        reads only. Raises NotFound for an unknown code, Conflict when he has the gateway already or it has
        MAX_SHARES shares, NoPermission when it may not be scanned.
        """
        async with self._database.session() as session:
            limits = user_limits(session, user.scope)
            await limits.lock()
            device = await RegistryRepository(session, user.scope).with_code(body.code)
            if device is None:
                raise NotFound("bind code")
            if await DeviceRepository(session, user.scope).device(device.id) is not None:
                raise Conflict("the gateway is bound already", reason="device.bound_already")
            if not device.scan_bind:
                raise NoPermission("scan_bind", reason="device.scan_bind_off")
            shares = ShareRepository(session, user.scope)
            role = await self._role(shares, device)
            if role == OWNER:
                await limits.take("devices", user.id)
                self._own(device, user, body)
            elif await shares.count(device.id) >= MAX_SHARES:
                raise Conflict(f"at most {MAX_SHARES} shares", reason="device.too_many_shares")
            else:
                share = DeviceShare(device_id=device.id, user_id=user.id, created_ms=self._clock())
                share.role, share.writes = VISITOR, False
                shares.add(share)
            await session.commit()
        touch(device_id=device.id, gateway_id=device.gateway_id)
        log.info("gateway %d bound by %s as %s", device.id, user.name, role)
        return Bound(device_id=device.id, device_title=device.display_title, role=role)

    @staticmethod
    async def _role(shares: ShareRepository, device: Device) -> str:
        """Of whoever scans it now. The platform's own is nobody's until somebody has a share of it."""
        return OWNER if device.owner_id is None and not await shares.count(device.id) else VISITOR

    @staticmethod
    def _own(device: Device, user: CurrentUser, body: BindBody) -> None:
        device.owner_id, device.project_id, device.bind_code = user.id, None, None
        device.binder_title = body.title.strip() or device.binder_title
