"""Whether a value can still be believed (C-063): one rule for agent, cloud and portal. Pure.

Agent and cloud call it, the portal follows the same cases (freshness.json). Times are UTC milliseconds of one
clock.
"""

from __future__ import annotations

from edge_contract.limits import PULSE_S
from edge_contract.model import Quality

STALE_PERIODS = 3

AT_GATEWAY_MS = 2000
"""What a reading may be late at the gateway itself."""

UNDER_WAY_MS = 5000
"""What a fresh value takes to the cloud: the commit interval, the link, a second of the clocks."""

EVERY_READING = 1
"""Record mode of a point of which every reading is sent."""

HAS_VALUE = frozenset({Quality.GOOD, Quality.UNCERTAIN_TIME})


def unread_after_ms(period_ms: int) -> int:
    """At the gateway: age at which a value that is read each period is no longer one of now."""
    return STALE_PERIODS * period_ms + AT_GATEWAY_MS


def stale_after_ms(period_ms: int, record: int, report_ms: int = 0) -> int:
    """At the cloud: age at which nothing speaks for a value any more.

    A point of which every reading is sent speaks for itself. For any other its gateway does, with everything
    that it sends, at least a pulse each PULSE_S: it would have told if the point could not be read.

    report_ms: the gateway's report interval, which a value may wait for.
    """
    pulse_ms = 0 if record == EVERY_READING else round(PULSE_S * 1000)
    return STALE_PERIODS * period_ms + UNDER_WAY_MS + pulse_ms + report_ms


def quality_now(
    quality: int,
    t_ms: int,
    *,
    period_ms: int,
    record: int,
    online: bool,
    heard_ms: int,
    now_ms: int,
    report_ms: int = 0,
) -> int:
    """The quality that a sample has by now.

    period_ms: 0 for a point that is read on demand only, whose value holds while its gateway is online.
    online, heard_ms: of the gateway; when anything came of it last, 0 for never. report_ms: of the gateway, 0
    when it sends at once; one that is asleep between two reports is online.
    """
    if quality not in HAS_VALUE:
        return quality
    if not online:
        return Quality.STALE
    if period_ms <= 0:
        return quality
    spoken_ms = t_ms if record == EVERY_READING else max(t_ms, heard_ms)
    return Quality.STALE if now_ms - spoken_ms > stale_after_ms(period_ms, record, report_ms) else quality
