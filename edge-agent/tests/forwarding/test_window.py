"""The window as a state machine: a model of store and cloud checks every rule after every step."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from edge_agent.forwarding.cloud.window import (
    HISTORY_BESIDE_LIVE,
    HISTORY_MAX,
    Sending,
    Window,
)
from edge_contract.limits import RESEND_AFTER_S, WINDOW


class WindowMachine(RuleBasedStateMachine):
    """held: the store. acked: what the cloud acknowledged. flight: what the model thinks is under way."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.next_seq = 120
        self.live_from = 120
        self.held = set(range(5, 120)) - {17, 18, 60}
        self.window = Window(self.live_from)
        self.flight: dict[int, float] = {}
        self.acked: set[int] = set()

    def feed(self) -> None:
        while (cursor := self.window.history_cursor) is not None:
            numbers = sorted(seq for seq in self.held if cursor < seq < self.live_from)[:40]
            self.window.offer_history(numbers)
            if not numbers:
                break

    @rule(count=st.integers(1, 30))
    def commit(self, count: int) -> None:
        self.held |= set(range(self.next_seq, self.next_seq + count))
        self.next_seq += count
        self.window.committed(self.next_seq)

    @rule(count=st.integers(1, 50))
    def send(self, count: int) -> None:
        self.feed()
        taken = self.window.take(self.now, count)
        for sending in taken:
            self.check_choice(sending)
            self.flight[sending.seq] = self.now
        for sending in taken:
            if sending.seq not in self.held:
                self.window.gone(sending.seq)
                del self.flight[sending.seq]

    def check_choice(self, sending: Sending) -> None:
        seq = sending.seq
        live_waiting = {s for s in self.held if s >= self.live_from and s not in self.flight}
        assert sending.live == (seq >= self.live_from)
        again = seq in self.flight
        if again:
            assert self.flight[seq] + RESEND_AFTER_S <= self.now, "sent again too early"
        if live_waiting and len(self.flight) < WINDOW:
            assert seq >= max(live_waiting), "the newest live batch is always first"
        if not sending.live and not again:
            history = sum(s < self.live_from for s in self.flight)
            assert history < (HISTORY_BESIDE_LIVE if live_waiting else HISTORY_MAX)

    @rule(first=st.integers(1, 200), length=st.integers(0, 60))
    def acknowledge_anything(self, first: int, length: int) -> None:
        self.acknowledge([(first, first + length)])

    @rule(data=st.data())
    @precondition(lambda self: self.flight)
    def acknowledge_in_flight(self, data: st.DataObject) -> None:
        seqs = data.draw(st.lists(st.sampled_from(sorted(self.flight)), min_size=1))
        self.acknowledge([(seq, seq) for seq in seqs])

    @rule()
    def acknowledge_everything_that_can_be_numbered(self) -> None:
        forget = self.window.acknowledged([(self.next_seq, 2**53)])
        assert forget == [], "numbers that do not exist are not forgotten"

    def acknowledge(self, ranges: list[tuple[int, int]]) -> None:
        forget = self.window.acknowledged(ranges)
        named = {s for first, last in ranges for s in range(first, last + 1)}
        gone = {s for first, last in forget for s in range(first, last + 1)}
        assert gone == {s for s in named if s < self.next_seq}, "exactly what was acknowledged is forgotten"
        self.held -= gone
        self.acked |= gone
        newest = max((self.flight.pop(seq, -1e9) for seq in gone), default=-1e9)
        for seq, sent in self.flight.items():
            if sent + 3.0 <= newest:
                self.flight[seq] = sent - RESEND_AFTER_S

    @rule(count=st.integers(1, 10))
    def evict(self, count: int) -> None:
        for seq in sorted(self.held)[:count]:
            self.held.discard(seq)

    @rule(first=st.integers(1, 200), length=st.integers(0, 40))
    def cloud_asks(self, first: int, length: int) -> None:
        asked = [s for s in self.held if first <= s <= first + length]
        self.window.requested(asked, self.now)
        for seq in asked:
            if seq in self.flight and self.now - self.flight[seq] >= 1.0:
                self.flight[seq] = min(self.flight[seq], self.now - RESEND_AFTER_S)

    @rule(seconds=st.floats(0.1, 20))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def bounded(self) -> None:
        assert self.window.in_flight <= WINDOW
        assert self.window.in_flight == len(self.flight)

    def teardown(self) -> None:
        """With a cloud that answers, everything that is held is sent within a bounded number of steps."""
        for _ in range(2000):
            if not self.held:
                return
            self.now += RESEND_AFTER_S
            self.send(WINDOW)
            self.acknowledge([(seq, seq) for seq in list(self.flight)[:3]])
        raise AssertionError(f"never sent: {sorted(self.held)}")


