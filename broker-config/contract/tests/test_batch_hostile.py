"""A batch that is damaged or made to hurt: always a BatchError, never memory, never another exception."""

from __future__ import annotations

import random
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_contract.batch import decode, encode, read_header
from edge_contract.errors import BatchError
from edge_contract.limits import MAX_BATCH_BYTES, MAX_BODY_BYTES
from edge_contract.model import Quality, Sample, rows_of

STREAM, CATALOG = "00000000000000aa", "00000000000000bb"
NOW = 1_790_000_000_000
FIXED = 20  # magic, format, flags, stream, catalog

SMALL = encode(
    STREAM, 1, CATALOG, NOW, rows_of([Sample(1, NOW, 21.5), Sample(2, NOW - 1000, None, Quality.STALE)])
)
MANY = encode(
    STREAM,
    2,
    CATALOG,
    NOW,
    rows_of(
        [
            Sample(point, NOW + turn, value, Quality.GOOD)
            for turn in range(3)
            for point, value in enumerate([1, 2.5, True, "on", None, 0.1 + 0.2, 2**63, 1e300, -7], 1)
        ]
        + [Sample(40, NOW, 3), Sample(40, NOW + 9, None, Quality.BAD_FRAME), Sample(40, NOW + 10, "x")]
    ),
)


def body_of(payload: bytes) -> tuple[bytes, bytes]:
    """Fixed header with numbers, and the inflated body."""
    position = FIXED
    for _ in range(3):
        while payload[position] & 0x80:
            position += 1
        position += 1
    body = payload[position:-4]
    return payload[:position], zlib.decompress(body, -15) if payload[3] & 1 else body


def sealed(head: bytes, body: bytes, flags: int | None = None) -> bytes:
    """A batch with a correct checksum around any body."""
    inside = bytearray(head + body)
    inside[3] = head[3] & ~1 if flags is None else flags
    return bytes(inside) + zlib.crc32(inside).to_bytes(4, "little")


def deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(body) + packer.flush()


@pytest.mark.clause("C-045")
@pytest.mark.parametrize("payload", [SMALL, MANY])
def test_every_truncation_is_refused(payload: bytes) -> None:
    for end in range(len(payload)):
        with pytest.raises(BatchError):
            read_header(payload[:end])
    with pytest.raises(BatchError):
        read_header(payload + b"\0")


@pytest.mark.clause("C-045")
@pytest.mark.parametrize("payload", [SMALL, MANY])
def test_every_single_bit_flip_is_refused(payload: bytes) -> None:
    for bit in range(8 * len(payload)):
        damaged = bytearray(payload)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(BatchError):
            read_header(bytes(damaged))


@pytest.mark.clause("C-014", "C-045")
def test_the_refusal_names_the_field() -> None:
    cases = {
        "magic": b"XX" + SMALL[2:],
        "format": SMALL[:2] + b"\x02" + SMALL[3:],
        "flags": SMALL[:3] + b"\x80" + SMALL[4:],
        "checksum": SMALL[:-1] + bytes([SMALL[-1] ^ 1]),
        "batch": SMALL[:10],
    }
    for field, payload in cases.items():
        with pytest.raises(BatchError) as caught:
            decode(payload)
        assert caught.value.field == field


