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
        self.where = port.device

    async def open(self) -> None:
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
        self._stream = serial_asyncio_fast.SerialTransport(loop, queue, line)
        await asyncio.sleep(0)  # the transport announces itself in the next turn of the loop
        queue.lost = None
