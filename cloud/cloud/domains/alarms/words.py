"""Words for alarms in both languages: of messages and of the exported log."""

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

STATUSES: Mapping[str, Mapping[int, str]] = {
    "zh": {0: "未处理", 1: "已处理", 2: "误报"},
    "en": {0: "Unhandled", 1: "Handled", 2: "False alarm"},
}
"""Of handling, as the portal has them (base:code.alarmLog)."""

STATES: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "normal": "正常",
        "unacknowledged": "未确认",
        "acknowledged": "已确认",
        "returned": "已恢复，未确认",
        "latched": "锁存",
        "shelved": "已搁置",
        "suppressed": "已抑制",
        "out_of_service": "已停用",
    },
    "en": {
        "normal": "Normal",
        "unacknowledged": "Not acknowledged",
        "acknowledged": "Acknowledged",
        "returned": "Returned, not acknowledged",
        "latched": "Latched",
        "shelved": "Shelved",
        "suppressed": "Suppressed",
        "out_of_service": "Out of service",
    },
}
"""Of the life cycle, as the portal has them (base:code.alarmState); a test compares them."""

CAUSES: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "link_lost": "与网关的连接中断",
        "stopped": "网关程序已停止",
        "silent": "网关长时间无心跳",
        "version": "网关协议版本不受支持",
        "not_claimed": "网关尚未登记",
        "disabled": "已停用",
        "reset": "已被用户置为离线",
        "wrong_secret": "接入密钥错误",
        "asleep": "休眠中，等待下次上报",
        "switched": "切换配置时断开",
        "rule_changed": "触发器已修改或停用",
        "point_removed": "数据点已从网关配置中删除",
        "card_moved": "SIM 卡在另一网关中",
        "card_bound": "卡已改绑",
        "target_down": "转发目标未接收数据",
        "target_removed": "转发目标已删除或停用",
    },
    "en": {
        "link_lost": "connection to the gateway lost",
        "stopped": "gateway program stopped",
        "silent": "no heartbeat from the gateway for a long time",
        "version": "gateway protocol version not supported",
        "not_claimed": "gateway not registered",
        "disabled": "disabled",
        "reset": "set to offline by a user",
        "wrong_secret": "wrong access secret",
        "asleep": "asleep until the next report",
        "switched": "disconnected to switch configuration",
        "rule_changed": "trigger changed or switched off",
        "point_removed": "data point no longer configured",
        "card_moved": "SIM card is in another gateway",
        "card_bound": "card bound elsewhere",
        "target_down": "forwarding target takes no data",
        "target_removed": "forwarding target removed or disabled",
    },
}
"""Why an event came or was over, by its code, as the portal has them (base:reason); a test compares them."""

POSITIONS: Mapping[str, Mapping[bool, str]] = {
    "zh": {True: "开", False: "关"},
    "en": {True: "on", False: "off"},
}
"""Of a switch whose positions have no names."""

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
