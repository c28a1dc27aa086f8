"""Frames 3E (QnA-compatible, SLMP), which FX5U, Q, L and iQ-R speak. Pure.

Request: 50 00, route, length, timer, command, subcommand, head device and device code, points, data; in ASCII
the device code stands before the head device. Answer: D0 00, the same route, length, end code, data. The
length counts what follows it.
"""

from __future__ import annotations

from typing import Any

from edge_agent.errors import BadFrame, ForeignAnswer
from edge_agent.protocols.mc.codec import (
    Answer,
    Code,
    Command,
    Reader,
    Request,
    Route,
    digits,
    number,
    pack,
    to_numbers,
    unpack,
)
from edge_agent.protocols.mc.names import named
from edge_agent.protocols.mc.tables import Area, FrameName, areas, meaning_of, of_code

REQUEST, ANSWER = b"\x50\x00", b"\xd0\x00"
READ, WRITE, MODEL = 0x0401, 0x1401, 0x0101
WORDS, BITS = 0, 1
HEAD = 9  # subheader, route, length
COMMAND = 6  # timer, command, subcommand
DEVICE = 6  # head device, device code, points
NAME_CHARS, MODEL_SIZE = 16, 18
LONGEST = 2 + 960 * 2
"""What the length of a binary frame says at most: end code and data."""
NAMES = {READ: "batch read", WRITE: "batch write", MODEL: "model name read"}
KINDS: dict[int, Command] = {READ: "read", WRITE: "write", MODEL: "model"}
NUMBERS = {kind: command for command, kind in KINDS.items()}


