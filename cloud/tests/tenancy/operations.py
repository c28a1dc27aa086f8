"""Every operation of the OpenAPI document as a request, with the ids that it carries."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cloud.domains.templates.workbook import workbook

from .world import Tenant, document

OF_A_TENANT = {
    "device_id", "dsid", "dsids", "entry_id", "preset_id", "id", "batch_id", "deployment_id", "hash", "lease",
    "user_id", "group_id", "file_id", "to_user", "event_id", "template_id", "rule_id", "port_name",
    "trigger_id", "alarm_rule_id", "parent_event_id", "suppression_id", "contact_id", "contact_group_id",
    "slave_name", "script_name", "forwarder_name", "task_id", "calendar_id", "sim_card_id",
    "parameter_plan_id", "trace_id", "delivery_id",
    "project_id", "product_id", "job_id", "move_to", "import_id", "gateway_temp_id",
    "firmware_key", "firmware_id", "plan_id", "upgrade_id", "gateway_id",
}  # fmt: skip
"""Parameters that name something which belongs to somebody."""

OF_NOBODY = {
    "open", "changes_link", "q", "enabled", "origin",
    "pixels", "file_name", "sheet",
    "living", "category", "number", "detach",
    "page", "limit", "search", "status", "sort", "slaves", "from_ms", "to_ms", "bucket", "offset_min",
    "reason", "start_ms", "end_ms", "points", "before_ms", "slave", "mode", "force", "wait", "expires_s",
    "confirm_s", "healthy_share", "key", "type", "user_type", "result", "permission", "path", "types", "flag",
    "operation", "writes", "code", "domain", "kind", "failed", "user", "name", "levels",
    "starttime", "endtime", "level", "language", "at_least_ms",
    "expired", "canary", "error_share", "at_once", "everybody", "state", "cascade",
    "port_id", "gis", "placed", "protocol",
    "model", "gateway_type", "expires_before_ms", "bound",
    "request_id", "base", "origin_id",
    "thing", "outcome", "view", "folded", "channel", "condition",
    "zone", "times", "weekdays", "interval_min", "window_begin", "window_end", "begin", "end",
    "ticket", "upgrade_state", "wave", "takes_firmware", "upgrade_type", "plan_name", "newest",
    "operator", "expires_within", "moved", "days", "digest",
    "raw_days", "minute_days", "quarter_days", "hour_days", "day_days",
}  # fmt: skip
"""Parameters that name nothing of a tenant: filters, choices, host names, and what rows that
somebody sees are only compared with."""

VERSIONS = "compareConfigurations"
"""Its from and to name versions; elsewhere they would be times."""

GLOBAL = {"putOption", "putUserOption", "putDictionary", "putCustomize", "login", "refreshToken"}
"""Operations whose body names nothing of a tenant, whatever its fields are called."""

ID_LIKE = re.compile(r"(^|_)(id|ids|dsid|dsids|hash|batch|base|parent|to|user_name)$")
"""Fields of a body that look as if they named something."""

BODY_FIELDS = {
    "gateway_template_id",
    "point_template_id",
    "template_id",
    "device_id",
    "device_ids",
    "contact_ids",
    "project_ids",
    "ids",
    "gateway_id",
    "copy_of",
    "project_id",
    "product_id",
    "source_dsid",
    "target_dsid",
    "dsid",
    "dsids",
    "batch",
    "id",
    "slave_id",
    "preset_id",
    "hash",
    "base",
    "user_name",
    "user_id",
    "group_id",
    "parent_id",
    "calendar_id",
    "key_id",
    "firmware_id",
}

REQUIRED: dict[str, Any] = {
    "file_name": "a.xlsx", "uploadFirmware.file_name": "a.bin", "q": "alpha", "ticket": "0" * 64,
    "digest": "0" * 32,
    "starttime": 0, "endtime": 86_400_000,
    "getOption.name": "alarm_levels", "getUserOption.name": "user_config",
    "from_ms": 0, "to_ms": 3_600_000, "start_ms": 0, "end_ms": 1000, "key": "CDCF",
    "previewTask.kind": "cyclic", "zone": "UTC",
    "code": "Monitor", "category": "point", "number": 1,
}  # fmt: skip
"""Of parameters that must be there."""

PUBLIC_KEY = base64.b64encode(bytes(32)).decode()

WORKBOOK = workbook("point", {"points": []}, "en")
WITH_FILE = ("compareTemplateSheets", "uploadImport", "previewSimCardImport", "importSimCards")
FILES = dict.fromkeys(WITH_FILE, WORKBOOK)
"""Of operations that take a file."""

ONE_OF = {"getCommandStatus": ("id", "batch_id"), "getLastValues": ("device_id", "dsids")}
"""Operations that take exactly one of these."""


@dataclass(frozen=True)
class Operation:
    """One operation. ids: its parameters that name something of a tenant."""

    name: str
    verb: str
    path: str
    parameters: tuple[dict[str, Any], ...]
    body: dict[str, Any] | None

    @property
    def ids(self) -> tuple[str, ...]:
        """As keys of a tenant's ids."""
        keys = (key_of(self.name, each["name"]) for each in self.parameters)
        return tuple(key for key in keys if key in OF_A_TENANT | {"from", "to"})

    def request(self, ids: dict[str, Any], body: Any = None) -> dict[str, Any]:
        """Arguments of a client's request with these ids; optional ones that are not named stay out."""
        path, query = self.path, {}
        for each in self.parameters:
            name, key = each["name"], key_of(self.name, each["name"])
            if key in ids and key in self.ids:
                value = ids[key]
            elif each.get("required"):
                value = REQUIRED.get(f"{self.name}.{name}", REQUIRED.get(name))
            else:
                continue
            if each["in"] == "path":
                path = path.replace(f"{{{name}}}", str(value))
            else:
                query[name] = value
        made: dict[str, Any] = {"method": self.verb, "url": path, "params": query}
        if body is not None:
            made["json"] = body
        if self.name in FILES:
            made["files"] = {"file": ("a.xlsx", FILES[self.name])}
        return made


