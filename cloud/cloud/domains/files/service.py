"""Uploads: checked by kind, stored by content, served to who may see them, deleted when not needed."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from pathlib import Path

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.files.kinds import MEDIA_TYPES, MIB, RULES, FileKind, KindRule, Wrong
from cloud.domains.files.pictures import Picture, examine
from cloud.domains.files.repository import FileRepository
from cloud.domains.files.schemas import PREFIX, Content, FileInfo
from cloud.domains.files.store import SHA256, FileStore
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError, Unavailable

log = logging.getLogger(__name__)

MAX_BYTES_OF_USER = 20 * MIB
MAX_FILES_OF_USER = 500
MAX_BYTES_IN_ALL = 1024 * MIB

CLEAN_S = 3600.0
UNUSED_MS = 24 * 3600 * 1000
"""An upload that nothing refers to is stored so long: the form that it was made for may still be open."""

CHUNK = 500
"""Contents in one transaction of cleaning."""


class FileService:
    """The bytes lie below folder. Several processes may share folder and database."""

    def __init__(self, database: Database, folder: Path, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._store = FileStore(folder)
        self._clock = clock
        self._changing = asyncio.Lock()  # an upload comes between no cleaning of its own content

    async def upload(self, user: CurrentUser, kind: FileKind, data: bytes) -> FileInfo:
        """Store a file. Raises ParameterError that names kind and rule, Conflict for a full quota,
        NoPermission without the kind's permission, Unavailable when the disk does not take it.
        """
        rule = RULES[kind]
        if rule.permission is not None and not user.may(rule.permission):
            raise NoPermission(rule.permission)
        picture = await asyncio.to_thread(_checked, kind, rule, data)
        sha256 = hashlib.sha256(data).hexdigest()
        async with self._changing:
            await self._check_quota(user.id, sha256, len(data))
            try:
                await self._store.put(sha256, data)
            except OSError as error:
                log.error("an uploaded file cannot be stored: %s", error)
                raise Unavailable("files cannot be kept now", reason="file.not_kept") from None
            async with self._database.session() as session:
                await FileRepository(session).put(
                    sha256=sha256,
                    kind=kind.value,
                    user_id=user.id,
                    size=len(data),
                    created_ms=self._clock(),
                    **picture._asdict(),
                )
                await session.commit()
        log.info("%s uploaded by %s: %s, %d bytes", kind.value, user.name, picture.form, len(data))
        return FileInfo(id=sha256, url=PREFIX + sha256, kind=kind, size=len(data), **picture._asdict())

    async def content(self, sha256: str, user: CurrentUser | None) -> Content:
        """A file for whoever may see it; NotFound otherwise.

        Files of a public kind are everybody's. Others are seen by who uploaded the file, and by whoever
        is above or below that user.
        """
        if not SHA256.fullmatch(sha256):
            raise NotFound("file")
        async with self._database.reading() as session:
            uploads = await FileRepository(session).uploads(sha256)
        public = any(RULES[FileKind(upload.kind)].public for upload, _ in uploads)
        if not public and (user is None or not any(_in_line(user, path) for _, path in uploads)):
            raise NotFound("file")
        data = await self._store.get(sha256)
        if data is None:
            log.error("the bytes of file %s are missing", sha256)
            raise NotFound("file")
        return Content(data, MEDIA_TYPES[uploads[0][0].form], public)

    async def keep(self, url: str, kind: FileKind, field: str) -> None:
        """Something is about to refer to this file; ParameterError when it is no file of this kind."""
        sha256 = url.removeprefix(PREFIX)
        async with self._database.session() as session:
            if not await FileRepository(session).touch(sha256, kind.value, self._clock()):
                raise ParameterError(field, f"the address of an uploaded {kind.value}", reason="file.unknown")
            await session.commit()

    async def clean(self, used: set[str]) -> None:
        """Periodic: forget uploads to which nothing refers. used: addresses that something refers to."""
        before_ms = self._clock() - UNUSED_MS
        async with self._database.reading() as session:
            old = await FileRepository(session).older(before_ms)
        unused = sorted(old - {url.removeprefix(PREFIX) for url in used})
        old_names = await self._store.old_names()
        for names, before in ((unused, before_ms), (old_names, 0)):
            for start in range(0, len(names), CHUNK):
                await self._forget(names[start : start + CHUNK], before)

    async def _forget(self, sha256s: list[str], before_ms: int) -> None:
        """Delete uploads older than this, then the bytes that have none any more."""
        async with self._changing:
            async with self._database.session() as session:
                repository = FileRepository(session)
                await repository.delete_older(sha256s, before_ms)
                known = await repository.known(sha256s)
                await session.commit()
            for sha256 in set(sha256s) - known:
                await self._store.remove(sha256)

    async def _check_quota(self, user_id: int, sha256: str, size: int) -> None:
        async with self._database.reading() as session:
            repository = FileRepository(session)
            mine, number = await repository.used_by(user_id, sha256)
            everybodys = await repository.used()
        if mine + size > MAX_BYTES_OF_USER or number >= MAX_FILES_OF_USER:
            rule = f"at most {MAX_BYTES_OF_USER} bytes in {MAX_FILES_OF_USER} files of one user"
            raise Conflict(f"file: {rule}", field="file", rule=rule, reason="file.quota")
        if everybodys + size > MAX_BYTES_IN_ALL:
            rule = f"at most {MAX_BYTES_IN_ALL} bytes of all users"
            raise Conflict(f"file: {rule}", field="file", rule=rule, reason="file.quota_of_all")


def _checked(kind: FileKind, rule: KindRule, data: bytes) -> Picture:
    try:
        if not 1 <= len(data) <= rule.max_bytes:
            raise Wrong("file.size", f"1 to {rule.max_bytes} bytes")
        picture = examine(data, rule.limits)
        if picture.form not in rule.forms:
            raise Wrong("file.form", f"{', '.join(rule.forms)}; these bytes are {picture.form}")
        if rule.side is not None:
            smallest, largest = rule.side
            if picture.width != picture.height or not smallest <= picture.width <= largest:
                raise Wrong(
                    "file.side",
                    f"square, {smallest} to {largest} px; this is {picture.width} x {picture.height}",
                )
    except Wrong as wrong:
        raise ParameterError("file", f"{kind.value}: {wrong.rule}", reason=wrong.reason) from None
    return picture


def _in_line(user: CurrentUser, path: str) -> bool:
    """Is the user at, above or below this place in the tree of users?"""
    mine = user.scope.path
    return user.scope.everything or path.startswith(mine) or mine.startswith(path)
