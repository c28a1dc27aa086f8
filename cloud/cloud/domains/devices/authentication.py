"""Whether a gateway's name and secret belong together."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.repository import DeviceRepository
from edge_contract.access import Principal, Role
from edge_contract.topics import GATEWAY_ID

Changed = Callable[[int], Awaitable[None]]
"""Called with the number of a device whose row has changed."""

Entered = Callable[[str, str], None]
"""Called with a gateway and the hash of the secret that it has just proved."""

REFUSED_EVERY_MS = 60_000
"""A wrong secret is recorded once a minute for each gateway, however often it is tried."""

MAX_REFUSED = 10_000
"""Gateways whose last wrong secret is remembered; beyond that the oldest is dropped."""


class Authenticator:
    """changed: called with the gateway's number after a wrong secret. entered: called after a right one."""

    def __init__(
        self,
        database: Database,
        *,
        changed: Changed | None = None,
        entered: Entered | None = None,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._changed = changed
        self._entered = entered
        self._clock = clock
        self._refused: dict[int, int] = {}

    async def authenticate(self, username: str, password: str) -> Principal | None:
        """A gateway and its secret; None when they do not belong together or it is disabled.

        A wrong secret is recorded, so that its owner sees why the gateway stays away.
        """
        if not GATEWAY_ID.fullmatch(username):
            return None
        async with self._database.reading() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(username)
        if device is None or device.disabled:
            return None
        if hmac.compare_digest(device.secret_hash, hash_of(password)):
            if self._entered is not None:
                self._entered(username, device.secret_hash)
            return Principal(Role.GATEWAY, username)
        await self._note_refused(device.id)
        return None

    async def _note_refused(self, device_id: int) -> None:
        """When a wrong secret was tried last, at most once a minute."""
        now = self._clock()
        before = self._refused.get(device_id)
        if before is not None and now - before < REFUSED_EVERY_MS:
            return
        self._refused.pop(device_id, None)
        if len(self._refused) >= MAX_REFUSED:
            del self._refused[next(iter(self._refused))]
        self._refused[device_id] = now
        async with self._database.session() as session:
            await DeviceRepository(session, Scope.system()).note_refused(device_id, now)
            await session.commit()
        if self._changed is not None:
            await self._changed(device_id)


def hash_of(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
