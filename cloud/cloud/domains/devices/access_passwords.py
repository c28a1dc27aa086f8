"""The access password of a gateway: required with every write to it, and locked after five wrong ones.

It comes in the header X-Access-Password: 12=secret&13=other (gateway's number and password, percent-encoded
UTF-8); POST /device/cmd also takes `password`. Refused is with 403 and access_password.needed, .wrong or
.locked, naming the gateway. Stored as Argon2id; set, cleared and looked up by the owner and those above
him.

Asked for by writes, batches, presets; reload, reboot, reallocate, upgrade; a deployment, and the return of
one on trial (one that waits goes out later without); a campaign once at its begin; a port lock or the
gateway's own page before it is opened; a rule of exchange or a timed task when it is saved, a task also when
somebody wants it now. Not by what only looks (reading, refresh, forward, csq, check), changes a draft (its
deployment asks), keeps a preset, shares or hands on, belongs to the cloud only (settings, retention, alarms,
deletion) or ends something.

Wrong ones are counted by each process in memory, five at each.
"""

from __future__ import annotations

import logging
from collections.abc import Collection

from cloud.core.clock import NowMs
from cloud.db import Database
from cloud.domains.devices.access_password_repository import AccessPasswordRepository
from cloud.domains.devices.access_password_schemas import AccessPasswordState
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.identity.lockout import Lockout
from cloud.domains.identity.passwords import Passwords
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import AccessPassword
from cloud.domains.inventory.visibility import not_owner, read_only
from cloud.errors import NoPermission, NotFound

log = logging.getLogger(__name__)

WRONG = "access_password"
LOCKED = "locked"

AT_ONCE = 500
"""Gateways in one question to the database."""


class AccessPasswordService:
    """What a user gives comes with his request (CurrentUser.given). A password that was given once for later,
    by a rule or a job, counts as long as it is not changed. Failures are counted by gateway and user: nobody
    can lock out another.
    """

    def __init__(self, database: Database, clock: NowMs) -> None:
        self._database = database
        self._clock = clock
        self._passwords = Passwords()
        self._lockout = Lockout()

    async def state(self, user: CurrentUser, device_id: int) -> AccessPasswordState:
        """Whether there is one, for who sees the gateway; who set it and when, for whom it belongs to."""
        async with self._database.reading() as session:
            await self._existing(DeviceRepository(session, user.scope), device_id)
            owns = await ShareRepository(session, user.scope).is_owned(device_id)
            row = await AccessPasswordRepository(session).of_device(device_id)
        if row is None or not owns:
            return AccessPasswordState(is_set=row is not None, changeable=owns)
        return AccessPasswordState(
            is_set=True, changeable=True, changed_ms=row.changed_ms, user=row.user_name
        )

    async def put(self, user: CurrentUser, device_id: int, password: str | None, address: str) -> None:
        """Set a new password, or with None ask for none from now on. NoPermission for everybody but whom the
        gateway belongs to and those above him.
        """
        async with self._database.reading() as session:
            devices = DeviceRepository(session, user.scope)
            await self._existing(devices, device_id)
            if not await ShareRepository(session, user.scope).is_owned(device_id):
                raise not_owner() if await devices.writable_among([device_id]) else read_only()
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
                row.changed_ms = max(self._clock(), row.changed_ms + 1)  # what was granted before ends
                row.password_hash, row.user_name = hashed, user.name
            await session.commit()
        words = "taken away" if hashed is None else "set"
        log.info("access password of gateway %d %s by %s from %s", device_id, words, user.name, address)

    async def problem(self, user: CurrentUser, device_id: int, password: str | None = None) -> str:
        """Why the user may not write now: WRONG or LOCKED; empty when he may. password: given otherwise."""
        async with self._database.reading() as session:
            row = await AccessPasswordRepository(session).of_device(device_id)
        return "" if row is None else await self._problem(user, row, password)

    async def refuse(self, user: CurrentUser, device_ids: Collection[int]) -> dict[int, int]:
        """NoPermission, that names the gateway, when the user may not write to one of these now; else which
        password of each protected one he gave, to be granted for later (CurrentUser.granted).
        """
        granted = {}
        numbers = sorted(set(device_ids))
        for at in range(0, len(numbers), AT_ONCE):
            async with self._database.reading() as session:
                rows = await AccessPasswordRepository(session).of_devices(numbers[at : at + AT_ONCE])
            for row, title in rows:
                problem = await self._problem(user, row)
                about: dict[str, int | str] = {"device_id": row.device_id, "device": title}
                if problem == LOCKED:
                    raise NoPermission(WRONG, reason="access_password.locked", arguments=about)
                if problem and row.device_id in user.given:
                    raise NoPermission(WRONG, reason="access_password.wrong", arguments=about)
                if problem:
                    raise NoPermission(WRONG, reason="access_password.needed", arguments=about)
                granted[row.device_id] = row.changed_ms
        return granted

    async def protected(self, device_ids: Collection[int]) -> set[int]:
        """Those of these gateways that ask for a password."""
        async with self._database.reading() as session:
            rows = await AccessPasswordRepository(session).of_devices(device_ids)
        return {row.device_id for row, _ in rows}

    async def _problem(self, user: CurrentUser, row: AccessPassword, given: str | None = None) -> str:
        if user.granted.get(row.device_id) == row.changed_ms:
            return ""
        key = f"gateway {row.device_id} user {user.id}"
        if self._locked(key):
            return LOCKED
        password = user.given.get(row.device_id, given)
        right = password is not None and await self._passwords.matches(row.password_hash, password)
        if self._locked(key):  # others that ran beside this one have failed meanwhile
            return LOCKED
        if right:
            self._lockout.succeeded(key)
            return ""
        if password is not None:  # asking without one is a mistake, not a guess
            self._lockout.failed([key], self._clock() / 1000)
            log.warning("access password of gateway %d is wrong, given by %s", row.device_id, user.name)
        return WRONG

    async def _existing(self, repository: DeviceRepository, device_id: int) -> None:
        if await repository.device(device_id) is None:
            raise NotFound("device")

    def _locked(self, key: str) -> bool:
        return self._lockout.locked([key], self._clock() / 1000)
