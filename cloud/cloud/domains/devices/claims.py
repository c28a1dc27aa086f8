"""Who may connect: claims, secrets, and ending what is no longer allowed."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.authentication import hash_of
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.devices.states import DISABLED, LINK_LOST
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.ownership import user_limits
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.link import LinkError
from edge_contract.errors import TopicError
from edge_contract.topics import check_gateway

log = logging.getLogger(__name__)

PutGateway = Callable[[str, str], Awaitable[None]]
Disconnect = Callable[[str], Awaitable[None]]

NEW_DELAY_S = 10
"""Offline alarm delay of a new gateway: a deployment or a reload cuts the link for a moment."""


class ClaimService:
    """put_gateway, disable_gateway, enable_gateway: change the list of a broker that has its own."""

    def __init__(
        self,
        database: Database,
        put_gateway: PutGateway,
        disable_gateway: Disconnect,
        enable_gateway: Disconnect | None = None,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._put_gateway = put_gateway
        self._disable_gateway = disable_gateway
        self._enable_gateway = enable_gateway
        self._clock = clock

    async def claim(self, gateway: str, title: str = "", *, rotate: bool = False, owner: str = "") -> str:
        """Make a gateway, or give it a new secret. Returns the secret, which is never stored. title: left out
        it is the serial number, or stays what it is. owner: name of the user that it is to belong to; left
        out it is the platform's, or stays whose it is. Raises ParameterError for a serial number or title
        that breaks its rule, NotFound for an unknown owner, Conflict when the gateway is claimed and rotate
        is not set. The broker is called before the change is committed, so that a broker which refuses leaves
        everything as it was; what it was told of a new gateway that is not committed is taken back.
        """
        try:
            check_gateway(gateway)
        except TopicError as error:
            raise ParameterError(error.field, error.rule) from None
        if len(title) > 200 or not title.isprintable():
            raise ParameterError("title", "at most 200 printable characters")
        secret = secrets.token_urlsafe(32)
        async with self._database.reading() as session:
            device = await self._claimable(session, gateway, rotate)
            await self._owner(session, owner)
        if device is not None:
            await self._write(gateway, secret, title, rotate, owner, with_broker=True)
            return secret
        # Outside of the transaction: mosquitto takes its time, in which nobody else could write on SQLite.
        await self._put_gateway(gateway, secret)
        try:
            await self._write(gateway, secret, title, rotate, owner, with_broker=False)
        except BaseException:
            await self._take_back(gateway)
            raise
        return secret

    async def _write(
        self, gateway: str, secret: str, title: str, rotate: bool, owner: str, *, with_broker: bool
    ) -> None:
        """with_broker: it is given the secret before the change is committed."""
        async with self._database.session() as session:
            limits = user_limits(session, Scope.system())
            await limits.lock()
            repository = DeviceRepository(session, Scope.system())
            device = await self._claimable(session, gateway, rotate)
            user = await self._owner(session, owner)
            had = None if device is None else device.owner_id
            if user is not None and user.id != had:
                await limits.take("devices", user.id, was=had)
            if device is None:
                device = Device(
                    gateway_id=gateway,
                    title=gateway,
                    created_ms=self._clock(),
                    offline_alarm_delay_s=NEW_DELAY_S,
                )
                repository.add(device)
            if user is not None:
                device.owner_id = user.id
            device.title = title or device.title
            device.secret_hash, device.disabled, device.refused_ms = hash_of(secret), False, None
            await repository.flush()
            if with_broker:
                await self._put_gateway(gateway, secret)
            await session.commit()

    @staticmethod
    async def _claimable(session: AsyncSession, gateway: str, rotate: bool) -> Device | None:
        device = await DeviceRepository(session, Scope.system()).by_gateway(gateway)
        if device is not None and not rotate:
            raise Conflict(
                f"gateway {gateway} is claimed already",
                field="gateway",
                rule="must be new",
                reason="device.claimed",
            )
        return device

    @staticmethod
    async def _owner(session: AsyncSession, name: str) -> User | None:
        user = await ShareRepository(session, Scope.system()).user_named(name) if name else None
        if name and user is None:
            raise NotFound("user", name)
        return user

    async def _take_back(self, gateway: str) -> None:
        """The broker forgets a gateway that is not there. Its secret is lost: nobody connects with it."""
        async with self._database.reading() as session:
            if await DeviceRepository(session, Scope.system()).by_gateway(gateway) is not None:
                return
        try:
            await self._disable_gateway(gateway)
        except LinkError as error:
            log.warning("the broker keeps gateway %s, which is not there: %s", gateway, error)

    async def disable(self, gateway: str) -> None:
        """Refuse a gateway from now on and end its connection. Raises NotFound for an unknown serial
        number.
        """
        async with self._database.session() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(gateway)
            if device is None:
                raise NotFound("gateway", gateway)
            if device.online:
                device.since_ms = self._clock()
            device.disabled, device.online, device.reason = True, False, DISABLED
            await session.commit()
        await self._disable_gateway(gateway)

    async def enable(self, gateway: str) -> None:
        """Let a disabled gateway in again, with the secret that it has. It comes back by itself. Raises
        NotFound for an unknown serial number.
        """
        async with self._database.session() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(gateway)
            if device is None:
                raise NotFound("gateway", gateway)
            if not device.disabled:
                return
            device.disabled, device.refusal = False, None
            if device.reason == DISABLED:
                device.reason = LINK_LOST  # until it is back, which takes it up to five minutes
            await session.commit()
        if self._enable_gateway is not None:
            await self._enable_gateway(gateway)
