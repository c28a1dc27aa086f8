"""Forms and sizes are told from the bytes, by our own pictures and by ones that a browser made."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.files.kinds import MOST_PX, Wrong
from cloud.domains.files.pictures import examine

from .pictures import gif, jpg, png


@pytest.mark.parametrize(
    ("data", "picture"),
    [
        (png(60, 60), ("png", 60, 60)),
        (png(3, 5, size=1000), ("png", 3, 5)),
        (gif(7, 9), ("gif", 7, 9)),
        (gif(1, 1).replace(b"89a", b"87a"), ("gif", 1, 1)),
        (jpg(640, 480), ("jpg", 640, 480)),
        (png(MOST_PX, 1), ("png", MOST_PX, 1)),
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
        (png(MOST_PX + 1, 1), "file.pixels"),
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
