"""Logs to standard error: one line each, or one JSON object each."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

QUIET = ("aiosqlite", "asyncio", "aiohttp", "pymodbus")
"""Libraries that speak below warning about what the agent says itself."""


def setup(*, as_json: bool) -> None:
    """Everything from INFO on goes to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else LineFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def moment(record: logging.LogRecord) -> str:
    return (
        datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


class LineFormatter(logging.Formatter):
    """Time, level, logger, text. What comes from outside cannot begin a line of its own, nor speak to the
    terminal that shows it.
    """

    def format(self, record: logging.LogRecord) -> str:
        text = printable(record.getMessage())
        name = record.name.removeprefix("edge_agent.")
        line = f"{moment(record)} {record.levelname} {name}: {text}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line

    def formatException(self, ei: Any) -> str:
        return "\n".join(f"  {printable(line)}" for line in super().formatException(ei).split("\n"))


def printable(text: str) -> str:
    """The same with control characters, line ends and the like escaped as Python writes them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class JsonFormatter(logging.Formatter):
    """One object: time, level, logger, text, and the traceback when there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": moment(record),
            "level": record.levelname.lower(),
            "room": record.name.removeprefix("edge_agent."),
            "text": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)