def key_of(operation: str, parameter: str) -> str:
    """What a parameter is called among a tenant's ids."""
    if parameter in ("from", "to"):
        return {VERSIONS: parameter, "deleteUser": "to_user"}.get(operation, f"{operation}.{parameter}")
    return parameter


def operations(paths: dict[str, Any]) -> Iterator[Operation]:
    """Of an OpenAPI document's paths."""
    for path, verbs in paths.items():
        for verb, described in verbs.items():
            content = described.get("requestBody", {}).get("content", {})
            yield Operation(
                described["operationId"],
                verb.upper(),
                path,
                tuple(described.get("parameters", ())),
                content.get("application/json", {}).get("schema") if content else None,
            )


def body_of(name: str, tenant: Tenant) -> Any:
    """A body that is accepted from that tenant; None for an operation without one."""
    ids = tenant.ids
    bodies: dict[str, Any] = {
        "createDevice": {"gateway_id": f"gw-{tenant.name}-new", "copy_of": ids["device_id"]},
        "changeDevices": {"update": {"ids": [ids["device_id"]], "fields": {"model": tenant.name}}},
        "bindDevice": {"code": f"code-{tenant.name}"},
        "resetDeviceStatus": {"status": "normal"},
        "changeDevice": {"device_title": f"Boiler {tenant.name}"},
        "putShare": {"user_name": tenant.plant},
        "putPosition": {"longitude": 121.5, "latitude": 31.2},
        "changeOwner": {"user_id": ids["user_id"]},
        "sendCommand": {"dsid": ids["dsid"], "action": "R"},
        "addPreset": {"title": f"New {tenant.name}", "writes": [{"dsid": ids["dsid"], "value": 1}]},
        "changePreset": {"title": f"Start {tenant.name}", "writes": [{"dsid": ids["dsid"], "value": 1}]},
        "addProject": {"kind": "project", "title": f"New {tenant.name}"},
        "changeProject": {"title": f"Line {tenant.name}"},
        "moveProject": {"parent_id": None},
        "assignDevices": {"device_ids": [ids["device_id"]], "project_id": ids["project_id"]},
        "addProduct": {"name": tenant.name, "product_id": f"new-{tenant.name}"},
        "changeProduct": {"name": tenant.name},
        "putAccessPassword": {"password": None},
        "deploy": {"hash": ids["hash"], "force": True},
        "saveDraft": {"document": document(tenant.name), "base": ids["hash"]},
        "checkConfiguration": {"hash": ids["hash"]},
        "openVirtualPort": {"port": "com1"},
        "changeUser": {"remark": "x"},
        "resetPassword": {},
        "setUserStatus": {"status": 1},
        "createUser": {"user_name": f"{tenant.name}new", "user_type": 4},
        "createGroup": {"title": f"{tenant.name} new", "user_type": 3, "permissions": []},
        "changeGroup": {"title": f"{tenant.name} new", "user_type": 4, "permissions": []},
        "changeRule": {},
        "handleAlarm": {"status": 1},
        "noteAlarm": {"note": "seen"},
        "acknowledgeAlarms": {"ids": [ids["event_id"]]},
        "suppressAlarms": suppression(ids),
        "suppressRule": {"duration_s": 600, "reason": tenant.name},
        "beginMaintenance": {"duration_s": 600, "reason": tenant.name},
        "addPort": {"name": f"new-{tenant.name}", "type": "NET", "ip": "127.0.0.1", "base": ids["hash"]},
        "changePort": {"capture_cycle_ms": 2000, "base": ids["hash"]},
        "addSlave": {**new_slave(tenant), "base": ids["hash"]},
        "changeSlave": {"title": tenant.name, "base": ids["hash"]},
        "saveSlaves": {"save": [new_slave(tenant)], "base": ids["hash"]},
        "savePoints": {"base": ids["hash"]},
        "addScript": {"base": ids["hash"], "script": script_of(tenant, f"new-{tenant.name}")},
        "changeScript": {"base": ids["hash"], "script": script_of(tenant, ids["script_name"])},
        "saveForwarder": {"base": ids["hash"], "forwarder": forwarder(f"new-{tenant.name}")},
        "saveParameters": {
            "base": ids["hash"],
            "groups": [{"name": "history", "rows": [{"retention_days": 5}]}],
        },
        "createParameterPlan": parameter_plan(ids),
        "changeParameterPlan": {**parameter_plan(ids), "version": 2**30},
        "runParameterPlan": {"version": 1},
        "putInternalSlave": {"base": ids["hash"], "internal_slave": {"id": 9}, "points": []},
        "putLoopWrites": {"base": ids["hash"], "tasks": [loop_write(tenant)]},
        "tryScript": {"kind": "formula", "text": "x + 1", "inputs": {"x": 1}},
        "readPoints": {
            "slave": f"boiler-{tenant.name}",
            "points": [f"pressure-{tenant.name}".replace("-", "_")],
        },
        "exportHistory": {"dsids": [ids["dsid"]], "start_ms": 0, "end_ms": 1000},
        "beginDeviceExport": {"ids": [ids["device_id"]]},
        "previewImport": {"sheets": [{"kind": "points", "fields": ["gateway_id", "slave", "ds_name"]}]},
        "applyImport": {"preview": "0" * 32},
        "putRetention": {"user_id": ids["user_id"], "kept": None},
        "putPointRetention": {"dsid": ids["dsid"], "kept": None},
        "createExchangeRule": exchange_rule(ids),
        "changeExchangeRule": exchange_rule(ids),
        "createTrigger": trigger(ids),
        "changeTrigger": changed_trigger(ids),
        "enableTrigger": {"enabled": False},
        "tryTrigger": backtest(ids),
        "createTask": task(ids),
        "changeTask": task(ids),
        "enableTask": {"enabled": False},
        "runTask": {},
        "createHolidayCalendar": {"title": f"New {tenant.name}", "off": ["2026-10-01"]},
        "changeHolidayCalendar": {"title": f"Days {tenant.name}"},
        "addFirmwareKey": {"key_id": f"new-{tenant.name}", "public_key": PUBLIC_KEY},
        "createFirmwarePlan": firmware_plan(ids),
        "changeFirmwarePlan": firmware_plan(ids),
        **contacts_of(tenant),
        **sim_cards_of(tenant),
        **templates_of(tenant),
    }
    return bodies.get(name)


