"""Reads and writes of Modbus slaves: PDUs, and the checks on every answer."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Sequence

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer
from edge_agent.protocols.base import Raw
from edge_agent.protocols.modbus.codec import EIGHT_BIT, encode, insert
from edge_agent.protocols.modbus.config import options_of
from edge_agent.protocols.modbus.planner import Item, ModbusBlock, item
from edge_agent.protocols.modbus.wire import TcpWire, Wire

REQUEST = struct.Struct(">BHH")  # function, address, count or value
WRITE_COIL, WRITE_REGISTER, WRITE_REGISTERS = 5, 6, 16
COIL_ON = 0xFF00
EXCEPTION = 0x80
GATEWAY_CODES = {0x0A, 0x0B}  # a Modbus gateway says that the slave behind it is silent

MEANING = {
    1: "illegal function",
    2: "illegal data address",
    3: "illegal data value",
    4: "device failure",
    5: "acknowledged, still working",
    6: "device busy",
    7: "negative acknowledge",
    8: "memory parity error",
    0x0A: "gateway path unavailable",
    0x0B: "gateway target did not answer",
}


class ModbusDriver:
    """One connection or serial line."""

    def __init__(self, protocol: str, port: Port) -> None:
        pause_s = port.min_interval_ms / 1000
        self.gap_s = max(pause_s, silence_s(port)) if port.type == "COM" else pause_s
        self._quiet_from = 0.0
        self._wire = TcpWire(port.host, port.port) if protocol == "modbus_tcp" else _rtu_wire(port)

    async def connect(self) -> None:
        await self._wire.open()

    async def close(self) -> None:
        await self._wire.close()

    async def read(self, slave: Slave, block: ModbusBlock) -> Sequence[Raw]:
        request = REQUEST.pack(block.function, block.start, block.count)
        return block.decode(_data(await self._ask(slave, block.unit, request), block.data_bytes))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        place = item(slave, 0, point)
        if place.function == 1:
            if raw not in (0, 1):
                raise BadValue(f"{raw!r} is no bit")
            await self._write(slave, place.unit, REQUEST.pack(WRITE_COIL, place.start, COIL_ON if raw else 0))
            return
        data = await self._register_bytes(slave, place, raw)
        if len(data) == 2 and not options_of(slave).write_multiple:
            value = int.from_bytes(data, "big")
            await self._write(slave, place.unit, REQUEST.pack(WRITE_REGISTER, place.start, value))
            return
        head = REQUEST.pack(WRITE_REGISTERS, place.start, len(data) // 2)
        await self._write(slave, place.unit, head + bytes((len(data),)) + data)

    async def _register_bytes(self, slave: Slave, place: Item, raw: Raw) -> bytes:
        """What to write; a bit or a byte is put into its register as the device holds it now."""
        if place.field.bit is None and place.field.data_type not in EIGHT_BIT:
            return encode(place.field, raw)
        request = REQUEST.pack(place.function, place.start, 1)
        return insert(place.field, _data(await self._ask(slave, place.unit, request), 2), raw)

    async def _write(self, slave: Slave, unit: int, request: bytes) -> None:
        """The device confirms with the first five bytes of the request."""
        answer = await self._ask(slave, unit, request)
        if answer != request[: REQUEST.size]:
            raise BadFrame(f"write {request[:5].hex(' ')} was answered with {answer.hex(' ')}")

    async def _ask(self, slave: Slave, unit: int, request: bytes) -> bytes:
        """Answer to the request's function; exceptions of the device become errors."""
        loop = asyncio.get_running_loop()
        pause = self._quiet_from + self.gap_s - loop.time()
        if pause > 0:
            await asyncio.sleep(pause)
        try:
            answer = await self._wire.ask(unit, request, slave.response_timeout_ms / 1000)
        finally:
            self._quiet_from = loop.time()
        if answer[0] == request[0]:
            return answer
        raise _error(request[0], answer)


def _rtu_wire(port: Port) -> Wire:
    # Imported late: a gateway without RTU lines loads no pymodbus.
    from edge_agent.protocols.modbus.rtu import RtuWire

    return RtuWire(port)


def silence_s(port: Port) -> float:
    """t3.5 of the serial line specification: 3.5 characters of 11 bits, fixed above 19200 baud."""
    return 0.00175 if port.baud > 19200 else 3.5 * 11 / port.baud


def _error(function: int, answer: bytes) -> Exception:
    """What an answer with another function code means."""
    if answer[0] != function | EXCEPTION or len(answer) != 2:
        return BadFrame(f"answer of function {answer[0]}, asked {function}")
    meaning = MEANING.get(answer[1], "unknown exception")
    return NoAnswer(meaning) if answer[1] in GATEWAY_CODES else DeviceRefused(answer[1], meaning)


def _data(answer: bytes, expected: int) -> bytes:
    """Data bytes behind function code and byte count."""
    if len(answer) != expected + 2 or answer[1] != expected:
        raise BadFrame(f"answer of {len(answer) - 2} data bytes, {expected} expected")
    return answer[2:]
