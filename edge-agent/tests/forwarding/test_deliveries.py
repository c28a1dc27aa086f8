"""The delivery ledger: what is counted, folded and left out."""

from __future__ import annotations

import msgspec

from edge_agent.forwarding.deliveries import MAX_REJECTS, Deliveries, Reject, shortened
from edge_contract.limits import MAX_TARGET_REASON, MAX_TEXT


def test_counts_and_the_time_of_the_last_acknowledgement() -> None:
    ledger = Deliveries().with_delivered(3, 1000).with_repeated(2).with_delivered(2, 2000, late=True)
    assert (ledger.delivered, ledger.late, ledger.repeated, ledger.last_ack_ms) == (5, 2, 2, 2000)
    assert ledger.rejects == ()
    assert ledger.with_repeated().repeated == 3
    assert Deliveries().last_ack_ms == 0, "never"


def test_each_reason_is_one_entry_the_newest_last() -> None:
    ledger = Deliveries().with_given_up("a", "wrong MN", 1).with_given_up("b", "wrong MN", 2)
    assert ledger.rejects == (Reject(2, "b", "wrong MN", 2, given_up=True),)
    again = ledger.with_given_up("c", "wrong PW", 3).with_given_up("d", "wrong MN", 4)
    assert again.rejects == (
        Reject(3, "c", "wrong PW", given_up=True), Reject(4, "d", "wrong MN", 3, given_up=True)
    )  # fmt: skip
    assert (again.given_up, again.failed) == (4, 0)


def test_an_attempt_that_failed_is_not_a_record_that_never_goes() -> None:
    ledger = Deliveries()
    for t_ms in range(4):
        ledger = ledger.with_failed("a", "no answer", t_ms).with_given_up("b", "no answer", t_ms)
    assert (ledger.failed, ledger.given_up) == (4, 4)
    assert ledger.rejects == (Reject(3, "a", "no answer", 4), Reject(3, "b", "no answer", 4, given_up=True))


def test_it_stays_small_and_is_read_again() -> None:
    assert MAX_REJECTS == 20
    ledger = Deliveries()
    for number in range(MAX_REJECTS + 5):
        ledger = ledger.with_given_up("r" * 999, f"{number} " + "x" * 999, number)
    assert (len(ledger.rejects), ledger.given_up) == (MAX_REJECTS, MAX_REJECTS + 5)
    assert ledger.rejects[-1].t_ms == MAX_REJECTS + 4
    assert {len(reject.record) for reject in ledger.rejects} == {MAX_TEXT}
    assert {len(reject.reason) for reject in ledger.rejects} == {MAX_TARGET_REASON}
    assert msgspec.json.decode(msgspec.json.encode(ledger), type=Deliveries) == ledger


def test_long_texts_that_differ_at_their_end_are_one_reason() -> None:
    reason = "x" * MAX_TARGET_REASON
    ledger = Deliveries().with_failed("a", f"{reason} 1", 1).with_failed("b", f"{reason} 2", 2)
    assert [one.count for one in ledger.rejects] == [2]


def test_a_long_text_ends_at_a_word() -> None:
    assert shortened("one two three", 13) == "one two three"
    assert shortened("one two three", 12) == "one two…"
    assert shortened("abcde fghijk", 10) == "abcde…"
    assert shortened("abcd efghijkl", 10) == "abcd efgh…"
    assert shortened("a bcdefghijk", 11) == "a bcdefghi…", "not half of it for the sake of a word"


def test_a_ledger_of_an_older_agent_is_read() -> None:
    """Its `rejected` counted attempts and records together, and is neither."""
    rejects = b'"rejects":[{"t_ms":4,"record":"a","reason":"b"}]'
    held = b'{"delivered":7,"repeated":1,"rejected":2,"last_ack_ms":5,%b}' % rejects
    ledger = msgspec.json.decode(held, type=Deliveries)
    assert (ledger.delivered, ledger.repeated, ledger.last_ack_ms) == (7, 1, 5)
    assert (ledger.given_up, ledger.failed) == (0, 0)
    assert ledger.rejects == (Reject(4, "a", "b"),)
