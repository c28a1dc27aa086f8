"""What a simulated gateway measures and writes, read with the contract's own decoder."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_contract import batch
from edge_contract.limits import MAX_BATCH_SAMPLES
from edge_contract.payloads import Catalog, catalog_hash, decode, encode
from firmware_sim.gateways.signals import SPAN, Signals, catalog
from firmware_sim.gateways.snapshot import Snapshots

STREAM, CATALOG = "00000000000000aa", "00000000000000cc"
T0 = 1_790_000_000_000

times = st.integers(0, 2**53)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.integers(1, 2**53), times, st.integers(0, 99))
def test_a_batch_holds_what_the_signals_say(points: int, seq: int, t_ms: int, seed: int) -> None:
    signals = Signals(seed, "gw-1", points)
    header, columns = batch.decode(Snapshots(STREAM, CATALOG, points).write(seq, t_ms, signals.raw(t_ms)))
    assert header == batch.Header(STREAM, seq, CATALOG, t_ms, points)
    assert [column.point for column in columns] == list(range(1, points + 1))
    for column in columns:
        assert (list(column.t_ms), list(column.qualities)) == ([t_ms], [0])
        assert list(column.values) == [signals.value(column.point, t_ms)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-SPAN // 2, SPAN // 2 - 1), min_size=1, max_size=200))
def test_any_values_come_back(raw: list[int]) -> None:
    _, columns = batch.decode(Snapshots(STREAM, CATALOG, len(raw)).write(1, T0, raw))
    assert [column.values[0] for column in columns] == [value / 10 for value in raw]


def test_the_largest_batch_is_within_the_limits() -> None:
    signals = Signals(1, "gw-1", MAX_BATCH_SAMPLES)
    payload = Snapshots(STREAM, CATALOG, MAX_BATCH_SAMPLES).write(1, T0, signals.raw(T0))
    assert batch.read_header(payload).samples == MAX_BATCH_SAMPLES


def test_values_depend_on_seed_gateway_point_and_time_only() -> None:
    one = Signals(1, "gw-1", 50)
    assert one.raw(T0) == Signals(1, "gw-1", 50).raw(T0)
    others = [Signals(2, "gw-1", 50).raw(T0), Signals(1, "gw-2", 50).raw(T0), one.raw(T0 + 1000)]
    for other in others:
        assert sum(a == b for a, b in zip(one.raw(T0), other, strict=True)) < 3


def test_the_catalog_is_one_of_the_contract() -> None:
    made = catalog(50, 1000, T0)
    again = decode(Catalog, encode(made))
    assert again == made
    assert catalog_hash(again.slaves, again.points) == again.hash
    assert made.hash == catalog(50, 1000, T0 + 1).hash
    assert [point.rw for point in made.points].count("readwrite") == 1
