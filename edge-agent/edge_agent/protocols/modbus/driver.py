"""The wire of a Modbus port through pymodbus, with the checks that it leaves out.

pymodbus matches the unit and, over TCP, the transaction; function code, byte count and write echo are
checked here. It does not pace and its retries are switched off: both are the bus's. Registers are kept as
the bytes that came, because unpacking a block at once is ten times faster than a list of registers.
"""

from __future__ import annotations

import asyncio
import logging
import os
import termios
from collections.abc import Sequence
from pathlib import Path

from pymodbus.client.base import ModbusBaseClient
from pymodbus.client.serial import AsyncModbusSerialClient
from pymodbus.client.tcp import AsyncModbusTcpClient
from pymodbus.exceptions import ConnectionException, ModbusException, ModbusIOException
from pymodbus.framer import FramerType
from pymodbus.pdu import ModbusPDU
from pymodbus.pdu.bit_message import ReadCoilsRequest, ReadDiscreteInputsRequest, WriteSingleCoilRequest
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersRequest,
    ReadInputRegistersRequest,
    WriteMultipleRegistersRequest,
    WriteSingleRegisterRequest,
)

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.base import Raw
from edge_agent.protocols.modbus.codec import EIGHT_BIT, encode, insert
from edge_agent.protocols.modbus.config import options_of
from edge_agent.protocols.modbus.planner import Item, ModbusBlock, item
from edge_agent.transports.base import framing

CONNECT_TIMEOUT_S = 3.0  # three SYNs on a cellular link; a serial port opens at once
NO_ANSWERS_BEFORE_DISCONNECT = 2**31  # the bus decides when a connection is given up
QUIET_S = 0.03  # after a late answer's first bytes: the rest is in
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

logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)  # one line a failed request, never wanted


class RawAnswer(ModbusPDU):
    """Answer to a read, kept as bytes; data is None when the byte count is wrong."""

    rtu_byte_count_pos = 2
    data: bytes | None = None

    def decode(self, data: bytes) -> None:
        self.data = data[1:] if data and data[0] == len(data) - 1 else None


class Coils(RawAnswer):
    function_code = 1


class Inputs(RawAnswer):
    function_code = 2


class HoldingRegisters(RawAnswer):
    function_code = 3


class InputRegisters(RawAnswer):
    function_code = 4


READ: dict[int, type[ModbusPDU]] = {
    1: ReadCoilsRequest,
    2: ReadDiscreteInputsRequest,
    3: ReadHoldingRegistersRequest,
    4: ReadInputRegistersRequest,
}


