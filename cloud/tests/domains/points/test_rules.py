"""Faults cell by cell. cases.json is read by the portal's test too: both judge alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloud.domains.points import judge
from cloud.domains.points.forms import form_of, forms
from cloud.domains.points.rules import points_faults, port_faults, slave_faults

CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_points_have_the_faults_of_the_table(case: dict[str, Any]) -> None:
    form = form_of(case["protocol"], case["options"])
    found = points_faults(case["points"], form, case["options"])
    told = [[at, cell.field, cell.code] for at, cells in enumerate(found) for cell in cells]
    assert sorted(told) == sorted(case["faults"])


def port(**fields: Any) -> dict[str, Any]:
    return {"name": "com1", "type": "COM", "device": "/dev/ttyS1", **fields}


@pytest.mark.parametrize(
    ("fields", "protocol", "faults"),
    [
        ({}, "", []),
        ({"type": "NET"}, "", [("ip", "required")]),
        ({"type": "NET", "ip": "127.0.0.1; rm -rf"}, "", [("ip", "host_blanks")]),
        ({"type": "NET", "ip": "http://a"}, "", [("ip", "host_alone")]),
        ({"type": "NET", "ip": "a..b"}, "", [("ip", "host_labels")]),
        ({"type": "NET", "ip": "a." * 127 + "a"}, "", [("ip", "host_length")]),
        ({"type": "NET", "ip": "fe80::1%eth0"}, "", []),
        ({"type": "NET", "ip": "plc_1.plant.example."}, "", []),
        ({"device": ""}, "", [("device", "required")]),
        ({"name": "a b"}, "", [("name", "name")]),
        ({"min_interval_ms": 4}, "modbus_rtu", [("min_interval_ms", "modbus_interval")]),
        ({"min_interval_ms": 4}, "dlt645_2007", []),
        ({"parity": "M", "baud": 9}, "", [("baud", "range"), ("parity", "choice")]),
    ],
)
def test_ports(fields: dict[str, Any], protocol: str, faults: list[tuple[str, str]]) -> None:
    assert (
        sorted((cell.field, cell.code) for cell in port_faults(port(**fields), forms().get(protocol)))
        == faults
    )


@pytest.mark.parametrize(
    ("protocol", "good", "bad"),
    [
        ("modbus_rtu", ["1", "247"], ["0", "248", "x", "", "²"]),
        ("modbus_tcp", ["1", "247"], ["0", "248", "255", "256"]),
        ("ppi", ["1", "126"], ["0", "127"]),
        ("fx", ["0"], ["1"]),
        ("dlt645_2007", ["123456789012", "AAAAAA000001"], ["12345678901", "A23456789012"]),
    ],
)
def test_slave_addresses(protocol: str, good: list[str], bad: list[str]) -> None:
    form = forms()[protocol]
    options = {"model": "FX3U"} if protocol == "fx" else {}
    on = {**port(), "type": form.port_types[0], "ip": "10.0.0.1"}
    for address, faulty in [*((each, False) for each in good), *((each, True) for each in bad)]:
        slave = {"name": "s", "port": "com1", "protocol": protocol, "address": address, "options": options}
        assert ("address" in [cell.field for cell in slave_faults(slave, on, form)]) == faulty, address


@pytest.mark.parametrize(("address", "code"), [("0", "unit_id"), ("255", "unit_id"), ("256", "range")])
def test_a_unit_of_before_is_told_with_its_remedy(address: str, code: str) -> None:
    form = forms()["modbus_tcp"]
    on = {**port(), "type": "NET", "ip": "10.0.0.1"}
    slave = {"name": "s", "port": "com1", "protocol": "modbus_tcp", "address": address, "options": {}}
    assert [cell.code for cell in slave_faults(slave, on, form) if cell.field == "address"] == [code]
    better = {**slave, "address": "1", "options": {"unit_id": int(address)}}
    faults = [cell.code for cell in slave_faults(better, on, form)]
    assert faults == ([] if int(address) < 256 else ["range"])


def test_slaves_of_a_document() -> None:
    slave = {"port": "com1", "protocol": "modbus_rtu", "address": "1"}
    document = {
        "ports": [port()],
        "slaves": [
            {**slave, "name": "a", "storage_cycle_s": 15},
            {**slave, "name": "b", "address": "01"},
            {**slave, "name": "c", "address": "3", "protocol": "ppi"},
            {**slave, "name": "d", "address": "4", "port": "no"},
            {**slave, "name": "e", "address": "5", "protocol": "s7", "options": {"rack": 9}},
        ],
    }
    assert [(fault.name, fault.field, fault.code) for fault in judge.of_slaves(document)] == [
        ("a", "storage_cycle_s", "multiple"),
        ("b", "address", "address_twice"),
        ("c", "protocol", "port_protocol"),
        ("d", "port", "unknown_port"),
        ("e", "port", "port_type"),
        ("e", "protocol", "port_protocol"),
        ("e", "options.model", "required"),
        ("e", "options.rack", "range"),
    ]


def test_a_document_of_strange_rows_is_judged_too() -> None:
    strange = {
        "ports": [{"name": 5}],
        "slaves": [{"address": [], "options": 7}],
        "points": [{"slave": {}}, 3],
    }
    assert judge.of_ports(strange) and judge.of_slaves(strange)
    assert judge.of_points(strange)
