"""Every API operation with the id of a foreign tenant: answered as if there were no such thing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest

from .conftest import World
from .operations import (
    BODY_FIELDS,
    GLOBAL,
    ID_LIKE,
    OF_A_TENANT,
    OF_NOBODY,
    ONE_OF,
    Operation,
    backtest,
    body_of,
    contact_group,
    exchange_rule,
    firmware_plan,
    linked_trigger,
    operations,
    parameter_plan,
    project_group,
    sim_card_binding,
    suppression,
    task,
    task_with,
    telling_trigger,
    trigger,
)
from .replies import same, text_of

ABSENT = {
    "device_id": 999_999, "dsid": 999_999, "dsids": "999999", "entry_id": 999_999, "preset_id": 999_999,
    "id": "command-nobody", "batch_id": "batch-nobody", "deployment_id": "deployment-nobody",
    "hash": "f" * 64, "from": "f" * 64, "to": "f" * 64, "lease": "c" * 16, "user_id": 999_999,
    "group_id": 999_999, "to_user": 999_999, "file_id": "f" * 64, "event_id": 999_999,
    "template_id": 999_999, "gateway_template_id": 999_999, "rule_id": 999_999, "port_name": "nobody",
    "trigger_id": 999_999, "alarm_rule_id": 999_999, "parent_event_id": 999_999,
    "suppression_id": 999_999, "slave_id": 999_999, "contact_id": 999_999, "contact_group_id": 999_999,
    "task_id": 999_999, "calendar_id": 999_999, "sim_card_id": 999_999,
    "firmware_key": 999_999, "firmware_id": 999_999, "plan_id": 999_999, "upgrade_id": "upgrade-nobody",
    "delivery_id": 999_999, "parameter_plan_id": 999_999, "trace_id": "c" * 16,
    "slave_name": "nobody", "script_name": "nobody", "forwarder_name": "nobody",
    "project_id": 999_999, "product_id": 999_999, "job_id": 999_999, "move_to": 999_999,
    "import_id": "f" * 32, "gateway_temp_id": 999_999, "gateway_id": "gw-nobody",
}  # fmt: skip

NOT_FOUND_AT_HOME = {
    "getLastValue",
    "discardDraft",
    "closeVirtualPort",
    "renewTrace",
    "stopTrace",
    "deleteShare",
    "getJobFile",
    "detachTemplate",
    "downloadFirmware",
    "listTemplateOverrides",
}
"""Operations for which the world has nothing to find: no sample, draft, file, order of firmware that is out,
trace that runs, and no share with the plant.
"""

EXPLAINS = {"why"}
"""Says "not yours" of any gateway that is not seen, whether there is one or not."""

NOT_FOR_ENTERPRISES = {"listParameterGateways"}
"""Asked by whose gateways they are, and by no enterprise."""

OF_THE_PLATFORM = {"getRetentionEffect"}
"""Names a user, and is for those who set up the platform."""

FILTERS = {
    "listDevices",
    "listPositions",
    "listLocations",
    "listMonitorPoints",
    "getStatisticalReport",
    "exportStatisticalReport",
    "exportDevices",
    "listExchangeRules",
    "listTriggers",
    "listTasks",
    "listFirmwareUpgrades",
    "listTraces",
    "listFirmwareGateways",
    "listParameterGateways",
    "listNotifications",
    "listAlarms",
    "exportAlarms",
    "listAlarmGroups",
    "listSuppressions",
    "countOnOfflineEvents",
    "exportOnOfflineEvents",
    "listOnOfflineEvents",
}
"""Lists that a gateway only filters: as empty for one that is not seen as for one that is not there."""

OF_MAKERS = {"listFirmwareGateways", "listFirmwareUpgrades", "listParameterGateways", "listTraces"}
"""Lists of FILTERS that a plant has no permission for: a refusal would hold nothing."""

GONE = {
    "deleteOnOfflineEntry",
    "deleteAlarm",
    "endSuppression",
    "deletePreset",
    "deleteProject",
    "deleteProduct",
    "deleteJob",
    "deleteImport",
    "deletePort",
    "deleteTemplate",
    "deleteSlave",
    "deleteScript",
    "deleteForwarder",
    "deleteTrigger",
    "deleteTask",
    "deleteFirmwareKey",
    "deleteFirmware",
    "deleteFirmwarePlan",
    "deleteHolidayCalendar",
    "deleteParameterPlan",
    "deleteContact",
    "deleteContactGroup",
    "deleteSimCard",
    "deleteDevice",
    "leaveDevice",
    "deleteGroup",
    "deleteUser",
    "resetPassword",
    "logout",
    "changeOwnPassword",
}
"""What would take away from the tenant what the others ask for."""


@pytest.fixture(scope="module")
def every(world: World) -> list[Operation]:
    return list(operations(world.app.openapi()["paths"]))


def test_every_parameter_is_known_here(every: list[Operation]) -> None:
    """A new one must be put into one of the two lists: then it is tested or was decided upon."""
    found = {each["name"] for operation in every for each in operation.parameters} - {"from", "to"}
    assert found - OF_A_TENANT - OF_NOBODY == set()


def test_every_body_that_names_something_is_known_here(world: World, every: list[Operation]) -> None:
    schemas = world.app.openapi()["components"]["schemas"]
    for operation in every:
        if operation.body is None or operation.name in GLOBAL:
            continue
        named = {field for field in fields(operation.body, schemas) if ID_LIKE.search(field)}
        named -= {"request_id"}  # each user's own
        assert named <= BODY_FIELDS, operation.name
        if named:
            assert body_of(operation.name, world.beta) is not None, operation.name


def fields(schema: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    """Names in a body, at any depth."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [schema]
    while pending:
        each = pending.pop()
        name = each.get("$ref", "").rpartition("/")[2]
        if name in seen:
            continue
        if name:
            seen.add(name)
            pending.append(schemas[name])
        found |= set(each.get("properties", {}))
        pending += list(each.get("properties", {}).values())
        pending += [part for key in ("anyOf", "oneOf", "allOf") for part in each.get(key, ())]
        pending += [each["items"]] if isinstance(each.get("items"), dict) else []
    return found


