from pathlib import Path

import pytest

from firmware_sim.errors import ScenarioError
from firmware_sim.plant.load import load, read

GOOD = """
title: t
signals:
  - {name: s, kind: setpoint, value: 1}
  - {name: y, kind: lag, tau_s: 3, of: {s: 1}}
lines:
  - {name: lan, kind: modbus_tcp}
  - {name: bus, kind: dlt645}
devices:
  - name: d
    kind: modbus
    line: lan
    unit: 1
    registers:
      - {name: a, area: 4X, address: 0, type: float, signal: y}
      - {name: b, area: 4X, address: 2, signal: s, writable: true}
  - name: m
    kind: dlt645
    line: bus
    address: "000000000001"
    items:
      - {item: Ua, signal: y}
"""

BAD = [
    ("tau_s: 3", "tau_s: slow", "signals[1].tau_s"),
    ("tau_s: 3", "tau_s: -1", "signals[1].tau_s"),
    ("tau_s: 3", "tau: 3", "signals[1].tau"),
    ("kind: lag", "kind: leg", "signals[1].kind"),
    ("of: {s: 1}", "of: {x: 1}", "signals[1].of"),
    ("{name: y, kind", "{name: s, kind", "signals[1].name"),
    ("name: bus, kind: dlt645", "name: bus, kind: can", "lines[1].kind"),
    ("name: bus, kind: dlt645", "name: bus, kind: modbus_tcp", "devices[1].line"),
    ("name: lan, kind", "baud: 9600, name: lan, kind", "lines[0].baud"),
    ("name: lan, kind", "over: tcp, name: lan, kind", "lines[0].over"),
    ("name: bus, kind", "port: 502, name: bus, kind", "lines[1].port"),
    ("name: bus, kind", "baud: 30, name: bus, kind", "lines[1].baud"),
    ("name: lan, kind", "fault: echo, name: lan, kind", "lines[0].fault"),
    ("name: bus, kind: dlt645", "name: bus, kind: modbus_rtu", "devices[1].line"),
    ("line: lan", "line: lam", "devices[0].line"),
    ("unit: 1", "unit: 248", "devices[0].unit"),
    ("unit: 1", "unit: 240\n    copies: 9", "devices[8].unit"),
    ("unit: 1", "unit: 1\n    fault: loud", "devices[0].fault"),
    ("unit: 1", "unit: 1\n    fault: bad_checksum", "devices[0].fault"),
    ("name: m", "name: d", "devices[1].name"),
    ("name: m", "name: lan", "devices[1].name"),
    ("address: 0, type: float", "address: 1, type: float", "devices[0].registers"),
    ("address: 0, type: float", "address: 65535, type: float", "devices[0].registers[0].address"),
    ("address: 0, type: float", "address: 0, type: word", "devices[0].registers[0].type"),
    ("address: 0, type: float", "address: 0, type: bit", "devices[0].registers[0].type"),
    ("signal: y}\n      - {name: b", "value: 3, signal: y}\n      - {name: b", "devices[0].registers[0]"),
    ("signal: s, writable: true", "signal: y, writable: true", "devices[0].registers[1].writable"),
    ("4X, address: 2", "3X, address: 2", "devices[0].registers[1].writable"),
    ("signal: s, writable: true", "signal: s, ledger: true", "devices[0].registers[1].ledger"),
    ("signal: s, writable: true", "signal: nobody", "devices[0].registers[1].signal"),
    ("signal: s, writable: true", "signal: s, scale: 0", "devices[0].registers[1].scale"),
    ('"000000000001"', '"1"', "devices[1].address"),
    ("item: Ua", "item: U", "devices[1].items[0].item"),
    ("item: Ua", "item: ONOFF", "devices[1].items[0].item"),
    ("{item: Ua, signal: y}", "{item: Ua, signal: z}", "devices[1].items[0].signal"),
    ('"000000000001"', '"000000000001"\n    relay: y', "devices[1].relay"),
    ("title: t", "title: [", "file"),
    ("title: t", "", "title"),
]


def test_the_good_one_is_good() -> None:
    plant = read(GOOD)
    assert [device.name for device in plant.devices] == ["d", "m"]


@pytest.mark.parametrize(("old", "new", "field"), BAD)
def test_a_fault_names_its_field(old: str, new: str, field: str) -> None:
    assert old in GOOD
    with pytest.raises(ScenarioError) as caught:
        read(GOOD.replace(old, new, 1))
    assert caught.value.field == field
    assert caught.value.rule


PLCS = """
title: t
signals:
  - {name: s, kind: setpoint, value: 1}
  - {name: y, kind: lag, tau_s: 3, of: {s: 1}}
lines:
  - {name: plc, kind: s7}
  - {name: ppi, kind: ppi, baud: 9600}
  - {name: fx, kind: fx}
  - {name: mc, kind: mc_3e, port: 5007}
devices:
  - {name: a, kind: s7, line: plc, tsaps: ["0101"], values: [
      {name: v, area: DB, db: 1, address: 0, signal: s}]}
  - {name: b, kind: ppi, line: ppi, address: 2, values: [{name: v, area: V, address: 0, signal: s}]}
  - {name: c, kind: fx, line: fx, model: FX3U, cells: [{name: v, area: D, offset: 0, signal: s}]}
  - {name: d, kind: mc, line: mc, model: Q, cells: [{name: v, area: D, offset: 0, signal: s}]}
"""

