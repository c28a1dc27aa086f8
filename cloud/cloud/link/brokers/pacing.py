"""How fast the packets of one connection are read: whoever sends more waits in his own socket, not in the
queues that all share. Nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cloud.link.brokers.packets import PUBLISH, topic_of
from edge_contract.topics import Message

_MANY = tuple(f"/{message.value}" for message in (Message.LIVE, Message.HISTORY, Message.TUNNEL_UP))


@dataclass(frozen=True)
class ReadRates:
    """Of one connection, a second: packets and bytes; bursts are what may come at once after a pause.

    A gateway that sends again what it kept has 32 batches under way, far below this. control_cost: packets
    for which any other message counts than stored samples and frames of tunnels; a gateway has few of these.
    """

    packets: float = 500.0
    packets_burst: float = 1000.0
    size: float = 16e6
    size_burst: float = 32e6
    control_cost: float = 10.0


class ReadPacer:
    """What a connection has left of its rates."""

    def __init__(self, rates: ReadRates, monotonic: Callable[[], float]) -> None:
        self._rates = rates
        self._monotonic = monotonic
        self._packets = rates.packets_burst
        self._size = rates.size_burst
        self._at = monotonic()

    def spend(self, first: int, body: bytes) -> None:
        """A packet has been read."""
        control = first >> 4 == PUBLISH and not topic_of(body).endswith(_MANY)
        self._packets -= self._rates.control_cost if control else 1.0
        self._size -= len(body)

    def pause_s(self) -> float:
        """Until the next may be read; 0 when it may be at once."""
        now, had = self._monotonic(), self._at
        self._at = now
        rates = self._rates
        self._packets = min(self._packets + (now - had) * rates.packets, rates.packets_burst)
        self._size = min(self._size + (now - had) * rates.size, rates.size_burst)
        return max(-self._packets / rates.packets, -self._size / rates.size, 0.0)
