"""What a target took and what it refused: the delivery ledger of one forwarder. Pure."""

from __future__ import annotations

from typing import Annotated

import msgspec

MAX_REJECTS = 20
"""The newest are kept, so that the ledger stays small beside a cursor."""
MAX_LETTERS = 200


class Reject(msgspec.Struct, frozen=True):
    """A record that the target refused, or that can never be sent to it. t_ms: of the newest.

    count: how many records in a row were refused for the same reason.
    """

    t_ms: int
    record: str
    reason: str
    count: int = 1


class Deliveries(msgspec.Struct, frozen=True):
    """In records of the target (batches, packets, messages). last_ack_ms: UTC, 0 for never.

    repeated: sent once more because no acknowledgement came. rejects: the newest last.
    """

    delivered: int = 0
    repeated: int = 0
    rejected: int = 0
    last_ack_ms: int = 0
    rejects: Annotated[tuple[Reject, ...], msgspec.Meta(max_length=MAX_REJECTS)] = ()

    def with_delivered(self, count: int, t_ms: int) -> Deliveries:
        """After the target acknowledged records."""
        return msgspec.structs.replace(self, delivered=self.delivered + count, last_ack_ms=t_ms)

    def with_repeated(self, count: int = 1) -> Deliveries:
        """After records went out once more."""
        return msgspec.structs.replace(self, repeated=self.repeated + count)

    def with_rejected(self, record: str, reason: str, t_ms: int) -> Deliveries:
        """After the target refused a record for good; the same reason again is folded into the last entry."""
        record, reason = record[:MAX_LETTERS], reason[:MAX_LETTERS]
        last = self.rejects[-1] if self.rejects else None
        if last is not None and last.reason == reason:
            kept = (*self.rejects[:-1], Reject(t_ms, record, reason, last.count + 1))
        else:
            kept = (*self.rejects, Reject(t_ms, record, reason))[-MAX_REJECTS:]
        return msgspec.structs.replace(self, rejected=self.rejected + 1, rejects=kept)
