"""Frames of the standard, captures and hostile input through the codec."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.protocols.dlt645.codec import Decoder, Frame, bcd_to_int, decode_single, encode, int_to_bcd

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((HERE / name).read_text().splitlines()))


GOLDEN = rows("frames.csv")
MALFORMED = rows("malformed.csv")


def frame_of(row: dict[str, str]) -> Frame:
    return Frame(row["address"], int(row["control"], 16), bytes.fromhex(row["data"]))


def one_by_one(data: bytes) -> list[Frame]:
    decoder = Decoder()
    return [frame for byte in data for frame in decoder.feed(bytes((byte,)))]


def test_tables_are_complete() -> None:
    assert (len(GOLDEN), len(MALFORMED)) == (65, 19)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["id"])
def test_golden_frame(row: dict[str, str]) -> None:
    wire, frame = bytes.fromhex(row["frame"]), frame_of(row)
    assert encode(frame, int(row["wake_up"])) == wire
    assert Decoder().feed(wire) == [frame]
    assert one_by_one(wire) == [frame]
    assert decode_single(wire) == frame, "the quick way takes it, too"
    assert decode_single(wire + b"\x16") is None
    for tail in (b"\x16", b"\x68", b"\xfe\xfe\x68\x01", wire[:-1]):
        decoder = Decoder()
        assert decoder.feed(wire + tail) == [frame]
        assert decoder.feed(wire)[-1:] == [frame] or decoder.give_up()[-1:] == [frame]


@pytest.mark.parametrize("size", [0, 1, 243, 244, 245, 255])
def test_a_damaged_frame_is_none_on_the_quick_way_too(size: int) -> None:
    """A chunk that is one frame, and not too long, is taken whole: with the same checks as the search."""
    frame = Frame("202311150042", 0x91, bytes(range(255, 255 - size, -1)))
    wire = encode(frame, 4)
    assert Decoder().feed(wire) == one_by_one(wire) == [frame]
    for at in range(4, len(wire)):
        damaged = wire[:at] + bytes((wire[at] ^ 0x01,)) + wire[at + 1 :]
        assert Decoder().feed(damaged) == []
    assert Decoder().feed(wire[:-1]) == []


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["id"])
def test_malformed(row: dict[str, str]) -> None:
    wire = bytes.fromhex(row["bytes"])
    decoder = Decoder()
    frames = decoder.feed(wire)
    assert len(frames) == int(row["frames"])
    assert decoder.checksum_errors == int(row["checksum_errors"])
    assert one_by_one(wire) == frames
    assert decoder.pending == 0 or row["id"] in {"M03", "M04", "M18"}
    decoder.give_up()
    assert decoder.pending == 0


def test_noise_and_incomplete_frames_lose_no_good_frame() -> None:
    good = encode(Frame("000000000161", 0x91, bytes.fromhex("000101020110")), 0)
    decoder = Decoder()
    assert decoder.feed(good[:9]) == []
    assert decoder.feed(good) == []  # 68 in the cut frame swallows the next one until the line is silent
    assert [frame.address for frame in decoder.give_up()] == ["000000000161"]
    assert decoder.discarded_bytes > 0
    decoder.feed(good[:5])
    decoder.reset()
    assert decoder.feed(good) == [Frame("000000000161", 0x91, bytes.fromhex("000101020110"))]


def test_wake_up_bytes_are_no_noise() -> None:
    decoder = Decoder()
    decoder.feed(encode(Frame("000000000161", 0x93), 9))
    assert decoder.discarded_bytes == 0
    decoder.feed(b"\x01\xfe\x02")
    assert decoder.discarded_bytes == 2


@given(
    st.text("0123456789A", min_size=12, max_size=12),
    st.integers(0, 255),
    st.binary(max_size=255),
    st.integers(0, 6),
)
@settings(max_examples=200, deadline=None)
def test_round_trip(address: str, control: int, data: bytes, wake_up: int) -> None:
    frame = Frame(address, control, data)
    assert Decoder().feed(encode(frame, wake_up)) == [frame]


@pytest.mark.parametrize(
    ("wire", "number"),
    [("78563412", 12345678), ("00", 0), ("99", 99), ("0F", None), ("A0", None), ("FFFF", None), ("", None)],
)
def test_bcd(wire: str, number: int | None) -> None:
    assert bcd_to_int(bytes.fromhex(wire)) == number
    if number is not None:
        assert int_to_bcd(number, len(wire) // 2) == bytes.fromhex(wire)


def test_what_does_not_fit_is_refused() -> None:
    for value, length in ((100, 1), (-1, 2)):
        with pytest.raises(ValueError, match="does not fit"):
            int_to_bcd(value, length)
    with pytest.raises(ValueError, match="12 digits or A"):
        encode(Frame("12345", 0x11))
    with pytest.raises(ValueError, match="at most 255"):
        encode(Frame("0" * 12, 0x11, bytes(256)))


GOOD = encode(Frame("000000000161", 0x91, bytes.fromhex("000101020110")), 0)


@pytest.mark.parametrize(
    ("wire", "frames", "discarded", "wrong_sums", "pending"),
    [
        (GOOD, 1, 0, 0, 0),
        (b"\xfe" * 4 + GOOD + GOOD, 2, 0, 0, 0),
        (b"\x01\x02\x03" + GOOD, 1, 3, 0, 0),
        (b"\xfe\x01\xfe\xfe" + GOOD + b"\x16\xfe", 1, 2, 0, 0),
        (GOOD[:7] + b"\x00" + GOOD, 1, 8, 0, 0),
        (GOOD[:7] + b"\x00", 0, 8, 0, 0),
        (GOOD[:7], 0, 0, 0, 7),
        (GOOD[:8], 0, 0, 0, 8),
        (GOOD[:-1], 0, 0, 0, len(GOOD) - 1),
        (GOOD[:-1] + b"\x17" + GOOD, 1, len(GOOD), 1, 0),
        (GOOD[:-2] + b"\x00\x16" + GOOD, 1, len(GOOD), 1, 0),
    ],
)  # fmt: skip
def test_every_byte_that_is_of_no_frame_is_counted_once(
    wire: bytes, frames: int, discarded: int, wrong_sums: int, pending: int
) -> None:
    """However the bytes come in; a wake-up byte is no noise."""
    for size in (len(wire), 1, 3, 9, 10, 11):
        decoder = Decoder()
        found = [frame for at in range(0, len(wire), size) for frame in decoder.feed(wire[at : at + size])]
        counts = (len(found), decoder.discarded_bytes, decoder.checksum_errors, decoder.pending)
        assert counts == (frames, discarded, wrong_sums, pending), size
        assert [*decoder.give_up()] == []
        assert (decoder.discarded_bytes, decoder.pending) == (discarded + pending, 0)


def test_what_an_unfinished_frame_hides_is_decoded_when_the_line_is_silent() -> None:
    decoder = Decoder()
    assert decoder.feed(GOOD[:9] + b"\xff" + GOOD) == []
    assert decoder.give_up() == [Frame("000000000161", 0x91, bytes.fromhex("000101020110"))]
    assert (decoder.discarded_bytes, decoder.pending) == (10, 0)
    assert decoder.give_up() == [], "nothing is held"


@pytest.mark.parametrize(("control", "from_meter", "refused", "more", "function"), [
    (0x11, False, False, False, 0x11), (0x91, True, False, False, 0x11), (0xD1, True, True, False, 0x11),
    (0xB2, True, False, True, 0x12), (0x1F, False, False, False, 0x1F), (0xE0, True, True, True, 0),
])  # fmt: skip
def test_what_a_control_code_says(
    control: int, from_meter: bool, refused: bool, more: bool, function: int
) -> None:
    frame = Frame("0" * 12, control)
    said = (frame.from_meter, frame.refused, frame.more_follows, frame.function)
    assert said == (from_meter, refused, more, function)


@pytest.mark.parametrize(("number", "length", "wire"), [
    (0, 1, "00"), (99, 1, "99"), (100, 2, "0001"), (9999, 2, "9999"), (12345678, 4, "78563412"),
])  # fmt: skip
def test_numbers_fill_their_bytes(number: int, length: int, wire: str) -> None:
    assert int_to_bcd(number, length).hex() == wire
    with pytest.raises(ValueError, match=f"does not fit into {length} BCD bytes"):
        int_to_bcd(100**length, length)
