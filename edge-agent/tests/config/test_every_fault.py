"""One run finds the mistakes of shape and those between the parts, and nothing that only follows."""

from __future__ import annotations

import pytest

from edge_agent.config.load import ConfigErrors, parse

PLANT = """
[gateway]
id = "gw-1"
[[ports]]
name = "lan"
type = "NET"
host = "192.0.2.1"
[[ports]]
name = "line"
type = "COM"
device = "/dev/ttyS1"
parity = "E"
[[slaves]]
name = "boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
options = { one_based = true }
[[slaves]]
name = "chiller"
port = "line"
protocol = "modbus_rtu"
address = "2"
[[points]]
slave = "boiler"
name = "pressure"
data_type = "float"
address = { reg_type = "4X", offset = 1, endian = "ABCD" }
[[points]]
slave = "boiler"
name = "model"
type = "str"
data_type = "string"
address = { reg_type = "4X", offset = 10, length = 8 }
[[points]]
slave = "chiller"
name = "load"
address = { reg_type = "3X", offset = 0 }
[[points]]
slave = "chiller"
name = "twice"
type = "cal"
formula = "load * 2 + boiler.pressure"
"""


def faults(*changes: tuple[str, str]) -> list[str]:
    text = PLANT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(ConfigErrors) as caught:
        parse(text)
    return [str(error) for error in caught.value.errors]


def test_the_plant_is_right() -> None:
    parse(PLANT)


def test_seven_mistakes_in_one_run() -> None:
    found = faults(
        ('id = "gw-1"', 'id = "gw 1"'),
        ('parity = "E"', 'party = "E"'),
        ('port = "lan"', 'port = "lam"'),
        ('address = "2"', 'address = "300"'),
        ('offset = 1, endian = "ABCD"', 'offset = -1, endian = "ABDC"'),
        ('name = "twice"', 'name = "load"'),
    )
    assert [one.partition(", CDAB")[0] for one in found] == [
        "gateway.id: 3 to 40 letters, digits, '-' or '_', starting with a letter or digit",
        "ports[1]: must not have 'party': there is no such field; is 'parity' meant?",
        "points[3].name: must be unique, 'chiller.load' stands there twice",
        "slaves[0].port: must be the name of a port, 'lam' is none",
        "slaves[1].address: must be from 1 to 247",
        "points[0].address.offset: must be at least 0",
        "points[0].address.endian: must be one of ABCD",
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            'host = "192.0.2.1"',
            'hots = "192.0.2.1"',
            "ports[0]: must not have 'hots': there is no such field; is 'host' meant?",
        ),
        (
            'host = "192.0.2.1"',
            'ip = "192.0.2.1"',
            "ports[0]: must not have 'ip': there is no such field; is 'host' meant?",
        ),
        ('type = "NET"', "", "ports[0]: must have 'type'"),
        ('type = "NET"', 'type = "TCP"', "ports[0].type: must be one of "),
        ('name = "lan"', "", "ports[0]: must have 'name'"),
        ('name = "boiler"', "", "slaves[0]: must have 'name'"),
        ("options = { one_based", "optoins = { one_based", "slaves[0]: must not have 'opt"),
        (
            "options = { one_based = true }",
            "options = 1",
            "slaves[0].options: must be a table, not a whole number",
        ),
        ('protocol = "modbus_tcp"', "protocol = 7", "slaves[0].protocol: must be a text, not a whole number"),
        ('protocol = "modbus_tcp"', 'protocol = "modbus"', "slaves[0].protocol: must be one of "),
        ('name = "pressure"', "", "points[0]: must have 'name'"),
        ('data_type = "float"', 'data_type = "real"', "points[0].data_type: must be one of "),
        ('type = "str"', 'tpye = "str"', "points[1]: must not have 'tpye': there is no such field"),
        (
            'formula = "',
            'formla = "',
            "points[3]: must not have 'formla': there is no such field; is 'formula' meant?",
        ),
        ('slave = "boiler"', "", "points[0]: must have 'slave'"),
        ('[[slaves]]\nname = "chiller"', '[slaves]\nname = "chiller"', "file: must be TOML"),
    ],
)
def test_nothing_follows_from_a_broken_part(old: str, new: str, fault: str) -> None:
    found = faults((old, new))
    follow = [one for one in found if not one.startswith(fault)]
    # A point without a slave may be a point of any: formulas over it are not found by its name alone.
    assert follow == [] or (old == 'slave = "boiler"' and len(follow) == 1), found
    assert len(found) > len(follow)