BAD_PLCS = [
    ('tsaps: ["0101"]', 'tsaps: ["101"]', "devices[0].tsaps[0]"),
    ('tsaps: ["0101"]', "tsaps: []", "devices[0].tsaps"),
    ("area: DB, db: 1", "area: DB", "devices[0].values[0].db"),
    ("db: 1, address: 0, signal: s", "db: 1, address: 0, signal: x", "devices[0].values[0].signal"),
    ("db: 1, address: 0, signal: s", "db: 1, address: 0, signal: y, writable: true",
     "devices[0].values[0].writable"),
    ("db: 1, address: 0, signal: s", "db: 1, address: 0, signal: s, scale: 0", "devices[0].values[0].scale"),
    ("line: ppi, address: 2", "line: plc, address: 2", "devices[1].line"),
    ("line: ppi, address: 2", "line: ppi, address: 127", "devices[1].address"),
    ("area: V", "area: DB", "devices[1].values[0].area"),
    ("model: FX3U", "model: FX9", "devices[2].model"),
    ("area: D, offset: 0, signal: s}]}\n  - {name: d", "area: X, offset: 8, signal: s}]}\n  - {name: d",
     "devices[2].cells[0].offset"),
    ("kind: mc, line: mc, model: Q", "kind: mc, line: mc, model: FX3U", "devices[3].line"),
    ("kind: mc, line: mc, model: Q", "kind: fx, line: fx, model: FX3U", "lines[3]"),
    ("{name: fx, kind: fx}", "{name: fx, kind: fx, code: ascii}", "lines[2].code"),
    ("{name: fx, kind: fx}", "{name: fx, kind: fx, over: tcp, port: 5007}", "lines[3].port"),
    ("{name: fx, kind: fx}", "{name: fx, kind: fx, fault: wrong_address}", "lines[2].fault"),
    ("line: fx, model", "fault: noise:x, line: fx, model", "devices[2].fault"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field"), BAD_PLCS)
def test_a_fault_of_a_plc_names_its_field(old: str, new: str, field: str) -> None:
    assert len(read(PLCS).devices) == 4
    assert old in PLCS
    with pytest.raises(ScenarioError) as caught:
        read(PLCS.replace(old, new, 1))
    assert caught.value.field == field
    assert caught.value.rule


def test_a_programming_port_has_one_controller() -> None:
    second = (
        "  - {name: e, kind: fx, line: fx, model: FX1S, cells: [{name: v, area: D, offset: 0, signal: s}]}\n"
    )
    with pytest.raises(ScenarioError, match="has no address") as caught:
        read(PLCS + second)
    assert caught.value.field == "devices[4].line"


def all_wrong(*changes: tuple[str, str]) -> list[str]:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(ScenarioError) as caught:
        read(text)
    error = caught.value
    wrong = [error, *error.others]
    assert str(error).splitlines() == [f"{each.field}: {each.rule}" for each in wrong]
    return [each.field for each in wrong]


def test_all_faults_are_said_at_once() -> None:
    assert all_wrong(
        ("tau_s: 3", "tau: 3"),
        ("unit: 1", "unit: 248"),
        ("type: float", "type: word"),
        ("- {item: Ua", "- {itm: Ua"),
    ) == [
        "signals[1].tau",
        "signals[1].tau_s",
        "devices[0].unit",
        "devices[0].registers[0].type",
        "devices[1].items[0].itm",
        "devices[1].items[0].item",
    ]
    assert all_wrong(("of: {s: 1}", "of: {x: 1}"), ("name: m", "name: d"), ("item: Ua", "item: U")) == [
        "signals[1].of",
        "devices[1].items[0].item",
        "devices[1].name",
    ]


def test_copies_and_counts_are_written_out() -> None:
    plant = read(
        "{title: t, signals: [{name: s, kind: setpoint, value: 1}], lines: [{name: lan, kind: modbus_tcp}],"
        " devices: [{name: d, kind: modbus, line: lan, unit: 5, copies: 10, registers:"
        " [{name: v, area: 4X, address: 8, type: float, signal: s, count: 3}]}]}"
    )
    devices = plant.devices
    assert [device.name for device in devices][::9] == ["d01", "d10"]
    assert [getattr(device, "unit", None) for device in devices] == list(range(5, 15))
    registers = getattr(devices[9], "registers", [])
    assert [(r.name, r.address) for r in registers] == [("v1", 8), ("v2", 10), ("v3", 12)]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"plant\.yaml"):
        load(tmp_path / "plant.yaml")
