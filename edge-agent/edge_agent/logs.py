"""Logs to standard error: one line each, or one JSON object each."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

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
    """Time, level, room, text. What comes from outside cannot begin a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        room = record.name.removeprefix("edge_agent.")
        line = f"{moment(record)} {record.levelname} {room}: {text}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One object: time, level, room, text, and the traceback when there is one."""

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
