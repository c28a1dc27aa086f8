"""Faults cell by cell. cases.json is read by the portal's test too: both judge alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloud.domains.points import validation
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
    assert [(fault.name, fault.field, fault.code) for fault in validation.of_slaves(document)] == [
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
    assert validation.of_ports(strange) and validation.of_slaves(strange)
    assert validation.of_points(strange)


RANGES = [
    ("port", "baud", 300, 921_600),
    ("port", "port", 1, 65_535),
    ("port", "capture_cycle_ms", 10, 86_400_000),
    ("port", "min_interval_ms", 0, 10_000),
    ("slave", "capture_cycle_ms", 10, 86_400_000),
    ("slave", "response_timeout_ms", 10, 60_000),
    ("slave", "retries", 0, 10),
    ("point", "tofixed", 0, 9),
    ("point", "capture_freq", 1, 100_000),
    ("point", "collect_delay_ms", 0, 86_400_000),
]


@pytest.mark.parametrize(("of", "field", "lowest", "highest"), RANGES)
def test_numbers_are_within_what_the_gateway_takes(of: str, field: str, lowest: int, highest: int) -> None:
    form = forms()["modbus_rtu"]

    def faults(value: int) -> list[tuple[str, dict[str, Any]]]:
        if of == "port":
            cells = list(port_faults(port(**{field: value})))
        elif of == "slave":
            slave = {"name": "s", "port": "com1", "protocol": "modbus_rtu", "address": "1", field: value}
            cells = list(slave_faults(slave, port(), form))
        else:
            row = {"ds_name": "p", "regtype": "4X", "addroffset": 1, field: value}
            (cells,) = points_faults([row], form, {})
        return [(cell.code, dict(cell.arguments)) for cell in cells if cell.field == field]

    assert faults(lowest) == faults(highest) == []
    wanted = [("range", {"min": lowest, "max": highest})]
    assert faults(lowest - 1) == faults(highest + 1) == wanted


@pytest.mark.parametrize(("seconds", "taken"), [
    (0, True), (10, True), (86_400, True), (86_410, False), (15, False), (-10, False), (86_399, False),
])  # fmt: skip
def test_a_storage_cycle_is_a_multiple_of_ten_seconds_up_to_a_day(seconds: int, taken: bool) -> None:
    slave = {
        "name": "s",
        "port": "com1",
        "protocol": "modbus_rtu",
        "address": "1",
        "storage_cycle_s": seconds,
    }
    cells = list(slave_faults(slave, port(), forms()["modbus_rtu"]))
    faults = [(cell.field, cell.code, dict(cell.arguments)) for cell in cells]
    assert faults == ([] if taken else [("storage_cycle_s", "multiple", {"of": 10})])


@pytest.mark.parametrize("count", [999, 1000, 1001, 1500])
def test_a_thousand_faults_are_told_at_once(count: int) -> None:
    document = {"ports": [{"name": "a b", "type": "COM", "device": "/dev/ttyS1"}] * count}
    assert len(validation.of_ports(document)) == min(count, 1000)
