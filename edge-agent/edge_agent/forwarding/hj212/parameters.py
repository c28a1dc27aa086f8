"""What a platform may change while the agent runs: intervals, time-out, resends, password, key. Pure.

The configuration is signed and stays as it is. A change is kept beside the cursor, and holds until the
configuration itself has another value for it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from edge_agent.forwarding.hj212.options import Hj212Options

CHANGEABLE = ("timeout_s", "retry_times", "rtd_interval_s", "report_interval_min", "pw", "cipher_secret")
NOTE = "parameters"
"""Name of the note that holds them."""
SECRETS = frozenset({"pw", "cipher_secret"})


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
    """By name of the option. realtime: whether real-time data are wanted (2011, 2012); states: whether those
    of equipment are (2021, 2022). clock: the time that the machine's clock was set to last (1012),
    YYYYMMDDhhmmss. key: SM4 before cipher_secret was changed; key_set_ms: when it was last, 0 for never.
    """

    by_name: dict[str, Change] = {}
    realtime: bool = True
    states: bool = True
    clock: str = ""
    key: str = ""
    key_set_ms: int = 0

    def __repr__(self) -> str:
        """Without keys."""
        return f"Changes({self.by_name!r}, realtime={self.realtime})"


def _digest(value: Any) -> str:
    return sha256(str(value).encode()).hexdigest()[:16]


class Parameters:
    """Values in force. Its text has no password."""

    def __init__(self, options: Hj212Options, note: bytes | None) -> None:
        self._changes = msgspec.json.decode(note, type=Changes) if note is not None else Changes()
        self.configure(options)

    def configure(self, options: Hj212Options) -> None:
        """Configured values from now on; a change of the platform holds where its value is as it was."""
        self._options = options
        holding = {
            name: change
            for name, change in self._changes.by_name.items()
            if name in CHANGEABLE and change.configured == _digest(getattr(options, name))
        }
        self._changes = msgspec.structs.replace(self._changes, by_name=holding)

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
    def cipher_secret(self) -> str:
        """SM4 key of packets in both directions; empty without one."""
        return str(self._value("cipher_secret"))

    @property
    def previous_cipher_secret(self) -> str:
        """The key before, for packets on their way; empty unless the platform's holds."""
        return self._changes.key if "cipher_secret" in self._changes.by_name else ""

    @property
    def realtime(self) -> bool:
        """Whether real-time data are wanted."""
        return self._changes.realtime

    @property
    def states(self) -> bool:
        """Whether states of equipment are wanted."""
        return self._changes.states

    @property
    def key_set_ms(self) -> int:
        """UTC time at which the platform set the key; 0 when it is the configuration's."""
        return self._changes.key_set_ms if "cipher_secret" in self._changes.by_name else 0

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
        return msgspec.structs.replace(self._changes, by_name={**self._changes.by_name, name: change})

    def with_key(self, text: str, now_ms: int) -> Changes:
        """After a new SM4 key (1014); the one in force stays for packets on their way."""
        changes = self.with_change("cipher_secret", text)
        before = self._changes.key if text == self.cipher_secret else self.cipher_secret
        return msgspec.structs.replace(changes, key=before, key_set_ms=now_ms)

    def with_clock(self, text: str) -> Changes:
        """After the machine's clock was set to a time."""
        return msgspec.structs.replace(self._changes, clock=text)

    def with_realtime(self, wanted: bool) -> Changes:
        """After an order to begin or stop real-time data."""
        return msgspec.structs.replace(self._changes, realtime=wanted)

    def with_states(self, wanted: bool) -> Changes:
        """After an order to begin or stop states of equipment."""
        return msgspec.structs.replace(self._changes, states=wanted)

    def take(self, changes: Changes) -> None:
        """They hold from now on."""
        self._changes = changes

    def text(self) -> str:
        """What the platform has changed, in words; empty for nothing."""
        parts = [
            f"{name} changed" if name in SECRETS else f"{name} = {change.value}"
            for name, change in sorted(self._changes.by_name.items())
        ]
        parts += [] if self.realtime else ["no real-time data"]
        parts += [] if self.states else ["no states of equipment"]
        return ", ".join([*parts, f"clock set to {self._changes.clock}"] if self._changes.clock else parts)

    def _value(self, name: str) -> int | str:
        change = self._changes.by_name.get(name)
        value: int | str = getattr(self._options, name) if change is None else change.value
        return value