TestWindowMachine = pytest.mark.clause("C-024")(pytest.mark.clause("C-026")(WindowMachine.TestCase))
TestWindowMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def numbers(sendings: list[Sending]) -> list[int]:
    return [sending.seq for sending in sendings]


@pytest.mark.clause("C-030")
def test_live_newest_first_then_history_oldest_first() -> None:
    window = Window(10)
    window.offer_history([3, 4, 7])
    window.committed(13)
    assert numbers(window.take(0.0, 99)) == [12, 11, 10, 3, 4, 7]
    window.committed(14)
    assert window.take(0.0, 99) == [Sending(13, live=True)]


@pytest.mark.clause("C-030")
def test_history_has_up_to_half_while_live_waits_and_never_everything() -> None:
    window = Window(1000)
    window.offer_history(list(range(1, 101)))
    assert len(window.take(0.0, 99)) == HISTORY_MAX
    window.committed(1000 + 2 * WINDOW)
    assert all(sending.live for sending in window.take(1.0, 99))
    assert window.in_flight == WINDOW
    window.acknowledged([(1, HISTORY_MAX)])
    assert all(sending.live for sending in window.take(2.0, 99))


@pytest.mark.clause("C-027")
def test_what_is_not_acknowledged_is_sent_again_for_ever() -> None:
    window = Window(1)
    window.committed(3)
    assert numbers(window.take(0.0, 9)) == [2, 1]
    assert window.take(RESEND_AFTER_S - 0.01, 9) == []
    for again in range(1, 5):
        assert window.next_due() == again * RESEND_AFTER_S
        assert sorted(numbers(window.take(again * RESEND_AFTER_S, 9))) == [1, 2]


def test_what_a_later_batch_has_overtaken_is_sent_again_at_once() -> None:
    window = Window(1)
    window.committed(4)
    window.take(0.0, 9)
    window.committed(5)
    window.take(3.0 - 0.1, 9)
    window.acknowledged([(4, 4)])
    assert window.take(3.0, 9) == [], "that is only a slow answer"
    window.committed(6)
    window.take(3.0, 9)
    window.acknowledged([(5, 5)])
    assert sorted(numbers(window.take(3.0, 9))) == [1, 2, 3]


def test_a_window_is_empty_when_nothing_waits_and_nothing_is_in_flight() -> None:
    window = Window(10)
    assert (window.is_empty, window.live_waits) == (True, False)
    window.committed(11)
    assert (window.is_empty, window.live_waits) == (False, True)
    window.take(0.0, 9)
    assert window.is_empty is False
    window.acknowledged([(10, 10)])
    assert window.is_empty is True
    window.offer_history([3])
    assert window.is_empty is False


def test_so_much_history_waits_that_was_asked_for_and_no_more() -> None:
    window = Window(1000)
    window.requested(range(1, 4 * WINDOW + 10), 0.0)
    assert len(window._history) == 4 * WINDOW


@pytest.mark.clause("C-029")
def test_what_the_cloud_asks_for_goes_before_other_history() -> None:
    window = Window(100)
    window.offer_history(list(range(1, 40)))
    window.requested([30, 31], 0.0)
    assert numbers(window.take(0.0, 4)) == [30, 31, 1, 2]
    window.requested([1], 0.5)
    assert 1 not in numbers(window.take(0.5, 1)), "it is under way"
    window.requested([1], 2.0)
    assert numbers(window.take(2.0, 1)) == [1]


@pytest.mark.clause("C-025")
def test_duplicate_and_foreign_acknowledgements_change_nothing() -> None:
    window = Window(1)
    window.committed(4)
    window.take(0.0, 9)
    assert window.acknowledged([(2, 2), (2, 2), (9, 5)]) == [(2, 2), (2, 2)]
    assert window.acknowledged([(50, 60)]) == []
    assert window.in_flight == 2
    assert window.acknowledged([(1, 2**53)]) == [(1, 3)]
    assert window.in_flight == 0


def test_how_much_of_history_is_under_way() -> None:
    """Three quarters of the window alone, half of it beside live batches."""
    assert (WINDOW, HISTORY_MAX, HISTORY_BESIDE_LIVE) == (32, 24, 16)
