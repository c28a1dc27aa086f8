"""Frames 1E, which FX3U-ENET speaks. Pure.

Request: command, PC number, timer, head device, device code, points, 00, data; in ASCII the device code
stands before the head device. Answer: command + 80h, end code, data. Nothing says how long a frame is: the
request does. FX3U-ENET user's manual, section 9.1.
"""

from __future__ import annotations

from typing import Any

from edge_agent.errors import BadFrame
from edge_agent.protocols.mc.codec import (
    OK,
    Answer,
    Code,
    Command,
    Reader,
    Request,
    Route,
    data_size,
    number,
    pack,
    to_numbers,
    unpack,
)
from edge_agent.protocols.mc.names import named
from edge_agent.protocols.mc.tables import FrameName, meaning_of, models

REQUEST_HEAD, MODEL_HEAD = 12, 4
ANSWER_HEAD = 2
MODEL_SIZE = 2
FROM_PLC = 0x80
CANNOT_ANSWER = 0x5B  # an abnormal code and 00 follow
MAX_POINTS = 256  # sent as 00

READ_BITS, READ_WORDS, WRITE_BITS, WRITE_WORDS, MODEL = 0, 1, 2, 3, 0x15
NAMES = {
    READ_BITS: "batch read in bits",
    READ_WORDS: "batch read in words",
    WRITE_BITS: "batch write in bits",
    WRITE_WORDS: "batch write in words",
    MODEL: "model name read",
}
KINDS: dict[int, tuple[Command, bool]] = {
    READ_BITS: ("read", True),
    READ_WORDS: ("read", False),
    WRITE_BITS: ("write", True),
    WRITE_WORDS: ("write", False),
    MODEL: ("model", False),
}
NUMBERS = {kind: command for command, kind in KINDS.items()}


