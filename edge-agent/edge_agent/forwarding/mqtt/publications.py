"""What a target's broker gets and sends, for who traces the gateway."""

from __future__ import annotations

from edge_agent.forwarding.services import TraceService
from edge_contract.trace import TraceDirection


def note_publication(
    trace: TraceService, target: str, direction: TraceDirection, topic: str, payload: bytes
) -> None:
    """Topic and payload; nothing is made of them while nobody watches."""
    trace.packet(target, direction, lambda: f"{topic}\n{payload.decode(errors='replace')}")
