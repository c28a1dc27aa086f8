"""What happened at the gateway, said with a line of its log: `log.info("…", extra=signal(...))`.

The line is the log's as ever; who traces the gateway (`trace`) gets the signal with the line's text.
"""

from __future__ import annotations

from dataclasses import dataclass

from edge_contract.trace import TraceKind

ATTRIBUTE = "signal"
"""Of a log record."""


@dataclass(frozen=True)
class Signal:
    """code: what happened, of this kind. source: port, target or other part that it is of. device: slave."""

    kind: TraceKind
    code: str
    source: str = ""
    device: str = ""


def signal(kind: TraceKind, code: str, source: str = "", device: str = "") -> dict[str, Signal]:
    """For the `extra` of a log line."""
    return {ATTRIBUTE: Signal(kind, code, source, device)}