def contacts_of(tenant: Tenant) -> dict[str, Any]:
    """Bodies of the operations on contacts and their groups."""
    return {
        "createContact": {"name": f"New {tenant.name}", "email": "new@example.com"},
        "changeContact": {"name": f"Contact {tenant.name}", "email": "a@example.com"},
        "testContact": {"channel": "email"},
        "createContactGroup": contact_group(tenant.ids),
        "changeContactGroup": contact_group(tenant.ids),
        "testContactGroup": {"channel": "webhook"},
    }


def sim_cards_of(tenant: Tenant) -> dict[str, Any]:
    """Bodies of the operations on SIM cards."""
    numbers = {"prefix": "89860099999999", "first": "0001", "last": "0002"}
    return {
        "createSimCard": {"iccid": "89860099999999990000", "remark": tenant.name},
        "previewSimCardRange": numbers,
        "addSimCardRange": numbers,
        "changeSimCard": {"iccid": tenant.ids["iccid"], "remark": tenant.name},
        "bindSimCard": sim_card_binding(tenant.ids),
    }


def sim_card_binding(ids: dict[str, Any]) -> dict[str, Any]:
    return {"device_id": ids["device_id"]}


def contact_group(ids: dict[str, Any]) -> dict[str, Any]:
    chosen = {"gateways": "devices", "device_ids": [ids["device_id"]]}
    return {"title": "x", "channels": ["email"], "contact_ids": [ids["contact_id"]], **chosen}


