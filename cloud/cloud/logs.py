"""Structured logs: one line a record, text or JSON, with the request's number."""

from __future__ import annotations

import logging
import sys
from contextvars import ContextVar
from typing import Any, Literal

from pythonjsonlogger.json import JsonFormatter

request_id: ContextVar[str] = ContextVar("request_id", default="")

QUIET = ("amqtt", "transitions", "httpx", "httpcore", "aiosqlite", "websockets")
"""Libraries whose chatter says nothing to an operator."""


class _RequestId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class LineFormatter(logging.Formatter):
    """What comes from outside cannot begin a line of its own, nor speak to the terminal that shows it."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        return "\n".join(f"  {printable(line)}" for line in super().formatException(ei).split("\n"))


def printable(text: str) -> str:
    """The same with control characters, line ends and the like escaped as Python writes them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def configure(form: Literal["text", "json"]) -> None:
    """Log to standard error from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_RequestId())
    fields = "%(asctime)s %(levelname)s %(name)s %(message)s"
    if form == "json":
        handler.setFormatter(JsonFormatter(f"{fields} %(request_id)s"))
    else:
        handler.setFormatter(LineFormatter(fields))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