class ModbusDriver:
    """One connection or serial line. A port that carries RTU frames has no transaction numbers: after a
    time-out the next request to the same slave first waits for the late answer, which would else be taken
    for its own."""

    def __init__(self, protocol: str, port: Port) -> None:
        self._port = port
        self._rtu = protocol != "modbus_tcp"
        self.where = port.device if port.type == "COM" else f"{port.host}:{port.port}"
        pause_s = port.min_interval_ms / 1000
        self.gap_s = max(pause_s, silence_s(port)) if port.type == "COM" else pause_s
        self._quiet_from = 0.0
        self._client: ModbusBaseClient | None = None
        self._late: tuple[int, float] | None = None  # unit that owes an answer, until when it may come
        self._arrived = asyncio.Event()

    async def connect(self) -> None:
        client = self._new_client()
        client.set_max_no_responses(NO_ANSWERS_BEFORE_DISCONNECT)
        for answer in (Coils, Inputs, HoldingRegisters, InputRegisters):
            client.register(answer)
        try:
            connected = await client.connect()
        except termios.error as error:
            raise PortDown(f"{self.where}: {error}") from None
        if not connected:
            client.close()
            raise PortDown(f"{self.where}: {self._why_closed()}")
        self._client = client
        self._late = None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def read(self, slave: Slave, block: ModbusBlock) -> Sequence[Raw]:
        request = READ[block.function](address=block.start, count=block.count, dev_id=block.unit)
        answer = await self._ask(slave, request)
        return block.decode(_data(answer, block.data_bytes))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        place = item(slave, 0, point)
        if place.function == 1:
            await self._write_coil(slave, place, raw)
            return
        if place.field.bit is not None or place.field.data_type in EIGHT_BIT:
            read = ReadHoldingRegistersRequest(address=place.start, count=1, dev_id=place.unit)
            data = insert(place.field, _data(await self._ask(slave, read), 2), raw)
        else:
            data = encode(place.field, raw)
        registers = [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
        await self._write_registers(slave, place, registers)

    async def _write_coil(self, slave: Slave, place: Item, raw: Raw) -> None:
        if raw not in (0, 1):
            raise BadValue(f"{raw!r} is no bit")
        request = WriteSingleCoilRequest(address=place.start, bits=[bool(raw)], dev_id=place.unit)
        answer = await self._ask(slave, request)
        if (answer.address, list(answer.bits[:1])) != (place.start, [bool(raw)]):
            raise BadFrame(f"write of coil {place.start} was echoed as {answer.address}, {answer.bits}")

    async def _write_registers(self, slave: Slave, place: Item, registers: list[int]) -> None:
        if len(registers) == 1 and not options_of(slave).write_multiple:
            single = WriteSingleRegisterRequest(address=place.start, registers=registers, dev_id=place.unit)
            answer = await self._ask(slave, single)
            if (answer.address, list(answer.registers)) != (place.start, registers):
                raise BadFrame(f"write of {registers} to {place.start} was echoed as {answer.registers}")
            return
        many = WriteMultipleRegistersRequest(address=place.start, registers=registers, dev_id=place.unit)
        answer = await self._ask(slave, many)
        if (answer.address, answer.count) != (place.start, len(registers)):
            raise BadFrame(
                f"write of {len(registers)} registers at {place.start} was echoed as {answer.count}"
            )

    async def _ask(self, slave: Slave, request: ModbusPDU) -> ModbusPDU:
        client = self._client
        if client is None or not client.connected:
            raise PortDown(f"{self.where}: connection lost")
        timeout_s = slave.response_timeout_ms / 1000
        loop = asyncio.get_running_loop()
        if self._late is not None:
            await self._wait_for_late_answer(request.dev_id)
        pause = self._quiet_from + self.gap_s - loop.time()
        if pause > 0:
            await asyncio.sleep(pause)
        client.ctx.comm_params.timeout_connect = timeout_s
        try:
            answer: ModbusPDU = await client.execute(False, request)
        except (ConnectionException, OSError) as error:
            raise PortDown(f"{self.where}: {error}") from None
        except ModbusIOException:
            if not client.connected:
                raise PortDown(f"{self.where}: connection lost") from None
            if self._rtu:
                self._late = (request.dev_id, loop.time() + timeout_s)
            raise NoAnswer(f"no answer within {slave.response_timeout_ms} ms") from None
        except ModbusException as error:
            raise BadFrame(str(error)) from None
        finally:
            self._quiet_from = loop.time()
        return _checked(request, answer)

    async def _wait_for_late_answer(self, unit: int) -> None:
        """At most one response time after the time-out, and only before another request to that slave."""
        assert self._late is not None
        owing, until = self._late
        left = until - asyncio.get_running_loop().time()
        if left > 0 and unit != owing:
            return
        if left > 0:
            self._arrived.clear()
            try:
                async with asyncio.timeout(left):
                    await self._arrived.wait()
                await asyncio.sleep(QUIET_S)
            except TimeoutError:
                pass
        self._late = None

    def _traced(self, sending: bool, data: bytes) -> bytes:
        if not sending:
            self._arrived.set()
        return data

    def _new_client(self) -> ModbusBaseClient:
        port = self._port
        if port.type == "COM":
            data_bits, parity = framing(port)
            return AsyncModbusSerialClient(
                port.device,
                framer=FramerType.RTU,
                baudrate=port.baud,
                bytesize=data_bits,
                parity=parity,
                stopbits=port.stop_bits,
                reconnect_delay=0,
                timeout=CONNECT_TIMEOUT_S,
                retries=0,
                trace_packet=self._traced,
            )
        return AsyncModbusTcpClient(
            port.host,
            port=port.port,
            framer=FramerType.RTU if self._rtu else FramerType.SOCKET,
            reconnect_delay=0,
            timeout=CONNECT_TIMEOUT_S,
            retries=0,
            trace_packet=self._traced if self._rtu else None,
        )

    def _why_closed(self) -> str:
        """pymodbus tells only its log why; the usual reasons of a serial port can be seen from outside."""
        if self._port.type == "NET":
            return f"refused, unreachable or silent for {CONNECT_TIMEOUT_S:.0f} s"
        if not Path(self._port.device).exists():
            return "no such device"
        if not os.access(self._port.device, os.R_OK | os.W_OK):
            return "no permission"
        return "cannot be opened, another program may hold it"


def silence_s(port: Port) -> float:
    """t3.5 of the serial line specification: 3.5 characters of 11 bits, fixed above 19200 baud."""
    return 0.00175 if port.baud > 19200 else 3.5 * 11 / port.baud


def _checked(request: ModbusPDU, answer: ModbusPDU) -> ModbusPDU:
    """The answer when it belongs to the request's function; exceptions of the device become errors."""
    if answer.isError():
        if answer.function_code & 0x7F != request.function_code:
            raise BadFrame(
                f"exception for function {answer.function_code & 0x7F}, asked {request.function_code}"
            )
        code = answer.exception_code
        meaning = MEANING.get(code, "unknown exception")
        if code in GATEWAY_CODES:
            raise NoAnswer(meaning)
        raise DeviceRefused(code, meaning)
    if answer.function_code != request.function_code:
        raise BadFrame(f"answer of function {answer.function_code}, asked {request.function_code}")
    return answer


def _data(answer: ModbusPDU, expected: int) -> bytes:
    data = answer.data if isinstance(answer, RawAnswer) else None
    if data is None or len(data) != expected:
        raise BadFrame(
            f"answer of {'wrong length' if data is None else f'{len(data)} bytes'}, {expected} expected"
        )
    return data