def project_group(ids: dict[str, Any]) -> dict[str, Any]:
    return {"title": "x", "gateways": "projects", "project_ids": [ids["project_id"]]}


def templates_of(tenant: Tenant) -> dict[str, Any]:
    """Bodies of the operations on templates."""
    ids = tenant.ids
    return {
        "createTemplate": {"category": "point", "title": f"New {tenant.name}", "parent_id": None},
        "importTemplate": {
            "file": {"category": "point", "title": f"New {tenant.name}", "document": {"points": []}},
            "parent_id": None,
        },
        "changeTemplate": {"remark": "x"},
        "moveTemplate": {"parent_id": None},
        "copyTemplate": {"title": f"New {tenant.name}", "parent_id": None},
        "saveTemplateVersion": {"document": {"points": []}, "base": 1},
        "previewTemplate": {},
        "applyTemplate": {"device_ids": [ids["device_id"]]},
        "instantiateTemplate": {"gateway_template_id": ids["gateway_template_id"]},
        "putPointTemplate": {"slave": ids["slave_name"], "point_template_id": ids["template_id"]},
        "previewTemplateRows": {"device_id": ids["device_id"]},
        "detachTemplate": {},
        "attachTemplate": {"slave": ids["slave_name"], "template_id": ids["template_id"], "version": 1},
    }


def firmware_plan(ids: dict[str, Any]) -> dict[str, Any]:
    chosen = {"range": "device", "device_ids": [ids["device_id"]], "scope": 3}
    return {"name": 7, "firmware_id": ids["firmware_id"], "upgrade_type": 2, **chosen}


def parameter_plan(ids: dict[str, Any]) -> dict[str, Any]:
    changes = [{"group": "history", "values": {"retention_days": 5}}]
    return {"title": "x", "device_ids": [ids["device_id"]], "changes": changes}


def exchange_rule(ids: dict[str, Any]) -> dict[str, Any]:
    return {"title": "x", "source_dsid": ids["dsid"], "target_dsid": ids["dsid"]}


def suppression(ids: dict[str, Any]) -> dict[str, Any]:
    return {"ids": [ids["event_id"]], "duration_s": 600, "reason": "x"}


def trigger(ids: dict[str, Any]) -> dict[str, Any]:
    condition = {"type": 3, "dsid": ids["dsid"], "magnitude": 1}
    return {"title": "x", "rules": [{"title": "x", "conditions": [condition]}]}


def changed_trigger(ids: dict[str, Any]) -> dict[str, Any]:
    """The same with the rule that it has."""
    return {"title": "x", "rules": [{**trigger(ids)["rules"][0], "id": ids["alarm_rule_id"]}]}


def backtest(ids: dict[str, Any]) -> dict[str, Any]:
    return {"rule": trigger(ids)["rules"][0], "start_ms": 0, "end_ms": 1000}


def telling_trigger(ids: dict[str, Any]) -> dict[str, Any]:
    condition = {"type": 5, "slave_id": ids["slave_id"]}
    rule = {"title": "x", "conditions": [condition], "groups": [ids["contact_group_id"]]}
    return {"title": "x", "rules": [rule]}


def linked_trigger(ids: dict[str, Any]) -> dict[str, Any]:
    condition = {"type": 5, "slave_id": ids["slave_id"]}
    linkage = [{"preset_id": ids["preset_id"]}]
    return {"title": "x", "rules": [{"title": "x", "conditions": [condition], "linkage": linkage}]}


def task(ids: dict[str, Any]) -> dict[str, Any]:
    schedule = {"kind": "daily", "zone": "Asia/Shanghai", "times": ["08:00"]}
    actions = [{"kind": "preset", "preset_id": ids["preset_id"]}]
    return {"title": "x", "enabled": False, "schedule": schedule, "actions": actions}


def task_with(ids: dict[str, Any], **action: Any) -> dict[str, Any]:
    """With another action."""
    return {**task(ids), "actions": [action]}


def script_of(tenant: Tenant, name: str) -> dict[str, Any]:
    return {"name": name, "slave": tenant.ids["slave_name"], "text": "x = 1"}


def forwarder(name: str) -> dict[str, Any]:
    return {"name": name, "kind": "file", "options": {"folder": "/mnt/usb"}}


def loop_write(tenant: Tenant) -> dict[str, Any]:
    message = {"content": "number", "value": 1, "offset": 0}
    return {"name": f"new-{tenant.name}", "interval_s": 60, "slave": tenant.ids["slave_name"], **message}


def new_slave(tenant: Tenant) -> dict[str, Any]:
    port = f"lan-{tenant.name}"
    return {"name": f"new-{tenant.name}", "port": port, "protocol": "modbus_tcp", "address": "9"}