def chosen(operation: Operation, ids: dict[str, Any], one: str) -> dict[str, Any]:
    """Ids without those that the operation does not take together with this one."""
    others = set(ONE_OF.get(operation.name, ())) - {one}
    return {name: value for name, value in ids.items() if name not in others}


def tries(world: World, every: list[Operation]) -> Iterator[tuple[Operation, str, bool, str]]:
    """Operation, the id that is theirs, whether the others are too, and who asks."""
    askers = cycle([world.beta.maker, world.beta.plant])
    for operation in every:
        if operation.name in OF_MAKERS:
            yield from ((operation, name, False, world.beta.maker) for name in operation.ids)
            continue
        for name in operation.ids:
            for all_theirs in (False, True) if len(operation.ids) > 1 else (False,):
                asker = next(askers)
                is_makers = operation.name in NOT_FOR_ENTERPRISES
                yield operation, name, all_theirs, world.beta.maker if is_makers else asker


def test_a_foreign_id_is_like_one_that_is_not_there(world: World, every: list[Operation]) -> None:
    foreign, own = world.alpha.ids, world.beta.ids
    tried = 0
    for operation, name, all_theirs, asker in tries(world, every):
        rest = foreign if all_theirs else own
        body = body_of(operation.name, world.beta)
        wanted = chosen(operation, {**rest, name: foreign[name]}, name)
        absent = chosen(operation, {**rest, name: ABSENT[name]}, name)
        reply = world.ask(asker, operation.request(wanted, body))
        missing = world.ask(asker, operation.request(absent, body))
        where = (operation.name, name, asker, reply.text)
        if operation.name in EXPLAINS and name == "device_id" and rest is own:
            assert reply.status_code == 200 and not reply.json()["data"]["allowed"], where
        elif operation.name in FILTERS:
            assert reply.status_code == 200, where
        else:
            assert reply.status_code in (403, 404), where
            assert reply.json()["code"] == {403: 10001, 404: 20000}[reply.status_code], where
        assert same(reply) == same(missing), where
        assert "alpha" not in text_of(reply), where
        tried += 1
    assert tried > 80


