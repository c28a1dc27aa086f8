"""A message to send."""

from __future__ import annotations

from cloud.domains.notifications.channels.base import Message

MESSAGE = Message(
    reference="notification-7",
    subject="[报警] 锅炉过热 - 一号网关",
    text="[报警] 锅炉过热\n级别:危险",
    language="zh",
    title="报警 锅炉过热",
    device="一号网关",
    level="危险",
    at="2026-09-21 22:13:20",
    count=2,
    event_ids=(5, 6),
    link="https://portal.example.com/alarm/alarmlog?start=1&end=2",
    at_ms=1_790_000_000_000,
)
