"""A Modbus slave: answers to functions 01 02 03 04 05 06 0F 10, refusals 01 02 03. Pure."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.devices.modbus.codec import (
    ILLEGAL_ADDRESS,
    ILLEGAL_FUNCTION,
    ILLEGAL_VALUE,
    MAX_BITS,
    MAX_REGISTERS,
    MAX_WRITTEN_BITS,
    MAX_WRITTEN_REGISTERS,
    exception,
    pack_bits,
    unpack_bits,
)
from firmware_sim.devices.modbus.description import ModbusDevice
from firmware_sim.devices.modbus.memory import Memory, NoSuchCells, Served, WrongValue
from firmware_sim.process.process import Process

READ_AREA = {1: "0X", 2: "1X", 3: "4X", 4: "3X"}
COIL = {b"\xff\0": b"\1", b"\0\0": b"\0"}


class ModbusSlave:
    """One unit. served: what counters went out in the last answer."""

    def __init__(
        self,
        device: ModbusDevice,
        process: Process,
        *,
        seed: int = 0,
        resume: Callable[[str], int] = lambda name: 0,
        wrote: Callable[[list[Served]], None] = lambda written: None,
    ) -> None:
        self.unit = device.unit
        self.served: list[Served] = []
        self._memory = Memory(device, process, seed=seed, resume=resume, wrote=wrote)
        self.refresh = self._memory.refresh
        self.restart = self._memory.restart

    def answer(self, pdu: bytes) -> bytes:
        """PDU of the answer to a request's PDU."""
        function = pdu[0] if pdu else 0
        self.served = []
        try:
            if function in READ_AREA:
                return self._read(function, pdu)
            if function in (5, 6):
                return self._write_one(function, pdu)
            if function in (15, 16):
                return self._write_many(function, pdu)
        except NoSuchCells:
            return exception(function, ILLEGAL_ADDRESS)
        except WrongValue:
            return exception(function, ILLEGAL_VALUE)
        return exception(function, ILLEGAL_FUNCTION)

    def _read(self, function: int, pdu: bytes) -> bytes:
        start, count = int.from_bytes(pdu[1:3], "big"), int.from_bytes(pdu[3:5], "big")
        if len(pdu) != 5 or not 1 <= count <= (MAX_REGISTERS if function > 2 else MAX_BITS):
            raise WrongValue
        data, self.served = self._memory.read(READ_AREA[function], start, count)
        if function <= 2:
            data = pack_bits(data)
        return bytes((function, len(data))) + data

    def _write_one(self, function: int, pdu: bytes) -> bytes:
        data = pdu[3:5]
        if len(pdu) != 5 or (function == 5 and data not in COIL):
            raise WrongValue
        start = int.from_bytes(pdu[1:3], "big")
        self._memory.write("0X" if function == 5 else "4X", start, COIL[data] if function == 5 else data)
        return pdu

    def _write_many(self, function: int, pdu: bytes) -> bytes:
        start, count = int.from_bytes(pdu[1:3], "big"), int.from_bytes(pdu[3:5], "big")
        max_count = MAX_WRITTEN_BITS if function == 15 else MAX_WRITTEN_REGISTERS
        size = (count + 7) // 8 if function == 15 else 2 * count
        if not 1 <= count <= max_count or len(pdu) != 6 + size or pdu[5] != size:
            raise WrongValue
        if function == 15:
            self._memory.write("0X", start, unpack_bits(pdu[6:], count))
        else:
            self._memory.write("4X", start, pdu[6:])
        return pdu[:5]