class Frame1E:
    """One data code of frame 1E."""

    name: FrameName = "1e"

    def __init__(self, code: Code) -> None:
        self.code = code
        self._unit = 1 if code == "binary" else 2

    def encode_request(self, request: Request) -> bytes:
        code = self.code
        front = b"".join(
            (
                number(NUMBERS[request.command, request.bits], 1, code),
                number(request.route.pc, 1, code),
                number(request.timer, 2, code),
            )
        )
        if request.command == "model":
            return front
        head, device = number(request.start, 4, code), number(request.device, 2, code)
        return b"".join(
            (
                front,
                *((head, device) if code == "binary" else (device, head)),
                number(request.count % MAX_POINTS, 1, code),
                number(0, 1, code),
                pack(request.data, request.bits, code, even=True),
            )
        )

    def request_size(self, data: bytes) -> int | None:
        if len(data) < self._unit:
            return None
        command, bits = _kind(Reader(data, self.code).number("command", 1))
        head = (MODEL_HEAD if command == "model" else REQUEST_HEAD) * self._unit
        if command != "write":
            return head
        if len(data) < head:
            return None
        count = Reader(data[head - 2 * self._unit :], self.code).number("points", 1) or MAX_POINTS
        return head + data_size(bits, count, self.code, even=True)

    def decode_request(self, data: bytes) -> Request:
        """Raises BadFrame, which names field and rule (FX3U-ENET user's manual, section 9.1)."""
        reader = Reader(data, self.code)
        command, bits = _kind(reader.number("command", 1))
        route = Route(pc=reader.number("PC number", 1))
        timer = reader.number("monitoring timer", 2)
        if command == "model":
            reader.end()
            return Request(command, timer=timer, route=route)
        if self.code == "binary":
            start, device = reader.number("head device", 4), reader.number("device code", 2)
        else:
            device, start = reader.number("device code", 2), reader.number("head device", 4)
        count = reader.number("points", 1) or MAX_POINTS
        if reader.number("behind the points", 1):
            raise BadFrame("behind the points: must be 00")
        if command == "write":
            values = unpack(reader.rest(), bits, count, self.code, even=True)
        else:
            reader.end()
            values = b""
        return Request(command, bits, device, start, count, timer, route, values)

    def encode_answer(self, request: Request, answer: Answer) -> bytes:
        command = NUMBERS[request.command, request.bits]
        if answer.end_code:
            return self.refusal(command, answer.end_code)
        head = number(command | FROM_PLC, 1, self.code) + number(OK, 1, self.code)
        if request.command == "model":
            return head + b"".join(number(byte, 1, self.code) for byte in answer.data)
        return head + pack(answer.data, request.bits, self.code, even=True)

    def refusal(self, command: int, end_code: int) -> bytes:
        """An answer without data; end_code 5Bxx carries the abnormal code."""
        head = number(command | FROM_PLC, 1, self.code)
        if end_code >> 8 == CANNOT_ANSWER:
            return head + b"".join(number(part, 1, self.code) for part in (end_code >> 8, end_code & 0xFF, 0))
        return head + number(end_code, 1, self.code)

    def answer_size(self, request: Request, data: bytes) -> int | None:
        head = ANSWER_HEAD * self._unit
        if len(data) < head:
            return None
        end_code = self._answer_head(request, Reader(data, self.code))
        if end_code == CANNOT_ANSWER or (end_code == OK and request.command == "model"):
            return head + 2 * self._unit
        if end_code or request.command == "write":
            return head
        return head + data_size(request.bits, request.count, self.code, even=True)

    def decode_answer(self, request: Request, data: bytes) -> Answer:
        reader = Reader(data, self.code)
        end_code = self._answer_head(request, reader)
        values = b""
        if end_code == CANNOT_ANSWER:
            end_code = end_code << 8 | reader.number("abnormal code", 1)
            reader.number("behind the abnormal code", 1)
        elif end_code == OK and request.command == "model":
            values = bytes(reader.number("model", 1) for _ in range(MODEL_SIZE))
        elif end_code == OK and request.command == "read":
            values = unpack(reader.rest(), request.bits, request.count, self.code, even=True)
        reader.end()
        return Answer(end_code, values)

    def model_of(self, data: bytes) -> str:
        return models(self.name).get(data[0], f"model {data[0]:02X}")

    def _answer_head(self, request: Request, reader: Reader) -> int:
        """End code of an answer to the request's command."""
        wanted = FROM_PLC | NUMBERS[request.command, request.bits]
        subheader = reader.number("subheader", 1)
        if subheader != wanted:
            raise BadFrame(f"subheader: must be {wanted:02X}, is {subheader:02X}")
        return reader.number("end code", 1)

    def describe(self, data: bytes, answer: bool) -> dict[str, Any]:
        return self._described_answer(data) if answer else self._described_request(data)

    def _described_request(self, data: bytes) -> dict[str, Any]:
        request = self.decode_request(data)
        fields: dict[str, Any] = {
            "direction": "request",
            "frame": "1E",
            "code": self.code,
            "command": NAMES[NUMBERS[request.command, request.bits]],
            "pc": request.route.pc,
            "timer_ms": request.timer * 250,
        }
        if request.command == "model":
            return fields
        fields |= {**named(self.name, request), "count": request.count}
        return {**fields, "values": to_numbers(request.data, request.bits)} if request.data else fields

    def _described_answer(self, data: bytes) -> dict[str, Any]:
        """How many points were asked is not in the frame: as many as there are data."""
        reader = Reader(data, self.code)
        number_of = reader.number("subheader", 1) ^ FROM_PLC
        command, bits = _kind(number_of)
        size = max(0, len(data) - ANSWER_HEAD * self._unit)
        points = size * (2 // self._unit) if bits else size // (2 * self._unit)
        end_code = reader.number("end code", 1)
        answer = self.decode_answer(Request(command, bits, count=points), data)
        fields: dict[str, Any] = {
            "direction": "answer",
            "frame": "1E",
            "code": self.code,
            "command": NAMES[number_of],
            "end_code": f"{end_code:02X}",
        }
        if answer.end_code:
            return {**fields, "meaning": meaning_of(self.name, answer.end_code)}
        if command == "model":
            return {**fields, "model": self.model_of(answer.data)}
        return fields if command == "write" else {**fields, "values": to_numbers(answer.data, bits)}


def _kind(command: int) -> tuple[Command, bool]:
    if command not in KINDS:
        raise BadFrame(f"command: must be from 00 to 03, or 15, is {command:02X}")
    return KINDS[command]
