"""Type codes of alarm events and the display level of each. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class AlarmType(IntEnum):
    """The codes that the platform knows. Above CUSTOM_ABOVE a code is an own level of the platform.

    LIMIT_WARNING is not the specification's: of the inner limits of a point with two levels.
    """

    RECOVERY = 0
    OVER_LIMIT = 1
    CHANGE_OF_STATE = 2
    RECOVERY_OF_DEVICE = 3
    ONLINE_OFFLINE = 4
    LIMIT_WARNING = 5
    FIRE = 101
    SELF_TEST = 102
    LOW_BATTERY = 103
    HIGH_TEMPERATURE = 104
    TAMPER = 105
    END_OF_LIFE = 106
    FAULT = 107
    OFFLINE = 108


CUSTOM_ABOVE = 200


class Level(StrEnum):
    """How an event is shown. CUSTOM: in the colour of an own level; UNKNOWN: red, as '-'."""

    SUCCESS = "success"
    DANGER = "danger"
    INFO = "info"
    WARNING = "warning"
    CUSTOM = "custom"
    UNKNOWN = "unknown"


LEVELS: Mapping[int, Level] = {
    AlarmType.RECOVERY: Level.SUCCESS,
    AlarmType.RECOVERY_OF_DEVICE: Level.SUCCESS,
    AlarmType.OVER_LIMIT: Level.DANGER,
    AlarmType.CHANGE_OF_STATE: Level.INFO,
    AlarmType.ONLINE_OFFLINE: Level.WARNING,
    AlarmType.LIMIT_WARNING: Level.WARNING,
    AlarmType.FIRE: Level.DANGER,
    AlarmType.SELF_TEST: Level.WARNING,
    AlarmType.LOW_BATTERY: Level.WARNING,
    AlarmType.HIGH_TEMPERATURE: Level.WARNING,
    AlarmType.TAMPER: Level.WARNING,
    AlarmType.END_OF_LIFE: Level.WARNING,
    AlarmType.FAULT: Level.WARNING,
    AlarmType.OFFLINE: Level.WARNING,
}

RECOVERIES = (AlarmType.RECOVERY, AlarmType.RECOVERY_OF_DEVICE)
"""Something has recovered: there is nothing to handle."""

UNKNOWN_TITLE, UNKNOWN_COLOR = "-", "red"


@dataclass(frozen=True)
class OwnLevel:
    """A level that the platform added (option alarm_levels)."""

    title: str
    color: str


@dataclass(frozen=True)
class Look:
    """title and color: of an own level, or what stands for an unknown one; empty for a known code."""

    level: Level
    title: str = ""
    color: str = ""


def look(alarm_type: int, level: int | None, own: Mapping[int, OwnLevel]) -> Look:
    """How an event is shown: a known code by its level, any other in the own level that the code names, else
    in that of the event.
    """
    known = LEVELS.get(alarm_type)
    if known is not None:
        return Look(known)
    own_level = own.get(alarm_type) or (None if level is None else own.get(level))
    if own_level is None:
        return Look(Level.UNKNOWN, UNKNOWN_TITLE, UNKNOWN_COLOR)
    return Look(Level.CUSTOM, own_level.title, own_level.color)


def codes_of(level: Level) -> tuple[int, ...]:
    """Known codes of a display level."""
    return tuple(int(code) for code, known in LEVELS.items() if known is level)
