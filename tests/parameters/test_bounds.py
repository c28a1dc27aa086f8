"""Every parameter field: accepted at its bounds, refused beyond them, alike in schema, cloud and gateway."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import jsonschema_rs
import parameter_fields
import pytest
from parameter_fields import Case, cases, fields

from edge_agent.config.load import configuration_of
from edge_agent.errors import ConfigErrors
from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.schema import exported
from edge_contract.parameters.validation import faults_of

MIN_FIELDS = 140
"""Fewer would mean that the table has lost some."""

GATEWAY: dict[str, Any] = {
    "gateway": {"id": "gw-1"},
    "ports": [
        {"name": "lan", "type": "NET", "host": "192.168.0.9"},
        {"name": "com1", "type": "COM", "device": "/dev/ttyS1"},
    ],
    "slaves": [
        {"name": "a", "port": "lan", "protocol": "modbus_tcp", "address": "1", "options": {"one_based": True}}
    ],
    "points": [
        {"slave": "a", "name": "p", "data_type": "float", "address": {"reg_type": "4X", "offset": 1}},
        {"slave": "a", "name": "w", "rw": "readwrite", "address": {"reg_type": "4X", "offset": 9}},
    ],
}

PLACES = {
    "uart": "ports[1].", "channels": "channels[0].", "registration": "registration.",
    "calibration": "calibrations[0].", "internal_slave": "internal_slave.", "history": "history.",
    "loop_write": "loop_writes[0].", "network": "network.", "mobile": "mobile.", "hotspot": "hotspot.",
    "hj212": "forwarders[0].options.", "mqtt": "forwarders[0].options.",
}  # fmt: skip
"""Where the fields of a group stand in the gateway's faults."""
ELSEWHERE = {
    ("run", "mode"): "collection.enable",
    ("run", "power"): "reporting.power",
    ("run", "report_interval_s"): "reporting.interval_s",
    ("hj212", "name"): "forwarders[0].name",
    ("hj212", "enable"): "forwarders[0].enable",
    ("mqtt", "name"): "forwarders[0].name",
    ("mqtt", "enable"): "forwarders[0].enable",
}
ONLY_OF_THE_VIEW = {("run", "mode")}
"""Fields of which the document holds something else: a value that is none never comes into it."""

CASES = list(cases())


def place_of(case: Case) -> str:
    """Where the gateway names the field; of an entry of a list that of the list."""
    outer = case.field.partition(".")[0]
    return ELSEWHERE.get((case.group, outer)) or PLACES[case.group] + outer


@cache
def validator(group: str) -> Any:
    return jsonschema_rs.Draft202012Validator(exported()[group]["row"])


def edge_faults(case: Case) -> list[str]:
    """Of the gateway's own validation, at the field."""
    group = GROUPS[case.group]
    document = group.write(copy.deepcopy(GATEWAY), [case.row])
    try:
        configuration_of(document)
    except ConfigErrors as error:
        return [str(each) for each in error.errors if each.field.startswith(place_of(case))]
    return []


def cloud_faults(case: Case) -> list[str]:
    """Of what cloud and portal validate by, at the field."""
    prefix = "[0]." if GROUPS[case.group].key else ""
    outer = case.field.partition(".")[0]
    return [
        f"{each.field}: {each.rule}"
        for each in faults_of(GROUPS[case.group], [case.row])
        if each.field.startswith(prefix + outer)
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_field_has_the_same_bounds_everywhere(case: Case) -> None:
    edge, cloud = edge_faults(case), cloud_faults(case)
    if case.accepted:
        assert validator(case.group).is_valid(case.row)
        assert cloud == []
        assert edge == []
        return
    assert cloud != []
    if (case.group, case.field) not in ONLY_OF_THE_VIEW:
        assert edge != []


@pytest.mark.parametrize("case", [case for case in CASES if not case.accepted], ids=str)
def test_schema_refuses_what_is_beyond_a_bound(case: Case) -> None:
    """But for what only the fields together say, which JSON schema leaves to the two programs."""
    together = case.group == "network" and case.field in ("address", "netmask", "gateway", "dns")
    if together and validator(case.group).is_valid(case.row):
        return
    assert not validator(case.group).is_valid(case.row)


def test_every_field_of_every_group_is_in_the_table() -> None:
    assert parameter_fields.groups_without_row() == set()
    assert {(case.group, case.field) for case in CASES} == set(fields())
    assert len(fields()) >= MIN_FIELDS


def test_row_that_is_valid_in_the_table_is_valid_everywhere() -> None:
    for name, row in parameter_fields.ROWS.items():
        assert validator(name).is_valid(row), name
        assert faults_of(GROUPS[name], [dict(row)]) == [], name
        configuration_of(GROUPS[name].write(copy.deepcopy(GATEWAY), [row]))
