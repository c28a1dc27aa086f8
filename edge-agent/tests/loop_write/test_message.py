"""Bytes of loop-write messages, and faults of tasks."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.load import ConfigErrors, parse
from edge_agent.config.model import LoopWrite
from edge_agent.errors import BadValue
from edge_agent.loop_write.message import custom_bytes, register_bytes

MOMENT = datetime(2026, 11, 28, 9, 5, 59, tzinfo=UTC)
CASES = json.loads((Path(__file__).parent / "messages.json").read_text())
"""At MOMENT; the portal's preview is held to them too (web/test/fieldbus-message.test.ts)."""


def task(**fields: Any) -> LoopWrite:
    return LoopWrite(
        **{"name": "w", "interval_s": 1, "slave": "plc", "content": "number", "offset": 0} | fields
    )


def made(case: dict[str, Any]) -> bytes:
    build = custom_bytes if case["message"] == "custom" else register_bytes
    return build(task(message=case["message"], **case["fields"]), MOMENT)


@pytest.mark.parametrize("case", [case for case in CASES if "bytes" in case], ids=str)
def test_bytes_of_a_message(case: dict[str, Any]) -> None:
    assert made(case) == bytes.fromhex(case["bytes"])


@pytest.mark.parametrize("case", [case for case in CASES if "rule" in case], ids=str)
def test_what_cannot_be_sent_has_a_rule(case: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match=re.escape(case["rule"])):
        made(case)


def test_a_number_without_fraction_fits_an_integer() -> None:
    assert register_bytes(task(value=258.0), MOMENT) == bytes.fromhex("0102")


HEAD = """
[gateway]
id = "gw-test"
[[ports]]
name = "lan"
type = "NET"
host = "h"
[[slaves]]
name = "plc"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[ports]]
name = "other"
type = "NET"
host = "h"
[[slaves]]
name = "press"
port = "other"
protocol = "s7"
address = "1"
options = { model = "1200" }
[[loop_writes]]
name = "w"
interval_s = 1
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            'slave = "z"\ncontent = "number"\nvalue = 1\noffset = 0',
            "loop_writes[0].slave: must be the name of a slave",
        ),
        ('slave = "plc"\ncontent = "number"\nvalue = 1', "loop_writes[0].offset: must be given"),
        (
            'slave = "plc"\ncontent = "number"\nvalue = "a"\noffset = 0',
            "loop_writes[0].value: must be a number",
        ),
        (
            'slave = "press"\ncontent = "number"\nvalue = 1\noffset = 0',
            "loop_writes[0].message: must be custom for press",
        ),
        (
            'slave = "plc"\ncontent = "number"\nvalue = 1\noffset = 65535\ndata_type = "float"',
            "loop_writes[0].offset: must lie within",
        ),
        (
            'slave = "plc"\ncontent = "number"\nvalue = 1\noffset = 0\nexpect = "06"',
            "loop_writes[0].expect: must not be given",
        ),
        (
            'slave = "plc"\ncontent = "real_time"\noffset = 0\ntime_zone = "Mars/Base"',
            "loop_writes[0].time_zone: must be a time zone",
        ),
        (
            'slave = "plc"\ncontent = "hex"\nmessage = "custom"\nvalue = "0g"',
            "loop_writes[0].value: must be pairs",
        ),
        (
            'slave = "plc"\ncontent = "hex"\nmessage = "custom"\nvalue = "01"\noffset = 1',
            "loop_writes[0].offset: must not be given",
        ),
    ],
)  # fmt: skip
def test_faults_name_field_and_rule(text: str, fault: str) -> None:
    with pytest.raises(ConfigErrors) as raised:
        parse(HEAD + text)
    assert fault in str(raised.value)
