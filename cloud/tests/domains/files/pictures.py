"""Small pictures for tests, made here so that every byte is known."""

from __future__ import annotations

import struct
import zlib


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, size: int = 0) -> bytes:
    """A PNG of so many pixels; size: bytes of the whole file, filled with a comment."""
    head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = (b"\0" + b"\0" * width) * height if width * height < 1_000_000 else b""
    tail = chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    if size:
        fill = size - len(head) - len(tail) - 12
        assert fill > 2, "too small"
        head += chunk(b"tEXt", b"c\0" + b"x" * (fill - 2))
    return head + tail


def gif(width: int, height: int, frame: tuple[int, int] = (1, 1)) -> bytes:
    pixels = (
        b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c\0\0\0\0" + struct.pack("<HH", *frame) + b"\0\x02\x02\x44\x01\0"
    )
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0\0\0\0\xff\xff\xff" + pixels + b"\x3b"


def jpg(width: int, height: int) -> bytes:
    """Headers of a JPEG up to its scan."""
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
    table = b"\xff\xdb" + struct.pack(">H", 67) + b"\0" + b"\x01" * 64
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\0"
    scan = b"\xff\xda" + struct.pack(">H", 8) + b"\x01\x01\0\0\x3f\0" + b"\x2a" * 8
    return b"\xff\xd8" + app + b"\xff\xff" + table[1:] + frame + scan + b"\xff\xd9"


def svg(inside: str = '<path d="M0 0h1"/>', attributes: str = "") -> bytes:
    space = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {space} viewBox="0 0 1 1" {attributes}>{inside}</svg>'.encode()
