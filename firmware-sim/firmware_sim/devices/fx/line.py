"""An FX controller's programming port: a serial line with one controller at its end."""

from __future__ import annotations

import asyncio

from edge_agent.protocols.fx.codec import Decoder, Token, framed
from firmware_sim.devices.fx.plc import NAKED, FxPlc
from firmware_sim.lines.delivery import Station
from firmware_sim.lines.place import Place
from firmware_sim.lines.serial_line import SerialLine
from firmware_sim.served_values import ServedValuesLog

SILENCE_S = 0.1  # a request that pauses so long has broken off


class FxLine(SerialLine):
    """A frame with a wrong sum is answered with NAK, as the controller does."""

    def __init__(
        self, place: Place, station: Station, plc: FxPlc, served_log: ServedValuesLog | None = None
    ) -> None:
        super().__init__(place, self._received, served_log)
        self._station = station
        self._plc = plc
        self._decoder = Decoder()
        self._heard_at = 0.0

    @property
    def checksum_errors(self) -> int:
        return self._decoder.checksum_errors

    def _received(self, data: bytes) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._heard_at > SILENCE_S:
            self._decoder.reset()
        self._heard_at = now
        wrong = self._decoder.checksum_errors
        for token in self._decoder.feed(data):
            self._answer(token)
        if self._decoder.checksum_errors > wrong:
            self._delivery.send(self._station, data, NAKED)

    def _answer(self, token: Token) -> None:
        answer = self._plc.answer(token)
        if answer is not None:
            request = bytes((token,)) if isinstance(token, int) else framed(token)
            self._delivery.send(self._station, request, answer, self._plc.served)
