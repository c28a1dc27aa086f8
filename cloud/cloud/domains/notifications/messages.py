"""What a message says: subject and text in the recipient's language. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from cloud.domains.alarms.codes import AlarmType, Look
from cloud.domains.alarms.condition_text import condition_text, duration_text
from cloud.domains.alarms.words import ALARM_TYPES, CAUSES, LEVEL_WORDS, POSITIONS
from cloud.domains.notifications.channels.base import Message, MessageAlarm
from cloud.domains.notifications.words import CHANGE_WORDS, PHRASES
from edge_contract.model import Value

MAX_NAMED = 10
"""Changes that a message names; of the others it says how many they are."""

UNPRINTED = frozenset({"Cc", "Cn", "Co", "Cs"})
"""Categories of control characters and of what is no character."""

MAX_SUBJECT = 120
MAX_TITLE = 100


@dataclass(frozen=True)
class PointWords:
    """How values of a point are written. decimals: None for all there are."""

    title: str
    unit: str
    decimals: int | None
    selector: Mapping[str, str] | None
    on_text: str
    off_text: str
    is_switch: bool = False


@dataclass(frozen=True)
class NamedChange:
    """A change of an alarm. change, why: of AnnouncedChange; at_ms: of the change; since_ms: when its cause
    began; value: that fired; condition: that said so, None without a rule; recovery_value: with which it
    ended; cause: a code, of an alarm of the cloud's own.
    """

    event_id: int
    device_id: int
    change: str
    why: str
    alarm_type: int
    look: Look
    title: str
    device: str
    slave: str
    point: PointWords | None
    value: Value
    at_ms: int
    since_ms: int | None
    recovered_ms: int | None
    condition: Mapping[str, Any] | None = None
    recovery_value: Value = None
    cause: str = ""

    @property
    def lasted_ms(self) -> int | None:
        """How long its cause had been there at the change."""
        return None if self.since_ms is None else max(0, self.at_ms - self.since_ms)


@dataclass(frozen=True)
class Portal:
    """What messages say of this installation. url: of the portal, empty when nobody set it."""

    url: str
    zone: ZoneInfo

    def link(self, changes: Sequence[NamedChange]) -> str:
        """The alarm, or the alarm list around these changes, with their gateway when they are of one."""
        if not self.url:
            return ""
        if len(changes) == 1:
            return self.link_of(changes[0])
        times = [each.at_ms for each in changes]
        query: dict[str, str | int] = {
            "start": min(times, default=0) - 60_000,
            "end": max(times, default=0) + 60_000,
        }
        devices = {each.device_id for each in changes}
        if len(devices) == 1:
            query["device"] = devices.pop()
        return f"{self.url.rstrip('/')}/alarm/alarmlog?{urlencode(query)}"

    def link_of(self, change: NamedChange) -> str:
        """The alarm of a change, also when it is the alarm's end."""
        return f"{self.url.rstrip('/')}/alarm/alarmlog?event={change.event_id}" if self.url else ""


def render(
    reference: str, language: str, changes: Sequence[NamedChange], count: int, now_ms: int, portal: Portal
) -> Message:
    """changes: at least one, of which the first MAX_NAMED are named; count: of all there are."""
    words = PHRASES[language]
    named, first = changes[:MAX_NAMED], changes[0]
    lines = [_lines(each, language, portal) for each in named]
    if count > len(named):
        lines.append(words["more"].format(count=count - len(named)))
    link = portal.link(named)
    lines.append(words["zone"].format(zone=portal.zone.key))
    if link and len(named) > 1:
        lines.append(words["links"].format(link=link))
    title, change = _title(first, language), _change(first, language)
    subject = words["one" if count == 1 else "many"].format(
        change=change, title=title, device=first.device, count=count
    )
    return Message(
        reference=reference,
        subject=_one_line(subject)[:MAX_SUBJECT],
        text="\n\n".join(lines),
        language=language,
        title=_one_line(f"{change} {title}")[:MAX_TITLE],
        facts=_one_line(_facts(first, language)),
        device=_one_line(first.device)[:MAX_TITLE],
        level=_level(first, language),
        at=_time(first.at_ms, portal.zone),
        count=count,
        alarms=tuple(_alarm(each, language, portal) for each in named),
        link=link,
        at_ms=now_ms,
    )


def test_message(reference: str, language: str, now_ms: int, portal: Portal) -> Message:
    """Says that it is a test."""
    words = PHRASES[language]
    subject = words["test_subject"]
    return Message(
        reference=reference,
        subject=subject,
        text=words["test_text"],
        language=language,
        title=subject,
        facts="",
        device="-",
        level="-",
        at=_time(now_ms, portal.zone),
        count=1,
        alarms=(),
        link=portal.url,
        at_ms=now_ms,
    )


