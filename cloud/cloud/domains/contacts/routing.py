"""Whom an alarm is for, and when he is not to be disturbed. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cloud.domains.alarms.codes import LEVELS, Level
from cloud.domains.contacts.schemas import GroupRule, QuietHours

RANKS = {Level.INFO: 1, Level.WARNING: 2, Level.DANGER: 3}
LOWEST = {"info": 1, "warning": 2, "danger": 3}


@dataclass(frozen=True)
class AlarmFacts:
    """What decides who is told. projects: numbers of those that its gateway is in, with all above; groups:
    those that its rule names.
    """

    device_id: int
    projects: frozenset[int]
    alarm_type: int
    is_over: bool
    groups: tuple[int, ...] = ()


def rank(alarm_type: int) -> int:
    """1 information to 3 danger; own levels of the platform, whose order nobody knows, are 3."""
    return RANKS.get(LEVELS.get(alarm_type, Level.CUSTOM), 3)


def is_danger(alarm_type: int) -> bool:
    """Does it pass through quiet hours? An own level does not: only what is known to be dangerous."""
    return LEVELS.get(alarm_type) is Level.DANGER


def wants(group_id: int, rule: GroupRule, alarm: AlarmFacts) -> bool:
    """Is a group told? One that the alarm's rule names is, whatever its levels, types and gateways."""
    if alarm.is_over and not rule.recoveries:
        return False
    if alarm.groups:
        return group_id in alarm.groups
    return (
        rank(alarm.alarm_type) >= LOWEST[rule.lowest_level]
        and (not rule.alarm_types or alarm.alarm_type in rule.alarm_types)
        and _is_chosen(rule, alarm.device_id, alarm.projects)
    )


def _is_chosen(rule: GroupRule, device_id: int, projects: Collection[int]) -> bool:
    if rule.gateways == "devices":
        return device_id in rule.device_ids
    return rule.gateways == "all" or any(number in projects for number in rule.project_ids)


def quiet_until(quiet: QuietHours | None, now_ms: int, zone: ZoneInfo) -> int | None:
    """When the quiet hours of now end (UTC milliseconds); None when there are none now."""
    if quiet is None:
        return None
    now = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    clock = now.strftime("%H:%M")
    if quiet.start < quiet.end:
        is_quiet = quiet.start <= clock < quiet.end
    else:
        is_quiet = clock >= quiet.start or clock < quiet.end
    if not is_quiet:
        return None
    hour, minute = map(int, quiet.end.split(":"))
    day = now.date() if clock < quiet.end else now.date() + timedelta(days=1)
    end = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    return int(end.timestamp() * 1000)
