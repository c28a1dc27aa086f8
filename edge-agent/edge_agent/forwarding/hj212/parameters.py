"""What a platform may change while the agent runs: intervals, time-out, resends, password. Pure.

The configuration is signed and stays as it is. A change is kept beside the cursor, and holds until the
configuration itself has another value for it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from edge_agent.forwarding.hj212.options import Hj212Options

CHANGEABLE = ("timeout_s", "retry_times", "rtd_interval_s", "report_interval_min", "pw")
NOTE = "parameters"
"""Name of the note that holds them."""
SECRETS = frozenset({"pw"})


class Change(msgspec.Struct, frozen=True):
    """A value of the platform. configured: digest of the configured value that it takes the place of.

    from_ms, before: of report_interval_min, which changes at a full hour.
    """

    configured: str
    value: int | str
    from_ms: int = 0
    before: int = 0

    def __repr__(self) -> str:
        """Without the value, which may be a password."""
        return f"Change(configured={self.configured!r})"


class Changes(msgspec.Struct, frozen=True):
    """By name of the option. realtime: whether real-time data are wanted (2011, 2012)."""

    by_name: dict[str, Change] = {}
    realtime: bool = True


def _digest(value: Any) -> str:
    return sha256(str(value).encode()).hexdigest()[:16]


class Parameters:
    """Values in force. Its text has no password."""

    def __init__(self, options: Hj212Options, note: bytes | None) -> None:
        known = msgspec.json.decode(note, type=Changes) if note is not None else Changes()
        self._options = options
        holding = {
            name: change
            for name, change in known.by_name.items()
            if name in CHANGEABLE and change.configured == _digest(getattr(options, name))
        }
        self._changes = Changes(holding, known.realtime)

    @property
    def timeout_s(self) -> int:
        """OverTime: of an answer."""
        return int(self._value("timeout_s"))

    @property
    def retry_times(self) -> int:
        """ReCount: how often a packet is sent again."""
        return int(self._value("retry_times"))

    @property
    def rtd_interval_s(self) -> int:
        """RtdInterval; 0 for none."""
        return int(self._value("rtd_interval_s"))

    @property
    def pw(self) -> str:
        """PW of packets in both directions."""
        return str(self._value("pw"))

    @property
    def realtime(self) -> bool:
        """Whether real-time data are wanted."""
        return self._changes.realtime

    @property
    def report_interval_min(self) -> int:
        """MinInterval as it was set last; 0 for none."""
        return int(self._value("report_interval_min"))

    def report_interval_at(self, t_ms: int) -> int:
        """MinInterval of the minute records in the hour of a time."""
        change = self._changes.by_name.get("report_interval_min")
        if change is not None and t_ms < change.from_ms:
            return change.before
        return self.report_interval_min

    def with_change(self, name: str, value: int | str, *, from_ms: int = 0) -> Changes:
        """After a value of the platform, to be kept and then taken. from_ms: of report_interval_min."""
        before = self.report_interval_at(from_ms - 1) if name == "report_interval_min" else 0
        change = Change(_digest(getattr(self._options, name)), value, from_ms, before)
        return Changes({**self._changes.by_name, name: change}, self._changes.realtime)

    def with_realtime(self, wanted: bool) -> Changes:
        """After an order to begin or stop real-time data."""
        return Changes(self._changes.by_name, wanted)

    def take(self, changes: Changes) -> None:
        """They hold from now on."""
        self._changes = changes

    def text(self) -> str:
        """What the platform has changed, in words; empty for nothing."""
        parts = [
            f"{name} changed" if name in SECRETS else f"{name} = {change.value}"
            for name, change in sorted(self._changes.by_name.items())
        ]
        return ", ".join(parts if self.realtime else [*parts, "no real-time data"])

    def _value(self, name: str) -> int | str:
        change = self._changes.by_name.get(name)
        value: int | str = getattr(self._options, name) if change is None else change.value
        return value
