"""The access password of a gateway: asked for with every write to it, and locked after five wrong ones."""

from __future__ import annotations

import logging

from cloud.db import Database
from cloud.domains.commands.models import AccessPassword
from cloud.domains.commands.repository import AccessPasswordRepository
from cloud.domains.commands.schemas import AccessPasswordState
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.lockout import Lockout
from cloud.domains.identity.passwords import Passwords
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import Scope
from cloud.kit.clock import NowMs

log = logging.getLogger(__name__)

WRONG = "access_password"
LOCKED = "locked"


class AccessPasswordService:
    """Failures are counted by gateway and user: nobody can lock out another."""

    def __init__(self, database: Database, devices: DeviceService, clock: NowMs) -> None:
        self._database = database
        self._devices = devices
        self._clock = clock
        self._passwords = Passwords()
        self._lockout = Lockout()

    async def state(self, scope: Scope, device_id: int) -> AccessPasswordState:
        await self._devices.row(scope, device_id)
        async with self._database.reading() as session:
            row = await AccessPasswordRepository(session).of_device(device_id)
        if row is None:
            return AccessPasswordState(is_set=False)
        return AccessPasswordState(is_set=True, changed_ms=row.changed_ms, user=row.user_name)

    async def put(self, user: CurrentUser, device_id: int, password: str | None, address: str) -> None:
        """Set a new password, or with None ask for none from now on."""
        await self._devices.changeable(user, device_id)
        hashed = None if password is None else await self._passwords.hash(password)
        async with self._database.session() as session:
            repository = AccessPasswordRepository(session)
            row = await repository.of_device(device_id)
            if hashed is None:
                if row is not None:
                    await repository.delete(row)
            elif row is None:
                repository.add(
                    AccessPassword(
                        device_id=device_id,
                        password_hash=hashed,
                        changed_ms=self._clock(),
                        user_name=user.name,
                    )
                )
            else:
                row.password_hash, row.changed_ms, row.user_name = hashed, self._clock(), user.name
            await session.commit()
        words = "taken away" if hashed is None else "set"
        log.info("access password of gateway %d %s by %s from %s", device_id, words, user.name, address)

    async def problem(self, user: CurrentUser, device_id: int, password: str | None) -> str:
        """Why the user may not write now: WRONG or LOCKED; empty when he may."""
        async with self._database.reading() as session:
            row = await AccessPasswordRepository(session).of_device(device_id)
        if row is None:
            return ""
        key = f"gateway {device_id} user {user.id}"
        if self._locked(key):
            return LOCKED
        right = password is not None and await self._passwords.matches(row.password_hash, password)
        if self._locked(key):  # others that ran beside this one have failed meanwhile
            return LOCKED
        if right:
            self._lockout.succeeded(key)
            return ""
        if password is not None:  # asking without one is a mistake, not a guess
            self._lockout.failed([key], self._clock() / 1000)
        log.warning("access password of gateway %d is wrong, given by %s", device_id, user.name)
        return WRONG

    def _locked(self, key: str) -> bool:
        return self._lockout.locked([key], self._clock() / 1000)
