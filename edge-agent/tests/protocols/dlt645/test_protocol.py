"""What a configuration may say of a meter and its points, by statute."""

import csv
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.load import parse
from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.dlt645.items import items

SPECIFIED = list(csv.DictReader((Path(__file__).parent / "specification.csv").read_text().splitlines()))
PORT = Port(name="p", type="COM", device="/dev/ttyS1")


def slave(protocol: str = "dlt645_2007", address: str = "202311150042", **options: Any) -> Slave:
    return Slave(name="m", port="p", protocol=protocol, address=address, options=options)


def point(rw: str = "readonly", data_type: str = "double", **address: Any) -> Point:
    return Point(slave="m", name="x", rw=rw, data_type=data_type, address=address)  # type: ignore[arg-type]


def check(target: Point, meter: Slave) -> None:
    PROTOCOLS[meter.protocol].validate_point(target, meter)


@pytest.mark.parametrize("statute", ["2007", "1997"])
@pytest.mark.parametrize("row", SPECIFIED, ids=lambda row: row["item"])
def test_every_point_of_the_specification(row: dict[str, str], statute: str) -> None:
    """Served where the statute has it; else the error says where it exists."""
    meter = slave(f"dlt645_{statute}")
    if row[statute] == "1":
        check(point(item=row["item"]), meter)
        return
    other = "2007" if statute == "1997" else "1997"
    with pytest.raises(ConfigError) as error:
        check(point(item=row["item"]), meter)
    assert error.value.field == "address.item"
    assert error.value.rule == f"must be an item of DL/T 645-{statute}, {row['item']} exists in {other} only"


def test_the_tables_hold_the_specification_and_the_meters_own_words_only() -> None:
    for statute in ("2007", "1997"):
        specified = {row["item"] for row in SPECIFIED if row[statute] == "1"}
        assert set(items(statute)) - specified <= {"DATE", "TIME", "ADR", "NUM"}
    assert "ONOFF" in items("2007")


def test_the_statute_is_the_meters() -> None:
    """One line, one protocol, meters of both statutes."""
    check(point(item="EQF"), slave("dlt645_2007", statute="1997"))
    check(point(item="HZ"), slave("dlt645_1997", statute="2007"))
    with pytest.raises(ConfigError, match="HZ exists in 2007 only"):
        check(point(item="HZ"), slave("dlt645_2007", statute="1997"))


BAD_POINTS = [
    (point(item="Ux"), "address.item", "'Ux' is none"),
    (point(), "address.item", "must be given"),
    (point(item="Ua", di="02010100"), "address.item", "must be given"),
    (point(di="02010100"), "address.length", "must be given with di"),
    (point(di="B611", length=2), "address.di", "8 hexadecimal digits for a meter of 2007"),
    (point(di="0201010", length=2), "address.di", "must fit the pattern"),
    (point(item="Ua", color=1), "address", "color"),
    (point(item="Ua", data_type="string"), "data_type", "must be numeric"),
    (point(item="TIME"), "data_type", "must be string"),
    (point("readwrite", item="Ua"), "rw", "must be readonly"),
    (point("readwrite", "string", item="ADR"), "rw", "must be readonly"),
]


@pytest.mark.parametrize(("target", "field", "rule"), BAD_POINTS, ids=lambda value: str(value)[:30])
def test_wrong_point(target: Point, field: str, rule: str) -> None:
    with pytest.raises(ConfigError, match=rule) as error:
        check(target, slave())
    assert error.value.field == field


def test_writable_points() -> None:
    for target in (
        point("readwrite", item="ONOFF"),
        point("writeonly", "string", item="TIME"),
        point("readwrite", di="04001004", length=4, decimals=2),
        point("readwrite", "string", di="04000402", length=6),
    ):
        check(target, slave())
        with pytest.raises(ConfigError, match="address is not whole"):
            check(target, slave(address="AAAAAA150042"))
    with pytest.raises(ConfigError, match="ONOFF exists in 2007 only"):
        check(point("readwrite", item="ONOFF"), slave("dlt645_1997"))


@pytest.mark.parametrize("address", ["202311150042", "AAAAAAAAAAAA", "AAAA00123456"])
def test_right_address(address: str) -> None:
    PROTOCOLS["dlt645_1997"].validate_slave(slave(address=address), PORT)


@pytest.mark.parametrize(
    ("meter", "field"),
    [
        (slave(address="161"), "address"),
        (slave(address="A02311150042"), "address"),
        (slave(address="2023111500AA"), "address"),
        (slave(address="999999999999"), "address"),
        (slave(password="12345"), "options.password"),
        (slave(operator="x" * 8), "options.operator"),
        (slave(level=10), "options.level"),
        (slave(statute="2013"), "options.statute"),
        (slave(wake_up=17), "options.wake_up"),
        (slave(passwort="123456"), "options"),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_wrong_meter(meter: Slave, field: str) -> None:
    with pytest.raises(ConfigError) as error:
        PROTOCOLS["dlt645_2007"].validate_slave(meter, PORT)
    assert error.value.field == field


def test_both_statutes_on_one_line() -> None:
    configuration = parse(
        """
        [gateway]
        id = "gw-1"
        [[ports]]
        name = "line"
        type = "COM"
        device = "/dev/ttyS2"
        [[slaves]]
        name = "new"
        port = "line"
        protocol = "dlt645_2007"
        address = "202311150042"
        [[slaves]]
        name = "old"
        port = "line"
        protocol = "dlt645_2007"
        address = "AAAAAA063295"
        options = { statute = "1997" }
        [[points]]
        slave = "old"
        name = "energy"
        data_type = "double"
        address = { item = "EPF" }
        """
    )
    (block,) = PROTOCOLS["dlt645_2007"].plan(configuration.slaves[1], configuration.points)
    assert block.di == b"\x10\x90"  # type: ignore[attr-defined]


def test_the_schema_lists_the_items_of_its_statute() -> None:
    for statute in ("2007", "1997"):
        schema = PROTOCOLS[f"dlt645_{statute}"].schema()
        assert [row["item"] for row in schema["items"]] == list(items(statute))
