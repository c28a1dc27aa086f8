"""Alarm events as a workbook, in the reader's language and time. 10,000 take two seconds of one core.

Times are date cells of the zone that the request names.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from cloud.core.clock import zone_name
from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.schemas import AlarmRow, Language
from cloud.domains.alarms.states import Status
from cloud.domains.devices.values import value_text

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Words = dict[Language, str]

TITLE: Words = {"zh": "报警事件", "en": "Alarm events"}
WIDTHS = (20, 16, 10, 24, 20, 16, 32, 16, 12, 20, 10, 16, 20, 32)
"""Of the columns, in characters."""

COLUMNS: tuple[Words, ...] = (
    {"zh": "时间", "en": "Time"},
    {"zh": "类型", "en": "Type"},
    {"zh": "级别", "en": "Level"},
    {"zh": "设备", "en": "Device"},
    {"zh": "网关编号", "en": "Gateway number"},
    {"zh": "从机", "en": "Slave"},
    {"zh": "内容", "en": "Description"},
    {"zh": "原因", "en": "Cause"},
    {"zh": "值", "en": "Value"},
    {"zh": "恢复时间", "en": "Recovered"},
    {"zh": "状态", "en": "Status"},
    {"zh": "处理人", "en": "Handled by"},
    {"zh": "处理时间", "en": "Handled"},
    {"zh": "备注", "en": "Note"},
)

TIMES = {"Time", "Recovered", "Handled"}
"""Columns of times, on the reader's clock."""

TYPES: dict[int, Words] = {
    AlarmType.RECOVERY: {"zh": "报警恢复", "en": "Alarm recovery"},
    AlarmType.OVER_LIMIT: {"zh": "越限报警", "en": "Over-limit alarm"},
    AlarmType.CHANGE_OF_STATE: {"zh": "变位报警", "en": "Change-of-state alarm"},
    AlarmType.RECOVERY_OF_DEVICE: {"zh": "报警恢复", "en": "Alarm recovery"},
    AlarmType.ONLINE_OFFLINE: {"zh": "上下线报警", "en": "Online/offline alarm"},
    AlarmType.LIMIT_WARNING: {"zh": "越限预警", "en": "Limit warning"},
    AlarmType.FIRE: {"zh": "真实火警", "en": "Fire alarm"},
    AlarmType.SELF_TEST: {"zh": "自检", "en": "Self-test"},
    AlarmType.LOW_BATTERY: {"zh": "电量低", "en": "Low battery"},
    AlarmType.HIGH_TEMPERATURE: {"zh": "温度过高", "en": "High temperature"},
    AlarmType.TAMPER: {"zh": "防拆报警", "en": "Tamper"},
    AlarmType.END_OF_LIFE: {"zh": "寿命到期", "en": "End of life"},
    AlarmType.FAULT: {"zh": "故障", "en": "Fault"},
    AlarmType.OFFLINE: {"zh": "离线", "en": "Offline"},
}

STATUSES: dict[int, Words] = {
    Status.UNHANDLED: {"zh": "未处理", "en": "Unhandled"},
    Status.HANDLED: {"zh": "已处理", "en": "Handled"},
    Status.FALSE_ALARM: {"zh": "误报", "en": "False alarm"},
}


def workbook(rows: Sequence[AlarmRow], language: Language, offset_min: int) -> bytes:
    """An .xlsx with one sheet and a head. offset_min: the reader's time zone, minutes east of UTC."""
    columns = [
        Column(_head(words, language, offset_min), width)
        for words, width in zip(COLUMNS, WIDTHS, strict=True)
    ]
    file = io.BytesIO()
    values = (_values(row, language, offset_min) for row in rows)
    write_workbook(file, [Sheet(TITLE[language], columns, values)])
    return file.getvalue()


def _head(words: Words, language: Language, offset_min: int) -> str:
    """Of a column of times with their zone, which a cell cannot hold."""
    return f"{words[language]} ({zone_name(offset_min)})" if words["en"] in TIMES else words[language]


def _values(row: AlarmRow, language: Language, offset_min: int) -> list[Cell]:
    words = TYPES.get(row.alarm_type)
    return [
        _time(row.at, offset_min),
        str(row.alarm_type) if words is None else words[language],
        row.shown.value if row.level is None else row.level,
        row.device_title,
        row.gateway_id,
        row.slave_title or row.slave,
        row.title,
        row.cause,
        row.value if row.point is None else value_text(row.value, row.point, language),
        _time(row.recovered_ms, offset_min),
        STATUSES[row.status][language],
        row.handled_name,
        _time(row.handled_ms, offset_min),
        row.note,
    ]


def _time(at_ms: int | None, offset_min: int) -> datetime | None:
    """On the reader's clock, to the second: a cell knows no time zone."""
    if at_ms is None:
        return None
    return (EPOCH + timedelta(seconds=at_ms // 1000, minutes=offset_min)).replace(tzinfo=None)
