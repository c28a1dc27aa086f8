"""Faults at run time: JSON lines over loopback. The port stands in the state folder."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from firmware_sim.errors import FaultError, SimulatorError, StartError

FILE = "control-port"
HOST = "127.0.0.1"
LONGEST_LINE = 4096
LONGEST_ANSWER = 65_536  # 280 names and their faults
TIMEOUT_S = 5.0  # both sides are on this machine


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line to the simulator: put a fault on a device or a line, "none" takes it away. Without a name
    it asks for the faults of all. request: what a platform is to ask that station for, in place of a
    fault."""

    name: str | None = None
    fault: str = "none"
    request: str | None = None


class Control:
    """The listening side. put: takes name and fault, raises FaultError. faults: the fault of each name.

    request: takes station and request, gives the number of its row, raises SimulatorError; None: there are
    no requests.
    """

    def __init__(
        self,
        state: Path,
        put: Callable[[str, str], None],
        faults: Callable[[], dict[str, str]],
        request: Callable[[str, str], int] | None = None,
    ) -> None:
        self._file = state / FILE
        self._put = put
        self._faults = faults
        self._request = request
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
            if order.request is not None:
                if self._request is None:
                    raise FaultError("request: only a platform makes requests")
                return {"request": self._request(order.name or "", order.request)}
            if order.name is not None:
                self._put(order.name, order.fault)
        except (msgspec.MsgspecError, SimulatorError) as error:
            return {"error": str(error)}
        return {"faults": self._faults()}


def put_fault(state: Path, name: str, fault: str) -> None:
    """Put a fault on a device or line of the simulator that runs on this state folder. Raises FaultError
    when it refuses, StartError when none runs."""
    _ask(state, Order(name, fault))


def faults(state: Path) -> dict[str, str]:
    """Fault by device and line of the simulator on this state folder. Raises StartError when none runs."""
    by_name: dict[str, str] = _ask(state, Order())["faults"]
    return by_name


def send_request(state: Path, station: str, request: str) -> int:
    """Let the platform that runs on this state folder ask a station; the number of the request's row in its
    store. Raises FaultError when it refuses, StartError when none runs."""
    number: int = _ask(state, Order(station, request=request))["request"]
    return number


def _ask(state: Path, order: Order) -> dict[str, Any]:
    try:
        port = int((state / FILE).read_text())
        with socket.create_connection((HOST, port), timeout=TIMEOUT_S) as connection:
            connection.sendall(msgspec.json.encode(order) + b"\n")
            with connection.makefile("rb") as answers:
                answer: dict[str, Any] = json.loads(answers.readline(LONGEST_ANSWER))
    except (OSError, ValueError) as error:
        raise StartError(f"no simulator answers for {state}: {error}") from None
    if "error" in answer:
        raise FaultError(answer["error"])
    return answer
