"""Handling of an alarm event. Pure."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Whether somebody has looked after an event."""

    UNHANDLED = 0
    HANDLED = 1
    FALSE_ALARM = 2


class StatusChange(IntEnum):
    """Whether a status may change so, and whether it needs a note."""

    FREE = 0
    NEEDS_NOTE = 1
    FORBIDDEN = 2


def status_change(before: int, after: int) -> StatusChange:
    """From unhandled to the other two; back from them with a note that says why; nothing else."""
    if before == after:
        return StatusChange.FORBIDDEN
    if before == Status.UNHANDLED:
        return StatusChange.FREE
    return StatusChange.NEEDS_NOTE if after == Status.UNHANDLED else StatusChange.FORBIDDEN
