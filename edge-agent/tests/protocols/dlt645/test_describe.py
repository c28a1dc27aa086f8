"""Frames as named fields: every golden frame, and errors that name the field."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import BadFrame
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.dlt645.codec import Frame, encode

HERE = Path(__file__).parent
GOLDEN = list(csv.DictReader((HERE / "frames.csv").read_text().splitlines()))
WIRE_FRAMES = {row["id"]: (row["standard"], bytes.fromhex(row["frame"])) for row in GOLDEN}
MALFORMED = {
    row["id"]: bytes.fromhex(row["bytes"])
    for row in csv.DictReader((HERE / "malformed.csv").read_text().splitlines())
}


def describe(statute: str, wire: bytes, **direction: Any) -> dict[str, Any]:
    return PROTOCOLS[f"dlt645_{statute}"].describe(wire, **direction)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["id"])
@pytest.mark.parametrize("protocol", ["2007", "1997"])
def test_golden_frame(row: dict[str, str], protocol: str) -> None:
    """Either protocol understands either statute, because they share lines."""
    fields = describe(protocol, bytes.fromhex(row["frame"]))
    control = int(row["control"], 16)
    assert next(iter(fields)) == "direction"
    assert fields["direction"] == ("answer" if control & 0x80 else "request")
    assert (fields["address"], fields["control"]) == (row["address"], row["control"])
    assert fields["wake_up"] == int(row["wake_up"])
    assert fields["length"] == len(bytes.fromhex(row["data"]))
    if row["id"] != "D10":  # setting the time is the same in both
        assert fields["statute"] == row["standard"]
    json.dumps(fields)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("D01", {"command": "read_address", "length": 0, "checksum": "DF"}),
        ("D07", {"command": "read_more", "di": "0001FF00", "number": 1}),
        ("D08", {"command": "write", "di": "04000101", "level": 2, "operator": "00000001"}),
        ("D10", {"command": "set_time", "time": "251112153045"}),
        ("D12", {"command": "change_rate", "rate": 0x20}),
        ("D16", {"command": "relay", "action": "1B", "valid_until": "260101100000", "operator": "00004321"}),
        ("D20", {"own_address": "202311150042"}),
        ("D21", {"di": "02010100", "item": "Ua", "value": 100.1, "value_bytes": "01 10", "unit": "V"}),
        ("D27", {"values": {"Ua": 220.1, "Ub": 219.8, "Uc": 221.4}}),
        ("D41", {"item": "ONOFF", "value": 0}),
        ("D43", {"refused": True, "error": "04", "meaning": "wrong password or not authorised"}),
        ("D44", {"more_follows": True, "values": {"EPF": 1000.5, "EPF1": 100.1}}),
        ("D45", {"command": "read_more", "number": 1, "value_bytes": "20 00 02 00 10 00 03 00"}),
        ("D62", {"command": "read", "meaning": "no such identifier"}),
        ("D67", {"item": "PS", "value": 1.2345}),
        ("D74", {"item": "TIME", "value": "222204"}),
    ],
)
def test_fields(name: str, fields: dict[str, Any]) -> None:
    found = describe(*WIRE_FRAMES[name])
    assert {key: found.get(key) for key in fields} == fields


def test_passwords_are_hidden() -> None:
    assert describe(*WIRE_FRAMES["D08"])["password"] == "***"
    found = describe(*WIRE_FRAMES["D13"])
    assert (found["password"], found["new_password"]) == ("***", "***")
    assert "12 34 56" not in str(found) and "123456" not in str(found) and "56 34 12" not in str(found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("M01", "checksum: 11, expected 10"),
        ("M02", "end byte: 17, expected 16"),
        ("M03", "second start byte: 69, expected 68"),
        ("M04", "length: 6 announces 18 bytes in all, expected 13"),
        ("M05", "second start byte"),
        ("M06", "trailing bytes: 68 61 01"),
        ("M12", "length: 2, expected at least 4"),
        ("M18", "length: 255 announces 267"),
        ("M19", "length: 1, expected 0"),
    ],
)
def test_error_names_the_field(name: str, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        describe("2007", MALFORMED[name])


@pytest.mark.parametrize("name", ["M08", "M09", "M10", "M11", "M13", "M14", "M15", "M16", "M17"])
def test_sound_frames_with_odd_contents_are_described(name: str) -> None:
    found = describe("2007", MALFORMED[name])
    assert found.get("value") is None or name in ("M08", "M09")


def test_direction_is_checked() -> None:
    assert describe(*WIRE_FRAMES["D03"], direction="request")["direction"] == "request"
    with pytest.raises(BadFrame, match="control: 11, expected bit 7 set in an answer"):
        describe(*WIRE_FRAMES["D03"], direction="answer")
    with pytest.raises(BadFrame, match="control: 91, expected bit 7 clear in a request"):
        describe(*WIRE_FRAMES["D21"], direction="request")


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        (b"", "length of the frame: 0 bytes, expected at least 12"),
        (b"\xfe" * 20, "length of the frame: 0"),
        (bytes.fromhex("69 61 01 00 00 00 00 68 11 00 43 16"), "first start byte: 69"),
        (bytes.fromhex("68 61 01 00 00 00 00 68 1E 00 50 16"), "control: 1E, expected a function of 01, 02"),
        (bytes.fromhex("68 61 01 00 00 00 00 68 88 00 BA 16"), "expected no answer to set_time"),
    ],
)
def test_no_frame(wire: bytes, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        describe("2007", wire)


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        (b"", {"error": "", "meaning": "no reason given"}),
        (b"\x04", {"error": "04", "meaning": "wrong password or not authorised"}),
        (b"\x00\x04", {"error": "0004", "meaning": "no reason given"}),
        (b"\x04\x00", {"error": "0400", "meaning": "wrong password or not authorised"}),
    ],
    ids=["none", "one", "second ignored", "first counts"],
)
def test_a_refusal_has_its_reason_in_the_first_byte(data: bytes, fields: dict[str, str]) -> None:
    found = describe("2007", encode(Frame("000000000161", 0xD1, data)))
    assert {key: found[key] for key in fields} == fields
    with pytest.raises(BadFrame, match="length: 3, expected 1 error byte"):
        describe("2007", encode(Frame("000000000161", 0xD1, bytes(3))))
