"""Records to packets, split where they are too long, each sent until it is acknowledged."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from edge_agent.forwarding.hj212.connection import PlatformConnection
from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.packets import PacketWriter
from edge_agent.forwarding.hj212.splitting import split
from edge_agent.forwarding.hj212.times import Numbers
from edge_agent.store.base import TargetRecord
from edge_agent.system.clock import Clock


def encoded(area: Area) -> bytes:
    """Payload of a stored record."""
    return msgspec.json.encode(area)


class Sender:
    """Of one target. repeated: called for each packet that goes out once more."""

    def __init__(
        self, writer: PacketWriter, offset_ms: int, clock: Clock, repeated: Callable[[], None]
    ) -> None:
        self.offset_ms = offset_ms
        self._writer = writer
        self._clock = clock
        self._repeated = repeated
        self._numbers = Numbers(offset_ms)

    async def send_record(self, record: TargetRecord, connection: PlatformConnection, *, again: bool) -> None:
        """All its parts. again: it comes from the store. PlatformDown; BadPacket: it cannot be sent."""
        area = msgspec.json.decode(record.payload, type=Area)
        await self.send_area(record.kind, area, connection, again=again)

    async def send_area(
        self,
        cn: str,
        area: Area,
        connection: PlatformConnection,
        *,
        again: bool = False,
        answer: bool | None = None,
    ) -> None:
        """answer: None: as the target wants it."""
        packet = self._writer.upload(cn, area, self._next(), answer=answer, again=again)
        for part in split(packet, self._writer.codec, self._next):
            await connection.exchange(part, self._repeated)

    def _next(self) -> str:
        return self._numbers.next(self._clock.now_ms())
