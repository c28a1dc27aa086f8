"""Every fault of a configuration is named with its field and its rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.config.load import ConfigErrors, load, parse
from edge_agent.config.period import period_ms
from edge_agent.errors import ConfigError

GOOD = """
[gateway]
id = "gw-1"
[[ports]]
name = "lan"
type = "NET"
host = "192.0.2.1"
[[ports]]
name = "com1"
type = "COM"
device = "/dev/ttyS1"
capture_cycle_ms = 5000
[[slaves]]
name = "boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[slaves]]
name = "meter"
port = "com1"
protocol = "dlt645_2007"
address = "202311150042"
capture_cycle_ms = 20000
[[points]]
slave = "boiler"
name = "pressure"
address = { reg_type = "4X", offset = 0 }
[[points]]
slave = "meter"
name = "Ua"
data_type = "double"
capture_freq = 3
address = { item = "Ua" }
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigErrors) as caught:
        parse(text)
    assert isinstance(caught.value, ConfigError)
    assert str(caught.value) == "\n".join(str(error) for error in caught.value.errors)
    return [str(error) for error in caught.value.errors]


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(GOOD)
    configuration = load(path)
    lan, com = configuration.ports
    boiler, meter = configuration.slaves
    pressure, voltage = configuration.points
    assert period_ms(boiler, lan, pressure) == 1000
    assert period_ms(meter, com, voltage) == 60_000


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"gw-1"', "5", "gateway.id: must be a text, not a whole number"),
        ('host = "192.0.2.1"', 'hots = "x"', "ports[0]: must not have 'hots': there is no such field"),
        ('host = "192.0.2.1"', "", "ports[0].host: must be given for a NET port"),
        ('device = "/dev/ttyS1"', "", "ports[1].device: must be given for a COM port, such as /dev/ttyS1"),
        ('name = "com1"', 'name = "lan"', "ports[1].name: must be unique, 'lan' stands there twice"),
        ('name = "meter"', 'name = "boiler"', "slaves[1].name: must be unique, 'boiler' stands there twice"),
        ('port = "com1"', 'port = "com2"', "slaves[1].port: must be the name of a port, 'com2' is none"),
        ('"modbus_tcp"', '"modbus"', "slaves[0].protocol: must be one of modbus_tcp, modbus_rtu"),
        ('"modbus_tcp"', '"modbus_rtu"', "slaves[0].port: modbus_rtu needs a port of type COM"),
        ('address = "1"', 'address = "256"', "slaves[0].address: must be from 1 to 247"),
        ('address = "1"', 'address = "-1"', "slaves[0].address: must be a number from 1 to 247"),
        (
            'address = "1"',
            'address = "1"\noptions = { max_registers = 126 }',
            "slaves[0].options.max_registers: ",
        ),
        ('"202311150042"', '"20231115"', "slaves[1].address: must be 12 digits"),
        ('"202311150042"', '"999999999999"', "slaves[1].address: must not be the broadcast address"),
        ('"202311150042"', '"202311150042"\noptions = { password = "12" }', "slaves[1].options.password: "),
        (
            'slave = "meter"',
            'slave = "metre"',
            "points[1].slave: must be the name of a slave, 'metre' is none",
        ),
        ('item = "Ua"', 'item = "Ux"', "points[1].address.item: must be an item of the table, 'Ux' is none"),
        ('item = "Ua"', 'di = "02010100"', "points[1].address.length: must be given with di"),
        ("offset = 0", "offset = 70000", "points[0].address.offset: "),
        (
            "offset = 0",
            "offset = 0, bits = 3",
            "points[0].address: must not have 'bits': there is no such field",
        ),
        ("capture_freq = 3", 'rw = "readwrite"', "points[1].rw: must be readonly, the meter measures this"),
        ("capture_freq = 3", "ratio = 0.0", "points[1].ratio: must not be 0"),
        ("capture_freq = 3", "bias = nan", "points[1].bias: must be a finite number"),
        ("capture_freq = 3", "min = 2.0\nmax = 1.0", "points[1].min: must not exceed max"),
        ("capture_freq = 3", "on_value = 1\noff_value = 1", "points[1].on_value: must differ from off_value"),
        (
            "capture_freq = 3",
            'on_text = "Run"',
            "points[1].on_text: must be empty for a point that is not of type swh or cal",
        ),
        (
            "capture_freq = 3",
            'type = "swh"\non_text = "Run"\noff_text = "Run"',
            "points[1].on_text: must differ from off_text",
        ),
        (
            "capture_freq = 3",
            f'type = "swh"\noff_text = "{"x" * 21}"',
            "points[1].off_text: must have at most 20",
        ),
        (
            "capture_freq = 3",
            'type = "loc"',
            "points[1].data_type: must be string for a point of type loc of protocol dlt645",
        ),
        (
            "capture_freq = 3",
            'type = "loc"\nrw = "readwrite"',
            "points[1].rw: must be readonly for a point of type loc",
        ),
        (
            "capture_freq = 3",
            'coordinates = "lat_lon"',
            "points[1].coordinates: must be left out for a point that is not of type loc",
        ),
        (
            "capture_freq = 3",
            'type = "swh"\ndeadband = 1.0',
            "points[1].deadband: must be 0 for a point of type str or swh",
        ),
        ("capture_freq = 3", 'type = "cal"', "points[1].formula: must not be empty"),
        ("capture_freq = 3", 'type = "str"', "points[1].data_type: must be string for a point of type str"),
        ("[gateway]", "[gateway", "file: must be TOML: "),
    ],
)
def test_fault(old: str, new: str, fault: str) -> None:
    found = faults(GOOD.replace(old, new, 1))
    assert [one for one in found if one.startswith(fault)], found


