"""RFC 2217, the server's side: telnet with serial settings. Pure.

Bytes are carried in binary whether the client asked for it or not; only IAC is doubled. What the gateway
cannot do (flow control, modem lines, break) is answered with what is in use, as the standard says.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from edge_contract.tunnel import Line

IAC, SB, SE = 255, 250, 240
WILL, WONT, DO, DONT = 251, 252, 253, 254
BINARY, SGA, COM_PORT = 0, 3, 44
SUPPORTED = frozenset({BINARY, SGA, COM_PORT})

SIGNATURE, BAUD, DATA_BITS, PARITY, STOP_BITS, CONTROL = 0, 1, 2, 3, 4, 5
MODEM_STATE, SUSPEND, RESUME, LINE_MASK, MODEM_MASK, PURGE = 7, 8, 9, 10, 11, 12
ANSWER = 100
"""Added to a command in the server's answer."""

PARITIES: dict[int, Literal["N", "O", "E"]] = {1: "N", 2: "O", 3: "E"}
IN_USE = {0: 1, 1: 1, 2: 1, 3: 1, 4: 6, 5: 6, 6: 6, 7: 8, 8: 8, 9: 8, 10: 11, 11: 11, 12: 11}
"""SET-CONTROL to its answer: no flow control, no break, DTR and RTS on; inbound flow (13 to 19): none."""
NO_INBOUND_FLOW = 14
READY_TO_SEND = 0xB0
"""Modem state CD, DSR, CTS on: no tunnel carries them, and a client that waits for them would hang."""
MAX_SUBOPTION = 256
"""A longer suboption is none of RFC 2217 and is dropped."""


@dataclass(frozen=True)
class Data:
    """Bytes for the line."""

    data: bytes


@dataclass(frozen=True)
class SetLine:
    """Settings for the line; line_is() answers the client once the gateway has told what it uses."""

    line: Line


@dataclass(frozen=True)
class Say:
    """Bytes for the client."""

    data: bytes


@dataclass(frozen=True)
class Purge:
    """Drop what waits for the client."""


Action = Data | SetLine | Say | Purge