class Frame3E:
    """One data code of frame 3E."""

    name: FrameName = "3e"

    def __init__(self, code: Code) -> None:
        self.code = code
        self._unit = 1 if code == "binary" else 2

    def encode_request(self, request: Request) -> bytes:
        code = self.code
        body = number(request.timer, 2, code) + self._command(request)
        if request.command != "model":
            body += b"".join(
                (
                    self._device(request.device, request.start),
                    number(request.count, 2, code),
                    pack(request.data, request.bits, code, even=False),
                )
            )
        return self._subheader(REQUEST) + self._route(request.route) + number(len(body), 2, code) + body

    def request_size(self, data: bytes) -> int | None:
        return self._size(data, REQUEST, COMMAND * self._unit, COMMAND + DEVICE + LONGEST)

    def decode_request(self, data: bytes) -> Request:
        """Raises BadFrame, which names field and rule."""
        reader = Reader(data, self.code)
        route = self._head(reader, REQUEST)
        timer = reader.number("monitoring timer", 2)
        command, bits = _kind(reader)
        if command == "model":
            reader.end()
            return Request(command, timer=timer, route=route)
        device, start = self._read_device(reader)
        count = reader.number("points", 2)
        if not count:
            raise BadFrame("points: must be at least 1")
        if command == "write":
            values = unpack(reader.rest(), bits, count, self.code, even=False)
        else:
            reader.end()
            values = b""
        return Request(command, bits, device, start, count, timer, route, values)

    def encode_answer(self, request: Request, answer: Answer) -> bytes:
        code = self.code
        body = number(answer.end_code, 2, code)
        if answer.end_code:
            body += self._route(request.route) + self._command(request)
        elif request.command == "model":
            body += answer.data[:NAME_CHARS] + number(
                int.from_bytes(answer.data[NAME_CHARS:], "little"), 2, code
            )
        else:
            body += pack(answer.data, request.bits, code, even=False)
        return self._subheader(ANSWER) + self._route(request.route) + number(len(body), 2, code) + body

    def answer_size(self, request: Request, data: bytes) -> int | None:
        return self._size(data, ANSWER, 2 * self._unit, LONGEST)

    def decode_answer(self, request: Request, data: bytes) -> Answer:
        """Raises BadFrame, which names field and rule; ForeignAnswer for another route than the request's."""
        reader = Reader(data, self.code)
        route = self._head(reader, ANSWER)
        if route != request.route:
            raise ForeignAnswer(f"route: must be that of the request, {request.route}, is {route}")
        end_code = reader.number("end code", 2)
        if end_code:
            return Answer(end_code)  # which request was refused follows; it is the only one under way
        if request.command == "write":
            reader.end()
            return Answer()
        if request.command == "model":
            name = reader.take("model", NAME_CHARS)
            code = reader.number("model code", 2)
            reader.end()
            return Answer(data=name + code.to_bytes(2, "little"))
        return Answer(data=unpack(reader.rest(), request.bits, request.count, self.code, even=False))

    def model_of(self, data: bytes) -> str:
        return data[:NAME_CHARS].decode("ascii", "replace").strip()

    def describe(self, data: bytes, answer: bool) -> dict[str, Any]:
        if answer:
            return self._described_answer(data)
        request = self.decode_request(data)
        fields: dict[str, Any] = {
            "direction": "request",
            "frame": "3E",
            "code": self.code,
            "command": NAMES[NUMBERS[request.command]],
            **_route_fields(request.route),
            "timer_ms": request.timer * 250,
        }
        if request.command == "model":
            return fields
        unit = "bits" if request.bits else "words"
        fields |= {"unit": unit, **named(self.name, request), "count": request.count}
        return {**fields, "values": to_numbers(request.data, request.bits)} if request.data else fields

    def _described_answer(self, data: bytes) -> dict[str, Any]:
        """What was asked is not in the frame, hence data stay hexadecimal."""
        reader = Reader(data, self.code)
        route = self._head(reader, ANSWER)
        end_code = reader.number("end code", 2)
        fields = {
            "direction": "answer",
            "frame": "3E",
            "code": self.code,
            **_route_fields(route),
            "end_code": f"{end_code:04X}",
        }
        rest = reader.rest()
        if end_code:
            fields["meaning"] = meaning_of(self.name, end_code)
        text = rest.hex(" ").upper() if self.code == "binary" else rest.decode("ascii", "replace")
        return {**fields, "data": text}

    def _size(self, data: bytes, subheader: bytes, min_length: int, max_length: int) -> int | None:
        head = HEAD * self._unit
        wanted = self._subheader(subheader)
        if not wanted.startswith(data[: len(wanted)]):
            raise BadFrame(f"subheader: must be {wanted.hex(' ')}, is {data[: len(wanted)].hex(' ')}")
        if len(data) < head:
            return None
        length = Reader(data[head - 2 * self._unit :], self.code).number("length", 2)
        if not min_length <= length <= max_length * self._unit:
            raise BadFrame(f"length: must be from {min_length} to {max_length * self._unit}, is {length}")
        return head + length

    def _head(self, reader: Reader, subheader: bytes) -> Route:
        reader.expect("subheader", self._subheader(subheader))
        route = Route(
            network=reader.number("network", 1),
            pc=reader.number("PC number", 1),
            io=reader.number("module I/O", 2),
            station=reader.number("station", 1),
        )
        length = reader.number("length", 2)
        if length != reader.left:
            raise BadFrame(f"length: must be {reader.left}, as many bytes follow it, is {length}")
        return route

    def _subheader(self, raw: bytes) -> bytes:
        return raw if self.code == "binary" else raw.hex().upper().encode()

    def _route(self, route: Route) -> bytes:
        sized = ((route.network, 1), (route.pc, 1), (route.io, 2), (route.station, 1))
        return b"".join(number(value, size, self.code) for value, size in sized)

    def _command(self, request: Request) -> bytes:
        unit = BITS if request.bits else WORDS
        return number(NUMBERS[request.command], 2, self.code) + number(unit, 2, self.code)

    def _device(self, device: int, start: int) -> bytes:
        if self.code == "binary":
            return number(start, 3, self.code) + number(device, 1, self.code)
        area = of_code(self.name, device)[0]
        form = b"%06d" if area.text_base == 10 else b"%06X"
        return area.text.encode() + form % start

    def _read_device(self, reader: Reader) -> tuple[int, int]:
        """Device code and number; the code of an unknown device is left to the PLC to refuse in binary."""
        if self.code == "binary":
            start = reader.number("head device", 3)
            return reader.number("device code", 1), start
        text = reader.take("device code", 2)
        area = _of_text(text)
        return area.code, digits("head device", reader.take("head device", 6), area.text_base)


def _kind(reader: Reader) -> tuple[Command, bool]:
    """Command, and whether it asks for bits."""
    command, unit = reader.number("command", 2), reader.number("subcommand", 2)
    if command not in KINDS:
        raise BadFrame(f"command: must be 0101, 0401 or 1401, is {command:04X}")
    if unit not in (WORDS, BITS) or (unit == BITS and command == MODEL):
        raise BadFrame(f"subcommand: must be 0000 or 0001, is {unit:04X}")
    return KINDS[command], unit == BITS


def _of_text(text: bytes) -> Area:
    for area in areas("3e"):
        if area.text.encode() == text:
            return area
    raise BadFrame(f"device code: must be that of a device, such as D*, is {text!r}")


def _route_fields(route: Route) -> dict[str, Any]:
    return {
        "network": route.network,
        "pc": route.pc,
        "module_io": f"{route.io:04X}",
        "station": route.station,
    }
