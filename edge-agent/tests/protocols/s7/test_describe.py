"""Frames in words, and the exact error of a broken one."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7 import codec, iso, szl
from edge_agent.protocols.s7.protocol import S7Protocol

HERE = Path(__file__).parent
PPI = {row["id"]: row for row in csv.DictReader((HERE / "ppi-frames.csv").read_text().splitlines())}
ISO = {row["id"]: row for row in csv.DictReader((HERE / "iso-frames.csv").read_text().splitlines())}
POLL, SHORT = "10 02 00 5C 5E 16", "E5"


def ppi_of(text: str, direction: Any = None) -> dict[str, Any]:
    return S7Protocol("ppi").describe(bytes.fromhex(text), direction)


@pytest.mark.parametrize("row", PPI.values(), ids=lambda row: row["id"])
def test_every_captured_telegram_has_words(row: dict[str, str]) -> None:
    asked, answered = ppi_of(row["request"]), ppi_of(row["answer"])
    assert next(iter(asked)) == next(iter(answered)) == "direction"
    assert (asked["direction"], answered["direction"]) == ("request", "answer")
    assert asked["reference"] == answered["reference"] == int(row["reference"])
    assert asked["function"] == row["function"]
    with pytest.raises(BadFrame, match="direction: expected answer"):
        ppi_of(row["request"], "answer")


def test_words() -> None:
    assert ppi_of(PPI["P2"]["request"]) == {
        "direction": "request", "to": 2, "by": 0, "control": "6C", "reference": 0, "function": "read",
        "items": [{"area": "I", "address": 0, "bit": 5, "transport": "01", "count": 1}], "checksum": "68",
    }  # fmt: skip
    assert ppi_of(PPI["P15"]["request"])["items"] == [
        {"area": "DB", "db": 1, "address": 100, "transport": "04", "count": 1, "data": "12 34"}
    ]
    assert ppi_of(PPI["P9"]["request"])["items"][0]["address"] == 32
    assert ppi_of(PPI["P19"]["answer"])["items"] == [{"code": "05", "meaning": "address out of range"}]
    assert ppi_of(PPI["P20"]["answer"])["error"] == "8500"
    assert ppi_of(PPI["P14"]["answer"])["items"] == [{"code": "FF", "meaning": "ok"}]
    assert ppi_of(PPI["P21"]["answer"])["pdu"] == 240
    assert ppi_of(POLL)["function"] == "poll"
    assert ppi_of(SHORT) == {"direction": "answer", "function": "acknowledge"}


def test_words_over_tcp() -> None:
    described = [S7Protocol("s7").describe(bytes.fromhex(row["frame"])) for row in ISO.values()]
    assert described[0] == {
        "direction": "request", "function": "connect", "local_tsap": "0100", "remote_tsap": "0101",
    }  # fmt: skip
    assert [fields["function"] for fields in described] == [
        "connect",
        "connect",
        "connected",
        "read",
        "setup",
    ]
    for message, words in (
        (szl.request(3), {"direction": "request", "function": "userdata"}),
        (szl.answer(3, "6ES7 x"), {"direction": "answer", "order_number": "6ES7 x"}),
    ):
        fields = S7Protocol("s7").describe(iso.encode_data(codec.encode(message)))
        assert words.items() <= fields.items()


READ = PPI["P4"]["request"]
BROKEN = [
    ("ppi", "", "start: expected"), ("ppi", "55", "start 55"), ("ppi", "E5 E5", "length: expected 1 byte"),
    ("ppi", READ[:-3], "length: expected 33 bytes, 32"),
    ("ppi", READ + " 00", "length: expected 33 bytes, 34"),
    ("ppi", READ[:-5] + "8C 16", "checksum 8C: expected 8B"),
    ("ppi", READ[:-2] + "17", "end 17: expected 16"),
    ("ppi", "68 1B 1C 68", "head 68 1b 1c 68"), ("ppi", POLL[:-5] + "5F 16", "checksum 5F: expected 5E"),
    ("ppi", "68 05 05 68 02 00 6C 33 01 A2 16", "no S7 PDU"), ("ppi", "68", "at least 4 bytes"),
    ("ppi", "68 03 03 68 02 00 6C 6E 16", "length 3: expected 4 to 249"),
    ("s7", ISO["I4"]["frame"] + " 00", "TPKT length 31: expected 32"), ("s7", "03 00", "frame of 2 bytes"),
    ("s7", "03 00 00 07 02 70 80", "COTP code 0x70"), ("s7", "03 00 00 07 02 F0 00", "a last part"),
    ("s7", "03 00 00 13 02 F0 80 32 01 00 00 00 01 00 02 00 00 28 00", "function 0x28"),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "frame", "says"), BROKEN)
def test_what_is_wrong_is_said(protocol: str, frame: str, says: str) -> None:
    with pytest.raises(BadFrame, match=says):
        S7Protocol(protocol).describe(bytes.fromhex(frame))


def test_identification() -> None:
    made = codec.decode(codec.encode(szl.answer(9, "6ES7 214-1AG40-0XB0")))
    assert szl.order_number(made) == "6ES7 214-1AG40-0XB0"
    assert szl.order_number(szl.answer(9, "")) == ""
    assert szl.is_request(codec.decode(codec.encode(szl.request(9))))
    with pytest.raises(BadFrame, match="no answer of the system status list"):
        szl.order_number(szl.request(9))
