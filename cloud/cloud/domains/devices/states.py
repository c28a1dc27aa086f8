"""One status of a gateway out of three layers, with its reason as a code. The portal has the words."""

from __future__ import annotations

from dataclasses import dataclass, field

ONLINE, PARTLY, SILENT, ALARM, OFFLINE = "online", "partly", "silent", "alarm", "offline"
STATUSES = (ONLINE, PARTLY, SILENT, ALARM, OFFLINE)
"""Every gateway has one of them."""

AWAY = "away"
"""Filter: offline, was there before and is not shut out. With NEVER_CONNECTED and DISABLED it is OFFLINE."""

STORE_SCARCE_H = 24.0
"""Below this many hours a store that fills up is reported."""

RECENT_MS = 3_600_000
"""A loss at the gateway is reported for an hour after it happened."""

DISABLED = "disabled"
"""Reason of a slave that its configuration has switched off: nobody expects anything of it. Of a gateway: it
was shut out."""

NEVER_READ = "never_read"
"""Reason of a slave that was not polled yet since its gateway started."""

EXPECTED = (DISABLED, NEVER_READ)
"""A slave that is silent for one of these reasons needs no event."""

UNREPORTED = ""
"""Reason of a slave that no pulse has reported yet."""

PORT_LOCKED = "port_lent"
"""Reason of a slave that is not polled because its port is locked: on record as an absence, but no alarm."""

NEVER_CONNECTED = "never_connected"
"""Of a gateway that never came: its absence is no fault yet."""

OFFLINE_PARTS = (AWAY, NEVER_CONNECTED, DISABLED)

STOPPED, SWITCHED = "stopped", "switched"
"""Why a gateway said goodbye: its program ended, or only went on with another configuration."""

WRONG_SECRET = "wrong_secret"  # noqa: S105 - a reason, no secret
"""Of a gateway that is away while its serial number comes with a secret that is not its own."""

LINK_LOST = "link_lost"
"""Of a gateway whose connection broke, or that has not reconnected yet."""

RESET = "reset"
"""Of a gateway that somebody took for away, until its next message."""

ASLEEP = "asleep"
"""Of a gateway that saves power: it closed the link on purpose until its next report. As a filter: a part of
ONLINE.
"""

FILTERS = (*STATUSES, *OFFLINE_PARTS, ASLEEP)
"""What a list of gateways may be narrowed to."""

Argument = float | int | bool | str | None


@dataclass(frozen=True)
class LinkLayer:
    """reason: ok, never_connected, link_lost, stopped, switched, silent, disabled or a refusal.

    refused_ms: when somebody tried to connect in its name with a wrong secret last. asleep_until_ms: of one
    that saves power, which counts as online until its next report is overdue.
    """

    online: bool
    since_ms: int | None
    reason: str
    refused_ms: int | None = None
    asleep_until_ms: int | None = None


@dataclass(frozen=True)
class BusLayer:
    """Slaves that do not answer: how many, and the first. last_good_ms: 0 when there never was one.

    answering: how many of those that are polled are not silent.

    locked: how many are not polled because of a port lock; locked_port, locked_by, locked_ms: of the first,
    with an empty name when it was not locked through the cloud.
    """

    silent: int = 0
    total: int = 0
    slave: str = ""
    title: str = ""
    reason: str = ""
    since_ms: int | None = None
    last_good_ms: int = 0
    locked: int = 0
    locked_port: str = ""
    locked_by: str = ""
    locked_ms: int | None = None
    answering: int = 0


@dataclass(frozen=True)
class ValueLayer:
    """What keeps measured values from arriving. ..._ms: when it got worse last."""

    clock_set: bool = True
    hours_left: float | None = None
    backlog_batches: int = 0
    dropped_samples: int = 0
    dropped_ms: int | None = None
    evicted_batches: int = 0
    evicted_ms: int | None = None