class Rfc2217:
    """One client's connection. suspended: it asked for nothing more for now."""

    def __init__(self, line: Line, signature: str) -> None:
        self.suspended = False
        self._line = line
        self._wanted = line
        self._signature = signature.encode()
        self._pending: deque[int] = deque()
        self._notified = False
        self._state: Callable[[int], Iterator[Action]] = self._in_data
        self._verb = 0
        self._suboption = bytearray()
        self._ours = {BINARY, SGA}
        self._theirs = {BINARY, SGA, COM_PORT}

    def greeting(self) -> bytes:
        """What the server says first."""
        return b"".join(
            bytes((IAC, verb, option))
            for verb, option in ((WILL, BINARY), (DO, BINARY), (WILL, SGA), (DO, SGA), (DO, COM_PORT))
        )

    def feed(self, data: bytes) -> list[Action]:
        """What bytes of the client mean, in order. Any bytes mean something or nothing, never an error."""
        actions: list[Action] = []
        plain = bytearray()
        at = 0
        while at < len(data):
            if self._state == self._in_data:
                end = data.find(IAC, at)
                end = len(data) if end < 0 else end
                plain += data[at:end]
                at = end
                if at == len(data):
                    break
            for action in self._state(data[at]):
                if isinstance(action, Data):
                    plain += action.data
                    continue
                if plain:
                    actions.append(Data(bytes(plain)))
                    plain.clear()
                actions.append(action)
            at += 1
        if plain:
            actions.append(Data(bytes(plain)))
        return actions

    def to_client(self, data: bytes) -> bytes:
        """Bytes of the line as they go to the client."""
        return data.replace(b"\xff", b"\xff\xff")

    def line_is(self, line: Line) -> bytes:
        """The gateway told its settings: the answer to the oldest request, nothing when there is none."""
        self._line = line
        if not self._pending:
            self._wanted = line
            return b""
        command = self._pending.popleft()
        if not self._pending:
            self._wanted = line
        return self._answer(command)

    def _in_data(self, byte: int) -> Iterator[Action]:
        """An IAC; feed() takes everything else at once."""
        self._state = self._after_iac
        yield from ()

    def _after_iac(self, byte: int) -> Iterator[Action]:
        self._state = self._in_data
        if byte == IAC:
            yield Data(b"\xff")
        elif byte in (WILL, WONT, DO, DONT):
            self._verb = byte
            self._state = self._in_negotiation
        elif byte == SB:
            self._suboption.clear()
            self._state = self._in_suboption

    def _in_negotiation(self, option: int) -> Iterator[Action]:
        """Answer a change only: two sides that confirm confirmations never end."""
        self._state = self._in_data
        ours = self._verb in (DO, DONT)
        agreed = self._ours if ours else self._theirs
        if self._verb in (DO, WILL):
            if option not in SUPPORTED:
                yield Say(bytes((IAC, WONT if ours else DONT, option)))
            elif option not in agreed:
                agreed.add(option)
                yield Say(bytes((IAC, WILL if ours else DO, option)))
            if option == COM_PORT and not ours:
                yield from self._notify()
        elif option in agreed:
            agreed.discard(option)
            yield Say(bytes((IAC, WONT if ours else DONT, option)))

    def _in_suboption(self, byte: int) -> Iterator[Action]:
        if byte == IAC:
            self._state = self._after_iac_in_suboption
        elif len(self._suboption) <= MAX_SUBOPTION:
            self._suboption.append(byte)
        yield from ()

    def _after_iac_in_suboption(self, byte: int) -> Iterator[Action]:
        self._state = self._in_suboption
        if byte == IAC:
            self._suboption.append(IAC)
        elif byte == SE:
            self._state = self._in_data
            text = bytes(self._suboption)
            if 2 <= len(text) <= MAX_SUBOPTION and text[0] == COM_PORT:
                yield from self._command(text[1], text[2:])

    def _notify(self) -> Iterator[Action]:
        """The modem lines, once: with the client's WILL, or else with its first command."""
        if not self._notified:
            self._notified = True
            yield Say(suboption(MODEM_STATE + ANSWER, bytes((READY_TO_SEND,))))

    def _command(self, command: int, value: bytes) -> Iterator[Action]:
        if command == MODEM_STATE:
            self._notified = False  # a client that asks
        yield from self._notify()
        if command == SIGNATURE:
            if not value:
                yield Say(suboption(SIGNATURE + ANSWER, self._signature))
        elif command in (BAUD, DATA_BITS, PARITY, STOP_BITS):
            yield from self._set(command, value)
        elif command == CONTROL and len(value) == 1:
            yield Say(suboption(CONTROL + ANSWER, bytes((IN_USE.get(value[0], NO_INBOUND_FLOW),))))
        elif command in (SUSPEND, RESUME):
            self.suspended = command == SUSPEND
        elif command in (LINE_MASK, MODEM_MASK):
            yield Say(suboption(command + ANSWER, value[:1]))
        elif command == PURGE and len(value) == 1:
            if value[0] in (1, 3):
                yield Purge()
            yield Say(suboption(PURGE + ANSWER, value))

    def _set(self, command: int, value: bytes) -> Iterator[Action]:
        wanted = wanted_line(self._wanted, command, value)
        if wanted is None and not self._pending:
            yield Say(self._answer(command))
            return
        if wanted is not None:
            self._wanted = wanted
        self._pending.append(command)
        yield SetLine(self._wanted)

    def _answer(self, command: int) -> bytes:
        return suboption(command + ANSWER, setting(self._line, command))


def wanted_line(line: Line, command: int, value: bytes) -> Line | None:
    """The line with one setting changed; None when it is only asked for, or cannot be had."""
    if len(value) != (4 if command == BAUD else 1):
        return None
    number = int.from_bytes(value, "big")
    if command == BAUD:
        return msgspec.structs.replace(line, baud=number) if 300 <= number <= 921_600 else None
    if command == PARITY:
        return msgspec.structs.replace(line, parity=PARITIES[number]) if number in PARITIES else None
    if command == DATA_BITS:
        return msgspec.structs.replace(line, data_bits=number) if number in (7, 8) else None
    return msgspec.structs.replace(line, stop_bits=number) if number in (1, 2) else None


def setting(line: Line, command: int) -> bytes:
    """One setting as the client reads it."""
    if command == BAUD:
        return struct.pack(">I", line.baud)
    if command == PARITY:
        return bytes(code for code, name in PARITIES.items() if name == line.parity)
    return bytes((line.data_bits if command == DATA_BITS else line.stop_bits,))


def suboption(command: int, value: bytes) -> bytes:
    """A COM-PORT-OPTION of the server."""
    return bytes((IAC, SB, COM_PORT, command)) + value.replace(b"\xff", b"\xff\xff") + bytes((IAC, SE))
