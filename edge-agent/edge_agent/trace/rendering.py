"""Frames, packets and signals as entries of a trace, without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from edge_agent.bus.trace import TracedFrame
from edge_agent.commissioning.frames import carries_passwords, holds_secret
from edge_agent.errors import BadFrame
from edge_agent.model import Direction
from edge_agent.protocols.base import FieldProtocol
from edge_agent.signals import Signal
from edge_agent.system.hiding import SHORTEST_SECRET, hiding
from edge_contract.limits import MAX_TEXT, MAX_TRACE_CHARACTERS, MAX_TRACE_FRAME
from edge_contract.trace import TraceDirection, TraceEntry, TraceKind

DIRECTIONS: dict[Direction, TraceDirection] = {
    "request": TraceDirection.SENT,
    "answer": TraceDirection.RECEIVED,
}


class Renderer:
    """secrets: that no entry may hold."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = [word for word in secrets if len(word) >= SHORTEST_SECRET]
        self._veil = hiding(known)
        self._bytes = [word.encode() for word in known]

    def frame(self, port: str, protocol: FieldProtocol | None, frame: TracedFrame) -> TraceEntry:
        """Decoded where the port's protocol reads it, without its bytes where a secret may be in them."""
        size = len(frame.data) + frame.cut
        fields, error = self._decoded(protocol, frame)
        may_hold = frame.is_foreign or holds_secret(fields)
        if protocol is not None and carries_passwords(protocol) and not fields:
            may_hold = True
        if may_hold or any(word in frame.data for word in self._bytes):
            data, hidden = "", True
            fields = self._without_bytes(fields) if holds_secret(fields) else {}
            error = error.partition(":")[0]  # what follows may quote bytes
        else:
            data, hidden = frame.data[:MAX_TRACE_FRAME].hex().upper(), False
        return TraceEntry(
            seq=1,
            t_ms=0,
            kind=TraceKind.FRAME,
            source=port,
            device=frame.slave,
            direction=DIRECTIONS[frame.direction],
            data=data,
            size=size,
            hidden=hidden,
            fields=fields,
            error=error[:MAX_TEXT],
        )

    def packet(self, target: str, direction: TraceDirection, text: Callable[[], str]) -> TraceEntry:
        """text: of the packet, without what its own rules keep secret."""
        written = text()
        return TraceEntry(
            seq=1,
            t_ms=0,
            kind=TraceKind.PACKET,
            source=target,
            direction=direction,
            text=self._text(written),
            size=len(written.encode()),
        )

    def signal(self, signal: Signal, text: str) -> TraceEntry:
        """text: of its line of the log."""
        return TraceEntry(
            seq=1,
            t_ms=0,
            kind=signal.kind,
            source=signal.source[:MAX_TEXT],
            device=signal.device[:MAX_TEXT],
            code=signal.code[:MAX_TEXT],
            text=self._text(text),
        )

    def _text(self, text: str) -> str:
        safe = self._veil(text)
        return safe if len(safe) <= MAX_TRACE_CHARACTERS else f"{safe[: MAX_TRACE_CHARACTERS - 1]}…"

    @staticmethod
    def _without_bytes(fields: dict[str, Any]) -> dict[str, Any]:
        """What is written with a password may be another one."""
        return {name: value for name, value in fields.items() if not name.endswith("_bytes")}

    @staticmethod
    def _decoded(protocol: FieldProtocol | None, frame: TracedFrame) -> tuple[dict[str, Any], str]:
        if protocol is None or frame.is_foreign:
            return {}, ""
        if frame.cut:
            return {}, "longer than what is stored of a frame"
        try:
            return protocol.describe(frame.data, frame.direction), ""
        except BadFrame as error:
            return {}, str(error)
