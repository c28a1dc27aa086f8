"""What a configuration may say, and every device of the tables at its address."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.config.load import parse
from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols.fx.areas import Area, areas
from edge_agent.protocols.fx.config import place_of
from edge_agent.protocols.fx.protocol import FxProtocol

MODELS = ("FX1S", "FX2N", "FX3S", "FX3U")
PROTOCOL = FxProtocol()

with (Path(__file__).parent / "addresses.csv").open(newline="") as file:
    ADDRESSES = list(csv.DictReader(file))


def slave(model: str = "FX3U", **options: Any) -> Slave:
    return Slave(name="s", port="p", protocol="fx", address="0", options={"model": model, **options})


def point(area: str, offset: int, data_type: Any = "uint16", rw: Any = "readonly", **address: Any) -> Point:
    return Point(
        slave="s", name="x", data_type=data_type, rw=rw, address={"area": area, "offset": offset, **address}
    )


def all_areas() -> list[Any]:
    return [
        pytest.param(model, area, id=f"{model}-{area.printed(area.first)}")
        for model in MODELS
        for found in areas(model).values()
        for area in found
    ]


@pytest.mark.parametrize("row", ADDRESSES, ids=lambda row: f"{row['model']}-{row['area']}{row['offset']}")
def test_golden_address(row: dict[str, str]) -> None:
    kind = "int32" if row["area"] == "CN" else "uint16"
    place = place_of(point(row["area"], int(row["offset"]), kind), slave(row["model"]))
    assert (place.area.set, place.start) == (row["set"], int(row["byte"], 16))
    if row["bit"]:
        assert place.field.bit == int(row["bit"])
        assert place.area.force_of(place.number) == int(row["force"], 16)


@pytest.mark.parametrize(("model", "area"), all_areas())
def test_every_row_of_the_tables(model: str, area: Area) -> None:
    """Bit addresses follow from byte addresses; areas of one command set do not overlap."""
    assert area.set in ("classic", "extended")
    assert area.bits in (1, 16, 32)
    assert area.radix == (8 if area.name in ("X", "Y") else 10)
    if area.bits == 1:
        lower = 0x8000 if area.base >= 0x8000 else 0
        assert area.force == (area.base - lower) * 8
    first, last = area.byte_of(area.first), area.byte_of(area.last) + max(1, area.bits // 8) - 1
    for other in (each for found in areas(model).values() for each in found):
        if other is not area and other.set == area.set and other.name != area.name:
            begin, end = other.byte_of(other.first), other.byte_of(other.last) + max(1, other.bits // 8) - 1
            assert last < begin or end < first, (area, other)
    assert last <= 0xFFFF


@given(st.integers(0, 255))
def test_octal_addressing(number: int) -> None:
    place = place_of(point("X", int(f"{number:o}")), slave())
    assert (place.start - 0x8CA0) * 8 + (place.field.bit or 0) == number
    assert place.area.printed(number) == f"X{number:o}"


WRONG = [
    (point("X", 18), "address.offset", "octal digits"),
    (point("Y", 400), "address.offset", "must be from Y0 to Y377 for model FX3U"),
    (point("M", 7680), "address.offset", "must be from M0 to M7679 or M8000 to M8511 for model FX3U"),
    (point("R", 0), "address.area", "MC 1E"),
    (point("Q", 0), "address.area", "must be one of"),
    (point("M", 0, "float"), "address.area", "single bits"),
    (point("M", 0, bit=1), "address.area", "single bits"),
    (point("D", 7999, "float"), "address.offset", "needs 2 devices, the last one is D7999"),
    (point("D", 7990, "string", length=21), "address.offset", "needs 11 devices"),
    (point("D", 0, "string"), "address.length", "must be given"),
    (point("D", 0, "string", length=66), "address.length", "needs 66 bytes, options.max_bytes allows 64"),
    (point("D", 0, length=2), "address.length", "only a string"),
    (point("D", 0, "double", bit=2), "address.bit", "float"),
    (point("D", 0, byte="high"), "address.byte", "8-bit type"),
    (point("D", 0, "var"), "data_type", "var is not a type"),
    (point("CN", 200), "data_type", "must be uint32 or int32"),
    (point("CN", 199, "int32"), "address.offset", "must be from CN200 to CN255"),
    (point("X", 0, rw="readwrite"), "rw", "must be readonly in area X of model FX3U"),
    (point("T", 0, rw="writeonly"), "rw", "must be readonly in area T of model FX3U"),
]


@pytest.mark.parametrize(("wrong", "field", "rule"), WRONG)
def test_wrong_points(wrong: Point, field: str, rule: str) -> None:
    with pytest.raises(ConfigError) as error:
        PROTOCOL.validate_point(wrong, slave())
    assert error.value.field == field
    assert rule in error.value.rule


@pytest.mark.parametrize(
    "sound",
    [
        point("Y", 377, rw="readwrite"),
        point("D", 7998, "float", rw="readwrite"),
        point("D", 7996, "double"),
        point("D", 100, "uint8", byte="high", rw="readwrite"),
        point("D", 100, bit=15, rw="readwrite"),
        point("TV", 511),
        point("CN", 255, "uint32", rw="readwrite"),
        point("D", 0, "string", length=63),
    ],
)
def test_sound_points(sound: Point) -> None:
    PROTOCOL.validate_point(sound, slave())


LINE = Port(name="p", type="COM", device="/dev/ttyS1", data_bits=7, parity="E")


@pytest.mark.parametrize(
    ("port", "field", "rule"),
    [
        (Port(name="p", type="COM", device="d"), "port.data_bits", 'set data_bits = 7, parity = "E" on p'),
        (Port(name="p", type="COM", device="d", data_bits=7), "port.parity", 'set parity = "E" on p'),
        (
            Port(name="p", type="COM", device="d", data_bits=7, parity="E", stop_bits=2),
            "port.stop_bits",
            "set stop_bits = 1 on p",
        ),
    ],
)
def test_a_serial_line_must_be_7e1(port: Port, field: str, rule: str) -> None:
    with pytest.raises(ConfigError) as error:
        PROTOCOL.validate_slave(slave(), port)
    assert error.value.field == field
    assert rule in error.value.rule


def test_slaves() -> None:
    PROTOCOL.validate_slave(slave(), LINE)
    PROTOCOL.validate_slave(slave(), Port(name="p", type="NET", host="h", port=4001))
    with pytest.raises(ConfigError, match="address: must be 0"):
        PROTOCOL.validate_slave(Slave(name="s", port="p", protocol="fx", address="1"), LINE)
    for options, field in (({}, "options"), ({"model": "FX9"}, "options.model")):
        with pytest.raises(ConfigError) as error:
            PROTOCOL.validate_slave(
                Slave(name="s", port="p", protocol="fx", address="0", options=options), LINE
            )
        assert error.value.field == field


def test_a_gateway_file_names_the_wrong_line_setting() -> None:
    text = """
        [gateway]
        id = "gw-fx"
        [[ports]]
        name = "rs"
        type = "COM"
        device = "/dev/ttyS1"
        parity = "E"
        [[slaves]]
        name = "plc"
        port = "rs"
        protocol = "fx"
        address = "0"
        options = { model = "FX1S" }
    """
    with pytest.raises(ConfigError, match=r"slaves\[0\]\.port\.data_bits: must be 7 data bits"):
        parse(text)
