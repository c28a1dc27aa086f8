"""Requests of a Modbus master, and the frames of a serial line in which they come. Pure.

Functions, limits and exceptions: MODBUS Application Protocol Specification V1.1b3, sections 6 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.errors import AgentError
from edge_agent.protocols.modbus.frames import (
    COIL_ON,
    EXCEPTION,
    REQUEST,
    SHORTEST_RTU,
    WRITE_COIL,
    WRITE_COILS,
    WRITE_REGISTER,
    WRITE_REGISTERS,
    crc,
    shortest_sound,
)

ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE, DEVICE_FAILURE, DEVICE_BUSY = 1, 2, 3, 4, 6
NO_SUCH_TARGET = 0x0B
"""Gateway target device failed to respond: there is no unit of that number here."""

READ_AREAS = {1: "0X", 2: "1X", 3: "4X", 4: "3X"}
WRITE_AREAS = {WRITE_COIL: "0X", WRITE_REGISTER: "4X", WRITE_COILS: "0X", WRITE_REGISTERS: "4X"}
MAX_COUNTS = {1: 2000, 2: 2000, 3: 125, 4: 125, WRITE_COILS: 1968, WRITE_REGISTERS: 123}
COILS = {COIL_ON: b"\1", 0: b"\0"}
HEAD_BYTES = 6
"""Of a request that carries a list: function, address, count, bytes."""
MAX_HELD_BYTES = 1024
"""Four of the longest frames; more without an end is a babbling line."""


class RequestRefused(AgentError):
    """A request is answered with an exception. code: of the exception."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.exception_code = code


@dataclass(frozen=True)
class MasterRequest:
    """data: of a write: registers as they come, one byte 0 or 1 for each coil; None of a read."""

    function: int
    area: str
    start: int
    count: int
    data: bytes | None = None


def request_of(pdu: bytes) -> MasterRequest:
    """Raises RequestRefused for an unknown function, a wrong count, a wrong length."""
    function = pdu[0] if pdu else 0
    if function in READ_AREAS:
        start, count = _head(pdu, REQUEST.size)
        _check_count(function, count)
        return MasterRequest(function, READ_AREAS[function], start, count)
    if function in (WRITE_COIL, WRITE_REGISTER):
        start, value = _head(pdu, REQUEST.size)
        if function == WRITE_REGISTER:
            return MasterRequest(function, "4X", start, 1, pdu[3:5])
        if value not in COILS:
            raise RequestRefused(ILLEGAL_VALUE, f"coil value {value:#06x}, 0xff00 or 0 expected")
        return MasterRequest(function, "0X", start, 1, COILS[value])
    if function in (WRITE_COILS, WRITE_REGISTERS):
        start, count = _head(pdu[: REQUEST.size], REQUEST.size)
        _check_count(function, count)
        size = (count + 7) // 8 if function == WRITE_COILS else 2 * count
        if len(pdu) != HEAD_BYTES + size or pdu[5] != size:
            raise RequestRefused(ILLEGAL_VALUE, f"{len(pdu)} bytes, {HEAD_BYTES + size} expected")
        data = pdu[HEAD_BYTES:]
        if function == WRITE_COILS:
            packed = int.from_bytes(data, "little")
            data = bytes(packed >> at & 1 for at in range(count))
        return MasterRequest(function, WRITE_AREAS[function], start, count, data)
    raise RequestRefused(ILLEGAL_FUNCTION, f"function {function}")


def read_answer(request: MasterRequest, data: bytes) -> bytes:
    """PDU of the answer. data: registers, or one byte 0 or 1 for each bit."""
    if request.function in (1, 2):
        packed = sum(bit << at for at, bit in enumerate(data))
        data = packed.to_bytes((request.count + 7) // 8, "little")
    return bytes((request.function, len(data))) + data


def write_answer(pdu: bytes) -> bytes:
    """PDU of the confirmation: the beginning of the request."""
    return pdu[: REQUEST.size]


def exception_answer(pdu: bytes, code: int) -> bytes:
    function = pdu[0] if pdu else 0
    return bytes((function & ~EXCEPTION | EXCEPTION, code))


def _head(pdu: bytes, size: int) -> tuple[int, int]:
    if len(pdu) != size:
        raise RequestRefused(ILLEGAL_VALUE, f"{len(pdu)} bytes, {size} expected")
    _, start, second = REQUEST.unpack(pdu)
    return start, second


def _check_count(function: int, count: int) -> None:
    if not 1 <= count <= MAX_COUNTS[function]:
        raise RequestRefused(ILLEGAL_VALUE, f"count {count}, 1 to {MAX_COUNTS[function]} expected")


class RtuRequests:
    """Requests to one unit among what a serial line brings. unit 0 is the broadcast.

    A master waits once it has sent, so a request to this unit ends what was received; up to three bytes
    behind it are noise. What other slaves are sent and answer is passed over by its checksum. Behind noise a
    request is searched once the line is silent.
    """

    def __init__(self, unit: int) -> None:
        self._units = (unit, 0)
        self._held = b""
        self.discarded_bytes = 0

    @property
    def pending(self) -> bool:
        """Whether bytes are held whose meaning shows with more of them, or with silence."""
        return bool(self._held)

    def feed(self, data: bytes) -> tuple[int, bytes] | None:
        """Unit and PDU of a request that these bytes end; None without one."""
        self._hold(self._held + data)
        while self._held:
            size = self._request_size(0)
            if size and 0 <= len(self._held) - size < SHORTEST_RTU and self._is_sound(0, size):
                return self._take(0, size)
            if size > len(self._held):
                return None
            if not (sound := shortest_sound(self._held)):
                return None
            self._held = self._held[sound:]
        return None

    def silence(self) -> tuple[int, bytes] | None:
        """The line is silent: a request that stands behind noise, or None; the rest is dropped."""
        held = self._held
        for at in range(len(held)):
            size = self._request_size(at)
            if size and 0 <= len(held) - at - size < SHORTEST_RTU and self._is_sound(at, size):
                self.discarded_bytes += at
                return self._take(at, size)
        self.discarded_bytes += len(held)
        self._held = b""
        return None

    def _hold(self, data: bytes) -> None:
        excess = max(len(data) - MAX_HELD_BYTES, 0)
        self.discarded_bytes += excess
        self._held = data[excess:]

    def _request_size(self, at: int) -> int:
        """Bytes of the request to this unit that may begin there; 0: none does, or it does not show yet."""
        head = self._held[at : at + 7]
        if len(head) < 2 or head[0] not in self._units:
            return 0
        if head[1] in (WRITE_COILS, WRITE_REGISTERS):
            return HEAD_BYTES + 3 + head[6] if len(head) == 7 else 7
        return REQUEST.size + 3 if head[1] in READ_AREAS or head[1] in WRITE_AREAS else 0

    def _is_sound(self, at: int, size: int) -> bool:
        end = at + size
        return crc(self._held[at : end - 2]) == self._held[end - 2 : end]

    def _take(self, at: int, size: int) -> tuple[int, bytes]:
        frame, self._held = self._held[at : at + size], b""
        return frame[0], frame[1:-2]
