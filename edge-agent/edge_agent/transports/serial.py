"""Serial lines. The only file that imports pyserial and pyserial-asyncio-fast."""

from __future__ import annotations

import asyncio
import errno
import termios

import serial_asyncio_fast
from serial import Serial  # type: ignore[attr-defined]  # exported without saying so

from edge_agent.config.model import Port
from edge_agent.errors import PortDown
from edge_agent.transports.base import HELD, StreamTransport, framing

LOCKED = {errno.EAGAIN, errno.EBUSY}


def _held(error: Exception) -> bool:
    """Whether another program has locked the line, or opened it exclusively."""
    return getattr(error, "errno", None) in LOCKED


class SerialTransport(StreamTransport):
    """A COM port, opened exclusively."""

    def __init__(self, port: Port) -> None:
        super().__init__()
        self._port = port
        self._line: Serial | None = None
        self.where = port.device

    @property
    def port(self) -> Port:
        """The settings in use."""
        return self._port

    async def open(self) -> None:
        """Raises PortDown when the device cannot be opened or set."""
        await self.close()
        queue = self._new_queue()
        port = self._port
        data_bits, parity = framing(port)
        try:
            # Opening a tty may wait for the modem lines, so it is done beside the loop.
            line = await asyncio.to_thread(
                Serial,
                port.device,
                baudrate=port.baud,
                bytesize=data_bits,
                parity=parity,
                stopbits=port.stop_bits,
                exclusive=True,
            )
        except (OSError, ValueError, termios.error) as error:
            raise PortDown(f"{self.where}: {HELD if _held(error) else error}") from None
        loop = asyncio.get_running_loop()
        self._line = line
        self._stream = serial_asyncio_fast.SerialTransport(loop, queue, line)
        self._stream.set_write_buffer_limits(0)  # drained() waits until all is with the driver
        await asyncio.sleep(0)  # the transport announces itself in the next turn of the loop
        queue.lost = None

    async def set_line(self, port: Port, timeout_s: float) -> None:
        """Use other settings once what was written has left the line. PortDown: it broke or refuses them."""
        line = self._line
        if line is None or self._stream is None:
            raise PortDown(f"{self.where}: not open")
        await self.drained(timeout_s)
        data_bits, parity = framing(port)
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.to_thread(line.flush)
            line.baudrate, line.stopbits = port.baud, port.stop_bits
            line.bytesize, line.parity = data_bits, parity
        except TimeoutError:
            raise PortDown(f"{self.where}: what was written does not leave the line") from None
        except (OSError, ValueError, termios.error) as error:
            raise PortDown(f"{self.where}: {error}") from None
        self._port = port
