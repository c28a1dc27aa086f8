"""Gateways take turns, and none gets more than its allowance: the pure parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.core.token_bucket import TokenBuckets, TokenRate
from cloud.link.fair_queue import FairQueue
from cloud.link.rate_limits import MESSAGE_RATES, NEW_STREAMS, StreamAdmission
from cloud.link.round_robin import TURN, choose, cost
from cloud.link.rows import Head
from edge_contract.payloads import MAX_CONTROL_BYTES
from edge_contract.topics import Message

GROUP, SAMPLES = 256, 20_000


def heads(gateway: str, count: int, samples: int = 1, size: int = 100) -> list[Head]:
    return [Head(number, gateway, samples, size) for number in range(1, count + 1)]


@pytest.mark.clause("C-136")
def test_owners_are_served_in_turn_and_in_their_order() -> None:
    turns: FairQueue[int] = FairQueue(100, 100, 1000)
    for owner, numbers in (("a", range(5)), ("b", range(2)), ("c", range(1))):
        for number in numbers:
            assert turns.put(owner, number, 1)
    served = [turns.pop()[:2] for _ in range(8)]
    assert served == [
        ("a", 0), ("b", 0), ("c", 0), ("a", 1), ("b", 1), ("a", 2), ("a", 3), ("a", 4)
    ]  # fmt: skip
    with pytest.raises(IndexError):
        turns.pop()


@pytest.mark.clause("C-136")
def test_a_turn_is_so_many_items_and_the_next_one_begins_anew() -> None:
    turns: FairQueue[int] = FairQueue(100, 100, 1000, turn=3)
    for owner, count in (("a", 7), ("b", 4), ("c", 1)):
        for number in range(count):
            assert turns.put(owner, number, 1)
    assert "".join(turns.pop()[0] for _ in range(12)) == "aaabbbcaaaba"
    for owner in "abb":
        assert turns.put(owner, 0, 1)
    assert [turns.pop()[0] for _ in range(3)] == ["a", "b", "b"]


def test_each_owner_and_all_of_them_are_bounded() -> None:
    turns: FairQueue[int] = FairQueue(5, 3, 100)
    assert [turns.put("a", n, 10) for n in range(4)] == [True, True, True, False]
    assert turns.put("b", 0, 1000)  # one item, whatever its size
    assert not turns.put("b", 1, 1)
    assert turns.put("c", 0, 1)
    assert not turns.put("d", 0, 1)
    assert turns.remove("a") == [0, 1, 2]
    assert (len(turns), turns.put("d", 0, 1)) == (2, True)


def test_an_owner_that_is_held_has_no_turn_and_loses_nothing() -> None:
    turns: FairQueue[int] = FairQueue(100, 3, 100)
    turns.put("a", 1, 1)
    turns.put("b", 1, 1)
    turns.hold("a")
    assert turns.put("a", 2, 1)
    assert turns.pop()[0] == "b"
    assert (turns.owners, len(turns)) == (0, 2)
    turns.release("a")
    assert [turns.pop()[1] for _ in range(2)] == [1, 2]
    turns.hold("a")
    turns.put("a", 3, 1)
    assert turns.remove("a") == [3]
    turns.release("a")
    assert (turns.owners, len(turns)) == (0, 0)


@pytest.mark.clause("C-136")
def test_small_batches_are_not_behind_those_of_one_gateway() -> None:
    waiting = {"hostile": heads("hostile", 250, samples=20_000, size=200_000), "other": heads("other", 5, 50)}
    chosen = choose(waiting, {}, GROUP, SAMPLES)
    assert [head.gateway for head in chosen[:5]] == ["other"] * 5


@pytest.mark.clause("C-136")
def test_a_large_batch_has_its_turn_after_others_had_as_much() -> None:
    """Every gateway gets the same share of work over many groups, whatever the size of its batches."""
    credit: dict[str, int] = {}
    left = {"large": heads("large", 1000, 20_000, 200_000), "small": heads("small", 100_000, 50)}
    work = dict.fromkeys(left, 0)
    for _ in range(300):
        for head in choose({name: rows[:GROUP] for name, rows in left.items()}, credit, GROUP, SAMPLES):
            work[head.gateway] += cost(head)
            left[head.gateway].remove(head)
    assert 0.5 < work["large"] / work["small"] < 2


def test_a_lone_gateway_that_catches_up_gets_whole_groups() -> None:
    assert len(choose({"a": heads("a", 256, 50)}, {}, GROUP, SAMPLES)) == 256
    assert len(choose({"a": heads("a", 256, 20_000)}, {}, GROUP, SAMPLES)) == 1


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(1, 20_000), max_size=20)))
def test_whatever_waits_something_is_chosen(sizes: dict[str, list[int]]) -> None:
    waiting = {
        name: [Head(number, name, samples, samples * 6) for number, samples in enumerate(each)]
        for name, each in sizes.items()
    }
    credit: dict[str, int] = {}
    chosen = choose(waiting, credit, GROUP, SAMPLES)
    assert bool(chosen) == any(waiting.values())
    for name, rows in waiting.items():
        mine = [head for head in chosen if head.gateway == name]
        assert mine == rows[: len(mine)]
    assert all(0 <= value < 40_000 + TURN for value in credit.values())


def test_a_bucket_fills_again_and_no_further() -> None:
    now = 0.0
    buckets = TokenBuckets(TokenRate(3, 1), lambda: now)
    assert [buckets.take("a") for _ in range(4)] == [True] * 3 + [False]
    assert buckets.take("b")
    now = 2.0
    assert [buckets.take("a") for _ in range(3)] == [True, True, False]
    now = 100.0
    assert [buckets.take("a") for _ in range(4)] == [True] * 3 + [False]


def test_buckets_are_remembered_for_so_many_keys() -> None:
    buckets = TokenBuckets(TokenRate(1, 0), lambda: 0.0, max_keys=2)
    assert [buckets.take(key) for key in "abca"] == [True] * 4
    assert not buckets.take("a")


@pytest.mark.clause("C-136")
def test_every_message_of_a_gateway_is_judged() -> None:
    assert set(MESSAGE_RATES) == {message for message in Message if message.from_gateway}
    for message, allowance in MESSAGE_RATES.items():
        if allowance is not None:
            largest = MAX_CONTROL_BYTES if allowance.per_kib else 1000
            assert allowance.cost(largest) <= allowance.burst, message


@pytest.mark.clause("C-139")
def test_new_streams_of_one_gateway_are_few_and_known_ones_free() -> None:
    now = 0.0
    admission = StreamAdmission(lambda: now)
    burst = int(NEW_STREAMS.burst)
    taken = [admission.admits("gw-a", f"s{n}") for n in range(burst + 5)]
    assert taken == [True] * burst + [False] * 5
    assert all(admission.admits("gw-a", "s9") for _ in range(1000))
    assert admission.admits("gw-b", "s0")
    now = 600.0
    assert admission.admits("gw-a", "later")
    assert not admission.admits("gw-a", "later still")
    admission.forget("gw-a")
    assert admission.admits("gw-a", "later still")
