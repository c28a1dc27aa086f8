"""Bookkeeping of what each consumer needs, number by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from edge_agent.store.base import END, MAX_EVICTED_RANGES, Bound
from edge_agent.store.cursors import PRIMARY, SPARE_SHARE, Cursor, Holding
from edge_contract.ranges import Range


def cursor(name: str = PRIMARY, upto_seq: int = 0, done: tuple[Range, ...] = (), **counted: int) -> Cursor:
    return Cursor(name, Bound(name), upto_seq, done, **counted)


def holding(*cursors: Cursor, batches: int = 0, payload_bytes: int = 0) -> Holding:
    return Holding({one.name: one for one in cursors}, batches, payload_bytes)


def test_a_new_store_holds_nothing_and_a_new_cursor_has_had_nothing() -> None:
    empty = Holding()
    assert (empty.batches, empty.payload_bytes, empty.is_shared) == (0, 0, False)
    assert empty.primary == cursor(batches=0, payload_bytes=0, lost_batches=0)
    assert Cursor("a", Bound("a")) == Cursor("a", Bound("a"), 0, (), 0, 0, 0, (), "")


@pytest.mark.parametrize(
    ("upto_seq", "done", "asked", "needed"),
    [
        (0, (), [(1, 3)], [(1, 3)]),
        (2, (), [(1, 3)], [(3, 3)]),
        (3, (), [(1, 3)], []),
        (2, ((5, 6),), [(1, 9)], [(3, 4), (7, 9)]),
        (0, (), [(4, 5), (1, 2), (2, 4)], [(1, 5)]),
        (0, (), [(1, END + 5)], [(1, END)]),
    ],
)
def test_what_it_needs_of_some_numbers(
    upto_seq: int, done: tuple[Range, ...], asked: Sequence[Range], needed: list[Range]
) -> None:
    assert cursor("a", upto_seq, done).needs(asked) == needed


@pytest.mark.parametrize(
    ("upto_seq", "done", "passed", "moved", "left"),
    [
        (0, (), [(1, 3)], 3, ()),
        (0, (), [(2, 3)], 0, ((2, 3),)),
        (0, ((2, 3),), [(1, 1)], 3, ()),
        (4, (), [(5, 5), (7, 8)], 5, ((7, 8),)),
        (4, ((6, 6), (8, 9)), [(5, 5)], 6, ((8, 9),)),
        (4, (), [(1, 2)], 4, ()),
        (0, (), [(1, END)], END - 1, ()),
        (0, (), [(1, END - 1)], END - 1, ()),
        (0, (), [(1, END - 2)], END - 2, ()),
    ],
)
def test_what_is_passed_moves_it_on(
    upto_seq: int, done: tuple[Range, ...], passed: Sequence[Range], moved: int, left: tuple[Range, ...]
) -> None:
    after = cursor("a", upto_seq, done, batches=9, payload_bytes=900).passed(passed, 2, 150)
    assert (after.upto_seq, after.done) == (moved, left)
    assert (after.batches, after.payload_bytes) == (7, 750)


def test_the_newest_ranges_that_were_lost_are_remembered() -> None:
    lost = cursor("a").lost_too([(1, 2)], 2).lost_too([(3, 3), (9, 9)], 2)
    assert (lost.lost, lost.lost_batches) == (((1, 3), (9, 9)), 4)
    many = lost.lost_too(
        [(number, number) for number in range(11, 11 + 2 * MAX_EVICTED_RANGES, 2)], MAX_EVICTED_RANGES
    )
    assert len(many.lost) == MAX_EVICTED_RANGES == 100
    assert (many.lost[0], many.lost[-1]) == ((11, 11), (209, 209))
    assert many.lost_batches == MAX_EVICTED_RANGES + 4


def test_free_is_what_nobody_else_needs() -> None:
    held = holding(cursor(upto_seq=4, done=((7, 7),)), cursor("usb", 6), cursor("old", 2))
    assert held.is_shared
    assert held.free("old", [(1, 9)]) == [(1, 4)]
    assert held.free("usb", [(1, 9)]) == [(1, 2)]
    assert held.free("nobody", [(1, 9)]) == [(1, 2)]
    assert held.free("old", [(5, 9)]) == []
    assert held.free("old", []) == []
    assert holding(cursor()).free(PRIMARY, [(2, 3), (1, 1)]) == [(1, 3)]
    assert holding(cursor(), cursor("usb", 9)).free(PRIMARY, [(1, 12)]) == [(1, 9)]


def test_a_full_store_looks_first_where_only_others_need_something() -> None:
    """From so much on that the primary does not need: a sixteenth of the capacity."""
    assert SPARE_SHARE == 16
    primary = cursor(upto_seq=4, done=((8, 9),), payload_bytes=500)
    held = holding(primary, cursor("usb"), payload_bytes=600)
    assert held.spare(1600) is None
    assert held.spare(1599) == [(1, 4), (8, 9)]
    assert replace(held, payload_bytes=601).spare(1600) == [(1, 4), (8, 9)]
    assert replace(held, payload_bytes=500).spare(1600) is None


def test_one_batch_more_is_needed_by_all() -> None:
    held = holding(cursor(batches=1, payload_bytes=10), cursor("usb", 3), batches=2, payload_bytes=20)
    more = held.added(5)
    assert (more.batches, more.payload_bytes) == (3, 25)
    assert (more.primary.batches, more.primary.payload_bytes) == (2, 15)
    assert more.cursors["usb"] == cursor("usb", 3, batches=1, payload_bytes=5)


def test_what_is_deleted_leaves_the_store() -> None:
    held = holding(cursor(), cursor("usb"), batches=9, payload_bytes=900)
    changed = held.changed(cursor("usb", 3, done=((5, 5),)), 2, 150)
    assert (changed.batches, changed.payload_bytes) == (7, 750)
    assert changed.cursors["usb"] == cursor("usb", 3, done=((5, 5),))
    assert changed.primary == cursor()
    same = held.changed(cursor("usb", 3))
    assert (same.batches, same.payload_bytes) == (9, 900)


def test_a_cursor_that_is_alone_remembers_no_ranges() -> None:
    changed = holding(cursor()).changed(cursor(upto_seq=3, done=((5, 5),)))
    assert (changed.primary.upto_seq, changed.primary.done) == (3, ())
