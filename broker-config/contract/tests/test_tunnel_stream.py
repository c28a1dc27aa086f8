"""Two ends of a tunnel over a bad line: what arrives is what was sent, or both ends know that it is not."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_contract.payloads import decode, encode
from edge_contract.tunnel import MAX_DATA, WINDOW, Close, Frame, Kind, credit
from edge_contract.tunnel_stream import BUFFER, CREDIT_EVERY, LAST_SEQ, MAX_CONTROLS, TunnelStream

TUNNEL = "00112233445566aa"
Line = Callable[[list[Frame]], list[Frame]]


def perfect(frames: list[Frame]) -> list[Frame]:
    return frames


@dataclass
class Pair:
    """Two ends; what passes between them goes through a line. got: what each end read."""

    line: Line = perfect
    ends: tuple[TunnelStream, TunnelStream] = field(
        default_factory=lambda: (TunnelStream(TUNNEL), TunnelStream(TUNNEL))
    )
    got: tuple[bytearray, bytearray] = field(default_factory=lambda: (bytearray(), bytearray()))
    max_on_their_way: int = 0

    def turn(self, reads: bool = True) -> bool:
        """Send what each end may send; True when anything passed."""
        passed = False
        for at in (0, 1):
            here, there = self.ends[at], self.ends[1 - at]
            frames = []
            while (frame := here.next_frame()) is not None:
                frames.append(frame)
            passed = passed or bool(frames)
            self.max_on_their_way = max(self.max_on_their_way, here.sent - here.confirmed)
            for frame in self.line(frames):
                there.receive(frame)
            if reads:
                self.read(1 - at)
        return passed

    def read(self, at: int) -> None:
        while (what := self.ends[at].read()) is not None:
            if what[0] is Kind.DATA:
                self.got[at].extend(what[1])
                self.ends[at].took(len(what[1]))

    def carry(self, up: bytes, down: bytes) -> None:
        """Write all of it, as there is room, until nothing moves any more."""
        left = [up, down]
        moved = True
        while moved:
            moved = False
            for at in (0, 1):
                size = min(self.ends[at].free, len(left[at]))
                if size:
                    self.ends[at].write(left[at][:size])
                    left[at] = left[at][size:]
                    moved = True
            moved = self.turn() or moved


@pytest.mark.clause("C-100")
@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 2**18), st.integers(0, 2**18))
def test_what_is_written_is_what_is_read(seed: bytes, up_size: int, down_size: int) -> None:
    source = random.Random(seed)
    up, down = source.randbytes(up_size), source.randbytes(down_size)
    pair = Pair()
    pair.carry(up, down)
    assert (bytes(pair.got[1]), bytes(pair.got[0])) == (up, down)
    assert pair.max_on_their_way <= WINDOW
    assert [end.ended for end in pair.ends] == [None, None]


@pytest.mark.clause("C-100", "C-103")
@settings(max_examples=150, deadline=None)
@given(
    st.randoms(use_true_random=False), st.integers(1, 200_000), st.sampled_from(["lose", "repeat", "swap"])
)
def test_loss_and_disorder_end_the_tunnel_and_repetition_is_harmless(
    source: random.Random, size: int, fault: str
) -> None:
    def line(frames: list[Frame]) -> list[Frame]:
        done: list[Frame] = []
        for frame in frames:
            hit = source.random() < 0.2
            if hit and fault == "lose":
                continue
            done += [frame, frame] if hit and fault == "repeat" else [frame]
            if hit and fault == "swap" and len(done) > 1:
                done[-1], done[-2] = done[-2], done[-1]
        return done

    pair = Pair(line)
    up, down = source.randbytes(size), source.randbytes(size)
    pair.carry(up, down)
    assert up.startswith(pair.got[1])
    assert down.startswith(pair.got[0])
    if fault == "repeat":
        assert (bytes(pair.got[1]), bytes(pair.got[0])) == (up, down)
    elif (bytes(pair.got[1]), bytes(pair.got[0])) != (up, down):
        pair.line = perfect  # the last frame of all may be the lost one: whatever comes next shows the hole
        for end in pair.ends:
            end.put(Kind.LINE, b"{}")
        pair.turn()
        pair.turn()
        assert "lost" in {end.ended.code for end in pair.ends if end.ended}
    assert pair.max_on_their_way <= WINDOW


@pytest.mark.clause("C-100")
def test_a_gap_is_reported_to_the_other_end() -> None:
    here, there = TunnelStream(TUNNEL), TunnelStream(TUNNEL)
    there.receive(Frame(TUNNEL, 3, Kind.DATA, b"x"))
    assert there.read() is None
    assert there.ended == Close(code="lost", detail="frame 3 came where 1 was due")
    told = there.next_frame()
    assert told is not None
    here.receive(told)
    assert here.ended == there.ended
    assert there.next_frame() is None
    assert there.finished
    assert here.free == there.free == 0


@pytest.mark.clause("C-103")
def test_no_more_than_the_window_goes_unconfirmed() -> None:
    here, there = TunnelStream(TUNNEL), TunnelStream(TUNNEL)
    here.write(bytes(BUFFER))
    with pytest.raises(ValueError, match="at most 0 bytes now"):
        here.write(b"x")
    sent = []
    while (frame := here.next_frame()) is not None:
        sent.append(frame)
    assert sum(len(frame.payload) for frame in sent) == WINDOW
    assert max(len(frame.payload) for frame in sent) == MAX_DATA
    here.write(b"later")
    assert here.next_frame() is None
    for frame in sent:
        there.receive(frame)
    assert there.read() == (Kind.DATA, bytes(WINDOW))
    assert there.next_frame() is None, "nothing was taken yet"
    there.took(CREDIT_EVERY)
    confirm = there.next_frame()
    assert confirm is not None
    here.receive(confirm)
    later = here.next_frame()
    assert later is not None
    assert later.payload == b"later"


@pytest.mark.clause("C-103")
def test_whoever_sends_beyond_the_window_or_confirms_too_much_ends_the_tunnel() -> None:
    there = TunnelStream(TUNNEL)
    for number in range(1, WINDOW // MAX_DATA + 2):
        there.receive(Frame(TUNNEL, number, Kind.DATA, bytes(MAX_DATA)))
    assert there.ended is not None
    assert "payload: at most" in there.ended.detail
    here = TunnelStream(TUNNEL)
    here.receive(Frame(TUNNEL, 1, Kind.CREDIT, credit(1)))
    assert here.ended is not None
    assert "credit: at most the 0 bytes" in here.ended.detail
    flooded = TunnelStream(TUNNEL)
    for number in range(1, MAX_CONTROLS + 2):
        flooded.receive(Frame(TUNNEL, number, Kind.LINE, b"{}"))
    assert flooded.ended is not None
    full = TunnelStream(TUNNEL)
    for number in range(1, MAX_CONTROLS + 1):
        full.receive(Frame(TUNNEL, number, Kind.LINE, b"{}"))
    assert full.ended is None
    garbled = TunnelStream(TUNNEL)
    garbled.receive(Frame(TUNNEL, 1, Kind.CLOSE, b"no json"))
    assert garbled.ended is not None
    assert garbled.ended.code == "lost"


def test_order_of_data_and_line_settings_is_preserved() -> None:
    pair = Pair()
    here, there = pair.ends
    here.write(b"at 9600")
    here.put(Kind.LINE, b'{"baud":19200}')
    here.write(b"at ")
    here.write(b"19200")
    pair.turn(reads=False)
    read = [there.read() for _ in range(4)]
    assert read == [(Kind.DATA, b"at 9600"), (Kind.LINE, b'{"baud":19200}'), (Kind.DATA, b"at 19200"), None]


def test_closing_is_at_once_and_the_first_reason_counts() -> None:
    end = TunnelStream(TUNNEL)
    end.write(b"never sent")
    assert not end.flushed
    end.close(Close(code="idle", detail="x" * 900))
    end.close(Close(code="expired"))
    only = end.next_frame()
    assert only is not None
    assert (only.kind, decode(Close, only.payload).code) == (Kind.CLOSE, "idle")
    assert end.next_frame() is None
    assert end.finished
    assert end.flushed


def test_an_end_that_was_closed_takes_and_sends_nothing() -> None:
    end = TunnelStream(TUNNEL)
    end.write(b"x")
    end.receive(Frame(TUNNEL, 1, Kind.CLOSE, encode(Close(code="expired"))))
    end.receive(Frame(TUNNEL, 2, Kind.DATA, b"late"))
    end.put(Kind.LINE)
    assert end.next_frame() is None
    assert end.read() == (Kind.CLOSE, encode(Close(code="expired")))
    assert end.read() is None
    assert end.received == 0


def test_sixty_four_control_frames_may_wait() -> None:
    end = TunnelStream(TUNNEL)
    for seq in range(1, 65):
        end.receive(Frame(TUNNEL, seq, Kind.LINE, b""))
    assert end.ended is None
    end.receive(Frame(TUNNEL, 65, Kind.LINE, b""))
    assert end.ended is not None and "at most 64" in end.ended.detail
    reading = TunnelStream(TUNNEL)
    for seq in range(1, 200):
        reading.receive(Frame(TUNNEL, seq, Kind.LINE, b""))
        assert reading.read() == (Kind.LINE, b"")
    assert reading.ended is None
    sending = TunnelStream(TUNNEL)
    for _ in range(63):
        sending.put(Kind.LINE)
    assert sending.free == 65_536
    sending.put(Kind.LINE)
    assert sending.free == 0


def test_credit_is_given_for_every_quarter_of_the_window() -> None:
    end = TunnelStream(TUNNEL)
    end.took(16_383)
    assert end.next_frame() is None
    end.took(1)
    frame = end.next_frame()
    assert frame is not None and (frame.kind, frame.payload) == (Kind.CREDIT, credit(16_384))
    assert end.next_frame() is None
    end.took(16_383)
    assert end.next_frame() is None


def test_so_much_may_wait_to_be_sent() -> None:
    end = TunnelStream(TUNNEL)
    end.write(b"x" * 65_536)
    assert end.free == 0
    with pytest.raises(ValueError, match="at most 0 bytes now"):
        end.write(b"x")
    sizes = []
    while (frame := end.next_frame()) is not None:
        sizes.append(len(frame.payload))
    assert sizes == [16_384] * 4 and end.free == 65_536


def test_the_last_number_is_the_highest_that_a_frame_has() -> None:
    assert LAST_SEQ == 0xFFFF_FFFF
