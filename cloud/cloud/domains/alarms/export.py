"""Alarm events as a workbook, in the reader's language and time. 10,000 take three seconds of one core.

Times are date cells of the zone that the request names.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from cloud.core.clock import zone_name
from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.alarms.codes import RECOVERIES, Level, OwnLevel, look
from cloud.domains.alarms.condition_text import condition_text
from cloud.domains.alarms.schemas import AlarmRow, Language
from cloud.domains.alarms.words import ALARM_TYPES, CAUSES, LEVEL_WORDS, STATES, STATUSES
from cloud.domains.devices.values import value_text

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Words = dict[Language, str]

TITLE: Words = {"zh": "报警事件", "en": "Alarm events"}

COLUMNS: tuple[tuple[Words, int], ...] = (
    ({"zh": "时间", "en": "Time"}, 20),
    ({"zh": "类型", "en": "Type"}, 20),
    ({"zh": "类型代码", "en": "Type code"}, 10),
    ({"zh": "级别", "en": "Level"}, 12),
    ({"zh": "设备", "en": "Device"}, 24),
    ({"zh": "网关编号", "en": "Gateway number"}, 20),
    ({"zh": "从机", "en": "Slave"}, 16),
    ({"zh": "内容", "en": "Description"}, 32),
    ({"zh": "原因", "en": "Cause"}, 20),
    ({"zh": "值", "en": "Value"}, 12),
    ({"zh": "单位", "en": "Unit"}, 8),
    ({"zh": "限值或条件", "en": "Limit or condition"}, 24),
    ({"zh": "恢复时间", "en": "Recovered"}, 20),
    ({"zh": "状态", "en": "State"}, 20),
    ({"zh": "确认人", "en": "Acknowledged by"}, 16),
    ({"zh": "确认时间", "en": "Acknowledged"}, 20),
    ({"zh": "处理状态", "en": "Handling"}, 12),
    ({"zh": "处理人", "en": "Handled by"}, 16),
    ({"zh": "处理时间", "en": "Handled"}, 20),
    ({"zh": "备注", "en": "Note"}, 32),
)
"""With their widths in characters."""

TIMES = {"Time", "Recovered", "Acknowledged", "Handled"}
"""Columns of times, on the reader's clock."""


def workbook(
    rows: Sequence[AlarmRow], language: Language, offset_min: int, own: Mapping[int, OwnLevel]
) -> bytes:
    """An .xlsx with one sheet and a head. offset_min: the reader's time zone, minutes east of UTC; own: the
    platform's levels.
    """
    columns = [Column(_head(words, language, offset_min), width) for words, width in COLUMNS]
    file = io.BytesIO()
    values = (_values(row, language, offset_min, own) for row in rows)
    write_workbook(file, [Sheet(TITLE[language], columns, values)])
    return file.getvalue()


def _head(words: Words, language: Language, offset_min: int) -> str:
    """Of a column of times with their zone, which a cell cannot hold."""
    return f"{words[language]} ({zone_name(offset_min)})" if words["en"] in TIMES else words[language]


def _values(row: AlarmRow, language: Language, offset_min: int, own: Mapping[int, OwnLevel]) -> list[Cell]:
    found, is_recovery = look(row.alarm_type, row.level, own), row.alarm_type in RECOVERIES
    own_title = found.title if found.level is Level.CUSTOM else ""
    return [
        _time(row.at, offset_min),
        own_title or ALARM_TYPES[language].get(row.alarm_type, str(row.alarm_type)),
        row.alarm_type,
        own_title or LEVEL_WORDS[language].get(found.level, ""),
        row.device_title,
        row.gateway_id,
        row.slave_title or row.slave,
        row.title,
        CAUSES[language].get(row.cause, row.cause),
        row.value if row.point is None else value_text(row.value, row.point, language),
        "" if row.point is None else row.point.unit,
        _limit(row, language),
        _time(row.recovered_ms, offset_min),
        "" if is_recovery else STATES[language][row.state],
        row.acked_name,
        _time(row.acked_ms, offset_min),
        STATUSES[language][row.status],
        row.handled_name,
        _time(row.handled_ms, offset_min),
        row.note,
    ]


def _limit(row: AlarmRow, language: Language) -> str:
    """What the condition that raised it says; empty for what no rule raised."""
    condition = (row.reason or {}).get("condition")
    if not isinstance(condition, dict):
        return ""
    point = row.point
    if point is None:
        return condition_text(condition, language, "", None)
    is_switch = isinstance(row.value, bool) or point.ds_type == "swh"
    names = {True: point.on_text, False: point.off_text} if is_switch else None
    return condition_text(condition, language, point.unit, names)


def _time(at_ms: int | None, offset_min: int) -> datetime | None:
    """On the reader's clock, to the second: a cell knows no time zone."""
    if at_ms is None:
        return None
    return (EPOCH + timedelta(seconds=at_ms // 1000, minutes=offset_min)).replace(tzinfo=None)
