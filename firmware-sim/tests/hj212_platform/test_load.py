"""A platform's file: what it may say, and every error with its field."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_logger import MN, STATIONS

from firmware_sim.errors import ScenarioError
from firmware_sim.hj212_platform.load import load, read

GOOD = f'{{name: outlet, version: "2017", mn: {MN}, st: "32", pw: "123456"'


def one(fields: str) -> str:
    return f"stations: [{GOOD}{fields}}}]"


def test_a_file_with_everything(tmp_path: Path) -> None:
    path = tmp_path / "platform.yaml"
    path.write_text(
        STATIONS
        + """
refusals: {crc: silent, mn: close, pw: answer}
re_count: 0
max_packets: 100
max_segment: 2048
"""
    )
    described = load(path)
    assert [station.version for station in described.stations] == ["2017", "2025", "2005"]
    assert described.stations[1].also_st == ["44"]
    assert (described.refusals.mn, described.refusals.st) == ("close", "silent")


@pytest.mark.parametrize(
    ("text", "field", "rule"),
    [
        ("{", "file", "must be YAML"),
        ("stations: []", "stations", "length >= 1"),
        ("{stations: [], refusals: {mn: shout}}", "refusals.mn", "must be one of silent, answer, close"),
        (one(", crc: none"), "stations[0].crc", "must be one of standard, standard_swapped, crc16_modbus"),
        (one(", size: 1"), "stations[0].size", "is no field here"),
        (one("").replace("2017", "2016"), "stations[0].version", "must be one of 2005, 2017, 2025"),
        (one("").replace(MN, "A100"), "stations[0]", "MN: 'A100', must be 24 characters 0-9 A-F"),
        (one("").replace("123456", "1234567"), "stations[0]", "PW must be at most 6 characters"),
        (one("").replace("outlet", "platform"), "stations[0].name", "and not be platform"),
        (one(', key: "1234"'), "stations[0]", "16 printable ASCII characters or 32 hexadecimal digits"),
        (one(f', new_key: "{"0" * 16}"'), "stations[0].key", "only 2025 encrypts"),
        (one(", tolerances: [missing_tail]"), "stations[0].tolerances", "must not have missing_tail"),
        (
            one(', requests: [{cn: "2081"}]'),
            "stations[0].requests[0]",
            "cn: must be a command that a platform",
        ),
        (one(', requests: [{cn: "3022"}]'), "stations[0].requests[0]", "sends in 2017, 3022 is none"),
        (one(", requests: [{cn: 1011}]"), "stations[0].requests[0].cn", "Expected `str`, got `int`"),
        (one(', requests: [{cn: "1062", items: "A=1&&2"}]'), "stations[0].requests[0]", "items: area"),
        (one(', requests: [{cn: "1062", every_s: 0}]'), "stations[0].requests[0].every_s", "> 0.0"),
        (f"stations: [{GOOD}}}, {GOOD}}}]", "stations[0].name", "must be there once"),
    ],
)
def test_what_is_wrong_is_named(text: str, field: str, rule: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        read(text)
    errors = [raised.value, *raised.value.others]
    assert [each for each in errors if each.field == field and rule in each.rule], str(raised.value)


def test_all_of_it_at_once_and_no_password() -> None:
    with pytest.raises(ScenarioError) as raised:
        read(one(', key: "secret"').replace("123456", "hunter2x") + "\nre_count: -1")
    assert "re_count" in str(raised.value)
    with pytest.raises(ScenarioError) as raised:
        read(one("").replace("123456", "hunter2x"))
    assert "hunter2x" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="must be a readable UTF-8 file"):
        load(tmp_path / "none.yaml")
