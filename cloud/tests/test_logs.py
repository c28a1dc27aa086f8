"""Lines of the log: what comes from outside stays inside its line."""

from __future__ import annotations

import logging
import sys

from cloud.logs import LineFormatter

FORGED = "x\n2026-01-01 INFO audit: all is well\r\x1b[2J\x00\x9b31m\u2028\ud800 泵"


def record(text: str, *, error: bool = False) -> logging.LogRecord:
    info = sys.exc_info() if error else None
    return logging.LogRecord("cloud.test", logging.INFO, __file__, 1, "code %s", (text,), info)


def test_nothing_forges_a_line_or_speaks_to_a_terminal() -> None:
    line = LineFormatter("%(levelname)s %(message)s").format(record(FORGED))
    assert line.isprintable()
    assert line == (
        "INFO code x\\n2026-01-01 INFO audit: all is well\\r\\x1b[2J\\x00\\x9b31m\\u2028\\ud800 泵"
    )


def test_an_error_stays_under_its_line() -> None:
    try:
        raise ValueError(FORGED)
    except ValueError:
        lines = LineFormatter("%(levelname)s %(message)s").format(record("a", error=True)).split("\n")
    assert lines[0] == "INFO code a"
    assert "ValueError: x" in lines[-2]
    assert all(line.startswith("  ") and line.isprintable() for line in lines[1:])
