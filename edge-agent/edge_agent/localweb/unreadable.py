"""What aiohttp logs of requests that its parser gives up: anybody can send them, without a session."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger

SAID_EVERY_S = 60.0


class UnreadableRequests(logging.Filter):
    """One line in SAID_EVERY_S instead of a traceback each; the line says how many went unsaid before it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._said_s: float | None = None
        self._unsaid = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """False for what is not to be logged."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError | web.RequestPayloadError):
            return True
        now = self._monotonic()
        if self._said_s is not None and now - self._said_s < SAID_EVERY_S:
            self._unsaid += 1
            return False
        caller = record.args[0] if isinstance(record.args, tuple) and record.args else "?"
        # The error's own text has bytes of the request in it.
        record.msg = "a request of %s cannot be read: %s; %d others were not logged"
        record.args = (caller, type(error).__name__, self._unsaid)
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        record.exc_info = None
        self._said_s, self._unsaid = now, 0
        return True

    async def installed(self, _: web.Application) -> AsyncIterator[None]:
        """For an application's cleanup_ctx: as long as it serves."""
        server_logger.addFilter(self)
        yield
        server_logger.removeFilter(self)
