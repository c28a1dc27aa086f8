"""What a target took, what failed and what was given up: the delivery ledger of one forwarder. Pure."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.limits import MAX_TARGET_REASON, MAX_TEXT

MAX_REJECTS = 20
"""The newest are kept, so that the ledger stays small beside a cursor."""


class Reject(msgspec.Struct, frozen=True):
    """What failed. given_up: the record never goes to the target; else one attempt failed, and it waits.

    count: how many for this reason; t_ms, record: of the newest.
    """

    t_ms: int
    record: str
    reason: str
    count: int = 1
    given_up: bool = False


class Deliveries(msgspec.Struct, frozen=True):
    """In records of the target (batches, packets, messages). last_ack_ms: UTC, 0 for never.

    late: of the delivered ones, sent after the connection in which they were made. repeated: sent once more
    because no acknowledgement came. given_up: records that never go; failed: attempts. rejects: the newest
    last.
    """

    delivered: int = 0
    late: int = 0
    repeated: int = 0
    given_up: int = 0
    failed: int = 0
    last_ack_ms: int = 0
    rejects: Annotated[tuple[Reject, ...], msgspec.Meta(max_length=MAX_REJECTS)] = ()

    def with_delivered(self, count: int, t_ms: int, *, late: bool = False) -> Deliveries:
        """After the target acknowledged records."""
        return msgspec.structs.replace(
            self, delivered=self.delivered + count, late=self.late + count * late, last_ack_ms=t_ms
        )

    def with_repeated(self, count: int = 1) -> Deliveries:
        """After records went out once more."""
        return msgspec.structs.replace(self, repeated=self.repeated + count)

    def with_given_up(self, record: str, reason: str, t_ms: int) -> Deliveries:
        """After it is certain that a record never goes to the target."""
        rejects = self._rejects_with(Reject(t_ms, record, reason, given_up=True))
        return msgspec.structs.replace(self, given_up=self.given_up + 1, rejects=rejects)

    def with_failed(self, record: str, reason: str, t_ms: int) -> Deliveries:
        """After an attempt to send a record failed."""
        rejects = self._rejects_with(Reject(t_ms, record, reason))
        return msgspec.structs.replace(self, failed=self.failed + 1, rejects=rejects)

    def _rejects_with(self, new: Reject) -> tuple[Reject, ...]:
        """One entry for each reason: where attempts fail and records are given up in turn, both are seen."""
        record, reason = shortened(new.record, MAX_TEXT), shortened(new.reason, MAX_TARGET_REASON)
        key = reason, new.given_up
        count = 1 + sum(one.count for one in self.rejects if (one.reason, one.given_up) == key)
        others = [one for one in self.rejects if (one.reason, one.given_up) != key]
        return (*others, Reject(new.t_ms, record, reason, count, new.given_up))[-MAX_REJECTS:]


def shortened(text: str, max_letters: int) -> str:
    """At max_letters so many letters; what is longer ends with "…", at a word unless that is half of it."""
    if len(text) <= max_letters:
        return text
    cut = text[: max_letters - 1]
    at = cut.rfind(" ", max_letters // 2)
    return (cut if at < 0 else cut[:at]) + "…"
