"""Modbus TCP slaves for load: float32 points whose answers are slices of bytes made beforehand.

Nothing here costs what the devices of a plant cost (no process, no faults, no writes), so that a benchmark
measures the master. The values are noise, as a measurement's last digits are, and every request is answered
from another place of it: no two neighbouring answers are the same, and nothing compresses them well.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from firmware_sim.devices.modbus.codec import (
    ILLEGAL_ADDRESS,
    ILLEGAL_FUNCTION,
    ILLEGAL_VALUE,
    LONGEST_PDU,
    MAX_REGISTERS,
    MBAP,
    exception,
    mbap,
)
from firmware_sim.errors import StartError
from firmware_sim.lines.tcp_listener import HOST, Master, Masters

HIGHEST_PORT = 65_535
MAX_CONNECTIONS = 64
MAX_DELAYED = 1024
MAX_SLAVES = 4096
MAX_POINTS = 32_768  # 65536 registers
PHASES = (
    16_381  # requests until the values come again; prime, so that equal blocks of a sweep never meet the same
)
STEP = 6_151
NOISE_SEED = 7
READ_REQUEST = 12
READS = b"\3\4"  # functions 03 and 04
_RANGE = struct.Struct(">HH")
_HEADS = [struct.pack(">HH", 0, 3 + 2 * count) for count in range(MAX_REGISTERS + 1)]
_COUNTS = [bytes((2 * count,)) for count in range(MAX_REGISTERS + 1)]


@cache
def _noise(values: int) -> bytes:
    """Big-endian float32 around 50; one copy for all slaves of a size."""
    gauss = Random(NOISE_SEED).gauss  # noqa: S311 (a simulation)
    return struct.pack(f">{values}f", *(gauss(50, 12) for _ in range(values)))


class LoadSlave:
    """Answers functions 03 and 04 for any unit. points: float32 from register 0, two registers each."""

    def __init__(self, points: int) -> None:
        self.requests = 0
        self.refused = 0
        self._registers = 2 * points
        self._image = _noise(points + PHASES)
        self._phase = 0

    def answer(self, frame: bytes) -> bytes:
        """Frame of the answer to a frame with a sound header."""
        self.requests += 1
        if frame[7] not in READS:
            return self._refusal(frame, ILLEGAL_FUNCTION)
        if len(frame) != READ_REQUEST:
            return self._refusal(frame, ILLEGAL_VALUE)
        start, count = _RANGE.unpack_from(frame, 8)
        if not 0 < count <= MAX_REGISTERS:
            return self._refusal(frame, ILLEGAL_VALUE)
        if start + count > self._registers:
            return self._refusal(frame, ILLEGAL_ADDRESS)
        self._phase = (self._phase + STEP) % PHASES
        at = 2 * start + 4 * self._phase
        data = self._image[at : at + 2 * count]
        return b"".join((frame[:2], _HEADS[count], frame[6:8], _COUNTS[count], data))

    def _refusal(self, frame: bytes, code: int) -> bytes:
        self.refused += 1
        return mbap(frame[:2], frame[6], exception(frame[7], code))


class LoadConnection(Master):
    """One master."""

    def __init__(self, server: LoadServer, slave: LoadSlave) -> None:
        super().__init__(server.masters)
        self._server = server
        self._slave = slave
        self._held = b""
        self._delayed: set[asyncio.TimerHandle] = set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for handle in self._delayed:
            handle.cancel()
        self._delayed.clear()

    def data_received(self, data: bytes) -> None:
        if len(data) == READ_REQUEST and not self._held and data[2:6] == b"\0\0\0\6":
            self._send(self._slave.answer(data))
            return
        held, at, answers = self._held + data, 0, []
        while len(held) - at >= MBAP:
            length = int.from_bytes(held[at + 4 : at + 6], "big")
            if held[at + 2 : at + 4] != b"\0\0" or not 2 <= length <= LONGEST_PDU + 1:
                self.close()
                return
            end = at + 6 + length
            if end > len(held):
                break
            answers.append(self._slave.answer(held[at:end]))
            at = end
        self._held = held[at:]
        if answers:
            self._send(b"".join(answers))

    def _send(self, answer: bytes) -> None:
        transport, delay_s = self._transport, self._server.delay_s()
        if transport is None:
            return
        if not delay_s:
            transport.write(answer)
            return
        if len(self._delayed) >= MAX_DELAYED:
            self._server.dropped += 1
            return

        def due() -> None:
            self._delayed.discard(handle)
            transport.write(answer)

        handle = asyncio.get_running_loop().call_later(delay_s, due)
        self._delayed.add(handle)


class LoadServer:
    """Slaves on ports of loopback: consecutive from base_port, or free ones when that is 0."""

    def __init__(
        self,
        *,
        slaves: int,
        points: int,
        base_port: int = 0,
        latency_s: tuple[float, float] = (0.0, 0.0),
        seed: int = 1,
    ) -> None:
        self.slaves = [LoadSlave(points) for _ in range(slaves)]
        self.masters = Masters(MAX_CONNECTIONS + 4 * slaves)
        self.dropped = 0
        self._base_port = base_port
        self._latency_s = latency_s
        self._uniform = Random(seed).uniform  # noqa: S311 (a simulation)
        self._servers: list[asyncio.Server] = []

    @property
    def ports(self) -> Sequence[int]:
        """One for each slave, once it is open."""
        return [server.sockets[0].getsockname()[1] for server in self._servers]

    def delay_s(self) -> float:
        low_s, high_s = self._latency_s
        return low_s if low_s == high_s else self._uniform(low_s, high_s)

    def figures(self) -> dict[str, int]:
        """What happened until now."""
        return {
            "requests": sum(slave.requests for slave in self.slaves),
            "refused": sum(slave.refused for slave in self.slaves),
            "dropped": self.dropped,
        }

    async def open(self) -> None:
        """Raises StartError when a port is taken or there are more slaves than files that may be open."""
        loop = asyncio.get_running_loop()
        if self._base_port + len(self.slaves) > HIGHEST_PORT + 1:
            raise StartError(
                f"port {self._base_port}: {len(self.slaves)} ports from it end above {HIGHEST_PORT}"
            )
        for index, slave in enumerate(self.slaves):
            port = self._base_port + index if self._base_port else 0
            try:
                self._servers.append(await loop.create_server(self._connections_of(slave), HOST, port))
            except OSError as error:
                self.close()
                raise StartError(f"port {port} of slave {index + 1}: {error.strerror or error}") from None

    def close(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        self.masters.disconnect()

    def _connections_of(self, slave: LoadSlave) -> Callable[[], LoadConnection]:
        return lambda: LoadConnection(self, slave)
