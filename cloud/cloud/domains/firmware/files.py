"""Files of firmware: taken in verified, listed, handed to gateways that have an order, deleted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sqlalchemy.exc import IntegrityError

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.firmware.blob_store import BlobStore
from cloud.domains.firmware.file_schemas import FirmwareFileRow
from cloud.domains.firmware.firmware_repository import FirmwareRepository
from cloud.domains.firmware.keys import owner_of
from cloud.domains.firmware.models import FirmwareFile
from cloud.domains.firmware.permission import FIRMWARE
from cloud.domains.firmware.receiving import ReceivedFile, Receiver, Trusted
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.firmware.upgrade_repository import UpgradeRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Busy, Conflict, NoPermission, NotFound, ParameterError, Unavailable
from edge_contract.firmware import FirmwareError, Manifest, UpgradeType, canonical_manifest

log = logging.getLogger(__name__)

MAX_FILES = 200
"""Of one owner."""
MAX_BYTES_IN_ALL = 16 * 1024 * 1024 * 1024
RESERVE_BYTES = 512 * 1024 * 1024
"""Space that an upload leaves to the databases on the same medium."""
MAX_DRAINED_BYTES = 64 * 1024 * 1024
"""Of a file that is refused."""
MAX_AT_ONCE = 2
"""Uploads at a time."""
CLEAN_S = 3600.0
PART_S = 86_400.0
"""Nobody is uploading any more what was written to so long ago."""


@dataclass(frozen=True)
class Download:
    """What a gateway loads."""

    path: Path
    sha256: str


class FirmwareFileService:
    """The bytes lie below folder, which is the full process'."""

    def __init__(self, database: Database, folder: Path, tickets: Tickets, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._store = BlobStore(folder)
        self._tickets = tickets
        self._clock = clock
        self._uploads = 0
        self._changing = asyncio.Lock()

    async def upload(
        self, user: CurrentUser, file_name: str, length: int, stream: AsyncIterator[bytes]
    ) -> FirmwareFileRow:
        """Take a file in. length: bytes that will come.

        Raises Conflict without a key or beyond a limit, ParameterError that names the field and the rule that
        the file breaks, Busy while others are uploaded, Unavailable when the medium does not take it.
        """
        trusted = await self._check_before(user, length)
        if self._uploads >= MAX_AT_ONCE:
            raise Busy("other files are being uploaded")
        self._uploads += 1
        try:
            received, part = await self._received(length, trusted, stream)
            async with self._changing:
                row, is_new = await self._keep(user, file_name, received, part)
        except OSError as error:
            log.error("a file of firmware cannot be kept: %s", error)
            raise Unavailable("files cannot be kept now", reason="file.not_kept") from None
        finally:
            self._uploads -= 1
        manifest = received.header.manifest
        if is_new:
            log.info("firmware %s version %d uploaded by %s", manifest.name, manifest.version, user.name)
        record_change({}, {"file_name": file_name, "version": manifest.version, "sha256": received.sha256})
        return (await self._rows(user, [row]))[0]

    async def page(
        self, user: CurrentUser, page: int, limit: int, search: str, upgrade_type: int | None = None
    ) -> Page[FirmwareFileRow]:
        """Files that the user sees, newest first. Without ota.Firmware only application packages; raises
        NoPermission when others are asked for.
        """
        if not user.may(FIRMWARE):
            if upgrade_type not in (None, UpgradeType.PACKAGE):
                raise NoPermission(FIRMWARE)
            upgrade_type = UpgradeType.PACKAGE
        async with self._database.reading() as session:
            files, total = await FirmwareRepository(session, user.scope).files(
                page, limit, search, upgrade_type
            )
        return Page(rows=await self._rows(user, files), total=total)

    async def _rows(self, user: CurrentUser, files: Sequence[FirmwareFile]) -> list[FirmwareFileRow]:
        async with self._database.reading() as session:
            repository = FirmwareRepository(session, user.scope)
            trusted = await repository.trusted()
            plans = await repository.plans_of([file.id for file in files])
            gateways = await repository.gateways_of([(file.name, file.version) for file in files])
        return [
            file_row(file, trusted, plans.get(file.id, 0), gateways.get((file.name, file.version), 0))
            for file in files
        ]

    async def delete(self, user: CurrentUser, number: int) -> None:
        """Raises NotFound; Conflict for a file of a plan, or that gateways wait for on their way back."""
        async with self._changing:
            async with self._database.session() as session:
                repository = FirmwareRepository(session, user.scope)
                file = await repository.file(number)
                if file is None:
                    raise NotFound("firmware")
                if await repository.plans_of([number]) or await repository.is_ordered(number):
                    raise _used()
                try:
                    await repository.delete(file)
                except IntegrityError:
                    raise _used() from None
                is_used = file.sha256 in await repository.digests()
                await session.commit()
            if not is_used:
                await asyncio.to_thread(self._store.remove, file.sha256)
        record_change({"file_name": file.file_name, "version": file.version}, {})

    async def download(self, upgrade_id: str, ticket: str) -> Download:
        """The file of an order that is not over, for who has its address. Raises NotFound; Unavailable when
        the bytes are missing.
        """
        if not await asyncio.to_thread(self._tickets.fits, upgrade_id, ticket):
            raise NotFound("firmware")
        async with self._database.reading() as session:
            found = await UpgradeRepository(session, Scope.system()).open_order(upgrade_id)
        if found is None:
            raise NotFound("firmware")
        path = self._store.path(found[1])
        if not await asyncio.to_thread(path.is_file):
            log.error("the bytes of firmware %s are missing", found[1])
            raise Unavailable("the file is missing", reason="file.not_kept")
        return Download(path, found[1])

    async def clean(self) -> None:
        """Periodic: delete what uploads left that broke off, and files that no row names."""
        async with self._changing:
            async with self._database.reading() as session:
                used = await FirmwareRepository(session, Scope.system()).digests()
            parts_before_s = self._clock() / 1000 - PART_S
            removed = await asyncio.to_thread(self._store.clean, used, parts_before_s)
        if removed:
            log.info("%d files of firmware that nothing names were deleted", removed)

    async def _check_before(self, user: CurrentUser, length: int) -> Trusted:
        async with self._database.reading() as session:
            repository = FirmwareRepository(session, user.scope)
            trusted = await repository.trusted()
            number = await repository.used_by(owner_of(user))
            in_all = await repository.bytes_of_all()
        if not trusted:
            rule = "add the public key that signs your firmware first (POST /firmware/key)"
            raise Conflict(f"no key is trusted: {rule}", field="key", rule=rule, reason="firmware.no_key")
        if number >= MAX_FILES:
            raise Conflict(
                f"at most {MAX_FILES} files", reason="firmware.too_many_files", arguments={"most": MAX_FILES}
            )
        if in_all + length > MAX_BYTES_IN_ALL:
            rule = f"at most {MAX_BYTES_IN_ALL} bytes of all users"
            raise Conflict(f"file: {rule}", field="file", rule=rule, reason="file.quota_of_all")
        return trusted

    async def _received(
        self, length: int, trusted: Trusted, stream: AsyncIterator[bytes]
    ) -> tuple[ReceivedFile, Path]:
        """Raises ParameterError, Unavailable and OSError."""
        if await asyncio.to_thread(self._store.free_bytes) < length + RESERVE_BYTES:
            raise Unavailable("the medium has not space enough", reason="file.not_kept")
        part = await asyncio.to_thread(self._store.new_part)
        try:
            return await Receiver(part, length, trusted).take(stream), part
        except FirmwareError as error:
            await _drain(stream)
            arguments: dict[str, int | str] = {"field": error.field, "rule": error.rule}
            raise ParameterError(
                "file", f"{error.field}: {error.rule}", reason=f"firmware.{error.code}", arguments=arguments
            ) from None

    async def _keep(
        self, user: CurrentUser, file_name: str, received: ReceivedFile, part: Path
    ) -> tuple[FirmwareFile, bool]:
        """The row of these bytes, and whether it is new. Raises OSError."""
        await asyncio.to_thread(self._store.complete, part, received.sha256)
        manifest, owner_id = received.header.manifest, owner_of(user)
        async with self._database.session() as session:
            repository = FirmwareRepository(session, user.scope)
            known = await repository.file_of(owner_id, received.sha256)
            if known is not None:
                known.public_key = received.public_key
                await session.commit()
                return known, False
            row = FirmwareFile(
                owner_id=owner_id,
                sha256=received.sha256,
                size=received.size,
                file_name=file_name,
                name=manifest.name,
                version=manifest.version,
                version_text=manifest.version_text,
                upgrade_type=int(manifest.upgrade_type),
                manifest=canonical_manifest(manifest).decode(),
                public_key=received.public_key,
                user_name=user.name,
                created_ms=self._clock(),
            )
            await repository.add(row)
            await session.commit()
        return row, True


def manifest_of(file: FirmwareFile) -> Manifest:
    """As it was signed."""
    return msgspec.json.decode(file.manifest, type=Manifest)


def is_trusted(file: FirmwareFile, trusted: Trusted) -> bool:
    """Whether the key that signed a file still counts."""
    return (manifest_of(file).key_id, file.public_key) in trusted


def file_row(file: FirmwareFile, trusted: Trusted, plans: int, gateways: int) -> FirmwareFileRow:
    """As lists have it."""
    manifest = manifest_of(file)
    return FirmwareFileRow(
        id=file.id,
        file_name=file.file_name,
        size=file.size,
        sha256=file.sha256,
        name=file.name,
        models=manifest.models,
        version=file.version,
        version_text=file.version_text,
        security_version=manifest.security_version,
        upgrade_type=file.upgrade_type,
        min_agent=manifest.min_agent,
        key_id=manifest.key_id,
        trusted=is_trusted(file, trusted),
        plans=plans,
        gateways=gateways,
        user_name=file.user_name,
        created_ms=file.created_ms,
    )


async def _drain(stream: AsyncIterator[bytes]) -> None:
    """A browser reads no reply before it has sent its body; of a large one the connection just ends."""
    left = MAX_DRAINED_BYTES
    async for chunk in stream:
        left -= len(chunk)
        if left < 0:
            return


def _used() -> Conflict:
    return Conflict("a plan has this file", reason="firmware.used")
