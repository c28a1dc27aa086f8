"""A clock that is not set, that is set, that jumps: every sample gets one right time and none is lost."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge_agent.model import Quality, Row
from edge_agent.store.clock_gate import MAX_HELD, ClockGate
from edge_agent.store.committer import Committer
from edge_agent.store.distinct import DistinctTimes
from edge_agent.store.memory import MemoryOutbox
from edge_contract import batch
from edge_contract.limits import EARLIEST_MS

NOW = 1_800_000_000_000
HOUR_MS = 3_600_000


class Clock:
    """offset_ms: of the wall clock against NOW and the seconds that passed.

    stops_s: for how long the process is stopped between its next readings of the two clocks.
    """

    def __init__(self, offset_ms: int = 0) -> None:
        self.seconds = 50.0
        self.offset_ms = offset_ms
        self.stops_s: list[float] = []
        self.slept_s: list[float] = []

    def now_ms(self) -> int:
        if self.stops_s:
            self.seconds += self.stops_s.pop(0)
        return NOW + round((self.seconds - 50) * 1000) + self.offset_ms

    def true_ms(self) -> int:
        return NOW + round((self.seconds - 50) * 1000)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.slept_s.append(seconds)
        await asyncio.sleep(0)


class Sink:
    def __init__(self) -> None:
        self.rows: list[Row] = []

    def put(self, row: Row) -> None:
        self.rows.append(row)

    def samples(self) -> list[tuple[int, int, object]]:
        return [(one.point, one.t_ms, one.value) for row in self.rows for one in row.samples()]


def read(
    gate: ClockGate, clock: Clock, value: object, point: int = 1, quality: Quality | None = None
) -> None:
    if quality is None and clock.now_ms() < EARLIEST_MS:
        quality = Quality.UNCERTAIN_TIME  # as the package points marks it
    gate.put(Row((point,), clock.now_ms(), (value,), (quality,) if quality else None))


@pytest.mark.clause("C-054")
async def test_nothing_is_committed_before_the_clock_is_set_and_then_the_times_are_moved() -> None:
    clock = Clock(offset_ms=-NOW)
    outbox = MemoryOutbox(1 << 20)
    committer = Committer(outbox, "ab" * 8, 1.0, clock.now_ms)
    gate = ClockGate(committer, clock)
    true = []
    for number in range(4):
        clock.seconds += 1.5
        true.append(clock.true_ms())
        read(gate, clock, number)
    clock.seconds += 1
    offline_ms = clock.true_ms()
    read(gate, clock, None, quality=Quality.DEVICE_OFFLINE)
    await committer.flush()
    assert outbox.state().batches == 0
    assert gate.with_held(committer.state()).pending_samples == 5
    clock.seconds += 7
    clock.offset_ms = 0
    clock.seconds += 1
    gate.look()
    await committer.flush()
    [held] = await outbox.following(0, 9)
    [column] = batch.decode(held.payload)[1]
    assert list(column.t_ms) == [*true, offline_ms]
    assert list(column.values) == [0, 1, 2, 3, None]
    assert [int(q) for q in column.qualities] == [8, 8, 8, 8, 5]
    assert gate.with_held(committer.state()).pending_samples == 0
    read(gate, clock, 9)
    await committer.flush()
    assert batch.decode((await outbox.following(1, 9))[0].payload)[1][0].qualities[0] == Quality.GOOD


@pytest.mark.clause("C-054")
def test_memory_is_bounded_the_oldest_go_first_and_are_counted() -> None:
    clock, sink = Clock(offset_ms=-NOW), Sink()
    gate = ClockGate(sink, clock, max_held=10)
    for number in range(25):
        clock.seconds += 1
        read(gate, clock, number)
    assert (gate.held_samples, gate.dropped) == (10, 15)
    clock.offset_ms = 0
    read(gate, clock, 25)
    assert [value for _, _, value in sink.samples()] == list(range(15, 26))


def test_a_clock_that_is_set_in_steps() -> None:
    """1970, then a wrong 2001, then right: each sample ends at the moment at which it was read."""
    clock, sink = Clock(offset_ms=-NOW), Sink()
    gate = ClockGate(sink, clock)
    true = []
    for number in range(9):
        clock.seconds += 0.7
        if number == 4:
            clock.offset_ms = -NOW + 1_000_000_000_000
        if number == 7:
            clock.offset_ms = 0
        true.append((1, clock.true_ms(), number))
        read(gate, clock, number)
    assert sink.samples() == true


def test_an_unset_clock_that_is_put_back_moves_no_sample() -> None:
    """Of the two offsets that the time may be of, it is the one that gives the moment of reading."""
    clock, sink = Clock(offset_ms=-NOW + 40_000), Sink()
    gate = ClockGate(sink, clock)
    clock.seconds += 1
    clock.offset_ms = -NOW + 10_000
    true_ms = clock.true_ms()
    read(gate, clock, 1)
    clock.seconds += 1
    clock.offset_ms = 0
    gate.look()
    assert sink.samples() == [(1, true_ms, 1)]


@pytest.mark.parametrize("moved_ms", [-30_000, 30_000])
def test_the_moment_of_reading_is_found_on_a_machine_that_runs_for_days(moved_ms: int) -> None:
    """The monotonic clock is at 200,000 s; an error of a thousandth of it would be more than what moved."""
    clock, sink = Clock(offset_ms=-NOW - 200_000_000 + 60_000), Sink()
    clock.seconds = 200_000.0
    gate = ClockGate(sink, clock)
    clock.offset_ms += moved_ms
    read(gate, clock, 1)
    true_ms = clock.true_ms()
    clock.offset_ms = 0
    gate.look()
    assert sink.samples() == [(1, true_ms, 1)]


def test_the_earliest_time_is_one_of_a_clock_that_is_set() -> None:
    clock, sink = Clock(), Sink()
    gate = ClockGate(sink, clock)
    row = Row((1,), EARLIEST_MS, (5,))
    gate.put(row)
    assert sink.rows == [row]


@pytest.mark.parametrize(("back_ms", "is_step"), [(9, False), (10, True), (11, True)])
def test_a_clock_that_is_put_back_by_ten_milliseconds_steps(back_ms: int, is_step: bool) -> None:
    clock, sink = Clock(), Sink()
    gate = ClockGate(sink, clock)
    row = Row((1,), clock.now_ms(), (5,))
    gate.put(row)
    clock.offset_ms = -back_ms
    gate.put(row)
    assert [t_ms - row.t_ms for _, t_ms, _ in sink.samples()] == [0, int(is_step)]


@pytest.mark.parametrize(
    ("stops_ms", "error_ms"),
    [
        ([0], 0),
        ([1000 / 1024, 0], 1),  # near enough
        ([1.25, 0], 0),
        ([50, 40, 30, 0], 30),  # three readings and no more: the tightest of them
        ([50, 30, 40, 0], 30),
        ([30, 40, 50, 0], 30),
        ([30, 30, 30, 0], 30),
    ],
)
def test_a_process_that_is_stopped_between_its_readings_of_two_clocks(
    stops_ms: list[float], error_ms: float
) -> None:
    clock = Clock()
    gate = ClockGate(Sink(), clock)
    clock.seconds = 3000.0
    exact_ms = gate._offset()
    clock.stops_s = [stop_ms / 1000 for stop_ms in stops_ms]
    assert gate._offset() - exact_ms == pytest.approx(error_ms, abs=0.6)


def test_what_waits_and_what_was_dropped_is_told(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock(offset_ms=-NOW)
    gate = ClockGate(Sink(), clock, max_held=2)
    for number in range(5):
        read(gate, clock, number)
    state = replace(MemoryOutbox(1 << 20).state(), pending_samples=7, dropped_samples=10)
    told = gate.with_held(state)
    assert (told.pending_samples, told.dropped_samples) == (9, 13)
    assert caplog.text.count("samples are held in memory") == 1
    assert caplog.text.count("samples are dropped: 3 wait") == 1
    assert MAX_HELD == 200_000


def test_a_held_row_that_says_nothing_of_its_quality_becomes_uncertain() -> None:
    clock, sink = Clock(offset_ms=-NOW), Sink()
    gate = ClockGate(sink, clock)
    gate.put(Row((1, 2), clock.now_ms(), (5, 6)))
    clock.offset_ms = 0
    gate.look()
    assert [row.qualities for row in sink.rows] == [(Quality.UNCERTAIN_TIME,) * 2]


def test_a_row_whose_clock_was_set_between_reading_and_storing() -> None:
    clock, sink = Clock(offset_ms=-NOW), Sink()
    gate = ClockGate(sink, clock)
    clock.seconds += 1
    row = Row((1,), clock.now_ms(), (5,), (Quality.UNCERTAIN_TIME,))
    true_ms = clock.true_ms()
    clock.offset_ms = 0
    gate.put(row)
    assert sink.samples() == [(1, true_ms, 5)]


async def test_held_rows_go_when_nothing_more_is_collected() -> None:
    clock, sink = Clock(offset_ms=-NOW), Sink()
    gate = ClockGate(sink, clock)
    read(gate, clock, 1)
    running = asyncio.ensure_future(gate.run())
    await asyncio.sleep(0)
    clock.offset_ms = 0
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(sink.rows) == 1
    assert set(clock.slept_s) == {1.0}
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def test_what_a_stop_costs_is_said(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock(offset_ms=-NOW)
    gate = ClockGate(Sink(), clock)
    read(gate, clock, 1)
    running = asyncio.ensure_future(gate.run())
    await asyncio.sleep(0)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert "1 samples are lost: the clock was never set" in caplog.text


@pytest.mark.parametrize("jump_ms", [-24 * HOUR_MS, -HOUR_MS, -3000, 24 * HOUR_MS])
def test_a_set_clock_that_jumps_loses_nothing_and_files_nothing_over_another(jump_ms: int) -> None:
    """Samples keep the time of their arrival; where that was used before it is the next free millisecond."""
    clock, sink = Clock(), Sink()
    gate = ClockGate(sink, clock)
    shown = []
    for number in range(400):
        if number == 200:
            clock.offset_ms += jump_ms
            clock.seconds = (
                50 + jump_ms / -1000 if jump_ms < 0 else clock.seconds
            )  # the same milliseconds again
        clock.seconds += 1
        shown.append((1, clock.now_ms(), number))
        read(gate, clock, number)
    stored = sink.samples()
    assert [value for _, _, value in stored] == list(range(400))
    assert len({t_ms for _, t_ms, _ in stored}) == 400
    assert max(abs(a[1] - b[1]) for a, b in zip(stored, shown, strict=True)) <= 1
    assert stored[:200] == shown[:200]


def test_without_a_jump_a_time_that_comes_twice_stays_as_it_is() -> None:
    """A calculated value may come again with the time of its newest operand; the cloud takes the last one."""
    clock, sink = Clock(), Sink()
    gate = ClockGate(sink, clock)
    row = Row((1,), clock.now_ms(), (5,))
    clock.seconds += 10
    read(gate, clock, 1, point=2)
    gate.put(row)
    gate.put(row)
    assert [t_ms for point, t_ms, _ in sink.samples() if point == 1] == [row.t_ms] * 2


def test_a_port_that_goes_down_at_once_takes_no_values_place() -> None:
    """Two requests of a slave were answered in the millisecond in which its port went down."""
    clock, sink = Clock(), Sink()
    gate = ClockGate(sink, clock)
    now = clock.now_ms()
    gate.put(Row((1, 2), now, (10, 20)))
    gate.put(Row((3, 4), now + 1, (30, 40)))
    gate.put(Row((1, 2, 3, 4), now, (None,) * 4, (Quality.PORT_DOWN,) * 4))
    gate.put(Row((1, 2), now + 150, (11, 21)))
    assert [(point, t_ms - now, value) for point, t_ms, value in sink.samples()] == [
        (1, 0, 10), (2, 0, 20), (3, 1, 30), (4, 1, 40),
        (1, 2, None), (2, 2, None), (3, 2, None), (4, 2, None),
        (1, 150, 11), (2, 150, 21),
    ]  # fmt: skip


@example([(3991, 1), (0, 1), (0, 1), (0, 1), (-4000, 1)])
@given(st.lists(st.tuples(st.integers(-4000, 4000), st.integers(1, 3)), max_size=80))
def test_any_jumps(steps: list[tuple[int, int]]) -> None:
    clock, sink = Clock(), Sink()
    gate = ClockGate(sink, clock)
    for number, (jump_ms, point) in enumerate(steps):
        clock.seconds += 1
        clock.offset_ms += jump_ms if abs(jump_ms) > 2000 else 0
        read(gate, clock, number, point)
    places = [(point, t_ms) for point, t_ms, _ in sink.samples()]
    assert len(set(places)) == len(places) == len(steps)


def test_what_is_remembered_is_bounded() -> None:
    times = DistinctTimes(max_times=1000)
    for at in range(20_000):
        times.distinct(Row((at % 10 + 1,), NOW + at, (0,)))
    assert sum(len(used) for used in times._used.values()) <= 2000
