"""A serial line behind a TCP port, as a serial device server offers it: bytes pass, frames mean nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from firmware_sim.errors import StartError

HOST = "127.0.0.1"
MAX_CONNECTIONS = 8
MAX_BYTES = 4096


class DeviceServer:
    """Every connection sees the line: what one sends the devices hear, what they send all hear."""

    def __init__(self, port: int, received: Callable[[bytes], None]) -> None:
        self.port = port
        self.refused = 0
        self._received = received
        self._listener: socket.socket | None = None
        self._connections: set[socket.socket] = set()

    def open(self) -> None:
        """Raises StartError when the port is taken. port is afterwards the one that was bound."""
        try:
            self._listener = socket.create_server((HOST, self.port))
        except OSError as error:
            raise StartError(f"port {self.port}: {error.strerror}") from None
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)

    def write(self, data: bytes) -> bool:
        """False when nobody is connected, or somebody does not read and is let go."""
        whole = bool(self._connections)
        for connection in list(self._connections):
            try:
                sent = connection.send(data)
            except OSError:
                sent = 0
            if sent != len(data):
                self._let_go(connection)
                whole = False
        return whole

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""
        for connection in list(self._connections):
            self._let_go(connection)

    def close(self) -> None:
        self.disconnect()
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        if len(self._connections) >= MAX_CONNECTIONS:
            self.refused += 1
            connection.close()
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connections.add(connection)
        asyncio.get_running_loop().add_reader(connection, self._readable, connection)

    def _readable(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(MAX_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._received(data)
        else:
            self._let_go(connection)

    def _let_go(self, connection: socket.socket) -> None:
        if connection in self._connections:
            self._connections.discard(connection)
            asyncio.get_running_loop().remove_reader(connection)
            connection.close()
