"""Forms and sizes are told from the bytes, by our own pictures and by ones that a browser made."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.files.kinds import MAX_PX, Wrong
from cloud.domains.files.pictures import examine

from .pictures import chunk, gif, jpg, png


@pytest.mark.parametrize(
    ("data", "picture"),
    [
        (png(60, 60), ("png", 60, 60)),
        (png(3, 5, size=1000), ("png", 3, 5)),
        (gif(7, 9), ("gif", 7, 9)),
        (gif(1, 1).replace(b"89a", b"87a"), ("gif", 1, 1)),
        (jpg(640, 480), ("jpg", 640, 480)),
        (png(MAX_PX, 1), ("png", MAX_PX, 1)),
        (png(8000, 5000), ("png", 8000, 5000)),
        (gif(7, 9, frame=(3, 4)), ("gif", 7, 9)),
        (gif(7, 9, frame=(30, 4)), ("gif", 30, 9)),
    ],
)
def test_form_and_size(data: bytes, picture: tuple[str, int, int]) -> None:
    assert examine(data) == picture


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "file.form"),
        (b"BM" + b"\0" * 60, "file.form"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "file.form"),
        (b"<html><script>alert(1)</script></html>", "file.form"),
        (b"%PDF-1.7", "file.form"),
        (png(5, 5)[:-1], "file.damaged"),
        (png(5, 5) + b"<script>", "file.damaged"),
        (png(5, 5).replace(b"IEND", b"IENX"), "file.damaged"),
        (png(5, 5).replace(b"IHDR", b"iHDR"), "file.damaged"),
        (gif(5, 5)[:-1], "file.damaged"),
        (gif(5, 5) + b"\0", "file.damaged"),
        (b"\xff\xd8\xff\xd9" + b"\0" * 20, "file.damaged"),
        (jpg(5, 5)[:60], "file.damaged"),
        (png(MAX_PX + 1, 1), "file.pixels"),
        (png(0, 1), "file.pixels"),
        (png(8192, 8192), "file.pixels"),
        (png(8001, 5000), "file.pixels"),
        (gif(1, 1, frame=(1, 65535)), "file.pixels"),
        (gif(0, 0), "file.pixels"),
        (jpg(65535, 10), "file.pixels"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Wrong) as wrong:
        examine(data)
    assert wrong.value.reason == reason


def painted(flags: int) -> bytes:
    """A gif of 2 x 2 with these flags of colours, twice; entries look like the beginnings of blocks."""
    colours = b"\x21\x2c\x3b" * (2 ** ((flags & 7) + 1)) if flags & 0x80 else b""
    screen = b"GIF89a" + struct.pack("<HHBBB", 2, 2, flags, 0, 0) + colours
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 2, 2, flags) + colours + b"\x02\x02\x44\x01\0"
    return screen + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0" + frame + frame + b"\x3b"


@pytest.mark.parametrize("flags", [*range(0x80, 0x88), 0x00, 0x07, 0x77, 0xF7])
def test_a_gif_with_any_table_of_colours(flags: int) -> None:
    assert examine(painted(flags)) == ("gif", 2, 2)


def test_a_frame_of_a_gif_counts_from_where_it_begins() -> None:
    def moved(left: int, top: int) -> bytes:
        return gif(7, 9, frame=(3, 4)).replace(b"\x2c\0\0\0\0", b"\x2c" + struct.pack("<HH", left, top))

    assert examine(moved(4, 5)) == ("gif", 7, 9)
    assert examine(moved(5, 6)) == ("gif", 8, 10)
    assert examine(moved(300, 0)) == ("gif", 303, 9)
    assert examine(gif(258, 515)) == ("gif", 258, 515)


def test_segments_of_a_jpg() -> None:
    whole = jpg(640, 480)
    at = whole.index(b"\xff\xc0")

    def with_part(part: bytes) -> bytes:
        return whole[:at] + part + whole[at:]

    for part in (
        b"\xff",
        b"\xff\x01",
        b"\xff\xd0\xff\xd7",
        b"\xff\xfe\0\x02",
        b"\xff\xfe\x01\x02" + bytes(256),
    ):
        assert examine(with_part(part)) == ("jpg", 640, 480)
    for marker in (0xC4, 0xC8, 0xCC):
        assert examine(with_part(bytes([0xFF, marker]) + b"\0\x09" + b"\x7f" * 7)) == ("jpg", 640, 480)
    for marker in (0xC1, 0xC3, 0xC5, 0xC9, 0xCF):
        assert examine(whole[:at] + bytes([0xFF, marker]) + whole[at + 2 :]) == ("jpg", 640, 480)
    for part in (b"\xff\xd9", b"\xff\xda\0\x02", b"\xff\xfe\0\x01", b"\xff\xfe\0\0", b"\0\0\0\x02"):
        with pytest.raises(Wrong, match="a whole"):
            examine(with_part(part))
    assert examine(whole[: at + 9]) == ("jpg", 640, 480)
    with pytest.raises(Wrong, match="a whole"):
        examine(whole[: at + 8])


def test_chunks_of_a_png() -> None:
    whole = png(258, 515)
    assert examine(whole) == ("png", 258, 515)
    head, rest = whole[:33], whole[33:]
    assert examine(head + chunk(b"tEXt", bytes(300)) + rest) == ("png", 258, 515)
    bad = [
        whole[:8] + chunk(b"tEXt", b"") + whole[8:],  # begins with another chunk
        whole[:8] + chunk(b"IHDR", head[16:28]) + rest,  # one of 12 bytes
        head + rest[:-12] + chunk(b"IEND", b"x"),
        head + rest[:-12],
        head[:-1] + bytes([head[-1] ^ 1]) + rest,
        whole[:-1] + bytes([whole[-1] ^ 1]),
    ]
    for data in bad:
        with pytest.raises(Wrong, match="a whole"):
            examine(data)


@pytest.mark.parametrize("whole", [png(9, 9), gif(9, 9), jpg(9, 9)], ids=["png", "gif", "jpg"])
def test_every_part_of_a_picture_ends_in_a_verdict(whole: bytes) -> None:
    for length in range(len(whole)):
        try:
            assert examine(whole[:length]).width == 9  # a jpg is known by its header
        except Wrong as wrong:
            assert wrong.rule


@given(st.sampled_from([png(9, 9), gif(9, 9), jpg(9, 9)]), st.integers(0, 200), st.integers(0, 255))
@settings(max_examples=300, deadline=None)
def test_every_changed_byte_ends_in_a_verdict(whole: bytes, place: int, byte: int) -> None:
    changed = bytearray(whole)
    changed[place % len(whole)] = byte
    try:
        examine(bytes(changed))
    except Wrong as wrong:
        assert wrong.rule


@pytest.mark.parametrize("marker", [0x00, 0x01, *range(0xCF, 0xDA), 0xE0, 0xFE])
def test_which_markers_of_a_jpeg_have_no_length(marker: int) -> None:
    """01 and the restart markers D0 to D7; every other one is followed by what it says itself."""
    made = jpg(30, 20)
    with_marker = made[:2] + bytes((0xFF, marker)) + made[2:]
    if marker == 0x01 or 0xD0 <= marker <= 0xD7:
        assert examine(with_marker)[1:] == (30, 20)
        return
    with contextlib.suppress(Wrong):
        assert examine(with_marker)[1:] != (30, 20)
