"""TCP, for serial-to-Ethernet converters and devices with a socket."""

from __future__ import annotations

import asyncio

from edge_agent.errors import ConnectionRefused, PortDown
from edge_agent.transports import reach
from edge_agent.transports.base import StreamTransport

CONNECT_TIMEOUT_S = 3.0  # three SYNs on a cellular link


class TcpTransport(StreamTransport):
    """One connection to host:port."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self._address = host, port
        self.where = f"{host}:{port}"

    async def open(self) -> None:
        """Raises PortDown when there is no answer within CONNECT_TIMEOUT_S, ConnectionRefused when it is
        refused.
        """
        await self.close()
        queue = self._new_queue()
        host, port = self._address
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                self._stream, _ = await reach.connect(lambda: queue, host, port)
        except TimeoutError:
            raise PortDown(f"{self.where}: no answer within {CONNECT_TIMEOUT_S:.0f} s") from None
        except ConnectionRefusedError as error:
            raise ConnectionRefused(f"{self.where}: {error.strerror or error}") from None
        except OSError as error:
            raise PortDown(f"{self.where}: {error.strerror or error}") from None
