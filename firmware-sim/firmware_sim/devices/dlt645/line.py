"""DL/T 645: several meters on one serial line, or behind a serial device server."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from edge_agent.protocols.dlt645.codec import Decoder, Frame, encode
from firmware_sim.devices.dlt645.meter import Dlt645Meter
from firmware_sim.lines.delivery import Station
from firmware_sim.lines.place import Place
from firmware_sim.lines.serial_line import SerialLine


class Dlt645Line(SerialLine):
    """Every meter hears every frame. Where two answer at once, their levels collide as on a real line."""

    def __init__(self, place: Place, meters: Sequence[tuple[Station, Dlt645Meter]]) -> None:
        super().__init__(place, self._received, None)
        self._meters = meters
        self._decoder = Decoder()

    @property
    def checksum_errors(self) -> int:
        return self._decoder.checksum_errors

    def _received(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            self._answer(frame)

    def _answer(self, request: Frame) -> None:
        answers = [
            (station, encode(answer, meter.wake_up))
            for station, meter in self._meters
            if (answer := meter.answer(request)) is not None
        ]
        if not answers:
            return
        sent = answers[0][1] if len(answers) == 1 else collided([answer for _, answer in answers])
        self._delivery.send(answers[0][0], encode(request), sent)


def collided(answers: Sequence[bytes]) -> bytes:
    """What a master hears when several send at once: a low level wins over a high one."""
    heard = bytearray()
    for together in zip_longest(*answers, fillvalue=0xFF):
        level = 0xFF
        for byte in together:
            level &= byte
        heard.append(level)
    return bytes(heard)
