"""Modbus TCP: several units behind one port of loopback."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_sim.devices.modbus.codec import LONGEST_PDU, MBAP, mbap
from firmware_sim.devices.modbus.slave import ModbusSlave
from firmware_sim.lines.delivery import Delivery, Station
from firmware_sim.lines.tcp_listener import Master, TcpListener
from firmware_sim.served_values import ServedValuesLog

MAX_CONNECTIONS = 64

Units = Mapping[int, tuple[Station, ModbusSlave]]


class ModbusConnection(Master):
    """One master. Answers of units without fault and turnaround leave in one write, in order."""

    def __init__(self, server: ModbusTcp) -> None:
        super().__init__(server.masters)
        self._server = server
        self._units = server.units
        self._held = b""
        self._delivery = Delivery(self.write, server.served_log)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._delivery.close()

    def data_received(self, data: bytes) -> None:
        held = self._held + data if self._held else data
        at, size = 0, len(held)
        out: list[bytes] = []
        while size - at >= MBAP:
            length = held[at + 4] << 8 | held[at + 5]
            if held[at + 2 : at + 4] != b"\0\0" or not 2 <= length <= LONGEST_PDU + 1:
                self._server.bad_frames += 1
                self.close()
                return
            end = at + 6 + length
            if end > size:
                break
            self._answer(held[at:end], out)
            at = end
        self._held = held[at:]
        if out:
            self.write(b"".join(out))

    def _answer(self, frame: bytes, out: list[bytes]) -> None:
        """Append what may leave at once to out; hand the rest to the delivery."""
        unit = frame[6]
        addressed = self._units.get(unit)
        if addressed is None:
            return
        station, slave = addressed
        answer = mbap(frame[:2], unit, slave.answer(frame[MBAP:]))
        if station.direct and not slave.served:
            station.last = answer
            out.append(answer)
        else:
            self._delivery.send(station, frame, answer, slave.served)


class ModbusTcp(TcpListener):
    """units: station and slave by unit; a request to another unit stays unanswered."""

    def __init__(self, port: int, units: Units, served_log: ServedValuesLog | None) -> None:
        super().__init__("Modbus", port, MAX_CONNECTIONS, lambda: ModbusConnection(self))
        self.units = units
        self.served_log = served_log
