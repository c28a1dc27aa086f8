"""Constants of the specification that this domain keeps."""

from __future__ import annotations

from cloud.domains.identity.lockout import FIRST_LOCK_S, FREE_FAILURES, LONGEST_LOCK_S
from cloud.domains.identity.passwords import PUNCTUATION
from cloud.domains.identity.permissions import PERMISSIONS, CloudFlags
from cloud.domains.identity.service import REFRESH_S, REFUSED_TYPE, TOKEN_S
from cloud.domains.identity.users import MAX_AT_ONCE, REGISTERED

SEEN = {
    "Fee", "auth.User", "auth.User/register", "auth.Group/index", "auth.UserLog", "auth.Customize", "i18n",
    "PlatformOverView", "MonitorScreen", "MonitorScreenMall", "CustScreen", "GisScreen", "ScadaManager",
    "NodeManager", "Monitor", "Monitor.DeviceMonitor", "Monitor.DeviceMonitorList", "Monitor.DeviceMap",
    "Monitor.DeviceLocation", "Event", "DeviceMonitor_Online", "TriggerContact/index", "Trigger/index",
    "HisData", "energyAnalyze", "DataReport", "DataReportV2", "Device/hisaya", "StatisticalReport",
    "ProjectCenter", "ProjectManage", "ProjectDeployment", "DeviceManage", "Device/save", "DeviceTemplate",
    "OtaManager", "Camera", "Worker", "Lawer", "Others", "DeviceCronTasks/index", "DataExchange",
    "Customize/index", "Graphlib/list", "DeviceAccount/index", "Product", "Options", "AppKey",
    "SystemSetting", "CustomizeBigscreenTitle",
}  # fmt: skip


def test_every_permission_that_was_seen_is_in_the_table() -> None:
    codes = [permission.code for permission in PERMISSIONS]
    assert set(codes) >= SEEN and len(codes) == len(set(codes))
    assert {code.split(".")[0] for code in codes if "." in code} == {
        "Monitor",
        "ota",
        "worker",
        "law",
        "lawer",
        "auth",
    }


def test_table_is_a_tree_with_names_in_both_languages() -> None:
    known = {""}
    for permission in PERMISSIONS:
        assert permission.parent in known and permission.zh and permission.en, permission
        assert permission.kind in {"menu", "action"} and permission.types <= set(range(7))
        known.add(permission.code)


def test_user_types() -> None:
    assert (5, {5, 6}) == (REFUSED_TYPE, REGISTERED)
    platform_only = {permission.code for permission in PERMISSIONS if permission.types == {0}}
    assert {"auth.Customize", "auth.Rule"} <= platform_only


def test_switches_are_off_by_default() -> None:
    assert CloudFlags() == (0, 0, 0, 0, 0)
    assert CloudFlags._fields == ("ot", "rl", "ss", "rg", "announced")


def test_figures() -> None:
    assert (TOKEN_S, REFRESH_S) == (1800, 1_209_600)
    assert (FREE_FAILURES, FIRST_LOCK_S, LONGEST_LOCK_S) == (5, 1.0, 900.0)
    assert (MAX_AT_ONCE, PUNCTUATION) == (10_000, "!@#$%^&*")
