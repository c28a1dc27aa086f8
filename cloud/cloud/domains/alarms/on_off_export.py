"""The on-offline log as a workbook, in the reader's language and time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import timedelta

from cloud.core.clock import zone_name
from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.alarms.export import EPOCH, Words
from cloud.domains.alarms.schemas import Language
from cloud.domains.devices.schemas import OnOfflineEvent

TITLE: Words = {"zh": "上下线记录", "en": "Online and offline"}
COLUMNS: tuple[tuple[Words, int], ...] = (
    ({"zh": "时间", "en": "Time"}, 24),
    ({"zh": "状态", "en": "Status"}, 10),
    ({"zh": "设备", "en": "Device"}, 24),
    ({"zh": "网关编号", "en": "Gateway number"}, 20),
    ({"zh": "从机", "en": "Slave"}, 16),
    ({"zh": "原因", "en": "Cause"}, 16),
    ({"zh": "时长（秒）", "en": "Duration (s)"}, 14),
    ({"zh": "持续中", "en": "Lasts"}, 10),
)
STATUSES: dict[int, Words] = {0: {"zh": "离线", "en": "Offline"}, 1: {"zh": "在线", "en": "Online"}}
YES: Words = {"zh": "是", "en": "Yes"}


def on_off_workbook(rows: Sequence[OnOfflineEvent], language: Language, offset_min: int) -> bytes:
    """An .xlsx with one sheet and a head. offset_min: the reader's time zone, minutes east of UTC."""
    heads = [words[language] for words, _ in COLUMNS]
    heads[0] = f"{heads[0]} ({zone_name(offset_min)})"
    columns = [Column(head, width) for head, (_, width) in zip(heads, COLUMNS, strict=True)]
    file = io.BytesIO()
    write_workbook(
        file, [Sheet(TITLE[language], columns, (_values(row, language, offset_min) for row in rows))]
    )
    return file.getvalue()


def _values(row: OnOfflineEvent, language: Language, offset_min: int) -> list[Cell]:
    at = (EPOCH + timedelta(seconds=row.at // 1000, minutes=offset_min)).replace(tzinfo=None)
    return [
        at,
        STATUSES[row.status][language],
        row.device_title,
        row.gateway_id,
        row.slave_title or row.slave,
        row.reason,
        row.duration_ms // 1000,
        YES[language] if row.lasts else "",
    ]
