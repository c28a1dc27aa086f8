"""Words of messages in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from cloud.domains.alarms.codes import Level
from edge_contract.alarms.rule import Operator

ALARM_TYPES: Mapping[str, Mapping[int, str]] = {
    "zh": {
        0: "报警恢复", 1: "越限报警", 2: "变位报警", 3: "报警恢复", 4: "上下线报警", 5: "越限预警",
        101: "真实火警", 102: "自检", 103: "电量低", 104: "温度过高", 105: "防拆报警", 106: "寿命到期",
        107: "故障", 108: "离线",
    },
    "en": {
        0: "Alarm recovery", 1: "Over-limit alarm", 2: "Change-of-state alarm", 3: "Alarm recovery",
        4: "Online/offline alarm", 5: "Limit warning", 101: "Fire alarm", 102: "Self-test",
        103: "Low battery", 104: "High temperature", 105: "Tamper", 106: "End of life", 107: "Fault",
        108: "Offline",
    },
}  # fmt: skip
"""As the portal has them (base:alarmType); a test compares them."""

LEVEL_WORDS: Mapping[str, Mapping[Level, str]] = {
    "zh": {Level.DANGER: "危险", Level.WARNING: "警告", Level.INFO: "提示", Level.SUCCESS: "恢复"},
    "en": {Level.DANGER: "Danger", Level.WARNING: "Warning", Level.INFO: "Info", Level.SUCCESS: "Recovery"},
}

CHANGE_WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "raised": "报警",
        "again": "报警持续",
        "over": "恢复",
        "rule_changed": "结束(规则已更改)",
        "point_removed": "结束(数据点已删除)",
        "card_bound": "结束(卡已改绑)",
        "target_removed": "结束(转发目标已删除或停用)",
    },
    "en": {
        "raised": "Alarm",
        "again": "Still active",
        "over": "Recovered",
        "rule_changed": "Ended (rule changed)",
        "point_removed": "Ended (data point removed)",
        "card_bound": "Ended (card bound elsewhere)",
        "target_removed": "Ended (forwarding target removed or disabled)",
    },
}

CAUSES: Mapping[str, Mapping[str, str]] = {
    "zh": {"card_moved": "SIM 卡在另一网关中", "target_down": "转发目标未接收数据"},
    "en": {
        "card_moved": "SIM card is in another gateway",
        "target_down": "forwarding target takes no data",
    },
}
"""By a code of SystemAlarm; as the portal has them (base:reason)."""

PHRASES: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "offline": "网关离线",
        "one": "[{change}] {title} - {device}",
        "many": "{count} 条报警通知: {title} - {device} 等",
        "gateway": "网关", "point": "数据点", "value": "值", "level": "级别", "since": "开始时间",
        "at": "时间", "until": "恢复时间", "colon": ":",
        "limit": "限值", "condition": "条件", "held": "已持续", "lasted": "持续时间",
        "recovery_value": "恢复时的值", "first_value": "开始时的值",
        "more": "另有 {count} 条,请在平台查看。",
        "link": "查看: {link}", "links": "查看全部: {link}",
        "zone": "时间均为 {zone}。",
        "test_subject": "测试消息",
        "test_text": "这是一条测试消息,没有发生报警。报警通知可以送达。",
        "on": "开", "off": "关",
    },
    "en": {
        "offline": "Gateway offline",
        "one": "[{change}] {title} - {device}",
        "many": "{count} alarm notifications: {title} - {device} and others",
        "gateway": "Gateway", "point": "Point", "value": "Value", "level": "Level", "since": "Since",
        "at": "Time", "until": "Recovered", "colon": ": ",
        "limit": "Limit", "condition": "Condition", "held": "Active for", "lasted": "Lasted",
        "recovery_value": "Value at recovery", "first_value": "Value when it began",
        "more": "{count} more, see the portal.",
        "link": "Details: {link}", "links": "All of them: {link}",
        "zone": "Times are in {zone}.",
        "test_subject": "Test message",
        "test_text": "This is a test message; there is no alarm. Alarm notifications reach you.",
        "on": "on", "off": "off",
    },
}  # fmt: skip

OPERATORS: Mapping[str, Mapping[Operator, str]] = {
    language: {
        Operator.GREATER: "> {limit}",
        Operator.GREATER_OR_EQUAL: "≥ {limit}",
        Operator.LESS: "< {limit}",
        Operator.LESS_OR_EQUAL: "≤ {limit}",
        Operator.EQUAL: "= {limit}",
        Operator.IN_RANGE: within,
        Operator.OUT_OF_RANGE: beyond,
    }
    for language, within, beyond in (
        ("zh", "在 {low} ~ {high} 范围内", "超出 {low} ~ {high} 范围"),
        ("en", "within {low} to {high}", "outside {low} to {high}"),
    )
}

CONDITIONS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "2": "{duration}没有变化",
        "3": "单次变化 ≥ {magnitude}",
        "4.up": "连续 {count} 次上升", "4.down": "连续 {count} 次下降", "4.magnitude": ",共 ≥ {magnitude}",
        "5": "从机未连接",
        "6": "脚本结果为真",
    },
    "en": {
        "2": "unchanged for {duration}",
        "3": "a single change ≥ {magnitude}",
        "4.up": "{count} rises in a row", "4.down": "{count} falls in a row",
        "4.magnitude": ", ≥ {magnitude} in all",
        "5": "slave not connected",
        "6": "its script is true",
    },
}  # fmt: skip
"""By the type of a condition; comparisons have OPERATORS."""

DURATION_UNITS: Mapping[str, tuple[str, str, str, str]] = {
    "zh": ("天", "小时", "分钟", "秒"),
    "en": ("d", "h", "min", "s"),
}
