"""Public keys by which firmware is taken: the installation's, and those of each user for those below him."""

from __future__ import annotations

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Rows
from cloud.db import Database
from cloud.domains.firmware.file_schemas import FirmwareKeyBody, FirmwareKeyRow
from cloud.domains.firmware.firmware_repository import FirmwareRepository
from cloud.domains.firmware.models import FirmwareKey
from cloud.domains.firmware.receiving import is_public_key
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound, ParameterError

MAX_KEYS = 20
"""Of one owner: some at a time, so that keys can change."""


class KeyService:
    """A key is changed by deleting it and adding another one."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def rows(self, user: CurrentUser) -> Rows[FirmwareKeyRow]:
        """Those that count for the user, and those of users below him."""
        async with self._database.reading() as session:
            repository = FirmwareRepository(session, user.scope)
            signed = await repository.signed_by()
            rows = []
            for key in await repository.keys():
                is_own = await repository.own_key(key.id) is not None
                rows.append(_row(key, *signed.get(key.public_key, (0, 0)), is_own=is_own))
        return Rows(rows=rows)

    async def add(self, user: CurrentUser, body: FirmwareKeyBody) -> FirmwareKeyRow:
        """Trust a key from now on: staff of the platform for the installation, others for themselves and
        those below them. Raises ParameterError and Conflict.
        """
        if not is_public_key(body.public_key):
            raise ParameterError("public_key", "base64 of the 32 bytes of an Ed25519 public key")
        owner_id = owner_of(user)
        async with self._database.session() as session:
            repository = FirmwareRepository(session, user.scope)
            if await repository.has_key(owner_id, body.key_id):
                rule = "a name that no other key has"
                raise Conflict(f"key_id: {rule}", field="key_id", rule=rule, reason="firmware.key_taken")
            if await repository.count_keys(owner_id) >= MAX_KEYS:
                raise Conflict(
                    f"at most {MAX_KEYS} keys", reason="firmware.too_many_keys", arguments={"most": MAX_KEYS}
                )
            key = FirmwareKey(
                owner_id=owner_id,
                key_id=body.key_id,
                public_key=body.public_key,
                user_name=user.name,
                created_ms=self._clock(),
            )
            await repository.add(key)
            await session.commit()
        record_change({}, {"name": key.key_id, "public_key": key.public_key})
        return _row(key, 0, 0, is_own=True)

    async def delete(self, user: CurrentUser, number: int) -> None:
        """Trust a key no more: files that it signed are ordered by no plan. Raises NotFound."""
        async with self._database.session() as session:
            repository = FirmwareRepository(session, user.scope)
            key = await repository.own_key(number)
            if key is None:
                raise NotFound("firmware key")
            await repository.delete(key)
            await session.commit()
        record_change({"name": key.key_id, "public_key": key.public_key}, {})


def owner_of(user: CurrentUser) -> int | None:
    """To whom belongs what a user makes; None: the platform."""
    return None if user.scope.everything else user.id


def _row(key: FirmwareKey, files: int, running: int, *, is_own: bool) -> FirmwareKeyRow:
    return FirmwareKeyRow(
        id=key.id,
        key_id=key.key_id,
        public_key=key.public_key,
        is_own=is_own,
        is_platform=key.owner_id is None,
        user_name=key.user_name,
        created_ms=key.created_ms,
        files=files,
        running=running,
    )
