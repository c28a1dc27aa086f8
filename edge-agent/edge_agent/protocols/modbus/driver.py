"""Reads and writes of Modbus slaves: PDUs, and the checks on every answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, FieldbusError, ForeignAnswer, NoAnswer
from edge_agent.model import Seen
from edge_agent.protocols.base import Raw
from edge_agent.protocols.modbus.codec import EIGHT_BIT, encode, encode_bits, insert
from edge_agent.protocols.modbus.config import options_of, unit_of
from edge_agent.protocols.modbus.frame_description import MEANING
from edge_agent.protocols.modbus.frames import (
    EXCEPTION,
    REQUEST,
    WRITE_COIL,
    WRITE_REGISTER,
    read_request,
    write_coil,
    write_coils,
    write_register,
    write_registers,
)
from edge_agent.protocols.modbus.identity import identity_of, identity_request
from edge_agent.protocols.modbus.planner import Item, ModbusBlock, item
from edge_agent.protocols.modbus.wire import TcpWire, Wire, silence_s

NO_PATH = 0x0A
GATEWAY_CODES = {NO_PATH, 0x0B}  # a Modbus gateway says that the slave behind it is silent
BEGUN_CODES = {0x04, 0x05}  # failed while it acted; accepted, and not finished


class ModbusDriver:
    """One connection or serial line."""

    def __init__(self, protocol: str, port: Port) -> None:
        pause_s = port.min_interval_ms / 1000
        self.gap_s = max(pause_s, silence_s(port)) if port.type == "COM" else pause_s
        self._quiet_from = 0.0
        self._identity = identity_request(tcp=protocol == "modbus_tcp")
        self._wire: Wire = TcpWire(port.host, port.port) if protocol == "modbus_tcp" else _rtu_wire(port)

    async def connect(self) -> None:
        await self._wire.open()

    async def close(self) -> None:
        await self._wire.close()

    def watch(self, seen: Seen | None) -> None:
        self._wire.seen = seen

    async def read(self, slave: Slave, block: ModbusBlock) -> Sequence[Raw]:
        return block.decode(_data(await self._ask(slave, block.unit, block.request), block.data_bytes))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        place = item(slave, 0, point)
        several = options_of(slave).write_multiple
        if place.function == 1:
            packed = encode_bits(place.size, raw)
            if place.size > 1 or several:
                await self._write(slave, place.unit, write_coils(place.start, place.size, packed))
            else:
                await self._write_single(
                    slave, place.unit, _first_read(place), write_coil(place.start, packed != b"\0")
                )
            return
        start, data = await self._register_bytes(slave, place, raw)
        if len(data) > 2 or several:
            await self._write(slave, place.unit, write_registers(start, data))
        else:
            await self._write_single(slave, place.unit, _first_read(place), write_register(start, data))

    async def write_content(self, slave: Slave, reg_type: str, offset: int, data: bytes) -> None:
        """Write registers as they lie (4X), or one coil (0X: one byte, 0 or 1). Errors of write."""
        options = options_of(slave)
        unit, start, several = unit_of(slave, options), offset - options.one_based, options.write_multiple
        if reg_type == "0X":
            request = write_coils(start, 1, data) if several else write_coil(start, data != b"\0")
        elif len(data) > 2 or several:
            request = write_registers(start, data)
        else:
            request = write_register(start, data)
        if request[0] in (WRITE_COIL, WRITE_REGISTER):
            function = 1 if reg_type == "0X" else 3
            await self._write_single(slave, unit, read_request(function, start, 1), request)
        else:
            await self._write(slave, unit, request)

    async def identify(self, slave: Slave) -> str:
        """Any answer to a read says that somebody is there; the identification is an extra that few have."""
        unit = unit_of(slave, options_of(slave))
        with contextlib.suppress(DeviceRefused):
            _data(await self._ask(slave, unit, read_request(3, 0, 1)), 2)
        with contextlib.suppress(NoAnswer, BadFrame, DeviceRefused):
            return identity_of(await self._ask(slave, unit, self._identity))
        return ""

    async def _register_bytes(self, slave: Slave, place: Item, raw: Raw) -> tuple[int, bytes]:
        """Where and what to write; a bit or a byte is put into its register as the device holds it now."""
        field = place.field
        if field.bit is None and field.data_type not in EIGHT_BIT:
            return place.start, encode(field, raw)
        start = place.start + (0 if field.bit is None else field.bit_at[0] // 2)
        request = read_request(place.function, start, 1)
        try:
            held = _data(await self._ask(slave, place.unit, request), 2)
        except FieldbusError as error:
            error.may_have_acted = False
            raise
        return start, insert(field, held, raw)

    async def _write_single(self, slave: Slave, unit: int, first_read: bytes, request: bytes) -> None:
        """The confirmation of 05 and 06 is equal to the request, and so is a line's echo. A line that nobody
        has heard yet is heard once before; what the slave says to that does not matter."""
        if not self._wire.echo_known:
            with contextlib.suppress(NoAnswer, BadFrame, DeviceRefused):
                await self._ask(slave, unit, first_read)
        await self._write(slave, unit, request)

    async def _write(self, slave: Slave, unit: int, request: bytes) -> None:
        """The device confirms with the first five bytes of the request."""
        answer = await self._ask(slave, unit, request)
        if answer != request[: REQUEST.size]:
            raise BadFrame(f"write {request[:5].hex(' ')} was answered with {answer.hex(' ')}")

    async def _ask(self, slave: Slave, unit: int, request: bytes) -> bytes:
        """Answer to the request's function; exceptions of the device become errors."""
        timeout_s = slave.response_timeout_ms / 1000
        if self.gap_s:
            answer = await self._spaced(unit, request, timeout_s)
        else:
            answer = await self._wire.ask(unit, request, timeout_s)
        if answer[0] == request[0]:
            return answer
        raise _error(request[0], answer)

    async def _spaced(self, unit: int, request: bytes, timeout_s: float) -> bytes:
        """A request with silence before it."""
        loop = asyncio.get_running_loop()
        pause = self._quiet_from + self.gap_s - loop.time()
        if pause > 0:
            await asyncio.sleep(pause)
        try:
            return await self._wire.ask(unit, request, timeout_s)
        finally:
            self._quiet_from = loop.time()


def _first_read(place: Item) -> bytes:
    return read_request(place.function, place.start, 1)


def _rtu_wire(port: Port) -> Wire:
    # Imported late: a gateway without RTU lines loads no pymodbus.
    from edge_agent.protocols.modbus.rtu import RtuWire

    return RtuWire(port)


def _error(function: int, answer: bytes) -> Exception:
    """What an answer with another function code means."""
    if answer[0] != function | EXCEPTION or len(answer) != 2:
        return ForeignAnswer(f"answer of function {answer[0]}, asked {function}")
    meaning = MEANING.get(answer[1], "unknown exception")
    error = NoAnswer(meaning) if answer[1] in GATEWAY_CODES else DeviceRefused(answer[1], meaning)
    error.may_have_acted = answer[1] in BEGUN_CODES or answer[1] in GATEWAY_CODES - {NO_PATH}
    return error


def _data(answer: bytes, expected: int) -> bytes:
    """Data bytes behind function code and byte count."""
    if len(answer) != expected + 2 or answer[1] != expected:
        raise BadFrame(f"answer of {len(answer) - 2} data bytes, {expected} expected")
    return answer[2:]