def value_text(value: Value, point: PointWords | None, language: str) -> str:
    """With its unit; a switch by the names of its positions, a choice by its name."""
    if value is None:
        return ""
    if isinstance(value, bool):
        named = (point.on_text if value else point.off_text) if point is not None else ""
        return named or POSITIONS[language][value]
    if point is None:
        return str(value)
    if isinstance(value, int | float) and point.selector:
        name = point.selector.get(str(int(value)) if float(value).is_integer() else str(value))
        if name:
            return name
    text = str(value)
    if isinstance(value, float):
        text = f"{value:.{point.decimals}f}" if point.decimals is not None else f"{value:.10g}"
    return f"{text} {point.unit}".rstrip()


def _lines(each: NamedChange, language: str, portal: Portal) -> str:
    words, zone = PHRASES[language], portal.zone
    is_over, lasted_ms = each.change == "over", each.lasted_ms
    place = each.device if not each.slave else f"{each.device} / {each.slave}"
    facts = [("level", _level(each, language)), ("gateway", place)]
    if each.point is not None:
        facts.append(("point", each.point.title))
    if value := value_text(each.value, each.point, language):
        facts.append(("first_value" if each.change == "again" else "value", value))
    if limit := _limit(each, language):
        facts.append(("limit" if each.condition and each.condition.get("type") == 1 else "condition", limit))
    if is_over and (value := value_text(each.recovery_value, each.point, language)):
        facts.append(("recovery_value", value))
    facts.append(("since" if each.since_ms else "at", _time(each.since_ms or each.at_ms, zone)))
    if is_over and each.recovered_ms is not None:
        facts.append(("until", _time(each.recovered_ms, zone)))
    if lasted_ms is not None and (is_over or lasted_ms >= 1000):
        facts.append(("lasted" if is_over else "held", duration_text(lasted_ms, language)))
    head = f"[{_change(each, language)}] {_title(each, language)}"
    lines = [_one_line(head), *(f"{words[name]}{words['colon']}{_one_line(text)}" for name, text in facts)]
    if link := portal.link_of(each):
        lines.append(words["link"].format(link=link))
    return "\n".join(lines)


def _limit(each: NamedChange, language: str) -> str:
    if each.condition is None:
        return ""
    point = each.point
    unit = "" if point is None else point.unit
    is_switch = isinstance(each.value, bool) or (point is not None and point.is_switch)
    names = {True: "", False: ""} if point is None else {True: point.on_text, False: point.off_text}
    return condition_text(each.condition, language, unit, names if is_switch else None)


def _facts(each: NamedChange, language: str) -> str:
    """Value, limit and how long, as short as they can be."""
    is_over, lasted_ms = each.change == "over", each.lasted_ms
    value = value_text(each.recovery_value if is_over else each.value, each.point, language)
    parts = [value, _limit(each, language)]
    if lasted_ms is not None and (is_over or lasted_ms >= 1000):
        parts.append(duration_text(lasted_ms, language))
    return ", ".join(part for part in parts if part)[:MAX_TITLE]


def _alarm(each: NamedChange, language: str, portal: Portal) -> MessageAlarm:
    return MessageAlarm(
        event_id=each.event_id,
        change=each.change,
        title=_title(each, language),
        device=each.device,
        slave=each.slave,
        point="" if each.point is None else each.point.title,
        unit="" if each.point is None else each.point.unit,
        value=each.value,
        limit=_limit(each, language),
        since_ms=each.since_ms,
        at_ms=each.at_ms,
        lasted_ms=each.lasted_ms,
        recovery_value=each.recovery_value,
        link=portal.link_of(each),
    )


def _title(each: NamedChange, language: str) -> str:
    cause = CAUSES[language].get(each.cause)
    if each.title:
        return each.title if cause is None else f"{each.title} ({cause})"
    if each.alarm_type == AlarmType.ONLINE_OFFLINE:
        return PHRASES[language]["offline"]
    return ALARM_TYPES[language].get(each.alarm_type, str(each.alarm_type))


def _change(each: NamedChange, language: str) -> str:
    words = CHANGE_WORDS[language]
    return words.get(each.why) or words[each.change]


def _level(each: NamedChange, language: str) -> str:
    return LEVEL_WORDS[language].get(each.look.level) or each.look.title or "-"


def _time(at_ms: int, zone: ZoneInfo) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def _one_line(text: str) -> str:
    """Titles are people's: none begins a line or a header of its own, nor passes for an encoded word."""
    plain = "".join(char for char in text if unicodedata.category(char) not in UNPRINTED or char.isspace())
    return " ".join(plain.replace("=?", "= ?").split())
