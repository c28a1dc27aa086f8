"""Modbus RTU: several slaves on one serial line, or behind a serial device server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from firmware_sim.devices.modbus.codec import RtuRequests, rtu
from firmware_sim.devices.modbus.slave import ModbusSlave
from firmware_sim.lines.delivery import Station
from firmware_sim.lines.place import Place
from firmware_sim.lines.serial_line import SerialLine
from firmware_sim.served_values import ServedValuesLog

SILENCE_S = 0.02  # a pseudo terminal has no characters' times; bytes of one request come closer than this
BROADCAST = 0


class ModbusLine(SerialLine):
    """units: station and slave by unit. A request to another unit stays unanswered."""

    def __init__(
        self,
        place: Place,
        units: Mapping[int, tuple[Station, ModbusSlave]],
        served_log: ServedValuesLog | None,
    ) -> None:
        super().__init__(place, self._received, served_log)
        self._units = units
        self._requests = RtuRequests()
        self._silence: asyncio.TimerHandle | None = None

    @property
    def checksum_errors(self) -> int:
        return self._requests.checksum_errors

    def close(self) -> None:
        self._stop_waiting()
        super().close()

    def _received(self, data: bytes) -> None:
        self._stop_waiting()
        for unit, pdu in self._requests.feed(data):
            self._answer(unit, pdu)
        if self._requests.pending:
            self._silence = asyncio.get_running_loop().call_later(SILENCE_S, self._silent)

    def _silent(self) -> None:
        self._silence = None
        for unit, pdu in self._requests.silence():
            self._answer(unit, pdu)

    def _answer(self, unit: int, pdu: bytes) -> None:
        if unit == BROADCAST:
            for _, slave in self._units.values():
                slave.answer(pdu)
            return
        if unit not in self._units:
            return
        station, slave = self._units[unit]
        answer = rtu(unit, slave.answer(pdu))
        self._delivery.send(station, rtu(unit, pdu), answer, slave.served)

    def _stop_waiting(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