def test_a_body_that_names_something_foreign(world: World, every: list[Operation]) -> None:
    foreign, own = world.alpha.ids, world.beta.ids
    bodies: list[tuple[str, Any]] = [
        ("sendCommand", lambda ids: {"dsid": ids["dsid"], "action": "W", "value": 1}),
        ("sendCommand", lambda ids: {"preset_id": ids["preset_id"]}),
        ("sendCommand", lambda ids: {"batch": [{"dsid": ids["dsid"], "value": 1}]}),
        ("addPreset", lambda ids: {"title": "x", "writes": [{"dsid": ids["dsid"], "value": 1}]}),
        ("changePreset", lambda ids: {"title": "x", "writes": [{"dsid": ids["dsid"], "value": 1}]}),
        ("deploy", lambda ids: {"hash": ids["hash"], "force": True}),
        ("checkConfiguration", lambda ids: {"hash": ids["hash"]}),
        ("changeOwner", lambda ids: {"user_id": ids["user_id"]}),
        ("createDevice", lambda ids: {"gateway_id": "gw-x", "copy_of": ids["device_id"]}),
        ("createTemplate", lambda ids: {"category": "point", "title": "x", "parent_id": ids["template_id"]}),
        (
            "createTemplate",
            lambda ids: {
                "category": "point",
                "title": "x",
                "source": {"device_id": ids["device_id"], "slave": "x"},
            },
        ),
        ("applyTemplate", lambda ids: {"device_ids": [ids["device_id"]]}),
        ("previewTemplateRows", lambda ids: {"device_id": ids["device_id"]}),
        ("attachTemplate", lambda ids: {"slave": "x", "template_id": ids["template_id"], "version": 1}),
        ("instantiateTemplate", lambda ids: {"gateway_template_id": ids["gateway_template_id"]}),
        ("putPointTemplate", lambda ids: {"slave": "x", "point_template_id": ids["template_id"]}),
        ("createExchangeRule", exchange_rule),
        ("exportHistory", lambda ids: {"dsids": [ids["dsid"]], "start_ms": 0, "end_ms": 1}),
        ("putPointRetention", lambda ids: {"dsid": ids["dsid"], "kept": None}),
        ("addProject", lambda ids: {"kind": "project", "title": "x", "parent_id": ids["project_id"]}),
        ("moveProject", lambda ids: {"parent_id": ids["project_id"]}),
        ("assignDevices", lambda ids: {"device_ids": [1], "project_id": ids["project_id"]}),
        ("changeExchangeRule", exchange_rule),
        ("createTrigger", trigger),
        ("acknowledgeAlarms", lambda ids: {"ids": [ids["event_id"]]}),
        ("suppressAlarms", suppression),
        ("createTrigger", linked_trigger),
        ("createTrigger", telling_trigger),
        ("createContactGroup", lambda ids: contact_group({**own, "contact_id": ids["contact_id"]})),
        ("createContactGroup", lambda ids: contact_group({**own, "device_id": ids["device_id"]})),
        ("createContactGroup", project_group),
        ("changeContactGroup", contact_group),
        ("bindSimCard", sim_card_binding),
        ("createParameterPlan", parameter_plan),
        ("changeParameterPlan", lambda ids: {**parameter_plan(ids), "version": 2**30}),
        (
            "createParameterPlan",
            lambda ids: {**parameter_plan(own), "device_ids": [], "project_ids": [ids["project_id"]]},
        ),
        ("changeTrigger", trigger),
        ("tryTrigger", backtest),
        ("createTask", task),
        ("changeTask", task),
        ("createFirmwarePlan", firmware_plan),
        ("createFirmwarePlan", lambda ids: firmware_plan({**own, "device_id": ids["device_id"]})),
        ("createTask", lambda ids: {**task(own), "calendar_id": ids["calendar_id"]}),
        ("createTask", lambda ids: task_with(ids, kind="write", dsid=ids["dsid"], value=1)),
        (
            "createTask",
            lambda ids: task_with(ids, kind="command", device_id=ids["device_id"], command="refresh"),
        ),
        (
            "createTask",
            lambda ids: task_with(ids, kind="formula", source_dsid=ids["dsid"], dsid=own["dsid"]),
        ),
        ("createUser", lambda ids: {"user_name": "x-new", "user_type": 4, "parent_id": ids["user_id"]}),
        ("createUser", lambda ids: {"user_name": "x-new", "user_type": 3, "group_id": ids["group_id"]}),
        ("changeUser", lambda ids: {"parent_id": ids["user_id"]}),
        ("changeUser", lambda ids: {"group_id": ids["group_id"]}),
    ]
    named = {operation.name: operation for operation in every}
    for name, body in bodies:
        reply = world.ask(world.beta.maker, named[name].request(own, body(foreign)))
        missing = world.ask(world.beta.maker, named[name].request(own, body(ABSENT)))
        assert same(reply) == same(missing), (name, reply.text)
        assert reply.status_code in (400, 403, 404), (name, reply.text)
        assert "alpha" not in reply.text


def test_the_owner_and_who_is_above_him_are_served(world: World, every: list[Operation]) -> None:
    """The same requests from those who may: else the tests above would pass for a wrong reason."""
    tenant = world.alpha
    askers = cycle([tenant.maker, tenant.plant])
    for operation in every:
        if operation.name in GONE or not operation.ids:
            continue
        for one in ONE_OF.get(operation.name, (operation.ids[0],)):
            request = operation.request(chosen(operation, tenant.ids, one), body_of(operation.name, tenant))
            of_users = {"user_id", "group_id", "product_id", "sim_card_id", "parameter_plan_id"} & set(
                operation.ids
            )  # nobody changes himself there; plans are not for enterprises
            of_makers = operation.name in NOT_FOR_ENTERPRISES
            asker = tenant.maker if of_users or of_makers else next(askers)
            reply = world.ask(asker, request)
            where = (operation.name, asker, reply.text)
            if operation.name in OF_THE_PLATFORM:
                assert reply.status_code == 403, where
            elif operation.name in NOT_FOUND_AT_HOME:
                assert reply.status_code in (404, 200), where
            else:
                assert reply.status_code not in (401, 403, 404, 422, 500), where
                assert reply.status_code != 400 or reply.json()["code"] != 10002, where
