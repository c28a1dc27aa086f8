"""Packets that came: stored, answered, handed to the open requests; what they bring about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from edge_agent.forwarding.hj212.commands import READY
from edge_agent.forwarding.hj212.packet import Packet
from firmware_sim.hj212_platform.connection import PlatformConnection
from firmware_sim.hj212_platform.description import UNKNOWN, Reaction, Reactions, RequestEntry
from firmware_sim.hj212_platform.packet_bytes import Framed
from firmware_sim.hj212_platform.reception import Receiver, Reception
from firmware_sim.hj212_platform.requester import Requester, area_text, milliseconds
from firmware_sim.hj212_platform.station import PlatformStation
from firmware_sim.hj212_platform.store import ReceivedPacket, ReceivedStore
from firmware_sim.lines.delivery import Station

MAX_WORDS = 200
"""Characters of what is stored about a packet that is refused."""


class Intake:
    """unknown: place of answers to packets of no station. now: local time of the stations, with a zone.
    saw: takes each packet that is not refused, once it is answered.
    """

    def __init__(
        self,
        receiver: Receiver,
        store: ReceivedStore,
        requester: Requester,
        refusals: Reactions,
        unknown: Station,
        now: Callable[[], datetime],
        saw: Callable[[PlatformStation, Packet], None],
    ) -> None:
        self.connections: dict[str, PlatformConnection] = {}
        self._receiver = receiver
        self._store = store
        self._requester = requester
        self._refusals = refusals
        self._unknown = unknown
        self._now = now
        self._saw = saw

    def take(self, connection: PlatformConnection, framed: Sequence[Framed], discarded_bytes: int) -> None:
        """Store the packets of a connection, then answer them in order."""
        taken = []
        with self._store.transaction():
            if discarded_bytes:
                self._store.count("discarded_bytes", discarded_bytes)
            for each in framed:
                reception = self._receiver.received(each, connection.station)
                taken.append((each, reception, self._stored(connection, reception)))
        for each, reception, row in taken:
            if reception.cause:
                self._refuse(connection, each, reception, row)
            elif reception.station is not None and reception.packet is not None:
                self._accept(connection, each, reception.station, reception.packet, reception.answer, row)

    def ended(self, connection: PlatformConnection) -> None:
        """Its stations are not connected any more, unless they came back on another one."""
        for name in [name for name, each in self.connections.items() if each is connection]:
            del self.connections[name]

    def send(self, station: PlatformStation, packet: Packet) -> bool:
        """A request; False when the station is not connected."""
        connection = self.connections.get(station.name)
        if connection is None:
            return False
        connection.send(station.place, station.codec.encode(packet), packet.cn, None)
        return True

    def _accept(
        self,
        connection: PlatformConnection,
        framed: Framed,
        station: PlatformStation,
        packet: Packet,
        answer: str | None,
        row: int,
    ) -> None:
        is_new = self.connections.get(station.name) is not connection
        self.connections[station.name] = connection
        connection.station = station
        if answer is not None:
            data = station.codec.encode(station.answer(answer, packet))
            connection.send(station.place, data, answer, row, framed.data)
        self._requester.take(station, packet)
        if is_new:
            for entry in station.entry.requests:
                if entry.every_s is None:
                    self._requester.put(station, entry, "connection")
        follow_up = _follow_up(station, packet)
        if follow_up is not None:
            self._requester.put(station, follow_up, packet.cn)
        self._saw(station, packet)

    def _refuse(self, connection: PlatformConnection, framed: Framed, reception: Reception, row: int) -> None:
        reaction: Reaction = getattr(self._refusals, reception.cause)
        if reaction is Reaction.CLOSE:
            connection.hang_up()
        elif reaction is Reaction.ANSWER:
            answer = self._receiver.refusal(reception)
            place = self._unknown if reception.station is None else reception.station.place
            if answer is not None:
                connection.send(place, answer, READY, row, framed.data)

    def _stored(self, connection: PlatformConnection, reception: Reception) -> int:
        station, packet = reception.station, reception.packet
        row = ReceivedPacket(
            t_ms=milliseconds(self._now()),
            connection=connection.number,
            station=UNKNOWN if station is None else station.name,
            refused=reception.cause,
            words=reception.words[:MAX_WORDS],
            answer=reception.answer,
            disagreement=reception.disagreement,
        )
        if packet is None:
            return self._store.add(row)
        fetched = not reception.cause and station is not None and self._requester.fetches(station, packet)
        fields = {name: getattr(packet, name) for name in ("cn", "st", "qn", "flag", "pnum", "pno", "rf")}
        values = {"data_time": packet.value("DataTime"), "area": area_text(packet.area), "fetched": fetched}
        return self._store.add(msgspec.structs.replace(row, **fields, **values))


def _follow_up(station: PlatformStation, packet: Packet) -> RequestEntry | None:
    """What a platform requests because of a notice: 1013 the time, 1001 an MN, 1014 a key."""
    entry = station.entry
    match packet.cn:
        case "1013":
            instrument = packet.value("PolId")
            lead = "" if instrument is None else f"PolId={instrument};"
            return RequestEntry("1012", f"{lead}SystemTime={{now}}")
        case "1001" if entry.logger_id is not None:
            return RequestEntry("1002", f"i23005-Info={entry.logger_id}")
        case "1014" if entry.new_key is not None:
            created = packet.value("SKCreateTime")
            return RequestEntry("1014", f"SKCreateTime={created},NewSK={entry.new_key}")
    return None
