"""The statistical report as a workbook, in the reader's language."""

from __future__ import annotations

import io

from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.reports.schemas import DayStatistics, DeviceStatistics, Language, StatisticalReport

Words = dict[Language, str]

DEVICES: Words = {"zh": "设备", "en": "Devices"}
DAYS: Words = {"zh": "每日", "en": "Days"}

COLUMNS: tuple[tuple[Words, int], ...] = (
    ({"zh": "设备", "en": "Device"}, 24),
    ({"zh": "网关编号", "en": "Gateway number"}, 20),
    ({"zh": "报警次数", "en": "Alarms"}, 10),
    ({"zh": "危险", "en": "Danger"}, 10),
    ({"zh": "警告", "en": "Warning"}, 10),
    ({"zh": "其他级别", "en": "Other levels"}, 12),
    ({"zh": "未处理", "en": "Unhandled"}, 10),
    ({"zh": "已处理", "en": "Handled"}, 10),
    ({"zh": "误报", "en": "False alarms"}, 12),
    ({"zh": "离线次数", "en": "Offline count"}, 14),
    ({"zh": "离线时长（秒）", "en": "Time offline (s)"}, 16),
    ({"zh": "在线率（%）", "en": "Availability (%)"}, 16),
)
"""Words and width in characters."""

NEVER: Words = {"zh": "从未连接", "en": "Never connected"}

DAY_COLUMNS: tuple[tuple[Words, int], ...] = (
    ({"zh": "日期", "en": "Day"}, 14),
    ({"zh": "报警次数", "en": "Alarms"}, 10),
    ({"zh": "离线次数", "en": "Offline count"}, 14),
)


def workbook(report: StatisticalReport, language: Language) -> bytes:
    """An .xlsx with a sheet of gateways and one of days."""
    file = io.BytesIO()
    write_workbook(
        file,
        [
            Sheet(
                DEVICES[language],
                _columns(COLUMNS, language),
                (_device(row, language) for row in report.rows),
            ),
            Sheet(DAYS[language], _columns(DAY_COLUMNS, language), (_day(row) for row in report.days)),
        ],
    )
    return file.getvalue()


def _columns(columns: tuple[tuple[Words, int], ...], language: Language) -> list[Column]:
    return [Column(words[language], width) for words, width in columns]


def _device(row: DeviceStatistics, language: Language) -> list[Cell]:
    return [
        row.device_title,
        row.gateway_id,
        row.alarms,
        row.danger,
        row.warning,
        row.other,
        row.unhandled,
        row.handled,
        row.false_alarms,
        row.offline_count,
        row.offline_ms / 1000,
        NEVER[language] if row.never_connected else None if row.available is None else row.available * 100,
    ]


def _day(row: DayStatistics) -> list[Cell]:
    return [row.day, row.alarms, row.offline]
