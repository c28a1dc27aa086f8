"""Loads a file of firmware by HTTP: in parts, from where it was interrupted, and never more than was ordered.

What is durable is reported only after it is: a power cut leaves at least that much of the file, and the rest
is loaded again.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from edge_agent.errors import AgentError
from edge_agent.firmware.medium import Medium
from edge_agent.forwarding.backoff import Backoff
from edge_agent.system.clock import Clock

if TYPE_CHECKING:
    from aiohttp import ClientResponse

log = logging.getLogger(__name__)

PART_BYTES = 1024 * 1024
"""So much is held in memory, written and made durable at once."""
CHUNK_BYTES = 64 * 1024
CONNECT_S = 20.0
SILENT_S = 30.0
"""A server that sends nothing for so long is left and asked again."""
PAUSE_S = (1.0, 300.0)
MAX_ATTEMPTS = 20
"""In a row that bring nothing."""
FINAL_STATUS = frozenset({400, 401, 403, 404, 405, 410, 416, 451})
"""Answers that another attempt does not change."""


class DownloadError(AgentError):
    """The file cannot be loaded. again: another attempt may do it."""

    def __init__(self, text: str, *, again: bool = False, code: str = "download") -> None:
        super().__init__(text)
        self.again = again
        self.code = code


class FirmwareSource(Protocol):
    """Where files come from."""

    def open(
        self, url: str, offset: int, size: int
    ) -> AbstractAsyncContextManager[tuple[int, AsyncIterator[bytes]]]:
        """Bytes of a file of so many bytes from offset on, or from 0: which, and the parts.

        Raises DownloadError.
        """


class HttpSource:
    """tls: of https addresses, for each download anew."""

    def __init__(self, tls: Callable[[], ssl.SSLContext]) -> None:
        self._tls = tls

    @asynccontextmanager
    async def open(self, url: str, offset: int, size: int) -> AsyncIterator[tuple[int, AsyncIterator[bytes]]]:
        """Raises DownloadError."""
        import aiohttp  # its memory only while there is something to load

        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=SILENT_S)
        headers = {"Range": f"bytes={offset}-", "Accept-Encoding": "identity"}
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as session,
                session.get(url, headers=headers, allow_redirects=False, ssl=self._tls()) as reply,
            ):
                start = _start_of(reply.status, reply.headers.get("Content-Range", ""), offset, size)
                if reply.headers.get("Content-Encoding", "identity") != "identity":
                    raise DownloadError("the server sends the file in another encoding")
                yield start, _parts(reply)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise _lost(error) from error


async def _parts(reply: ClientResponse) -> AsyncIterator[bytes]:
    from aiohttp import ClientError

    try:
        async for part in reply.content.iter_chunked(CHUNK_BYTES):
            yield part
    except (ClientError, OSError, TimeoutError) as error:
        raise _lost(error) from error


def _lost(error: BaseException) -> DownloadError:
    return DownloadError(f"{type(error).__name__}: {error}"[:150], again=True)


def _start_of(status: int, content_range: str, offset: int, size: int) -> int:
    """Where the bytes of an answer begin. Raises DownloadError."""
    if status == 200:
        return 0
    if status != 206:
        raise DownloadError(f"the server answers {status}", again=status not in FINAL_STATUS)
    place, _, total = content_range.removeprefix("bytes ").partition("/")
    if place.partition("-")[0] != str(offset):
        raise DownloadError(f"bytes from {offset} on were wanted, the server sends {content_range[:40]!r}")
    if total not in (str(size), "*"):
        raise DownloadError(f"the file has {total[:20]} bytes, {size} were ordered")
    return offset


def _expired(done: int, size: int) -> DownloadError:
    return DownloadError(f"{done} of {size} bytes at its expiry", code="expired")


class Downloader:
    """note: says how many bytes are durable; check: looks at them and may refuse them."""

    def __init__(
        self,
        source: FirmwareSource,
        medium: Medium,
        clock: Clock,
        note: Callable[[int], Awaitable[None]],
        check: Callable[[int], None],
    ) -> None:
        self._source = source
        self._medium = medium
        self._clock = clock
        self._note = note
        self._check = check

    async def run(self, url: str, path: Path, size: int, done: int, expires_ms: int) -> None:
        """Return when all bytes are durable; done: those that were before.

        Raises DownloadError, OSError, and what note and check raise.
        """
        pause = Backoff(*PAUSE_S)
        failures = 0
        done = await asyncio.to_thread(self._durable, path, min(done, size))
        while done < size:
            before = done
            try:
                async for now_done in self._attempt(url, path, size, before, expires_ms):
                    done = now_done
                    await self._note(done)
                if done < size:
                    raise DownloadError(f"the connection ended after {done} of {size} bytes", again=True)
            except DownloadError as error:
                if not error.again:
                    raise
                done = await asyncio.to_thread(self._durable, path, done)
                if done > before:
                    failures, pause = 0, Backoff(*PAUSE_S)
                failures += 1
                if failures >= MAX_ATTEMPTS:
                    raise DownloadError(f"{failures} attempts brought nothing; {error}") from error
                wait_s = pause.next_s()
                if self._clock.now_ms() + wait_s * 1000 >= expires_ms:
                    raise _expired(done, size) from error
                log.warning("firmware: %d of %d bytes; %s; again in %.0f s", done, size, error, wait_s)
                await self._clock.sleep(wait_s)

    async def _attempt(
        self, url: str, path: Path, size: int, done: int, expires_ms: int
    ) -> AsyncIterator[int]:
        """How many bytes are durable, after each part."""
        async with self._source.open(url, done, size) as (start, parts):
            if start < done:  # what is there will be overwritten, and counts no more
                yield start
            done, held = start, bytearray()
            try:
                async for part in parts:
                    held += part
                    if self._clock.now_ms() >= expires_ms:
                        raise _expired(done, size)
                    if done + len(held) > size:
                        raise DownloadError(f"the server sends more than the {size} bytes that were ordered")
                    if len(held) >= PART_BYTES:
                        done = await asyncio.to_thread(self._store, path, done, held)
                        yield done
                        held = bytearray()
            except DownloadError as error:
                if not error.again:
                    raise
                if held:
                    yield await asyncio.to_thread(self._store, path, done, held)
                raise
            if held:
                yield await asyncio.to_thread(self._store, path, done, held)

    def _store(self, path: Path, offset: int, content: bytearray) -> int:
        self._medium.write_at(path, offset, bytes(content))
        self._medium.sync(path)
        if offset == 0:
            self._medium.sync_folder(path.parent)
        done = offset + len(content)
        self._check(done)
        return done

    def _durable(self, path: Path, done: int) -> int:
        """Bytes of the file that count: those that were reported durable, and are there."""
        try:
            done = min(done, path.stat().st_size)
        except FileNotFoundError:
            return 0
        if done:
            self._check(done)
        return done
