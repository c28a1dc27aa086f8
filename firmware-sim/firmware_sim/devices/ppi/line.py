"""PPI: several S7-200 on one serial line. Each acknowledges a request and answers when it is polled."""

from __future__ import annotations

from collections.abc import Mapping

from edge_agent.protocols.s7 import ppi
from edge_agent.protocols.s7.ppi import Telegram
from firmware_sim.lines.delivery import Station
from firmware_sim.lines.place import Place
from firmware_sim.lines.serial_line import SerialLine
from firmware_sim.plc.siemens import S7Plc, S7Session
from firmware_sim.served_values import ServedValuesLog

COUNTED = 0x20
"""Bit of a control byte that turns over with each poll; a repeated poll has it as before."""


class PpiStation:
    """A PLC on the line. It keeps the answer until the next request, for a poll that is repeated."""

    def __init__(self, station: Station, session: S7Session) -> None:
        self.station = station
        self._session = session
        self._ready: bytes | None = None
        self._polled: int | None = None

    def answer(self, heard: Telegram) -> bytes | None:
        """What goes out after a telegram that is meant for this PLC; None: nothing."""
        if heard.pdu:
            answer = self._session.answer(heard.pdu)
            self._polled = None
            self._ready = None
            if answer is None:
                return None
            self._ready = ppi.encode(Telegram(heard.by, heard.to, ppi.ANSWER, answer))
            return ppi.encode(ppi.ACKNOWLEDGE)
        if self._ready is None or (self._polled is not None and heard.control & COUNTED != self._polled):
            return None
        self._polled = heard.control & COUNTED
        return self._ready


class PpiLine(SerialLine):
    """plcs: station and PLC by address. A telegram to another address stays unanswered."""

    def __init__(
        self, place: Place, plcs: Mapping[int, tuple[Station, S7Plc]], served_log: ServedValuesLog | None
    ) -> None:
        super().__init__(place, self._received, served_log)
        self._stations = {
            address: PpiStation(station, plc.session()) for address, (station, plc) in plcs.items()
        }
        self._decoder = ppi.Decoder()

    @property
    def checksum_errors(self) -> int:
        return self._decoder.checksum_errors

    def _received(self, data: bytes) -> None:
        for telegram in self._decoder.feed(data):
            addressed = self._stations.get(telegram.to)
            answer = None if addressed is None else addressed.answer(telegram)
            if addressed is not None and answer is not None:
                self._delivery.send(addressed.station, ppi.encode(telegram), answer)
