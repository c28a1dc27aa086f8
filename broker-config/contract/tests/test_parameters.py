"""Parameter groups as views over a document: round trips, what they leave alone, and every fault."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.packets import packet_bytes
from edge_contract.parameters.schema import exported
from edge_contract.parameters.validation import faults_of

DOCUMENT: dict[str, Any] = {
    "gateway": {"id": "gw-1"},
    "collection": {"capture_cycle_ms": 500, "enable": True},
    "tunnels": {"enable": False},
    "reporting": {"interval_s": 120, "power": "saving"},
    "ports": [
        {"name": "lan", "type": "NET", "host": "h", "enable": False},
        {"name": "com1", "type": "COM", "device": "/dev/ttyS1", "capture_cycle_ms": 200, "baud": 4800},
        {"name": "com2", "type": "COM", "device": "/dev/ttyS2"},
    ],
    "slaves": [{"name": "a", "port": "lan", "protocol": "modbus_tcp", "address": "1"}],
    "points": [{"slave": "a", "name": "p"}],
    "internal_slave": {"id": 7},
    "history": {"retention_days": 5},
    "loop_writes": [
        {"name": "l", "interval_s": 5, "slave": "a", "content": "number", "value": 1, "offset": 0}
    ],
    "calibrations": [{"slave": "a", "name": "p", "scale": 1.5}],
    "channels": [{"name": "c", "server": "h", "server_port": 9, "port": "com1", "heartbeat_interval_s": 0}],
    "registration": {"format": "text", "content": "x"},
    "network": {"interface": "eth1", "mode": "dhcp"},
    "mobile": {"enable": False},
    "hotspot": {"enable": False},
    "forwarders": [
        {"name": "f", "kind": "file", "options": {"folder": "/x"}},
        {
            "name": "h", "kind": "hj212", "max_mb": 9,
            "options": {"server": "h", "port": 1, "mn": "M", "mapping": [{"factor": "w", "point": "a.p"}]},
        },
        {"name": "m", "kind": "mqtt", "options": {"server": "h", "up_topic": "t"}},
    ],
}  # fmt: skip
"""One with something of every group."""


@pytest.mark.parametrize("name", GROUPS)
def test_writing_what_was_read_changes_nothing(name: str) -> None:
    group = GROUPS[name]
    for document in (DOCUMENT, {"gateway": {"id": "gw-1"}}):
        before = copy.deepcopy(document)
        assert group.write(document, group.read(document)) == before
        assert document == before
    assert group.read(DOCUMENT)


@pytest.mark.parametrize("name", GROUPS)
def test_rows_are_read_as_they_were_written(name: str) -> None:
    """Of every group into a document without it, into another one, and away again."""
    group = GROUPS[name]
    rows = group.read(DOCUMENT)
    for document in ({"gateway": {"id": "gw-1"}}, DOCUMENT):
        written = group.write(document, rows)
        assert group.read(written) == rows
        gone = group.write(written, [])
        assert group.read(gone) in ([], [{}])


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_touches_no_other(name: str) -> None:
    gone = GROUPS[name].write(DOCUMENT, [])
    for other, group in GROUPS.items():
        if other != name:
            assert group.read(gone) == group.read(DOCUMENT), other


def test_what_a_view_does_not_show_stays() -> None:
    uart = GROUPS["uart"]
    rows = uart.read(DOCUMENT)
    rows[0] = {**rows[0], "baud": 19200}
    written = uart.write(DOCUMENT, [*rows, {"name": "com3", "device": "/dev/ttyS3"}])
    assert written["ports"] == [
        DOCUMENT["ports"][0],
        {**DOCUMENT["ports"][1], "baud": 19200},
        DOCUMENT["ports"][2],
        {"type": "COM", "name": "com3", "device": "/dev/ttyS3"},
    ]
    hj212 = GROUPS["hj212"].write(DOCUMENT, [{**GROUPS["hj212"].read(DOCUMENT)[0], "retry_times": 9}])
    assert hj212["forwarders"][1]["max_mb"] == 9
    assert hj212["forwarders"][1]["options"]["retry_times"] == 9


def test_run_mode_is_made_of_two_switches() -> None:
    run = GROUPS["run"]
    for mode, collects, lets_in in (
        ("collect_and_port", True, True),
        ("port", False, True),
        ("collect", True, False),
    ):
        written = run.write({"collection": {"capture_cycle_ms": 500}}, [{"mode": mode}])
        assert written["collection"] == {"capture_cycle_ms": 500, "enable": collects}
        assert written["tunnels"] == {"enable": lets_in}
        assert run.read(written) == [{"mode": mode}]
    assert run.read({"collection": {"enable": False}, "tunnels": {"enable": False}}) == [{}]


@pytest.mark.parametrize(
    ("group", "row", "field"),
    [
        ("run", {"power": "saving", "report_interval_s": 59}, "report_interval_s"),
        ("mobile", {"enable": False, "routing": True}, "routing"),
        ("mobile", {"authentication": "pap"}, "username"),
        ("hotspot", {"ssid": "gw"}, "password"),
        ("hotspot", {"ssid": "密" * 11, "password": "12345678"}, "ssid"),
        ("network", {"mode": "dhcp", "address": "10.0.0.1"}, "address"),
        (
            "network",
            {"mode": "static", "address": "10.0.0.9", "netmask": "255.255.255.0", "gateway": "10.1.0.1"},
            "gateway",
        ),
        ("network", {"mode": "static", "address": "10.0.0.0", "netmask": "255.0.0.0"}, "address"),
        ("registration", {"format": "hex", "content": "zz"}, "content"),
        ("registration", {"format": "gateway_id", "content": "x"}, "content"),
        ("channels", {"name": "c", "server": "h", "server_port": 1, "port": "p"}, "[0].heartbeat"),
        ("channels", {"name": "c", "server": "a b", "server_port": 1, "port": "p"}, "[0].server"),
        ("history", {"type": "disk", "medium": "external"}, "path"),
        ("internal_slave", {"tcp": False}, "tcp"),
    ],
)
def test_dependencies_name_the_field(group: str, row: dict[str, Any], field: str) -> None:
    assert field in [fault.field for fault in faults_of(GROUPS[group], [row])]


HJ212 = {"name": "h", "server": "h", "port": 1, "mn": "M", "mapping": [{"factor": "w", "point": "a.p"}]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rtd_interval_s": 29}, "[0].rtd_interval_s"),
        ({"random_min_ms": 501}, "[0].random_min_ms"),
        ({"random_min_ms": 0, "random_max_ms": 0}, "[0].supplementary"),
        ({"supplementary": False, "supplementary_rtd": True}, "[0].supplementary_rtd"),
        ({"mapping": [{"factor": "w", "point": "a.p"}] * 2}, "[0].mapping[1].factor"),
    ],
)
def test_dependencies_of_the_environmental_platform(change: dict[str, Any], field: str) -> None:
    assert faults_of(GROUPS["hj212"], [HJ212]) == []
    assert [fault.field for fault in faults_of(GROUPS["hj212"], [HJ212 | change])] == [field]


def test_every_fault_is_named_at_once() -> None:
    faults = faults_of(
        GROUPS["uart"],
        [
            {"name": "a", "device": "/d", "baud": 1, "what": 2, "stop_bits": 3},
            {"device": "/d", "read_timeout_ms": 2001},
            "no row",
            {"name": "a", "device": "/e"},
        ],
    )
    assert [fault.field for fault in faults] == [
        "[0].baud", "[0].what", "[0].stop_bits", "[1].name", "[1].read_timeout_ms", "[2]", "[3].name",
    ]  # fmt: skip
    assert faults_of(GROUPS["run"], [{}, {}])[0].rule == "must have at most 1 rows, it has 2"
    assert faults_of(GROUPS["run"], {})[0].rule == "must be a list of rows"
    lines = [{"name": "a", "device": "/d"}, {"name": "b", "device": "/d"}]
    assert [fault.field for fault in faults_of(GROUPS["uart"], lines)] == ["[1].device"]
    nan = {"slave": "a", "name": "p", "scale": float("nan")}
    assert [fault.rule for fault in faults_of(GROUPS["calibration"], [nan])] == ["must be a finite number"]


def test_packets_are_text_or_hexadecimal() -> None:
    assert packet_bytes("ping", "text") == b"ping"
    assert packet_bytes("01 A0ff", "hex") == b"\x01\xa0\xff"
    with pytest.raises(ValueError, match="pairs of hexadecimal digits"):
        packet_bytes("1", "hex")


def test_schema_has_words_for_every_field_and_is_plain_json() -> None:
    schema = exported()
    assert json.loads(json.dumps(schema)) == schema
    for name, group in schema.items():
        shapes = [group["row"], *group["row"].get("$defs", {}).values()]
        for field, shape in ((field, each) for one in shapes for field, each in one["properties"].items()):
            parts = [shape, *shape.get("anyOf", [])]
            assert any(part.get("x-label", {}).keys() == {"zh", "en"} for part in parts), f"{name}.{field}"
    text = Path(__file__).parents[1] / "schema" / "parameters" / "groups.json"
    assert json.loads(text.read_text()) == schema
