"""What a modem says, whole and byte by byte; malformed answers end in errors, not in numbers."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.errors import BadFrame, FieldbusError
from edge_agent.system.cellular import STRONGEST, UNKNOWN, ModemRefused, signal_of

GOLDEN = Path(__file__).with_name("csq_replies.csv")
ERRORS = {"ModemRefused": ModemRefused, "BadFrame": BadFrame}


def golden() -> list[tuple[str, str]]:
    with GOLDEN.open(newline="") as file:
        return [
            (row["reply"].encode().decode("unicode_escape"), row["outcome"]) for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize(("reply", "outcome"), golden())
def test_replies(reply: str, outcome: str) -> None:
    if outcome in ERRORS:
        with pytest.raises(ERRORS[outcome]):
            signal_of(reply)
    else:
        assert str(signal_of(reply)) == outcome


@pytest.mark.parametrize(("reply", "outcome"), [case for case in golden() if case[1].isdigit()])
def test_bytes_come_one_by_one_and_others_follow(reply: str, outcome: str) -> None:
    end = reply.rindex("OK") + 2
    assert all(signal_of(reply[:cut]) is None for cut in range(end - 1))
    assert signal_of(reply + "\r\nRING\r\n\r\n+CSQ: 1,1\r\n\r\nOK\r\n") == int(outcome)


@given(st.integers(0, 255), st.integers(0, 99))
def test_every_value_is_a_strength_or_unknown(value: int, errors: int) -> None:
    read = signal_of(f"AT+CSQ\r\r\n+CSQ: {value},{errors}\r\n\r\nOK\r\n")
    assert read == (value if value <= STRONGEST else UNKNOWN)


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_anything_else_is_unfinished_or_an_error(reply: str) -> None:
    try:
        read = signal_of(reply)
    except FieldbusError:
        return
    assert read is None or 0 <= read <= UNKNOWN
