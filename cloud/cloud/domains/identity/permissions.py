"""The permissions that this cloud knows, with their names, and what each user type has.

The strings are the specification's; a route states one of them with `requires`.
"""

from __future__ import annotations

from typing import NamedTuple


class Permission(NamedTuple):
    """One permission and its name in both languages."""

    code: str
    zh: str
    en: str


PERMISSIONS = (
    Permission("Monitor", "监控", "Monitoring"),
    Permission("Monitor.DeviceMonitor", "设备监控", "Device monitor"),
    Permission("HisData", "历史数据", "Historical data"),
    Permission("DeviceManage", "设备管理", "Device management"),
    Permission("Device/cmd", "下发命令", "Send commands"),
)

CODES = frozenset(permission.code for permission in PERMISSIONS)

READ_ONLY = CODES - {"Device/cmd", "DeviceManage"}

_BY_TYPE = {0: CODES, 1: CODES, 2: CODES, 3: CODES}


def of_type(user_type: int) -> frozenset[str]:
    """Permissions of a user type: platform staff, factories, agents and enterprises all, others read."""
    return _BY_TYPE.get(user_type, READ_ONLY)
