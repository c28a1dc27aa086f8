"""RTU frames on a line that pymodbus keeps, serial or TCP. The only file that imports pymodbus.

pymodbus opens, sends, receives and ends the wait. Finding the answer is the listener's, in a framer put in
the place of pymodbus's own, which waits out the whole time-out after a damaged answer, calls it silence, and
takes the echo of a write for its confirmation. Retries and reconnecting are switched off: both are the bus's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import termios
from collections.abc import Callable
from pathlib import Path

from pymodbus.client.base import ModbusBaseClient
from pymodbus.client.serial import AsyncModbusSerialClient
from pymodbus.client.tcp import AsyncModbusTcpClient
from pymodbus.exceptions import ConnectionException, ModbusException, ModbusIOException
from pymodbus.framer import FramerType
from pymodbus.framer.base import FramerBase
from pymodbus.pdu import DecodePDU, ModbusPDU

from edge_agent.config.model import Port
from edge_agent.errors import BadFrame, NoAnswer, PortDown
from edge_agent.model import Seen
from edge_agent.protocols.modbus.frames import rtu
from edge_agent.protocols.modbus.listener import Listener
from edge_agent.protocols.modbus.wire import CONNECT_TIMEOUT_S, silence_s
from edge_agent.transports.base import HELD, framing

QUIET_S = 0.03  # adapters hand over what they got after 1 to 16 ms; after this nothing follows by itself
NO_ANSWERS_BEFORE_DISCONNECT = 2**31  # the bus decides when a connection is given up
MAX_CHUNK_BYTES = 65536  # of a TCP socket; pymodbus throws longer ones away

logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)  # one line a failed request, never wanted


class RawPdu(ModbusPDU):
    """A PDU as bytes, in both directions."""

    data = b""

    @classmethod
    def of(cls, unit: int, pdu: bytes) -> RawPdu:
        made = cls(dev_id=unit)
        made.function_code, made.data = pdu[0], pdu[1:]
        return made

    def encode(self) -> bytes:
        return self.data


class ListeningFramer(FramerBase):
    """Frames out, and every chunk that comes in to the listener. incomplete: called after one that did not
    bring the answer. owing: a unit whose late answer may still come."""

    def __init__(self, incomplete: Callable[[], None]) -> None:
        super().__init__(DecodePDU(False))
        self.listener = Listener()
        self.owing = -1
        self._incomplete = incomplete

    def encode(self, payload: bytes, _dev_id: int, _tid: int) -> bytes:
        frame = rtu(_dev_id, payload)
        self.listener.begin(frame, self.owing)
        return frame

    def handleFrame(self, data: bytes, exp_devid: int, exp_tid: int) -> tuple[int, ModbusPDU | None]:
        answer = self.listener.heard(data)
        if answer is not None:
            return len(data), RawPdu.of(exp_devid, answer)
        self._incomplete()
        return len(data), None


class RtuWire:
    """RTU frames carry no number: after a time-out the next request to the same unit first waits for the
    late answer, which would else be taken for its own."""

    def __init__(self, port: Port) -> None:
        self.seen: Seen | None = None
        self._port = port
        self._where = port.device if port.type == "COM" else f"{port.host}:{port.port}"
        self._quiet_s = max(QUIET_S, silence_s(port)) if port.type == "COM" else QUIET_S
        self._client: ModbusBaseClient | None = None
        self._framer = ListeningFramer(self._wait_for_silence)
        self._silence: asyncio.TimerHandle | None = None
        self._late: tuple[int, float] | None = None  # unit that owes an answer, until when it may come
        self._arrived = asyncio.Event()

    @property
    def connected(self) -> bool:
        return self._client is not None and self._client.connected

    @property
    def echo_known(self) -> bool:
        return self._framer.listener.echoes is not None

    async def open(self) -> None:
        """Raises PortDown when the port cannot be opened."""
        client = self._new_client()
        client.set_max_no_responses(NO_ANSWERS_BEFORE_DISCONNECT)
        client.ctx.max_buffer_size = MAX_CHUNK_BYTES
        client.ctx.framer = self._framer = ListeningFramer(self._wait_for_silence)
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
        self._stop_silence()
        if client is not None:
            client.close()

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        """PDU of the answer within timeout_s. Raises PortDown when the line is gone, BadFrame when the answer
        cannot be read, NoAnswer without one.
        """
        client = self._client
        if client is None or not client.connected:
            raise PortDown(f"{self._where}: connection lost")
        self._framer.owing = self._late[0] if self._late else -1
        await self._wait_for_late_answer(unit)
        client.ctx.comm_params.timeout_connect = timeout_s
        try:
            answer: ModbusPDU = await client.execute(False, RawPdu.of(unit, pdu))
        except (ConnectionException, OSError) as error:
            raise PortDown(f"{self._where}: {error}") from None
        except ModbusIOException:
            if not client.connected:
                raise PortDown(f"{self._where}: connection lost") from None
            return self._gave_up(unit, timeout_s)
        except ModbusException as error:
            raise BadFrame(str(error)) from None
        finally:
            self._stop_silence()
        assert isinstance(answer, RawPdu)
        return bytes((answer.function_code,)) + answer.data

    def _gave_up(self, unit: int, timeout_s: float) -> bytes:
        """The answer found at the last moment; NoAnswer, BadFrame. What still comes is late."""
        late = unit, asyncio.get_running_loop().time() + timeout_s
        try:
            return self._framer.listener.gave_up(timeout_s)
        except (NoAnswer, BadFrame):
            self._late = late
            raise

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
                await asyncio.sleep(self._quiet_s)

    def _wait_for_silence(self) -> None:
        self._stop_silence()
        self._silence = asyncio.get_running_loop().call_later(self._quiet_s, self._silent)

    def _stop_silence(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None

    def _silent(self) -> None:
        """Nothing more came: an answer behind noise, or a damaged one, need not wait for the time-out."""
        self._silence = None
        client = self._client
        if client is None or client.ctx.response_future.done():
            return
        try:
            answer = self._framer.listener.silent()
        except BadFrame as error:
            client.ctx.response_future.set_exception(error)
        else:
            if answer is not None:
                client.ctx.response_future.set_result(RawPdu.of(client.ctx.request_dev_id, answer))

    def _traced(self, sending: bool, data: bytes) -> bytes:
        if not sending:
            self._arrived.set()
        if self.seen is not None:
            self.seen("request" if sending else "answer", data)
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
        """pymodbus says why only in its log; the usual reasons of a serial port can be seen from outside."""
        if self._port.type == "NET":
            return f"refused, unreachable or silent for {CONNECT_TIMEOUT_S:.0f} s"
        if not Path(self._port.device).exists():
            return "no such device"
        if not os.access(self._port.device, os.R_OK | os.W_OK):
            return "no permission"
        return f"cannot be opened; perhaps {HELD}"
