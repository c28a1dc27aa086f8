"""The delivery ledger: what is counted, folded and left out."""

from __future__ import annotations

import msgspec

from edge_agent.forwarding.deliveries import MAX_LETTERS, MAX_REJECTS, Deliveries, Reject


def test_counts_and_the_time_of_the_last_acknowledgement() -> None:
    ledger = Deliveries().with_delivered(3, 1000).with_repeated(2).with_delivered(1, 2000)
    assert (ledger.delivered, ledger.repeated, ledger.last_ack_ms) == (4, 2, 2000)
    assert ledger.rejects == ()


def test_the_same_reason_in_a_row_is_one_entry() -> None:
    ledger = Deliveries().with_rejected("a", "wrong MN", 1).with_rejected("b", "wrong MN", 2)
    assert ledger.rejects == (Reject(2, "b", "wrong MN", 2),)
    again = ledger.with_rejected("c", "wrong PW", 3).with_rejected("d", "wrong MN", 4)
    assert [(reject.reason, reject.count) for reject in again.rejects] == [
        ("wrong MN", 2), ("wrong PW", 1), ("wrong MN", 1)
    ]  # fmt: skip
    assert again.rejected == 4


def test_it_stays_small_and_is_read_again() -> None:
    ledger = Deliveries()
    for number in range(MAX_REJECTS + 5):
        ledger = ledger.with_rejected("r" * 999, f"{number} " + "x" * 999, number)
    assert (len(ledger.rejects), ledger.rejected) == (MAX_REJECTS, MAX_REJECTS + 5)
    assert ledger.rejects[-1].t_ms == MAX_REJECTS + 4
    assert all(len(reject.record) == len(reject.reason) == MAX_LETTERS for reject in ledger.rejects)
    assert msgspec.json.decode(msgspec.json.encode(ledger), type=Deliveries) == ledger
