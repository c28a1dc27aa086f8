"""Handling of an alarm event. Pure."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Whether somebody has looked after an event."""

    UNHANDLED = 0
    HANDLED = 1
    FALSE_ALARM = 2


class Step(IntEnum):
    """What a change of the status asks for."""

    FREE = 0
    NEEDS_NOTE = 1
    FORBIDDEN = 2


def step(before: int, after: int) -> Step:
    """From unhandled to the other two; back from them with a note that says why; nothing else."""
    if before == after:
        return Step.FORBIDDEN
    if before == Status.UNHANDLED:
        return Step.FREE
    return Step.NEEDS_NOTE if after == Status.UNHANDLED else Step.FORBIDDEN