def test_items_keep_their_place_in_the_file() -> None:
    found = faults(("[[points]]", "[[points]]\ntitle = 5\n[[points]]"), ("offset = 10", "offset = -10"))
    assert "points[2].address.offset: must be at least 0" in found


def test_independent_faults_of_one_item() -> None:
    found = faults(('data_type = "float"', 'data_type = "float"\ntofixed = 12\nbias = inf'))
    assert found == ["points[0].tofixed: must be at most 9", "points[0].bias: must be a finite number"]


@pytest.mark.parametrize("field", ["ratio", "bias", "deadband", "min", "max", "on_value", "off_value"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_numbers_are_finite(field: str, value: str) -> None:
    (found,) = faults(('data_type = "float"', f'data_type = "float"\n{field} = {value}'))
    assert found.startswith(f"points[0].{field}: "), found


@pytest.mark.parametrize("field", ["ratio", "bias"])
def test_factors_under_which_every_value_overflows(field: str) -> None:
    for value in ("1e151", "-1e300"):
        (found,) = faults(('data_type = "float"', f'data_type = "float"\n{field} = {value}'))
        assert found == f"points[0].{field}: must be at most 1e+150, positive or negative"
    parse(PLANT.replace('data_type = "float"', f'data_type = "float"\n{field} = 1e150', 1))


def test_texts_are_not_calculated_with() -> None:
    (found,) = faults(("load * 2", "boiler.model + 1"))
    assert found == "points[3].formula: boiler.model is a text, which cannot be calculated with"
    parse(PLANT.replace("load * 2 + boiler.pressure", "1 if boiler.model == 'A' else 0"))


def test_a_calculated_point_has_no_address() -> None:
    (found,) = faults(('type = "cal"', 'type = "cal"\naddress = { reg_type = "4X", offset = 0 }'))
    assert found == "points[3].address: must be empty for a calculated point"


@pytest.mark.parametrize(
    ("old", "field"),
    [
        ('id = "gw-1"', "gateway.id"),
        ('name = "lan"', "ports[0].name"),
        ('name = "boiler"', "slaves[0].name"),
        ('name = "pressure"', "points[0].name"),
    ],
)
def test_names_do_not_end_with_a_newline(old: str, field: str) -> None:
    found = faults((old, old[:-1] + '\\n"'))
    rule = "3 to 40 letters" if field == "gateway.id" else "must fit the pattern"
    assert found[0].startswith(f"{field}: {rule}"), found


def test_a_thousand_ports_and_not_one_more() -> None:
    port = '[[ports]]\nname = "p{0}"\ntype = "NET"\nhost = "192.0.2.2"\n'
    assert len(parse(PLANT + "".join(map(port.format, range(998)))).ports) == 1000
    (found,) = faults(("[[slaves]]", "".join(map(port.format, range(999))) + "[[slaves]]"))
    assert found == "ports: must have at most 1000 items, not 1001"


def test_a_wrong_port_hides_nothing_of_its_slave() -> None:
    found = faults(
        ('port = "lan"', 'port = "lam"'),
        ('address = "1"', 'address = "300"'),
        ("one_based = true", "one_based = true, max_registers = 126"),
    )
    assert [one.partition(":")[0] for one in found] == [
        "slaves[0].port",
        "slaves[0].address",
        "slaves[0].options.max_registers",
    ]
    (wrong, _) = faults(('port = "line"', "port = 5"), ('address = "2"', 'address = "300"'))
    assert wrong.startswith("slaves[1].port: ")