@dataclass(frozen=True)
class GatewayPresence:
    """status: offline; of a gateway that is connected alarm (an alarm is open), silent (no slave answers),
    partly (some do not) or online. layer: link, alarm, bus, value or none.

    code and arguments:
      link   the link's reason
             wrong_secret    tried_ms (since it went away, or before it ever came)
      alarm  alarm_open      count, silent (slaves)
      bus    slave_silent    slave, title, reason, last_good_ms, count, total
             no_slave_answers  the same
             port_lent       port, user, count, total (status online: somebody wants it so)
      value  clock_not_set
             samples_dropped count
             store_full      count (batches lost)
             store_filling   hours_left, backlog_batches
             asleep          back_ms (status online: the next report comes then)
      none   ok
    """

    status: str
    layer: str
    code: str
    since_ms: int | None
    arguments: dict[str, Argument] = field(default_factory=dict)


def status_of(*, online: bool, open_alarms: int, silent: bool, answering: bool) -> str:
    """silent: a slave is; answering: another one that is polled is not."""
    if not online:
        return OFFLINE
    if open_alarms:
        return ALARM
    if silent:
        return PARTLY if answering else SILENT
    return ONLINE


def presence(
    link: LinkLayer, bus: BusLayer, value: ValueLayer, now_ms: int, open_alarms: int = 0
) -> GatewayPresence:
    """An open alarm speaks for a gateway that is connected, else the lowest layer that is not well: nothing
    is known of what lies above it.
    """
    if not link.online:
        tried_ms = 0 if link.reason == DISABLED else link.refused_ms or 0
        if tried_ms > (link.since_ms or 0):
            return GatewayPresence(OFFLINE, "link", WRONG_SECRET, link.since_ms, {"tried_ms": tried_ms})
        return GatewayPresence(OFFLINE, "link", link.reason, link.since_ms)
    status = status_of(
        online=True, open_alarms=open_alarms, silent=bus.silent > 0, answering=bus.answering > 0
    )
    if open_alarms:
        return GatewayPresence(
            status, "alarm", "alarm_open", None, {"count": open_alarms, "silent": bus.silent}
        )
    if bus.silent:
        since = bus.last_good_ms or bus.since_ms
        words: dict[str, Argument] = {
            "slave": bus.slave,
            "title": bus.title,
            "reason": bus.reason,
            "last_good_ms": bus.last_good_ms,
            "count": bus.silent,
            "total": bus.total,
        }
        code = "slave_silent" if bus.answering else "no_slave_answers"
        return GatewayPresence(status, "bus", code, since, words)
    if bus.locked:
        locked: dict[str, Argument] = {
            "port": bus.locked_port,
            "user": bus.locked_by,
            "count": bus.locked,
            "total": bus.total,
        }
        return GatewayPresence("online", "bus", PORT_LOCKED, bus.locked_ms, locked)
    if link.asleep_until_ms is not None:
        return GatewayPresence("online", "link", ASLEEP, link.since_ms, {"back_ms": link.asleep_until_ms})
    if not value.clock_set:
        return GatewayPresence("online", "value", "clock_not_set", None)
    if _recent(value.dropped_ms, now_ms):
        return GatewayPresence(
            "online", "value", "samples_dropped", value.dropped_ms, {"count": value.dropped_samples}
        )
    if _recent(value.evicted_ms, now_ms):
        return GatewayPresence(
            "online", "value", "store_full", value.evicted_ms, {"count": value.evicted_batches}
        )
    if value.hours_left is not None and value.hours_left < STORE_SCARCE_H:
        left: dict[str, Argument] = {
            "hours_left": value.hours_left,
            "backlog_batches": value.backlog_batches,
        }
        return GatewayPresence("online", "value", "store_filling", None, left)
    return GatewayPresence("online", "none", "ok", link.since_ms)


def silent_since(last_good_ms: int, earliest_ms: int, now_ms: int) -> int:
    """When a slave fell silent: its last good frame, when that can be true, else now."""
    return last_good_ms if earliest_ms <= last_good_ms <= now_ms else now_ms


def is_due(since_ms: int | None, delay_s: int, now_ms: int) -> bool:
    """Has an absence lasted for the alarm delay?"""
    return since_ms is not None and now_ms - since_ms >= delay_s * 1000


def _recent(when_ms: int | None, now_ms: int) -> bool:
    return when_ms is not None and now_ms - when_ms < RECENT_MS
