"""Who may connect: claims, secrets, and ending what is no longer allowed."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable

from cloud.db import Database
from cloud.domains.devices.models import Device
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.identity.scope import Scope
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.kit.clock import NowMs, now_ms
from edge_contract.access import Principal, Role
from edge_contract.errors import TopicError
from edge_contract.topics import GATEWAY_ID, check_gateway

PutGateway = Callable[[str, str], Awaitable[None]]
Disconnect = Callable[[str], Awaitable[None]]

NEW_DELAY_S = 10
"""Offline alarm delay of a new gateway: a deployment or a reload cuts the link for a moment."""


class ClaimService:
    """put_gateway, disable_gateway: tell the broker that keeps its own list."""

    def __init__(
        self,
        database: Database,
        put_gateway: PutGateway,
        disable_gateway: Disconnect,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._put_gateway = put_gateway
        self._disable_gateway = disable_gateway
        self._clock = clock
        self._credentials: dict[str, tuple[str, bool]] | None = None

    async def authenticate(self, username: str, password: str) -> Principal | None:
        """A gateway and its secret; None when they do not belong together or it is disabled."""
        if not GATEWAY_ID.fullmatch(username):
            return None
        async with self._database.reading() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(username)
        if device is None or device.disabled:
            return None
        same = hmac.compare_digest(device.secret_hash, hash_of(password))
        return Principal(Role.GATEWAY, username) if same else None

    async def claim(self, gateway: str, title: str, *, rotate: bool = False, owner: str = "") -> str:
        """Make a gateway, or give it a new secret; the secret, which is shown once and never stored.

        owner: name of the user that it is to belong to; left out it is the platform's, or stays whose it is.
        Conflict when it is claimed and rotate is not set. The broker is told before the change is committed,
        so that a broker which refuses leaves everything as it was.
        """
        try:
            check_gateway(gateway)
        except TopicError as error:
            raise ParameterError(error.field, error.rule) from None
        if not 1 <= len(title) <= 200 or not title.isprintable():
            raise ParameterError("title", "1 to 200 printable characters")
        secret = secrets.token_urlsafe(32)
        async with self._database.session() as session:
            repository = DeviceRepository(session, Scope.system())
            device = await repository.by_gateway(gateway)
            user = await ShareRepository(session, Scope.system()).user_named(owner) if owner else None
            if owner and user is None:
                raise NotFound(f"user {owner}")
            if device is not None and not rotate:
                raise Conflict(f"gateway {gateway} is claimed already", field="gateway", rule="must be new")
            if device is None:
                device = Device(
                    gateway_id=gateway, created_ms=self._clock(), offline_alarm_delay_s=NEW_DELAY_S
                )
                repository.add(device)
            device.owner_id = device.owner_id if user is None else user.id
            device.title, device.secret_hash, device.disabled = title, hash_of(secret), False
            await repository.flush()
            await self._put_gateway(gateway, secret)
            await session.commit()
        return secret

    async def disable(self, gateway: str) -> None:
        """Refuse a gateway from now on and end its connection."""
        async with self._database.session() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(gateway)
            if device is None:
                raise NotFound(f"gateway {gateway}")
            if device.online:
                device.since_ms = self._clock()
            device.disabled, device.online, device.reason = True, False, "disabled"
            await session.commit()
        await self._disable_gateway(gateway)

    async def end_stale(self, disconnect: Disconnect) -> None:
        """Periodic: end connections whose gateway got another secret or was disabled, by whatever process.

        For the embedded broker, which has no list of its own and asks only when a gateway connects.
        """
        async with self._database.reading() as session:
            found = await DeviceRepository(session, Scope.system()).credentials()
        known, self._credentials = self._credentials, found
        for gateway, credential in (known or {}).items():
            if found.get(gateway) != credential:
                await disconnect(gateway)


def hash_of(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
