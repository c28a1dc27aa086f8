"""RFC 2217, the server's side: golden frames, whole, byte by byte and with bytes behind; anything at all."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.tunnels.codec import BAUD, MAX_SUBOPTION, PARITY, Action, Data, Purge, Rfc2217, Say, SetLine
from edge_contract.tunnel import Line

with (Path(__file__).parent / "rfc2217.csv").open() as file:
    GOLDEN = [(row["id"], bytes.fromhex(row["client"]), row["actions"]) for row in csv.DictReader(file)]


def session() -> Rfc2217:
    """One that has told its modem lines."""
    made = fresh()
    made.feed(b"\xff\xfb\x2c")
    return made


def fresh() -> Rfc2217:
    return Rfc2217(Line(), "edge")


def words(actions: list[Action]) -> str:
    told = []
    for action in actions:
        match action:
            case Data(data):
                told.append(f"data {data.hex().upper()}")
            case Say(data):
                told.append(f"say {data.hex().upper()}")
            case SetLine(line):
                told.append(f"line {line.baud} {line.parity} {line.data_bits} {line.stop_bits}")
            case Purge():
                told.append("purge")
    return "|".join(told)


def joined(actions: list[Action]) -> list[Action]:
    """Runs of data as one."""
    made: list[Action] = []
    for action in actions:
        if made and isinstance(action, Data) and isinstance(made[-1], Data):
            made[-1] = Data(made[-1].data + action.data)
        else:
            made.append(action)
    return made


@pytest.mark.parametrize(("name", "client", "actions"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_golden_frames(name: str, client: bytes, actions: str) -> None:
    make = fresh if name.startswith("com-port") else session
    assert words(make().feed(client)) == actions
    slow = make()
    assert words(joined([action for byte in client for action in slow.feed(bytes((byte,)))])) == actions
    behind = joined(make().feed(client + b"Z"))
    assert isinstance(behind[-1], Data)
    assert behind[-1].data.endswith(b"Z")
    assert words(joined([*make().feed(client), Data(b"Z")])) == words(behind)


@given(st.binary(max_size=300), st.integers(1, 40))
def test_bytes_pass_whatever_they_are_and_however_they_are_cut(data: bytes, size: int) -> None:
    here = session()
    wire = here.to_client(data)
    assert wire.count(b"\xff") == 2 * data.count(b"\xff")
    parts = [here.feed(wire[at : at + size]) for at in range(0, len(wire), size)]
    assert b"".join(action.data for part in parts for action in part if isinstance(action, Data)) == data


@given(
    st.lists(
        st.sampled_from([b"\xff", b"\xfa", b"\x2c", b"\xf0", b"\xfb", b"\x01", b"\x03", b"a"]), max_size=60
    )
)
def test_any_bytes_mean_something_or_nothing(parts: list[bytes]) -> None:
    here = session()
    for action in here.feed(b"".join(parts)):
        if isinstance(action, SetLine):
            assert here.line_is(action.line).startswith(b"\xff\xfa\x2c")
    here.feed(b"\xff\xf0" + b"\xff\xf0")
    assert joined(here.feed(b"\xff\xffend"))[-1:] != []


def test_an_endless_suboption_is_not_kept() -> None:
    here = session()
    assert here.feed(b"\xff\xfa\x2c\x01" + bytes(100_000)) == []
    assert len(here._suboption) <= MAX_SUBOPTION + 1
    assert here.feed(b"\xff\xf0ok") == [Data(b"ok")]


def test_answers_tell_what_the_gateway_uses_in_the_order_of_the_questions() -> None:
    here = session()
    even = b"\xff\xfa\x2c\x03\x03\xff\xf0"
    asked = here.feed(b"\xff\xfa\x2c\x01\x00\x00\x4b\x00\xff\xf0" + even)
    assert asked == [SetLine(Line(baud=19200)), SetLine(Line(baud=19200, parity="E"))]
    assert here.line_is(Line(baud=19200)) == bytes((255, 250, 44, 100 + BAUD, 0, 0, 0x4B, 0, 255, 240))
    assert here.line_is(Line(baud=19200)) == bytes((255, 250, 44, 100 + PARITY, 1, 255, 240)), "not granted"
    assert here.line_is(Line(baud=600)) == b"", "nobody asked"
    assert here.feed(even) == [SetLine(Line(baud=600, parity="E"))], "built on what is in use"


def test_a_client_may_stop_and_start_the_flow() -> None:
    here = session()
    assert here.feed(b"\xff\xfa\x2c\x08\xff\xf0") == []
    assert here.suspended
    here.feed(b"\xff\xfa\x2c\x09\xff\xf0")
    assert not here.suspended
    assert here.greeting() == bytes.fromhex("FFFB00 FFFD00 FFFB03 FFFD03 FFFD2C")
