"""Read by the layout of an earlier batch, a batch is what it is read for itself."""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract.batch import FlatColumns, decode_flat, encode
from edge_contract.errors import BatchError
from edge_contract.model import Quality, Row, Value

NOW = 1_790_000_000_000
STREAM, CATALOG = "00000000000000aa", "00000000000000bb"

VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-300, 300),
    st.integers(-(2**63), 2**64 - 1),
    st.integers(-3000, 3000).map(lambda tenths: tenths / 10),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text("aé", max_size=2),
    st.none(),
)
SAMPLES = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 3), VALUES, st.sampled_from([Quality.GOOD, Quality.STALE])),
    min_size=1,
    max_size=8,
)

Sampled = list[tuple[int, int, Value, Quality]]


def batch(samples: Sampled, t_ms: int = NOW) -> bytes:
    rows = [Row((point,), t_ms + later, (value,), (quality,)) for point, later, value, quality in samples]
    return encode(STREAM, 1, CATALOG, t_ms, rows)


def moment(values: list[Value], *, t_ms: int = NOW, apart_ms: int = 0) -> bytes:
    """One sample of each point."""
    return batch([(point, point * apart_ms, v, Quality.GOOD) for point, v in enumerate(values, 1)], t_ms)


def plain(columns: FlatColumns) -> list[object]:
    return [repr(column) for column in columns.columns()]


def same(first: bytes, second: bytes) -> bool:
    """Whether the second has the first's layout; either way it reads as for itself."""
    _, like = decode_flat(first)
    header, columns = decode_flat(second, like)
    own_header, own = decode_flat(second)
    assert header == own_header and plain(columns) == plain(own)
    assert columns.layout == own.layout
    return columns.points is like.points


@given(SAMPLES, SAMPLES, st.integers(0, 5000))
def test_any_two_batches(first: Sampled, second: Sampled, later_ms: int) -> None:
    same(batch(first), batch(second, NOW + later_ms))


@given(st.lists(st.integers(1000, 2999), min_size=1, max_size=40), st.integers(0, 2), st.booleans())
def test_the_next_moment_of_the_same_points(raw: list[int], apart_ms: int, are_decimals: bool) -> None:
    values: list[Value] = [number + 0.5 for number in raw] if are_decimals else list(raw)
    later = moment(values[::-1], t_ms=NOW + 77, apart_ms=apart_ms)
    assert same(moment(values, apart_ms=apart_ms), later)


@pytest.mark.parametrize(
    "other",
    [
        moment([1.5, 2.5]),
        moment([1.5, 2.5, 3.5, 4.5]),
        moment([1.5, 2, 3.5]),
        moment([1.5, 2.25, 3.5]),
        batch([(2, 0, 1.5, Quality.GOOD), (3, 0, 2.5, Quality.GOOD), (4, 0, 3.5, Quality.GOOD)]),
        batch([(1, 0, 1.5, Quality.GOOD), (1, 1, 2.5, Quality.GOOD), (2, 0, 3.5, Quality.GOOD)]),
        batch([(p, t, 1.5, Quality.GOOD) for p in (1, 2, 3) for t in (0, 1)]),
    ],
)
def test_another_layout(other: bytes) -> None:
    known = moment([11.5, 12.5, 13.5])
    assert not same(known, other) and not same(other, known)
    assert same(known, known)


def test_of_all_kinds_and_with_qualities() -> None:
    samples: Sampled = [
        (1, 0, 1.5, Quality.GOOD), (2, 0, True, Quality.STALE), (3, 0, "on", Quality.GOOD),
        (4, 0, 7, Quality.GOOD), (5, 0, 2**63, Quality.GOOD), (6, 0, None, Quality.DEVICE_OFFLINE),
    ]  # fmt: skip
    others: Sampled = [
        (1, 5, 2.5, Quality.STALE), (2, 5, False, Quality.GOOD), (3, 5, "off", Quality.GOOD),
        (4, 5, -8, Quality.GOOD), (5, 5, 2**64 - 1, Quality.STALE), (6, 5, None, Quality.DEVICE_OFFLINE),
    ]  # fmt: skip
    assert same(batch(samples), batch(others)) and same(batch(others), batch(samples))


def test_a_damaged_batch_is_refused_or_read_as_for_itself() -> None:
    """With a right checksum over it, every byte changed: what it is read by changes nothing."""
    payload, chance = moment([11.5, 12.5, 13.5, 300.5], apart_ms=3), random.Random(3)
    assert not payload[3] & 1, "not compressed, so that a byte of the body is one"
    _, like = decode_flat(payload)
    refused = 0
    for at in range(20, len(payload) - 4):
        for _ in range(8):
            inside = bytearray(payload[:-4])
            inside[at] = chance.randrange(256)
            damaged = bytes(inside) + zlib.crc32(inside).to_bytes(4, "little")
            try:
                _, expected = decode_flat(damaged)
            except BatchError as error:
                refused += 1
                with pytest.raises(BatchError) as caught:
                    decode_flat(damaged, like)
                assert (caught.value.field, caught.value.rule) == (error.field, error.rule)
            else:
                assert plain(decode_flat(damaged, like)[1]) == plain(expected)
    assert refused > 50
