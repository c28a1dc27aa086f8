"""Faults at run time: JSON lines over loopback. The port stands in the state folder."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from firmware_sim.errors import FaultError, StartError

FILE = "control-port"
HOST = "127.0.0.1"
LONGEST_LINE = 1024
TIMEOUT_S = 5.0  # both sides are on this machine


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line to the simulator: put a fault on a device, "none" takes it away."""

    device: str
    fault: str


class Control:
    """The listening side. put: takes device and fault, raises FaultError."""

    def __init__(self, state: Path, put: Callable[[str, str], None]) -> None:
        self._file = state / FILE
        self._put = put
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, 0, limit=LONGEST_LINE)
        self.port = self._server.sockets[0].getsockname()[1]
        self._file.write_text(f"{self.port}\n")

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._file.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One order a connection."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                line = await reader.readline()
                writer.write(json.dumps(self._obey(line)).encode() + b"\n")
                await writer.drain()
        except (TimeoutError, OSError, ValueError):
            pass  # the other side went away or sent no line: it knows
        finally:
            writer.close()

    def _obey(self, line: bytes) -> dict[str, Any]:
        try:
            order = msgspec.json.decode(line, type=Order)
            self._put(order.device, order.fault)
        except (msgspec.MsgspecError, FaultError) as error:
            return {"error": str(error)}
        return {"device": order.device, "fault": order.fault}


def put_fault(state: Path, device: str, fault: str) -> None:
    """Ask the simulator that runs on this state folder; FaultError says why it refuses, StartError that
    none runs."""
    try:
        port = int((state / FILE).read_text())
        with socket.create_connection((HOST, port), timeout=TIMEOUT_S) as connection:
            connection.sendall(json.dumps({"device": device, "fault": fault}).encode() + b"\n")
            with connection.makefile("rb") as answers:
                answer = json.loads(answers.readline(LONGEST_LINE))
    except (OSError, ValueError) as error:
        raise StartError(f"no simulator answers for {state}: {error}") from None
    if "error" in answer:
        raise FaultError(answer["error"])
