"""Frames of a tunnel: what goes in comes out, and nothing else is taken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract import payloads, tunnel
from edge_contract.errors import PayloadError
from edge_contract.fields import ControlMessage
from edge_contract.tunnel import MAX_DATA, MAX_FRAME, Frame, Kind

frames = st.builds(
    Frame,
    st.binary(min_size=8, max_size=8).map(bytes.hex),
    st.integers(1, 2**32 - 1),
    st.sampled_from(Kind),
    st.binary(min_size=1, max_size=300),
)
GOLDEN = bytes.fromhex("4554010200112233445566770500000068690d0a")


@pytest.mark.clause("C-104")
@given(frames)
def test_a_frame_survives_a_round_trip(frame: Frame) -> None:
    assert tunnel.decode(tunnel.encode(frame)) == frame


def test_the_golden_frame() -> None:
    frame = Frame("0011223344556677", 5, Kind.DATA, b"hi\r\n")
    assert tunnel.encode(frame) == GOLDEN
    assert tunnel.decode(GOLDEN) == frame


@pytest.mark.clause("C-104")
@given(st.binary(max_size=64) | st.binary(max_size=64).map(lambda tail: GOLDEN[:4] + tail))
def test_any_bytes_are_a_frame_or_an_error_that_names_the_field(payload: bytes) -> None:
    try:
        frame = tunnel.decode(payload)
    except PayloadError as error:
        assert error.field and error.rule
    else:
        assert tunnel.encode(frame) == payload


@pytest.mark.clause("C-104")
@pytest.mark.parametrize(
    ("payload", "field"),
    [
        (b"", "frame"),
        (GOLDEN[:15], "frame"),
        (GOLDEN[:16], "payload"),
        (b"XT" + GOLDEN[2:], "frame"),
        (b"ET\x02" + GOLDEN[3:], "frame"),
        (b"ET\x01\x06" + GOLDEN[4:], "kind"),
        (GOLDEN[:12] + bytes(4) + b"x", "seq"),
        (GOLDEN[:16] + bytes(MAX_DATA + 1), "payload"),
        (GOLDEN[:16] + bytes(MAX_FRAME), "frame"),
    ],
)
def test_what_is_refused(payload: bytes, field: str) -> None:
    with pytest.raises(PayloadError) as caught:
        tunnel.decode(payload)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("frame", "field"),
    [
        (Frame("00", 1, Kind.DATA, b"x"), "tunnel"),
        (Frame("zz" * 8, 1, Kind.DATA, b"x"), "tunnel"),
        (Frame("00" * 8, 0, Kind.DATA, b"x"), "seq"),
        (Frame("00" * 8, 2**32, Kind.DATA, b"x"), "seq"),
        (Frame("00" * 8, 1, Kind.DATA, bytes(MAX_DATA + 1)), "payload"),
        (Frame("00" * 8, 1, Kind.OPEN, bytes(MAX_FRAME)), "payload"),
    ],
)
def test_what_cannot_be_written(frame: Frame, field: str) -> None:
    with pytest.raises(PayloadError) as caught:
        tunnel.encode(frame)
    assert caught.value.field == field


def test_bounds_are_part_of_the_contract() -> None:
    assert (tunnel.WINDOW, MAX_DATA, MAX_FRAME) == (65_536, 16_384, 32_768)
    assert tunnel.LONGEST_S == 28_800


@pytest.mark.parametrize(
    ("kind", "field", "good", "bad"),
    [
        (tunnel.Line, "baud", (300, 921_600), (299, 921_601)),
        (tunnel.Line, "data_bits", (7, 8), (6, 9)),
        (tunnel.Line, "stop_bits", (1, 2), (0, 3)),
        (tunnel.Line, "parity", ("N", "O", "E"), ("M", "")),
        (tunnel.Open, "idle_s", (5, 28_800), (4, 28_801)),
        (tunnel.Open, "longest_s", (5, 28_800), (4, 28_801)),
        (tunnel.Open, "who", ("", "x" * 200), ("x" * 201,)),
    ],
)
def test_settings_are_within_their_bounds(
    kind: type[ControlMessage], field: str, good: tuple[Any, ...], bad: tuple[Any, ...]
) -> None:
    rest = {"target": "port"} if kind is tunnel.Open else {}
    for value in good:
        assert getattr(payloads.decode(kind, json.dumps({**rest, field: value}).encode()), field) == value
    for value in bad:
        with pytest.raises(PayloadError) as caught:
            payloads.decode(kind, json.dumps({**rest, field: value}).encode())
        assert caught.value.field == field


def test_what_is_left_out_is_the_usual() -> None:
    line = tunnel.Line()
    assert (line.baud, line.parity, line.data_bits, line.stop_bits) == (9600, "N", 8, 1)
    opened = tunnel.Open(target=tunnel.Target.PORT)
    assert (opened.port, opened.line, opened.idle_s, opened.longest_s, opened.who) == (
        None,
        None,
        600,
        3600,
        "",
    )
    assert payloads.encode(opened) == b'{"target":"port"}', "what is usual is not sent"


def test_rules_are_given_with_the_field() -> None:
    for payload, field, rule in (
        (GOLDEN[:15], "frame", "16 to 32768 bytes"),
        (b"ET\x01\x06" + GOLDEN[4:], "kind", "0 to 5"),
        (GOLDEN[:16], "payload", "1 to 16384 bytes of data"),
    ):
        with pytest.raises(PayloadError) as caught:
            tunnel.decode(payload)
        assert (caught.value.field, caught.value.rule) == (field, rule)
    largest = Frame("00" * 8, 2**32 - 1, Kind.DATA, bytes(MAX_DATA))
    assert tunnel.decode(tunnel.encode(largest)) == largest
    longest = Frame("00" * 8, 1, Kind.OPEN, bytes(MAX_FRAME - 16))
    assert tunnel.decode(tunnel.encode(longest)) == longest
    with pytest.raises(PayloadError):
        tunnel.encode(Frame("00" * 8, 1, Kind.OPEN, bytes(MAX_FRAME - 15)))


def test_credit() -> None:
    assert tunnel.read_credit(tunnel.credit(2**40)) == 2**40
    for wrong in (b"1234", bytes(7), bytes(9)):
        with pytest.raises(PayloadError, match="8 bytes"):
            tunnel.read_credit(wrong)
