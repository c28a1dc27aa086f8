"""Values of factors, numbers as text, and what breaks a rule of a version."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import msgspec
import pytest
from hj212_packets import golden, goldens
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.errors import BadValue
from edge_agent.forwarding.hj212.commands import command_of, commands
from edge_agent.forwarding.hj212.fields import (
    factor_group,
    factors,
    faults,
    is_time,
    item_rules,
    number_text,
    parameters,
)
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.profile import VERSIONS, profile


def decoded(name: str) -> Packet:
    return golden(name).codec().decode(golden(name).data)


def test_factors_and_parameters() -> None:
    area = decoded("H08").area
    assert parameters(area) == {"DataTime": "20160801085857"}
    assert factors(area) == {
        "w01001": {"Rtd": "7.1", "Flag": "N"},
        "w01018": {"SampleTime": "20160801070000", "Rtd": "2.2", "Flag": "N", "EFlag": "A01"},
    }
    assert factors(decoded("J33").area)["w01018"] == {
        "SampleRd": "15.3",
        "StandardValue": "12",
        "ResultType": "0",
    }
    assert factors(((("-Rtd", "1"),),)) == {}
    assert parameters(((("-Rtd", "1"),),)) == {"-Rtd": "1"}


def test_group_of_a_factor() -> None:
    group = factor_group("w01018", {"Rtd": "2.20", "Flag": "N"})
    assert group == (("w01018-Rtd", "2.20"), ("w01018-Flag", "N"))
    assert factors((group,)) == {"w01018": {"Rtd": "2.20", "Flag": "N"}}


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (Decimal("2.20"), None, "2.20"),
        (0.1, None, "0.1"),
        (0.1 + 0.2, None, "0.30000000000000004"),
        (1e21, None, "1000000000000000000000"),
        (1e-7, None, "0.0000001"),
        (12, None, "12"),
        (12, 2, "12.00"),
        (Decimal("0.125"), 2, "0.12"),
        (Decimal("0.375"), 2, "0.38"),
        (2.675, 2, "2.68"),
        (-0.001, 2, "0.00"),
        (-0.0, None, "0.0"),
        (-1.5, 0, "-2"),
        (1e40, 1, "1" + "0" * 40 + ".0"),
        (99999.995, 2, "100000.00"),
        (0.04, 1, "0.0"),
    ],
)
def test_a_number_as_text(value: Decimal | float, decimals: int | None, text: str) -> None:
    assert number_text(value, decimals) == text


def test_rounding_is_a_choice() -> None:
    assert number_text(Decimal("0.125"), 2, ROUND_HALF_UP) == "0.13"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_comes_back(value: float) -> None:
    text = number_text(value)
    assert float(text) == value
    assert "e" not in text.lower()


@given(st.decimals(-(10**12), 10**12, places=3), st.integers(0, 10))
def test_decimals(value: Decimal, decimals: int) -> None:
    text = number_text(value, decimals)
    assert len(text.partition(".")[2]) == decimals
    assert abs(Decimal(text) - value) <= Decimal(5).scaleb(-decimals - 1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("-Infinity"), Decimal("sNaN")])
def test_what_is_no_number(value: Decimal | float) -> None:
    with pytest.raises(BadValue, match="is no number that a packet can have"):
        number_text(value)


@pytest.mark.parametrize("decimals", [-1, 11])
def test_decimals_out_of_bounds(decimals: int) -> None:
    with pytest.raises(BadValue, match="decimals: must be 0 to 10"):
        number_text(1.0, decimals)


GOLDEN_FAULTS = {"H35": ["DataTime: must be 14 digits YYYYMMDDhhmmss of a real time"]}


@pytest.mark.parametrize("packet", goldens(), ids=lambda each: each.name)
def test_golden_packets_break_no_rule(packet: object) -> None:
    name: str = packet.name  # type: ignore[attr-defined]
    assert faults(decoded(name), profile(golden(name).version)) == GOLDEN_FAULTS.get(name, [])


@pytest.mark.parametrize(
    ("version", "item", "words"),
    [
        ("2017", ("w01018-Rtd", "2,2"), "a decimal number"),
        ("2017", ("w01018-Rtd", ""), "a decimal number"),
        ("2017", ("w01018-Rtd", "1e3"), "a decimal number"),
        ("2017", ("w01018-Rtd", "٣"), "a decimal number"),
        ("2017", ("w01018-Flag", "X"), "one of N F M S D C T B"),
        ("2017", ("w01018-Flag", "Td"), "one of N F M S D C T B"),
        ("2005", ("011-Flag", "B"), "one of P F C M T D S N"),
        ("2017", ("w01018-EFlag", "A0123"), "at most 4 characters"),
        ("2017", ("DataTime", "20160230000000"), "14 digits YYYYMMDDhhmmss of a real time"),
        ("2017", ("SB1-RS", "6"), "one of 0 1 2 3 4 5"),
        ("2017", ("SB1-RT", "24.1"), "0 to 24"),
        ("2017", ("SB1-RT", "-0.1"), "0 to 24"),
        ("2017", ("RtdInterval", "29"), "30 to 3600"),
        ("2017", ("RtdInterval", "3601"), "30 to 3600"),
        ("2017", ("MinInterval", "7"), "one of 1 2 3 4 5 6 10 12 15 20 30"),
        ("2017", ("OverTime", "0"), "1 to 99"),
        ("2025", ("NewSK", "0" * 15), "16 to 16 characters"),
        ("2025", ("CalibrationType", "2"), "one of 0 1"),
        ("2017", ("QnRtn", "10"), "one of 1 2 3 4 5 6 7 8 9 100"),
    ],
)
def test_a_value_that_breaks_a_rule(version: str, item: tuple[str, str], words: str) -> None:
    assert faults(Packet(st="32", cn="2011", area=((item,),)), profile(version)) == [
        f"{item[0]}: must be {words}"
    ]


@pytest.mark.parametrize(
    ("version", "item"),
    [
        ("2025", ("OverTime", "0")),
        ("2025", ("w01018-Flag", "Td")),
        ("2017", ("RtdInterval", "30")),
        ("2017", ("RtdInterval", "3600")),
        ("2017", ("w01018-Rtd", "-2.2")),
        ("2017", ("w01018-Other", "x")),
        ("2017", ("Other", "x")),
        ("2017", ("Rtd", "x")),
    ],
)
def test_a_value_that_breaks_none(version: str, item: tuple[str, str]) -> None:
    assert faults(Packet(st="32", cn="2011", area=((item,),)), profile(version)) == []


def test_a_mark_of_production_is_no_number() -> None:
    packet = Packet(st="45", cn="2011", area=((("p99101-Rtd", "St"),),))
    assert faults(packet, profile("2025")) == []
    assert faults(msgspec.structs.replace(packet, st="44"), profile("2025"))


def test_times() -> None:
    assert is_time("20240229235959")
    for wrong in ("20230229000000", "2024022923595", "202402292359590", "20240229 35959", "20240229240000"):
        assert not is_time(wrong)


def test_rules_are_those_of_the_version() -> None:
    assert "-RawAvg" in item_rules("2025")
    assert "-RawAvg" not in item_rules("2017")
    assert item_rules("2005").keys() - item_rules("2017").keys() == {
        "-Ala",
        "-UpValue",
        "-LowValue",
        "AlarmTime",
    }


def test_every_version_has_its_commands() -> None:
    assert {version: len(commands(version)) for version in VERSIONS} == {"2005": 31, "2017": 33, "2025": 39}
    assert "3015" in commands("2017")
    assert "3015" not in commands("2025")
    assert commands("2005")["1001"][0].name == "set alarm time"
    assert commands("2025")["1001"][0].name == "hardware serial numbers"
    for version in VERSIONS:
        for cn, uses in commands(version).items():
            assert {use.cn for use in uses} == {cn}
            assert {use.sender for use in uses} <= {"field", "platform", "both"}
            assert all(answer in commands(version) for use in uses for answer in use.answers)


@pytest.mark.parametrize(
    ("name", "kind", "sender", "answers"),
    [
        ("H01", "request", "platform", ("9011", "9012")),
        ("H03", "answer", "field", ()),
        ("H06", "reply", "field", ()),
        ("H08", "upload", "field", ("9014",)),
        ("H22", "notice", "platform", ("9013",)),
        ("H25", "request", "platform", ("9011", "9012")),
        ("H11", "upload", "field", ("9014",)),
        ("H31", "request", "platform", ("9011", "9012")),
        ("H33", "reply", "field", ()),
        ("J05", "request", "platform", ("9011", "9012")),
        ("J10", "request", "platform", ("9011", "9012")),
        ("J11", "request", "platform", ("9011", "9012")),
        ("J24", "notice", "field", ("9013",)),
        ("J27", "notice", "field", ("9013",)),
        ("J31", "upload", "field", ("9014",)),
        ("J40", "request", "platform", ("9011", "9012")),
    ],
)
def test_which_use_of_a_command(name: str, kind: str, sender: str, answers: tuple[str, ...]) -> None:
    use = command_of(decoded(name), golden(name).version)
    assert use is not None
    assert (use.kind, use.sender, use.answers) == (kind, sender, answers)


def test_every_golden_command_is_in_the_table() -> None:
    for packet in goldens():
        assert command_of(decoded(packet.name), packet.version), packet.name
    assert command_of(Packet(st="32", cn="1999"), "2017") is None
