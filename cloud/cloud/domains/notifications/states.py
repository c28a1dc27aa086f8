"""States of a delivery, when it is tried again, and why it is not. Pure."""

from __future__ import annotations

from enum import StrEnum

FOLD_MS = 10_000
"""What comes for the same recipient and channel within this becomes one message."""

APART_MS = 60_000
"""Between two messages to the same recipient on the same channel; what comes meanwhile waits and folds."""

BACKOFF_MS = (30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000)
"""Until the next attempt, by how many there were; failed after the last one, 3 h 42 min after the first."""

MAX_ATTEMPTS = len(BACKOFF_MS) + 1

LAST_WOKEN_MS = sum(BACKOFF_MS[:-1])
"""The last attempt is made before its time only of a delivery that is so old: a provider that comes and goes
must not use up all attempts within minutes.
"""

UNREACHED_MS = 3_600_000
"""What somebody who cannot be told should have heard within this is one entry of the log."""


class DeliveryState(StrEnum):
    """queued: waits for its time or its next attempt; held: by quiet hours; the others are ends."""

    QUEUED = "queued"
    HELD = "held"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


OPEN = (DeliveryState.QUEUED, DeliveryState.HELD)


class DeliveryReason(StrEnum):
    """Why a delivery is not sent (yet). The portal has words for each. FOLDING, APART, QUIET_HOURS: what it
    waits for before its first attempt.
    """

    FOLDING = "folding"
    APART = "apart"
    QUIET_HOURS = "quiet_hours"
    NOT_CONFIGURED = "not_configured"
    NO_ADDRESS = "no_address"
    BAD_ADDRESS = "bad_address"
    PRIVATE_ADDRESS = "private_address"
    CREDENTIALS = "credentials"
    BALANCE = "balance"
    LIMIT = "limit"
    DAY_LIMIT = "day_limit"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    DEFERRED = "deferred"
    FAULT = "fault"
    CONTACT_GONE = "contact_gone"
    OWNER_CHANGED = "owner_changed"
    OWNER_REFUSED = "owner_refused"
    NOT_SEEN = "not_seen"
    NO_MEMBER = "no_member"
    NO_GROUP = "no_group"


UNTRIED = frozenset({DeliveryReason.FOLDING, DeliveryReason.APART, DeliveryReason.QUIET_HOURS})
"""Nothing was tried yet, and nothing is wrong."""


def due(now_ms: int, last_ms: int | None, held_until_ms: int | None) -> tuple[int, DeliveryReason]:
    """When a new message is due, and what it waits for until then. last_ms: when the last one to the same
    recipient and channel was sent.
    """
    times = [(now_ms + FOLD_MS, DeliveryReason.FOLDING)]
    times += [] if last_ms is None else [(last_ms + APART_MS, DeliveryReason.APART)]
    times += [] if held_until_ms is None else [(held_until_ms, DeliveryReason.QUIET_HOURS)]
    return max(times, key=lambda one: one[0])


def retry_ms(now_ms: int, attempts: int) -> int | None:
    """When it is tried again after so many attempts; None: never."""
    return now_ms + BACKOFF_MS[attempts - 1] if attempts < MAX_ATTEMPTS else None
