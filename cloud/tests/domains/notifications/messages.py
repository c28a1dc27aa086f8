"""A message to send."""

from __future__ import annotations

from dataclasses import replace

from cloud.domains.notifications.channels.base import Message, MessageAlarm

ALARM = MessageAlarm(
    event_id=5,
    change="raised",
    title="锅炉过热",
    device="一号网关",
    slave="锅炉",
    point="温度",
    unit="°C",
    value=98.5,
    limit="> 80 °C",
    since_ms=1_789_999_940_000,
    at_ms=1_790_000_000_000,
    lasted_ms=60_000,
    recovery_value=None,
    link="https://portal.example.com/alarm/alarmlog?event=5",
)
MESSAGE = Message(
    reference="notification-7",
    subject="[报警] 锅炉过热 - 一号网关",
    text="[报警] 锅炉过热\n级别:危险",
    language="zh",
    title="报警 锅炉过热",
    facts="98.5 °C, > 80 °C, 1 分钟",
    device="一号网关",
    level="危险",
    at="2026-09-21 22:13:20",
    count=2,
    alarms=(ALARM, replace(ALARM, event_id=6)),
    link="https://portal.example.com/alarm/alarmlog?start=1&end=2",
    at_ms=1_790_000_000_000,
)
