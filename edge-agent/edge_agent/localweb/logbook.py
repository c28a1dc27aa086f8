"""The newest log lines in memory, for somebody beside the gateway who has no way into its system."""

from __future__ import annotations

import logging
import traceback
from collections import deque

import msgspec

MAX_LINES = 500
MAX_CHARACTERS = 2000
"""Of one line, a traceback included."""


class LogLine(msgspec.Struct, frozen=True, rename={"logger": "room"}):
    """number: rising by one from line to line, so that nothing is sent twice.

    logger: the module that wrote it; "room" in JSON.
    """

    number: int
    t_ms: int
    level: str
    logger: str
    text: str


class LogBook(logging.Handler):
    """The newest MAX_LINES lines from INFO on; dropped: how many older ones there were."""

    def __init__(self, max_lines: int = MAX_LINES) -> None:
        super().__init__(logging.INFO)
        self._lines: deque[LogLine] = deque(maxlen=max_lines)
        self._count = 0

    @property
    def dropped(self) -> int:
        return self._count - len(self._lines)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except (TypeError, ValueError):
            text = str(record.msg)
        if record.exc_info and record.exc_info[1] is not None:
            text = f"{text}\n{''.join(traceback.format_exception(record.exc_info[1]))}"
        self._count += 1
        self._lines.append(
            LogLine(
                self._count,
                round(record.created * 1000),
                record.levelname.lower(),
                record.name.removeprefix("edge_agent."),
                text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]} …",
            )
        )

    def lines(self, after: int = 0) -> list[LogLine]:
        """Those with a higher number, oldest first. Other threads write meanwhile."""
        self.acquire()
        try:
            return [line for line in self._lines if line.number > after]
        finally:
            self.release()
