"""RTU frames through pymodbus, over a serial line or TCP. The only file that imports pymodbus.

pymodbus finds frames, checks CRC and unit, and opens serial lines. Its retries and its reconnecting are
switched off: both are the bus's. PDUs pass through it as bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import termios
from pathlib import Path

from pymodbus.client.base import ModbusBaseClient
from pymodbus.client.serial import AsyncModbusSerialClient
from pymodbus.client.tcp import AsyncModbusTcpClient
from pymodbus.exceptions import ConnectionException, ModbusException, ModbusIOException
from pymodbus.framer import FramerType
from pymodbus.pdu import ModbusPDU

from edge_agent.config.model import Port
from edge_agent.errors import BadFrame, NoAnswer, PortDown
from edge_agent.protocols.modbus.wire import CONNECT_TIMEOUT_S
from edge_agent.transports.base import framing

QUIET_S = 0.03  # after a late answer's first bytes: the rest is in
NO_ANSWERS_BEFORE_DISCONNECT = 2**31  # the bus decides when a connection is given up

logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)  # one line a failed request, never wanted


class RawPdu(ModbusPDU):
    """A PDU kept as bytes, in both directions."""

    data = b""

    @classmethod
    def of(cls, unit: int, pdu: bytes) -> RawPdu:
        made = cls(dev_id=unit)
        made.function_code, made.data = pdu[0], pdu[1:]
        return made

    def encode(self) -> bytes:
        return self.data

    def decode(self, data: bytes) -> None:
        self.data = data


class Counted(RawPdu):
    """Answer with a byte count."""

    rtu_byte_count_pos = 2


class Echoed(RawPdu):
    """Answer to a write."""

    rtu_frame_size = 8


ANSWERS = [
    type(f"Answer{code}", (base,), {"function_code": code})
    for base, codes in ((Counted, (1, 2, 3, 4)), (Echoed, (5, 6, 15, 16)))
    for code in codes
]


class RtuWire:
    """RTU frames carry no number: after a time-out the next request to the same unit first waits for the
    late answer, which would else be taken for its own."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._where = port.device if port.type == "COM" else f"{port.host}:{port.port}"
        self._client: ModbusBaseClient | None = None
        self._late: tuple[int, float] | None = None  # unit that owes an answer, until when it may come
        self._arrived = asyncio.Event()

    @property
    def connected(self) -> bool:
        return self._client is not None and self._client.connected

    async def open(self) -> None:
        client = self._new_client()
        client.set_max_no_responses(NO_ANSWERS_BEFORE_DISCONNECT)
        for answer in ANSWERS:
            client.register(answer)
        try:
            connected = await client.connect()
        except termios.error as error:
            raise PortDown(f"{self._where}: {error}") from None
        if not connected:
            client.close()
            raise PortDown(f"{self._where}: {self._why_closed()}")
        self._client = client
        self._late = None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        client = self._client
        if client is None or not client.connected:
            raise PortDown(f"{self._where}: connection lost")
        await self._wait_for_late_answer(unit)
        client.ctx.comm_params.timeout_connect = timeout_s
        try:
            answer: ModbusPDU = await client.execute(False, RawPdu.of(unit, pdu))
        except (ConnectionException, OSError) as error:
            raise PortDown(f"{self._where}: {error}") from None
        except ModbusIOException:
            if not client.connected:
                raise PortDown(f"{self._where}: connection lost") from None
            self._late = (unit, asyncio.get_running_loop().time() + timeout_s)
            raise NoAnswer(f"no answer within {timeout_s * 1000:.0f} ms") from None
        except ModbusException as error:
            raise BadFrame(str(error)) from None
        if isinstance(answer, RawPdu):
            return bytes((answer.function_code,)) + answer.data
        return bytes((answer.function_code, answer.exception_code))

    async def _wait_for_late_answer(self, unit: int) -> None:
        """At most one response time after the time-out, and only before another request to that unit."""
        if self._late is None:
            return
        owing, until = self._late
        left = until - asyncio.get_running_loop().time()
        if left > 0 and unit != owing:
            return
        self._late = None
        if left > 0:
            self._arrived.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._arrived.wait()
                await asyncio.sleep(QUIET_S)

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
            framer=FramerType.RTU,
            reconnect_delay=0,
            timeout=CONNECT_TIMEOUT_S,
            retries=0,
            trace_packet=self._traced,
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
