"""libmodbus as a master that shares no code with the simulator or the agent; running simulators."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from edge_agent.transports import reach
from firmware_sim.app import Simulator
from firmware_sim.plant.load import read
from firmware_sim.served_values import ServedValuesLog

START = datetime.fromisoformat("2026-03-02T10:00:00")
ENOBASE = 112345678  # libmodbus reports exception n as ENOBASE + n


@pytest.fixture(autouse=True)
def devices_on_loopback() -> None:
    """The agent's drivers reach the simulators on this machine."""
    reach.use_anything()


class ModbusError(Exception):
    """code: exception of the slave, or None when it did not answer properly."""

    def __init__(self, number: int) -> None:
        self.code = number - ENOBASE if ENOBASE < number < ENOBASE + 12 else None
        super().__init__(f"errno {number}")


class LibModbus:
    """A connection of libmodbus; calls run in a thread because they block."""

    def __init__(
        self, *, port: int | None = None, device: Path | None = None, timeout_s: float = 10.0
    ) -> None:
        self._lib = ctypes.CDLL("libmodbus.so.5", use_errno=True)
        self._lib.modbus_new_tcp.restype = self._lib.modbus_new_rtu.restype = ctypes.c_void_p
        if device is None:
            context = self._lib.modbus_new_tcp(b"127.0.0.1", port)
        else:
            context = self._lib.modbus_new_rtu(str(device).encode(), 9600, ctypes.c_char(b"N"), 8, 1)
        self._context = ctypes.c_void_p(context)
        self.wait_for(timeout_s)
        self._lib.modbus_set_slave(self._context, 1)
        self._called("modbus_connect")

    def wait_for(self, timeout_s: float) -> None:
        """For each answer from now on."""
        usec = int(timeout_s * 1e6)
        self._lib.modbus_set_response_timeout(
            self._context, ctypes.c_uint32(usec // 1_000_000), ctypes.c_uint32(usec % 1_000_000)
        )

    async def bits(self, unit: int, start: int, count: int, *, inputs: bool = False) -> list[int]:
        buffer = (ctypes.c_uint8 * count)()
        await self._call(
            "modbus_read_input_bits" if inputs else "modbus_read_bits", unit, start, count, buffer
        )
        return list(buffer)

    async def registers(self, unit: int, start: int, count: int, *, inputs: bool = False) -> list[int]:
        buffer = (ctypes.c_uint16 * count)()
        name = "modbus_read_input_registers" if inputs else "modbus_read_registers"
        await self._call(name, unit, start, count, buffer)
        return list(buffer)

    async def write_bit(self, unit: int, at: int, value: int) -> None:
        await self._call("modbus_write_bit", unit, at, value)

    async def write_bits(self, unit: int, at: int, values: list[int]) -> None:
        await self._call("modbus_write_bits", unit, at, len(values), (ctypes.c_uint8 * len(values))(*values))

    async def write_register(self, unit: int, at: int, value: int) -> None:
        await self._call("modbus_write_register", unit, at, ctypes.c_uint16(value))

    async def write_registers(self, unit: int, at: int, values: list[int]) -> None:
        buffer = (ctypes.c_uint16 * len(values))(*values)
        await self._call("modbus_write_registers", unit, at, len(values), buffer)

    def flush(self) -> None:
        self._lib.modbus_flush(self._context)

    def close(self) -> None:
        self._lib.modbus_close(self._context)
        self._lib.modbus_free(self._context)

    async def _call(self, name: str, unit: int, *words: Any) -> None:
        self._lib.modbus_set_slave(self._context, unit)
        await asyncio.to_thread(self._called, name, *words)

    def _called(self, name: str, *words: Any) -> None:
        if getattr(self._lib, name)(self._context, *words) < 0:
            raise ModbusError(ctypes.get_errno())


@pytest.fixture
def libmodbus() -> Iterator[Callable[..., LibModbus]]:
    made: list[LibModbus] = []

    def make(**words: Any) -> LibModbus:
        made.append(LibModbus(**words))
        return made[-1]

    yield make
    for master in made:
        master.close()


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """running(yaml, ...) opens a simulator whose time stands still unless advance() is called."""
    async with AsyncExitStack() as stack:

        @asynccontextmanager
        async def opened(simulator: Simulator) -> AsyncIterator[None]:
            await simulator.open()
            yield
            simulator.close()

        async def start(text: str, *, served_log: Path | None = None, **words: Any) -> Simulator:
            opened_log = None if served_log is None else stack.enter_context(ServedValuesLog(served_log))
            simulator = Simulator(read(text), tmp_path / "state", start=START, served_log=opened_log, **words)
            await stack.enter_async_context(opened(simulator))
            return simulator

        yield start
