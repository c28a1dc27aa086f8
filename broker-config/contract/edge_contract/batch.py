"""The sample batch: compact, columnar, self-checking. Layout: CONTRACT.md, clauses C-040 to C-048."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Sequence
from operator import attrgetter

import msgspec

from edge_contract._blocks import HIGHEST_MS, Column, FlatColumns, read_blocks, read_qualities
from edge_contract._packing import Reader, Writer
from edge_contract._tables import blocks_of, tables_of, write_blocks
from edge_contract.errors import BatchError
from edge_contract.limits import MAX_BATCH_BYTES, MAX_BATCH_SAMPLES, MAX_BODY_BYTES
from edge_contract.model import Row

__all__ = ["Column", "FlatColumns", "Header", "decode", "decode_flat", "encode", "read_header"]

MAGIC = b"EB"
FORMAT = 1

_COMPRESSED = 1
_QUALITIES = 2
_FIXED = struct.Struct("<2sBB8s8s")
_CHECKSUM = struct.Struct("<I")
_HEX16 = re.compile(r"[0-9a-f]{16}")
_RAW_DEFLATE = -15
_EFFORT = 6, zlib.DEF_MEM_LEVEL
_LONG_BODY = 16 * 1024
_LONG_EFFORT = 4, 9
"""Level and memory: a long body of measurements becomes as small with it in two thirds of the time."""


class Header(msgspec.Struct, frozen=True, gc=False):
    """Identity and provenance of a batch; readable without decoding the samples."""

    stream: str  # 16 hexadecimal digits
    seq: int  # from 1, without holes
    catalog: str  # 16 hexadecimal digits: the catalog that the point numbers refer to
    t_ms: int  # when the gateway closed the batch
    samples: int  # how many it holds


def encode(stream: str, seq: int, catalog: str, t_ms: int, rows: Sequence[Row]) -> bytes:
    """Bytes of a batch; BatchError when empty, too many samples or too large (limits.py)."""
    header = Header(stream, seq, catalog, t_ms, sum(map(len, rows)))
    for field in ("stream", "catalog"):
        if not _HEX16.fullmatch(getattr(header, field)):
            raise BatchError(field, "16 hexadecimal digits in lower case")
    _check_numbers(header)
    writer = Writer()
    flags = _QUALITIES if write_blocks(writer, t_ms, blocks_of(tables_of(rows))) else 0
    body = bytes(writer.data)
    if len(body) > MAX_BODY_BYTES:
        raise BatchError("body", f"at most {MAX_BODY_BYTES} bytes before compression")
    effort = _LONG_EFFORT if len(body) >= _LONG_BODY else _EFFORT
    deflater = zlib.compressobj(effort[0], zlib.DEFLATED, _RAW_DEFLATE, effort[1])
    deflated = deflater.compress(body) + deflater.flush()
    if len(deflated) < len(body):
        flags |= _COMPRESSED
        body = deflated
    head = Writer()
    head.data += _FIXED.pack(MAGIC, FORMAT, flags, bytes.fromhex(stream), bytes.fromhex(catalog))
    for number in (seq, t_ms, header.samples):
        head.varint(number)
    payload = bytes(head.data) + body
    payload += _CHECKSUM.pack(zlib.crc32(payload))
    if len(payload) > MAX_BATCH_BYTES:
        raise BatchError("batch", f"at most {MAX_BATCH_BYTES} bytes")
    return payload


def read_header(payload: bytes) -> Header:
    """Check magic, version, length and checksum, and read the header; BatchError otherwise."""
    return _open(payload)[0]


def decode(payload: bytes) -> tuple[Header, list[Column]]:
    """Header and columns by rising point number; BatchError on anything malformed."""
    header, flat = decode_flat(payload)
    return header, sorted(flat.columns(), key=attrgetter("point"))


def decode_flat(payload: bytes, like: FlatColumns | None = None) -> tuple[Header, FlatColumns]:
    """Header and columns in no order, each point once; BatchError on anything malformed.

    like: of an earlier batch; one of the same layout costs a third, and its points are the same list.
    """
    header, flags, body = _open(payload)
    if flags & _COMPRESSED:
        body = _inflate(body)
    reader = Reader(body)
    columns = read_blocks(reader, header.t_ms, header.samples, like.layout if like is not None else None)
    if flags & _QUALITIES:
        columns.qualities = read_qualities(reader, header.samples)
    if not reader.at_end:
        raise BatchError("body", "must end after its last field")
    points = columns.points
    if (like is None or points is not like.points) and len(set(points)) < len(points):
        raise BatchError("point", "one column for each point")
    return header, columns


def _check_numbers(header: Header) -> None:
    if not 1 <= header.seq <= HIGHEST_MS:
        raise BatchError("seq", f"1 to {HIGHEST_MS}")
    if not 0 <= header.t_ms <= HIGHEST_MS:
        raise BatchError("t_ms", f"0 to {HIGHEST_MS}")
    if not 1 <= header.samples <= MAX_BATCH_SAMPLES:
        raise BatchError("samples", f"1 to {MAX_BATCH_SAMPLES}")


def _open(payload: bytes) -> tuple[Header, int, bytes]:
    """Header, flags and the body as it was sent."""
    if len(payload) > MAX_BATCH_BYTES:
        raise BatchError("batch", f"at most {MAX_BATCH_BYTES} bytes")
    if len(payload) < _FIXED.size + _CHECKSUM.size:
        raise BatchError("batch", "shorter than a header")
    magic, version, flags, stream, catalog = _FIXED.unpack_from(payload)
    if magic != MAGIC:
        raise BatchError("magic", f"must be {MAGIC!r}")
    if version != FORMAT:
        raise BatchError("format", f"must be {FORMAT}")
    if flags & ~(_COMPRESSED | _QUALITIES):
        raise BatchError("flags", "unknown flags must be zero")
    inside = payload[: -_CHECKSUM.size]
    if _CHECKSUM.unpack_from(payload, len(inside))[0] != zlib.crc32(inside):
        raise BatchError("checksum", "must be the CRC-32 of everything before it")
    reader = Reader(bytes(inside))
    reader.position = _FIXED.size
    seq, t_ms, samples = reader.varint("seq"), reader.varint("t_ms"), reader.varint("samples")
    header = Header(stream.hex(), seq, catalog.hex(), t_ms, samples)
    _check_numbers(header)
    return header, flags, reader.take(len(inside) - reader.position)


def _inflate(body: bytes) -> bytes:
    inflater = zlib.decompressobj(_RAW_DEFLATE)
    try:
        inflated = inflater.decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error:
        raise BatchError("body", "must be a deflate stream") from None
    if not inflater.eof or inflater.unused_data or len(inflated) > MAX_BODY_BYTES:
        raise BatchError("body", f"one whole deflate stream of at most {MAX_BODY_BYTES} bytes")
    return inflated
