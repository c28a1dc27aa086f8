"""Form and size of a picture, from its bytes only, never from a name. Pure.

PNG by RFC 2083 (every chunk with its checksum, nothing behind the last), JPEG by ITU T.81 annex B up to the
frame header, GIF by GIF89a, every block up to its trailer.

Sides come from the header, of a gif also from its frames.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

from cloud.domains.files.kinds import LARGEST, PictureLimits, Wrong
from cloud.domains.files.svg import check_svg, looks_like_svg

PNG = b"\x89PNG\r\n\x1a\n"
GIF = (b"GIF87a", b"GIF89a")
JPEG = b"\xff\xd8\xff"
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG frame header; the three are tables and reserved."""
WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers without a length."""


class Picture(NamedTuple):
    """form: png, jpg, gif or svg. width, height: pixels, 0 for svg, which has no fixed size."""

    form: str
    width: int
    height: int


def examine(data: bytes, limits: PictureLimits = LARGEST) -> Picture:
    """The picture in these bytes. Raises Wrong when there is none, it is damaged, too large, or not
    harmless.
    """
    if data.startswith(PNG):
        picture = Picture("png", *_png(data))
    elif data.startswith(GIF):
        picture = Picture("gif", *_gif(data))
    elif data.startswith(JPEG):
        picture = Picture("jpg", *_jpeg(data))
    elif looks_like_svg(data):
        check_svg(data, _Embedded(limits).examine)
        return Picture("svg", 0, 0)
    else:
        raise Wrong("file.form", "a png, jpg, gif or svg picture")
    limits.check(picture.width, picture.height)
    return picture


class _Embedded:
    """Pictures in an svg: each within the limits of its kind, and together within those of one."""

    def __init__(self, limits: PictureLimits) -> None:
        self._limits = limits
        self._left = limits.pixels

    def examine(self, data: bytes) -> None:
        """Check a picture within an svg. Raises Wrong as examine, and when all together have too many
        pixels.
        """
        if not data.startswith((PNG, JPEG)):
            raise Wrong("file.form", "embedded pictures: png, jpg")
        try:
            picture = examine(data, self._limits)
        except Wrong as wrong:
            raise Wrong(wrong.reason, f"embedded pictures: {wrong.rule}") from None
        self._left -= picture.width * picture.height
        if self._left < 0:
            raise Wrong("file.pixels", f"embedded pictures: at most {self._limits.pixels} pixels together")


def _png(data: bytes) -> tuple[int, int]:
    at, first = len(PNG), True
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4])
        name = data[at + 4 : at + 8]
        end = at + 12 + length
        if end > len(data) or zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            break
        if first and (name != b"IHDR" or length != 13):
            break
        if name == b"IEND":
            if end != len(data) or length:
                break
            return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
        at, first = end, False
    raise Wrong("file.damaged", "a whole png picture and nothing behind it")


def _gif(data: bytes) -> tuple[int, int]:
    """The screen, made larger by frames that reach beyond it, as browsers do."""
    try:
        width, height = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
        if not width or not height:
            return 0, 0
        at = 13 + _colours(data[10])
        while data[at] != 0x3B:
            if data[at] == 0x21:  # extension: label and blocks
                at = _behind_blocks(data, at + 2)
            elif data[at] == 0x2C:
                left, top, wide, high = (
                    int.from_bytes(data[place : place + 2], "little") for place in range(at + 1, at + 9, 2)
                )
                width, height = max(width, left + wide), max(height, top + high)
                at = _behind_blocks(data, at + 11 + _colours(data[at + 9]))
            else:
                break
        if at == len(data) - 1 and data[at] == 0x3B:
            return width, height
    except IndexError:
        pass  # ends in the middle
    raise Wrong("file.damaged", "a whole gif picture and nothing behind it")


def _colours(flags: int) -> int:
    """Bytes of a table of colours."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _behind_blocks(data: bytes, at: int) -> int:
    while data[at]:
        at += 1 + data[at]
    return at + 1


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if marker in WITHOUT_LENGTH:
            at += 2
            continue
        if marker in FRAMES:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        length = int.from_bytes(data[at + 2 : at + 4])
        if length < 2 or marker in {0xD9, 0xDA}:  # end or scan before any frame
            break
        at += 2 + length
    raise Wrong("file.damaged", "a whole jpg picture")
