"""Frames of a tunnel: what goes in comes out, and nothing else is taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract import tunnel
from edge_contract.errors import PayloadError
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


def test_credit() -> None:
    assert tunnel.read_credit(tunnel.credit(2**40)) == 2**40
    with pytest.raises(PayloadError):
        tunnel.read_credit(b"1234")
