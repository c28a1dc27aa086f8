"""Words that messages alone have, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

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
    },
}  # fmt: skip
