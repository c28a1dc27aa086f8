"""The sample batch: round trip, size, refusals of the writer."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_contract._packing import SIGNED, TOO_WIDE, Reader, Writer, signed_width, unsigned_width
from edge_contract.batch import Column, decode, encode, read_header
from edge_contract.errors import BatchError
from edge_contract.limits import MAX_BATCH_BYTES, MAX_BATCH_SAMPLES
from edge_contract.model import Quality, Row, Sample, Value, rows_of

STREAM, CATALOG = "0123456789abcdef", "fedcba9876543210"
NOW = 1_790_000_000_000
TOPIC_BYTES = 28

finite = st.floats(allow_nan=False, allow_infinity=False)
plant = st.tuples(st.integers(-10_000_000, 10_000_000), st.integers(0, 6)).map(
    lambda pair: pair[0] / 10 ** pair[1]
)
single = st.floats(allow_nan=False, allow_infinity=False, width=32)
values = st.one_of(
    finite,
    plant,
    single,
    st.integers(-(2**63), 2**64 - 1),
    st.integers(-300, 300),
    st.booleans(),
    st.none(),
    st.text(max_size=8),
    st.sampled_from([-0.0, 0.0, 2.0**53, -(2.0**53), 5e-324, 1.7e308, 2**63, -(2**63), 0, "", "阀门"]),
)
times = st.one_of(st.integers(NOW, NOW + 5), st.integers(0, 2**53))
qualities = st.sampled_from(list(Quality))
anything = st.builds(
    Sample, st.one_of(st.integers(1, 4), st.integers(1, 2**31 - 1)), times, values, qualities
)
of_one_kind = st.sampled_from(
    [finite, plant, single, st.integers(-(2**63), 2**63 - 1), st.booleans()]
).flatmap(lambda kind: st.lists(st.builds(Sample, st.integers(1, 5), times, kind), min_size=1, max_size=60))


def pack(samples: Sequence[Sample], t_ms: int = NOW) -> bytes:
    return encode(STREAM, 7, CATALOG, t_ms, rows_of(samples))


def spelled(value: Value) -> tuple[str, str]:
    """Type and exact spelling: 7 is not 7.0, 0.0 is not -0.0, True is not 1."""
    return type(value).__name__, repr(value)


def expected(samples: Sequence[Sample]) -> list[tuple[Any, ...]]:
    ordered = sorted(samples, key=lambda sample: (sample.point, sample.t_ms))
    return [(sample.point, sample.t_ms, spelled(sample.value), int(sample.quality)) for sample in ordered]


def flattened(columns: Sequence[Column]) -> list[tuple[Any, ...]]:
    return [
        (column.point, t_ms, spelled(value), quality)
        for column in columns
        for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]


def polled(rounds: int, points: int = 50, step_ms: int = 1000) -> list[Sample]:
    """Readings of a plant: each point wanders by 0.2 % and shows one or two decimals."""
    chance = random.Random(1)
    levels = [
        (chance.choice([0.92, 7.25, 12.34, 23.5, 49.98, 88.0, 230.1, 400.2, 1250.7]), chance.choice([1, 2]))
        for _ in range(points)
    ]
    found = []
    for turn in range(rounds):
        for point, (level, decimals) in enumerate(levels, 101):
            reading = round(level + chance.gauss(0, level * 0.002), decimals)
            found.append(Sample(point, NOW + turn * step_ms, reading))
    return found


@pytest.mark.clause("C-043")
@given(st.lists(anything, min_size=1, max_size=60), st.integers(0, 2**53))
@settings(max_examples=300, deadline=None)
def test_mixed_samples_survive(samples: list[Sample], t_ms: int) -> None:
    header, columns = decode(pack(samples, t_ms))
    assert flattened(columns) == expected(samples)
    assert header.samples == len(samples)


@pytest.mark.clause("C-043")
@given(of_one_kind)
@settings(max_examples=300, deadline=None)
def test_samples_of_one_kind_survive(samples: list[Sample]) -> None:
    assert flattened(decode(pack(samples))[1]) == expected(samples)


@pytest.mark.clause("C-043")
@given(st.lists(st.lists(values, min_size=3, max_size=3), min_size=2, max_size=12), qualities)
@settings(max_examples=200, deadline=None)
def test_columns_on_a_common_grid_survive(table: list[list[Value]], quality: Quality) -> None:
    samples = [
        Sample(point, NOW + 1000 * turn, row[turn], quality if turn == 1 else Quality.GOOD)
        for turn in range(3)
        for point, row in enumerate(table, 1)
    ]
    assert flattened(decode(pack(samples))[1]) == expected(samples)


@pytest.mark.clause("C-042", "C-043")
@given(
    st.lists(st.lists(st.one_of(plant, single, finite), min_size=4, max_size=4), min_size=1, max_size=6),
    st.permutations([3, 9, 4, 1]),
    st.lists(st.tuples(times, values, qualities), max_size=5),
)
@settings(max_examples=200, deadline=None)
def test_rows_give_the_bytes_of_their_samples(
    table: list[list[float]], points: list[int], beside: list[tuple[int, Value, Quality]]
) -> None:
    rows = [Row(tuple(points), NOW + 1000 * turn, row) for turn, row in enumerate(table)]
    rows += [Row((4,), t_ms, (value,), (quality,)) for t_ms, value, quality in beside]
    samples = [sample for row in rows for sample in row.samples()]
    written = encode(STREAM, 7, CATALOG, NOW, rows)
    assert written == pack(samples)
    assert flattened(decode(written)[1]) == expected(samples)


@pytest.mark.clause("C-043")
@given(
    st.lists(
        st.sampled_from([single, plant, finite, st.integers(-(2**63), 2**64 - 1), values]),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 4),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_many_short_columns_survive(kinds: list[Any], length: int, data: st.DataObject) -> None:
    pool = [data.draw(st.lists(kind, min_size=4, max_size=12)) for kind in kinds]
    chance = random.Random(data.draw(st.integers(0, 99)))
    rows = [
        Row(tuple(range(1, 101)), NOW + 1000 * turn, [chance.choice(chance.choice(pool)) for _ in range(100)])
        for turn in range(length)
    ]
    samples = [sample for row in rows for sample in row.samples()]
    assert flattened(decode(encode(STREAM, 7, CATALOG, NOW, rows))[1]) == expected(samples)


@pytest.mark.clause("C-044")
def test_two_samples_of_one_time_keep_their_order() -> None:
    samples = [Sample(3, NOW, 2.0), Sample(3, NOW - 1, 9.0), Sample(3, NOW, 1.0), Sample(3, NOW, 2.0)]
    (column,) = decode(pack(samples))[1]
    assert list(column.t_ms) == [NOW - 1, NOW, NOW, NOW]
    assert list(column.values) == [9.0, 2.0, 1.0, 2.0]


@pytest.mark.clause("C-044")
def test_columns_rise_by_point_and_time() -> None:
    columns = decode(pack(list(reversed(polled(5)))))[1]
    assert [column.point for column in columns] == list(range(101, 151))
    assert all(list(column.t_ms) == sorted(column.t_ms) for column in columns)


@pytest.mark.clause("C-041")
def test_header_is_read_without_the_samples() -> None:
    header = read_header(encode(STREAM, 2**53, CATALOG, NOW, rows_of(polled(1))))
    assert (header.stream, header.seq, header.catalog, header.t_ms, header.samples) == (
        STREAM,
        2**53,
        CATALOG,
        NOW,
        50,
    )


@pytest.mark.clause("C-042")
def test_equal_input_gives_equal_bytes() -> None:
    assert pack(polled(4)) == pack(polled(4))


@pytest.mark.clause("C-048")
def test_size_of_typical_batches() -> None:
    per_sample = {rounds: (len(pack(polled(rounds))) + TOPIC_BYTES) / (50 * rounds) for rounds in (1, 10)}
    assert per_sample[1] <= 6.0
    assert per_sample[10] <= 2.0


def test_a_value_that_stands_still_costs_almost_nothing() -> None:
    still = [Sample(point, NOW + 1000 * turn, 21.5) for point in range(1, 51) for turn in range(100)]
    assert len(pack(still)) < 100


@pytest.mark.clause("C-040")
@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("stream", {"stream": "0123456789ABCDEF"}),
        ("stream", {"stream": "01"}),
        ("catalog", {"catalog": "x" * 16}),
        ("seq", {"seq": 0}),
        ("seq", {"seq": 2**53 + 1}),
        ("t_ms", {"t_ms": -1}),
        ("samples", {"samples": []}),
        ("samples", {"samples": [Sample(1, NOW, 1.0)] * (MAX_BATCH_SAMPLES + 1)}),
        ("point", {"samples": [Sample(0, NOW, 1.0)]}),
        ("point", {"samples": [Sample(2**31, NOW, 1.0)]}),
        ("t_ms", {"samples": [Sample(1, -1, 1.0)]}),
        ("t_ms", {"samples": [Sample(1, 1.5, 1.0)]}),  # type: ignore[arg-type]
        ("value", {"samples": [Sample(1, NOW, math.nan)]}),
        ("value", {"samples": [Sample(1, NOW, 1.0), Sample(1, NOW, math.inf)]}),
        ("value", {"samples": [Sample(1, NOW, None), Sample(1, NOW, -math.inf)]}),
        ("value", {"samples": [Sample(1, NOW, 2**64)]}),
        ("value", {"samples": [Sample(1, NOW, -(2**63) - 1)]}),
        ("value", {"samples": [Sample(1, NOW, "\ud800")]}),
        ("value", {"samples": [Sample(1, NOW, b"raw")]}),  # type: ignore[arg-type]
        ("quality", {"samples": [Sample(1, NOW, 1.0, 9)]}),  # type: ignore[arg-type]
        ("point", {"rows": [Row((), NOW, ()), Row((1,), NOW, (1,))]}),
        ("values", {"rows": [Row((1, 2), NOW, (1.0,))]}),
        ("values", {"rows": [Row((1, 2), NOW, (1.0, 2.0), (Quality.GOOD,))]}),
    ],
)
def test_the_writer_names_the_field(field: str, arguments: dict[str, Any]) -> None:
    given_ = {"stream": STREAM, "seq": 1, "catalog": CATALOG, "t_ms": NOW, "samples": [Sample(1, NOW, 1.0)]}
    whole = {**given_, **arguments}
    rows = whole.pop("rows", None) or rows_of(whole["samples"])
    del whole["samples"]
    with pytest.raises(BatchError) as caught:
        encode(**whole, rows=rows)
    assert caught.value.field == field
    assert caught.value.rule


@pytest.mark.clause("C-040")
def test_a_batch_that_would_be_too_large_is_refused() -> None:
    chance = random.Random(2)
    noise = [Sample(1, NOW + turn, chance.getrandbits(64)) for turn in range(MAX_BATCH_SAMPLES)]
    assert len(pack(noise)) <= MAX_BATCH_BYTES  # the largest whole batch of integers fits
    texts = [Sample(1, NOW, chance.randbytes(15_000).hex()) for _ in range(20)]
    with pytest.raises(BatchError, match="batch: at most"):
        pack(texts)
    with pytest.raises(BatchError, match="body: at most"):
        pack([Sample(1, NOW, "a" * 1_100_000)])


def test_floats_take_the_narrowest_exact_form() -> None:
    def size(of: list[float]) -> int:
        return len(pack([Sample(1, NOW + turn, value) for turn, value in enumerate(of)]))

    chance = random.Random(3)
    decimals = size([chance.randrange(-30_000, 30_000) / 100 for _ in range(500)])
    singles = size([struct.unpack("f", struct.pack("f", chance.random()))[0] for _ in range(500)])
    doubles = size([chance.random() for _ in range(500)])
    assert decimals < 1100 < singles < 2100 < doubles < 4100


@pytest.mark.parametrize(
    ("high", "width"),
    [
        (0, 0), (1, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (2**32 - 1, 4), (2**32, 8),
        (2**64 - 1, 8), (2**64, TOO_WIDE),
    ],
)  # fmt: skip
def test_unsigned_numbers_take_the_narrowest_element(high: int, width: int) -> None:
    assert unsigned_width(high) == width
    if width < TOO_WIDE:
        writer = Writer()
        writer.packed([7, 7 + high])
        reader = Reader(bytes(writer.data))
        assert reader.packed("times", 2) == [7, 7 + high] and reader.at_end
        assert len(writer.data) == 2 + 2 * width, "least number, width and two distances"


@pytest.mark.parametrize(
    ("low", "high", "width"),
    [
        (0, 0, 0), (0, 1, 1), (-1, 0, 1), (-128, 127, 1), (-129, 0, 2), (0, 128, 2), (-(2**15), 2**15 - 1, 2),
        (0, 2**15, 4), (-(2**15) - 1, 0, 4), (-(2**31), 2**31 - 1, 4), (0, 2**31, 8), (-(2**31) - 1, 0, 8),
        (-(2**63), 2**63 - 1, 8), (0, 2**63, TOO_WIDE), (-(2**63) - 1, 0, TOO_WIDE),
    ],
)  # fmt: skip
def test_signed_numbers_take_the_narrowest_element(low: int, high: int, width: int) -> None:
    assert signed_width(low, high) == width
    if 0 < width < TOO_WIDE:
        writer = Writer()
        writer.elements(SIGNED[width], [low, high])
        assert len(writer.data) == 2 * width
        assert list(Reader(bytes(writer.data)).elements(SIGNED[width], 2)) == [low, high]


@pytest.mark.parametrize(
    ("number", "wire"),
    [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**14, "808001"), (2**64 - 1, "ff" * 9 + "01")],
)
def test_numbers_of_any_length_have_seven_bits_a_byte(number: int, wire: str) -> None:
    writer = Writer()
    writer.varint(number)
    assert writer.data.hex() == wire
    assert Reader(bytes(writer.data)).varint("n") == number
    assert Reader(bytes(writer.data)).varint("n", number) == number
    with pytest.raises(BatchError, match="within a field"):
        Reader(bytes(writer.data)[:-1]).varint("n")
    if number:
        with pytest.raises(BatchError, match=f"n.*at most {number - 1}"):
            Reader(bytes(writer.data)).varint("n", number - 1)


def test_a_number_of_more_than_64_bits_is_refused() -> None:
    for wire in ("ff" * 9 + "02", "80" * 10 + "01", "ff" * 10):
        with pytest.raises(BatchError, match="at most"):
            Reader(bytes.fromhex(wire)).varint("n")


@pytest.mark.parametrize("number", [0, -1, 1, -64, 63, 64, -65, 2**63 - 1, -(2**63)])
def test_signed_numbers_alternate_in_their_order(number: int) -> None:
    writer = Writer()
    writer.zigzag(number)
    assert Reader(bytes(writer.data)).zigzag("n") == number
    assert len(writer.data) == (1 if -64 <= number <= 63 else 2 if abs(number) < 100 else 10)


def test_equal_numbers_are_packed_as_one_and_none_as_nothing() -> None:
    for numbers, wire in (([], ""), ([5], "0a00"), ([5, 5, 5], "0a00"), ([-1, 0, 2], "0101000103")):
        writer = Writer()
        writer.packed(numbers)
        assert writer.data.hex() == wire
        assert Reader(bytes(writer.data)).packed("n", len(numbers)) == numbers
    with pytest.raises(BatchError, match="width 0, 1, 2, 4 or 8"):
        Reader(b"\x00\x03\x00\x00\x00").packed("n", 1)
