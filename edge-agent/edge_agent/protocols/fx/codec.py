"""Frames of the FX programming port, both roles: bytes to frames and requests, and back. Pure.

A frame is STX, upper-case hexadecimal digits, ETX and two digits of the sum of everything from the first
digit to ETX, modulo 256. ENQ, ACK and NAK stand alone. An answer carries two digits a byte of memory; a
request a command, four digits of address (of a bit device its low byte first), a byte count and its data.
Nothing in an answer says which request it belongs to, and some requests could be answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from edge_agent.errors import BadFrame
from edge_agent.protocols.fx.areas import Command, CommandSet, Memory, Operation, commands
from edge_agent.protocols.line_decoder import LineDecoder

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15
CONTROLS = {ENQ: "ENQ", ACK: "ACK", NAK: "NAK"}

FRAME_CHARS = 4  # STX, ETX, two digits of the sum
MAX_BYTES = 255
LONGEST = 9 + 2 * MAX_BYTES  # digits of the longest request: E10, address, count, data

DIGITS = re.compile(rb"[0-9A-F]*")

Token = int | bytes
"""ENQ, ACK or NAK, or the digits of a frame whose sum is right."""


@dataclass(frozen=True, slots=True)
class Request:
    """address: of a byte; of a bit device with force_on and force_off; the rate's digit with speed.

    count: bytes to read; data: bytes to write.
    """

    operation: Operation
    set: CommandSet
    address: int
    count: int = 0
    data: bytes = b""
    memory: Memory = "device"


def framed(digits: bytes) -> bytes:
    """Wire bytes of a frame."""
    return b"\x02%b\x03%b" % (digits, checksum_of(digits))


def digits_of(data: bytes) -> bytes:
    """Digits of an answer that carries these bytes."""
    return data.hex().upper().encode()


def encode(request: Request) -> bytes:
    """Wire bytes of a request; ValueError names what does not fit."""
    command = _command(request)
    if not 0 <= request.address <= 0xFFFF:
        raise ValueError(f"address {request.address:#x}: must fit four digits")
    match request.operation:
        case "read":
            body = b"%04X%02X" % (request.address, _counted(request.count))
        case "write":
            body = b"%04X%02X" % (request.address, _counted(len(request.data))) + digits_of(request.data)
        case "speed":
            body = b"%X" % request.address
        case _:
            body = digits_of(request.address.to_bytes(2, "little"))
    return framed(command.prefix + body)


def decode(digits: bytes) -> Request:
    """Request in a frame's digits; BadFrame names the field that is wrong."""
    command = next((each for each in commands() if digits.startswith(each.prefix)), None)
    if command is None:
        raise BadFrame(f"command {digits[:3].decode()}: must be one of {_prefixes()}")
    body = digits[len(command.prefix) :]
    operation, where = command.operation, (command.operation, command.set)
    if operation == "speed":
        _sized("rate", body, 1)
        return Request(*where, int(body, 16), memory=command.memory)
    if operation in ("force_on", "force_off"):
        _sized("address", body, 4)
        return Request(*where, int.from_bytes(bytes.fromhex(body.decode()), "little"), memory=command.memory)
    if len(body) < 6:
        raise BadFrame(f"address and count: must be 6 digits, {len(body)} came")
    address, count, rest = int(body[:4], 16), int(body[4:6], 16), body[6:]
    if not count:
        raise BadFrame("count: must be from 1 to 255 bytes, 0 came")
    _sized("data", rest, 2 * count if operation == "write" else 0)
    if operation == "write":
        return Request(*where, address, data=bytes.fromhex(rest.decode()), memory=command.memory)
    return Request(*where, address, count, memory=command.memory)


def answer_data(digits: bytes) -> bytes:
    """Bytes of memory that an answer carries; BadFrame when a digit is missing."""
    if len(digits) % 2:
        raise BadFrame(f"data: must be two digits a byte, {len(digits)} digits came")
    return bytes.fromhex(digits.decode())


class Decoder(LineDecoder):
    """Bytes in any portions to tokens. What is neither frame nor control character is skipped and counted.

    A frame that breaks off is dropped together with the byte that broke it, so that noise within a frame is
    not taken for an acknowledgement. Bounded: holds at most one frame that is still incomplete.
    """

    def feed(self, data: bytes) -> list[Token]:
        """Tokens that these bytes complete, in order of arrival."""
        held = self._held + data
        tokens: list[Token] = []
        at, size = 0, len(held)
        while at < size:
            byte = held[at]
            if byte in CONTROLS:
                tokens.append(byte)
                at += 1
                continue
            end = _frame_end(held, at) if byte == STX else at + 1
            if end is None:
                break
            if byte == STX and _complete(held[at:end]):
                digits = held[at + 1 : end - 3]
                if checksum_of(digits) == held[end - 2 : end]:
                    tokens.append(digits)
                else:
                    self.checksum_errors += 1
                    self.discarded_bytes += end - at
            else:
                self.discarded_bytes += end - at
            at = end
        self._held = held[at:]
        return tokens


def checksum_of(digits: bytes) -> bytes:
    """Two digits of the sum that a frame with these digits ends with."""
    return b"%02X" % (sum(digits) + ETX & 0xFF)


def _frame_end(held: bytes, start: int) -> int | None:
    """Where a frame that begins at start ends, sound or broken; None while it may still go on."""
    end: int = DIGITS.match(held, start + 1).end()  # type: ignore[union-attr]  # it matches no digits too
    if end - start - 1 > LONGEST:
        return end
    if end == len(held):
        return None
    if held[end] != ETX or end == start + 1:
        return end if held[end] == STX else end + 1
    tail: int = DIGITS.match(held, end + 1, end + 3).end()  # type: ignore[union-attr]
    if tail == end + 3:
        return tail
    if tail == len(held):
        return None
    return tail if held[tail] == STX else tail + 1


def _complete(frame: bytes) -> bool:
    return len(frame) > FRAME_CHARS and frame[-3] == ETX


def _command(request: Request) -> Command:
    key = request.operation, request.set, request.memory
    for command in commands():
        if (command.operation, command.set, command.memory) == key:
            return command
    raise ValueError(
        f"no command for {request.operation} of {request.memory} memory in the {request.set} set"
    )


def _counted(count: int) -> int:
    if not 1 <= count <= MAX_BYTES:
        raise ValueError(f"count {count}: must be from 1 to {MAX_BYTES} bytes")
    return count


def _sized(field: str, digits: bytes, expected: int) -> None:
    if len(digits) != expected:
        raise BadFrame(f"{field}: must be {expected} digits, {len(digits)} came")


def _prefixes() -> str:
    return ", ".join(command.prefix.decode() for command in commands())
