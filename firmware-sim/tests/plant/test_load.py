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
    ("tau_s: 3", "tau: 3", "signals[1]"),
    ("kind: lag", "kind: leg", "signals[1].kind"),
    ("of: {s: 1}", "of: {x: 1}", "signals[1].of"),
    ("{name: y, kind", "{name: s, kind", "signals[1].name"),
    ("name: bus, kind: dlt645", "name: bus, kind: can", "lines[1].kind"),
    ("name: bus, kind: dlt645", "name: bus, kind: modbus_tcp", "lines"),
    ("name: bus, kind: dlt645", "name: bus, kind: modbus_rtu", "devices[1].line"),
    ("line: lan", "line: lam", "devices[0].line"),
    ("unit: 1", "unit: 248", "devices[0].unit"),
    ("unit: 1", "unit: 240\n    copies: 9", "devices[8].unit"),
    ("unit: 1", "unit: 1\n    fault: loud", "devices[0].fault"),
    ("unit: 1", "unit: 1\n    fault: bad_checksum", "devices[0].fault"),
    ("name: m", "name: d", "devices[1].name"),
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
    ("title: t", "", "file"),
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
