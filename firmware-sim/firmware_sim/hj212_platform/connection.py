"""A connection of a data logger, or of several behind one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_sim.hj212_platform.packet_bytes import Framed, PacketCutter
from firmware_sim.hj212_platform.reception import Receiver
from firmware_sim.hj212_platform.station import PlatformStation
from firmware_sim.hj212_platform.store import ReceivedStore
from firmware_sim.lines.delivery import Delivery, Station
from firmware_sim.lines.tcp_listener import Master, Masters


class PlatformConnection(Master):
    """take: packets that came, and how many bytes among them were none. ended: it is over.

    number: rises over all runs of a store. station: whose packet came last.
    """

    def __init__(
        self,
        masters: Masters,
        receiver: Receiver,
        store: ReceivedStore,
        max_segment: int,
        owner: ConnectionOwner,
    ) -> None:
        super().__init__(masters)
        store.count("connections")
        self.number = store.counter("connections")
        self.station: PlatformStation | None = None
        self._delivery = Delivery(self.write, store, self.hang_up)
        self._cutter = PacketCutter(max_segment, receiver.digits_fit)
        self._owner = owner

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._delivery.close()
        self._owner.ended(self)

    def data_received(self, data: bytes) -> None:
        before = self._cutter.discarded_bytes
        framed = list(self._cutter.feed(data))
        self._owner.take(self, framed, self._cutter.discarded_bytes - before)

    def send(self, place: Station, packet: bytes, cn: str, row: int | None, request: bytes = b"") -> None:
        """A packet as the faults of its station let it leave. row: of the packet that it answers."""
        self._delivery.send(place, request, packet, () if row is None else ((cn, row),))


@dataclass(frozen=True, slots=True)
class ConnectionOwner:
    """What a connection calls."""

    take: Callable[[PlatformConnection, Sequence[Framed], int], None]
    ended: Callable[[PlatformConnection], None]