@pytest.mark.clause("C-046")
def test_a_bomb_is_refused_without_being_inflated() -> None:
    head, _ = body_of(SMALL)
    bomb = sealed(head, deflated(b"\0" * 64 * MAX_BODY_BYTES), head[3] | 1)
    assert len(bomb) < MAX_BATCH_BYTES
    tracemalloc.start()
    with pytest.raises(BatchError, match="body: one whole deflate stream"):
        decode(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * MAX_BODY_BYTES


@pytest.mark.clause("C-046")
def test_counts_beyond_the_header_are_refused_before_memory_is_taken() -> None:
    head, _ = body_of(SMALL)
    huge = b"\xff\xff\xff\xff\x0f"
    bodies = {
        "blocks": huge,
        "grid columns": b"\x01\x00" + huge,
        "grid samples": b"\x01\x00\x02" + huge,
        "ragged": b"\x01\x01\x02" + b"\xfe\xff\xff\xff\x0f\x00",
        "no samples": b"\x00",
    }
    for body in bodies.values():
        tracemalloc.start()
        with pytest.raises(BatchError):
            decode(sealed(head, body))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000


@pytest.mark.clause("C-046")
def test_an_oversized_payload_is_refused() -> None:
    head, body = body_of(SMALL)
    with pytest.raises(BatchError, match="batch: at most"):
        decode(sealed(head, body + b"\0" * MAX_BATCH_BYTES))


@pytest.mark.clause("C-045")
def test_a_deflate_stream_with_a_tail_or_without_an_end_is_refused() -> None:
    head, body = body_of(SMALL)
    whole = deflated(body)
    assert decode(sealed(head, whole, head[3] | 1)) == decode(SMALL)
    for wrong in (whole + b"\0", whole[:-1], b"\xff" + whole):
        with pytest.raises(BatchError, match="body"):
            decode(sealed(head, wrong, head[3] | 1))


def test_a_body_that_ends_late_or_repeats_a_point_is_refused() -> None:
    head, body = body_of(MANY)
    with pytest.raises(BatchError, match="body: must end"):
        decode(sealed(head, body + b"\0"))
    one = encode(STREAM, 1, CATALOG, NOW, rows_of([Sample(1, NOW, 5)]))
    one_head, one_body = body_of(one)
    twice = one_head[:-1] + b"\x02"  # two samples: two blocks that both hold point 1
    with pytest.raises(BatchError, match="point: one column"):
        decode(sealed(twice, b"\x02" + one_body[1:] * 2))


@given(st.sampled_from([SMALL, MANY]), st.data())
@settings(max_examples=1500, deadline=None)
def test_a_changed_body_with_a_correct_checksum(payload: bytes, data: st.DataObject) -> None:
    head, body = body_of(payload)
    changed = bytearray(body)
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(changed) - 1))
        changed[where] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del changed[data.draw(st.integers(0, len(changed))) :]
    decoded_or_refused(sealed(head, bytes(changed)))


def test_noise_in_the_body() -> None:
    chance = random.Random(4)
    head, _ = body_of(MANY)
    for _ in range(3000):
        noise = bytes(
            chance.choices([0, 1, 2, 3, 8, 27, 28, 255, chance.randrange(256)], k=chance.randrange(60))
        )
        decoded_or_refused(sealed(head, noise))
        decoded_or_refused(chance.randbytes(chance.randrange(64)))


def decoded_or_refused(payload: bytes) -> None:
    """What is not refused keeps every promise of the types."""
    try:
        header, columns = decode(payload)
    except BatchError:
        return
    assert sum(len(column.values) for column in columns) == header.samples
    for column in columns:
        assert len(column.t_ms) == len(column.values) == len(column.qualities)
        assert list(column.t_ms) == sorted(column.t_ms)
    samples = [
        Sample(column.point, t_ms, value, Quality(quality))
        for column in columns
        for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]
    encode(
        header.stream, header.seq, header.catalog, header.t_ms, rows_of(samples)
    )  # it could have been written


def test_the_largest_batch_is_looked_into_and_one_byte_more_is_not() -> None:
    for size, field in ((MAX_BATCH_BYTES, "magic"), (MAX_BATCH_BYTES + 1, "batch")):
        with pytest.raises(BatchError) as caught:
            decode(bytes(size))
        assert caught.value.field == field
    for size, field in ((23, "batch"), (24, "magic")):
        with pytest.raises(BatchError) as caught:
            decode(bytes(size))
        assert caught.value.field == field, "header and checksum are 24 bytes"