def modbus(point: str, options: str = "", slave: str = "") -> str:
    head = GOOD.split("[[points]]")[0].replace(
        'address = "1"', f'address = "1"\noptions = {{ {options} }}\n{slave}', 1
    )
    return f'{head}[[points]]\nslave = "boiler"\nname = "p"\n{point}'


@pytest.mark.parametrize(
    ("point", "options", "fault"),
    [
        ('address = { reg_type = "5X", offset = 0 }', "", "address.reg_type"),
        ('address = { offset = 0 }', "", "address"),
        ('rw = "readwrite"\naddress = { reg_type = "3X", offset = 0 }', "", "rw"),
        ('data_type = "float"\naddress = { reg_type = "0X", offset = 0 }', "", "address.reg_type"),
        ('data_type = "float"\naddress = { reg_type = "4X", offset = 0, bit = 1 }', "", "address.bit"),
        ('data_type = "var"\naddress = { reg_type = "4X", offset = 0 }', "", "address.length"),
        ('data_type = "double"\naddress = { reg_type = "4X", offset = 0 }', "max_registers = 3", "data_type"),
        ('data_type = "uint32"\naddress = { reg_type = "4X", offset = 65535 }', "", "address.offset"),
        ('address = { reg_type = "4X", offset = 0 }', "one_based = true", "address.offset"),
        ('address = { reg_type = "4X", offset = 0, length = 2 }', "", "address.length"),
        ('type = "str"\ndata_type = "string"\naddress = { reg_type = "4X", offset = 9 }',
         "", "address.length"),
    ],
)  # fmt: skip
def test_modbus_point(point: str, options: str, fault: str) -> None:
    (found,) = faults(modbus(point, options))
    assert found.startswith(f"points[0].{fault}: "), found


def test_every_fault_is_reported_and_none_twice() -> None:
    text = (
        GOOD.replace('host = "192.0.2.1"', "")
        .replace('"202311150042"', '"1"')
        .replace("offset = 0", "offset = -1")
    )
    fields = [fault.split(":")[0] for fault in faults(text)]
    assert fields == ["ports[0].host", "slaves[1].address", "points[0].address.offset"]


def test_one_address_twice_on_a_port_and_two_protocols() -> None:
    second = '[[slaves]]\nname = "b2"\nport = "lan"\nprotocol = "{}"\naddress = "{}"\n[[slaves]]'
    twice = GOOD.replace("[[slaves]]", second.format("modbus_tcp", "01"), 1)
    assert faults(twice) == ["slaves[1].address: must be unique, 'lan 1' stands there twice"]
    mixed = GOOD.replace("[[slaves]]", second.format("modbus_rtu_tcp", "2"), 1)
    assert faults(mixed) == [
        "slaves[1].protocol: must be modbus_rtu_tcp, which the first slave of port lan speaks"
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigErrors, match=r"gateway.toml: must be a readable UTF-8 file"):
        load(tmp_path / "gateway.toml")
    (tmp_path / "gateway.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigErrors, match="must be a readable UTF-8 file"):
        load(tmp_path / "gateway.toml")


def test_faults_of_shape_all_at_once() -> None:
    text = (
        GOOD.replace('"gw-1"', "5")
        .replace('host = "192.0.2.1"', 'hots = "x"\ncapture_cycle_ms = "soon"')
        .replace('protocol = "modbus_tcp"', "protocol = 7")
        .replace("capture_freq = 3", "capture_freq = 0\nratio = true")
    )
    assert faults(text) == [
        "gateway.id: must be a text, not a whole number",
        "ports[0]: must not have 'hots': there is no such field; is 'host' meant?",
        "ports[0].capture_cycle_ms: must be a whole number, not a text",
        "slaves[0].protocol: must be a text, not a whole number",
        "points[1].ratio: must be a number, not true or false",
        "points[1].capture_freq: must be at least 1",
    ]
    assert faults("gateway = 3\nnonsense = 1\n[[slaves]]\n") == [
        "file: must not have 'nonsense': there is no such field",
        "gateway: must be a table, not a whole number",
        "slaves[0]: must have 'name'",
        "slaves[0]: must have 'port'",
        "slaves[0]: must have 'protocol'",
        "slaves[0]: must have 'address'",
    ]


def test_selectors_name_numbers() -> None:
    assert faults(GOOD.replace("capture_freq = 3", 'selector = { 0 = "off", x = "on" }')) == [
        "points[1].selector: must name numbers, 'x' is none"
    ]
    wrong = GOOD.replace("capture_freq = 3", 'type = "swh"\nselector = { 0 = "off" }')
    assert faults(wrong) == ["points[1].selector: must be empty for a point that is not of type num"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('item = "Ua"', 'item = "{}"'),
        ("capture_freq = 3", 'type = "{}"'),
        ("capture_freq = 3", 'coordinates = "{}"'),
        ("capture_freq = 3", 'selector = {{ "{}" = "on" }}'),
        ("capture_freq = 3", "{} = 1"),
        ("offset = 0", 'offset = 0, byte = "{}"'),
    ],
)
def test_a_fault_quotes_no_long_value(old: str, new: str) -> None:
    for fault in faults(GOOD.replace(old, new.format("x" * 100_000), 1)):
        assert len(fault) < 200, fault[:300]
