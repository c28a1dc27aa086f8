"""One frame in words, and the exact error of a wrong one."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import BadFrame
from edge_agent.protocols import PROTOCOLS

ROWS = list(csv.DictReader((Path(__file__).parent / "frames.csv").read_text().splitlines()))


def described(protocol: str, text: str, direction: Any = None) -> dict[str, Any]:
    return PROTOCOLS[protocol].describe(raw_of(text), direction)


def raw_of(text: str) -> bytes:
    """Binary frames are written in pairs of digits with spaces between."""
    return bytes.fromhex(text) if text[2:3] == " " else text.encode()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_golden_frame_is_described(row: dict[str, str]) -> None:
    request, answer = (described(f"mc_{row['frame']}", row[name]) for name in ("request", "answer"))
    for found, direction in ((request, "request"), (answer, "answer")):
        assert next(iter(found)) == "direction"
        assert (found["direction"], found["code"]) == (direction, row["code"])
        json.dumps(found)
    assert row["command"] in request["command"]
    if row["command"] != "model":
        assert (request["start"], request["count"]) == (int(row["start"]), int(row["count"]))
    assert ("meaning" in answer) == (row["end_code"] != "0")


def test_fields_of_a_request_and_its_answer() -> None:
    assert described("mc_1e", "00 FF 0A 00 10 00 00 00 20 58 02 00") == {
        "direction": "request", "frame": "1E", "code": "binary", "command": "batch read in bits", "pc": 255,
        "timer_ms": 2500, "device": "X", "start": 16, "first": "X20", "count": 2,
    }  # fmt: skip
    assert described("mc_1e", "81 00 34 12 78 56")["values"] == [0x1234, 0x5678]
    assert described("mc_3e", "D0 00 00 FF FF 03 00 06 00 00 00 34 12 78 56")["data"] == "34 12 78 56"
    assert described("mc_1e", "95 00 F3 00")["model"] == "FX3U"


WRONG = [
    ("mc_1e", "07 FF 0A 00", None, "command: must be from 00 to 03, or 15, is 07"),
    ("mc_1e", "00 FF 0A 00 10 00 00 00 20 58 02", None, "behind the points: 1 bytes must follow, 0 do"),
    ("mc_1e", "00 FF 0A 00 10 00 00 00 20 58 02 00 01", None, "length: 1 bytes follow the frame"),
    ("mc_1e", "81 00 34", None, "data: 0 bytes must be there"),
    ("mc_1e", "81 00 34 12", "request", "subheader: must be that of the request"),
    ("mc_3e", "D0 00 00 FF FF 03 00 06 00 00 00 34 12 78", None, "length: must be 5"),
    ("mc_3e", "D1 00 00 FF FF 03 00 06 00 00 00 34 12 78 56", None, "subheader: must be d0 00, is d1 00"),
    ("mc_3e", "500000FF03FF000018000404010000Q*0001000002", None, "device code: must be that of a device"),
]


@pytest.mark.parametrize(("protocol", "text", "direction", "rule"), WRONG)
def test_a_wrong_frame_says_what_was_expected(protocol: str, text: str, direction: Any, rule: str) -> None:
    with pytest.raises(BadFrame) as error:
        described(protocol, text, direction)
    assert str(error.value).startswith(rule)


def test_any_bytes_are_described_or_refused() -> None:
    chance = random.Random(3)
    for _ in range(3000):
        raw = chance.randbytes(chance.randrange(40))
        if chance.random() < 0.5:
            row = chance.choice(ROWS)
            changed = bytearray(raw_of(row[chance.choice(("request", "answer"))]))
            changed[chance.randrange(len(changed))] = chance.randrange(256)
            raw = bytes(changed)
        for protocol in ("mc_1e", "mc_3e"):
            try:
                json.dumps(PROTOCOLS[protocol].describe(raw))
            except BadFrame:
                continue
