"""The answer to one RTU request in what a serial line brings. Pure.

RTU frames have neither mark nor number. What is taken: a frame with sound checksum from the unit that was
asked, of the function and size that were asked for, or that unit's exception to it. In front of it may stand
the request itself (an RS-485 adapter that hears itself), noise, and other units' frames.

The confirmation of functions 05 and 06 is equal to the request. So once a line was heard to echo, one copy is
never a confirmation; while that is not known (echoes is None), neither.
"""

from __future__ import annotations

from edge_agent.errors import BadChecksum, BadFrame, ForeignAnswer, NoAnswer
from edge_agent.protocols.modbus.frames import (
    EXCEPTION,
    EXCEPTION_BYTES,
    READ_BITS,
    READ_REGISTERS,
    WRITE_COIL,
    WRITE_REGISTER,
    answer_size,
    crc,
    expected_size,
)

QUOTED_BYTES = 16  # of what cannot be understood, in a message
MAX_HELD_BYTES = 2048  # seven of the longest frames; more without an answer is a babbling line


class Listener:
    """One line. asked() begins, heard() and silent() bring the answer, gave_up() says what was wrong."""

    def __init__(self) -> None:
        self.echoes: bool | None = None
        self.strays = 0
        self._request = b""
        self._held = b""
        self._size = 0
        self._echo_due = False
        self._echoed = False
        self._clean = True
        self._owing = -1
        self._wrong = ""

    def begin(self, request: bytes, owing: int = -1) -> None:
        """An RTU frame goes out. owing: a unit whose late answer may still come."""
        self._request, self._held, self._wrong, self._owing = request, b"", "", owing
        self._size = expected_size(request)
        self._echo_due, self._echoed, self._clean = self._may_be_echo(), False, True

    def heard(self, data: bytes) -> bytes | None:
        """Bytes in the order of their arrival."""
        if not self._request:
            self.strays += len(data)
            return None
        self._held = (self._held + data)[-MAX_HELD_BYTES:]
        if self._echo_due and not self._without_echo():
            return None
        return self._take()

    def silent(self) -> bytes | None:
        """The line is silent: looks behind noise. BadFrame when the answer is there, but damaged.

        Raises BadChecksum when a frame of the right size has a wrong one.
        """
        request, held = self._request, self._held
        if not request or len(held) < EXCEPTION_BYTES:
            return None
        for at in range(len(held) - EXCEPTION_BYTES + 1):
            if self._sound(at) and self._is_answer(at):
                # Fewer bytes than half the request are noise; more may have been a damaged echo.
                self._held, self._clean = held[at:], at < len(request) // 2
                return self._take() or self.silent()
        if held[0] != request[0] or held[1] & ~EXCEPTION != request[1]:
            return None
        size = EXCEPTION_BYTES if held[1] & EXCEPTION else self._size or answer_size(held)
        if len(held) < size:
            return None
        self._request = b""
        body, sent = held[: size - 2], held[size - 2 : size]
        raise BadChecksum(f"checksum {sent.hex()}, {crc(body).hex()} expected for {_quoted(held)}")

    def gave_up(self, timeout_s: float) -> bytes:
        """The time is over: the answer behind noise, else NoAnswer or BadFrame. Nothing more is awaited.

        Raises ForeignAnswer when only other frames came, BadFrame for a part of an answer or noise.
        """
        answer = self.silent()
        if answer is not None:
            return answer
        held, request, self._request = self._held, self._request, b""
        words = f"no answer within {timeout_s * 1000:.0f} ms"
        if self._wrong:
            raise ForeignAnswer(self._wrong)
        if self._echoed and not held:
            raise NoAnswer(f"{words}, only the echo of the request")
        if not held:
            self.echoes = bool(self.echoes)  # an echo comes without any slave
            raise NoAnswer(words)
        if held[0] == request[0] and (len(held) == 1 or held[1] & ~EXCEPTION == request[1]):
            raise BadFrame(
                f"half an answer, {len(held)} of {self._size or answer_size(held)} bytes: {_quoted(held)}"
            )
        raise BadFrame(f"no frame of unit {request[0]} in {_quoted(held)}")

    def _may_be_echo(self) -> bool:
        """Whether the request, heard back, is not its own answer."""
        if self.echoes is not False:
            return True
        return self._request[1] not in (WRITE_COIL, WRITE_REGISTER) and self._size != len(self._request)

    def _without_echo(self) -> bool:
        """Take the echo away; False while more must come to tell whether it is one."""
        request = self._request
        if self._held.startswith(request):
            self._held = self._held[len(request) :]
            self._echoed = True
            if self._request[1] not in (WRITE_COIL, WRITE_REGISTER) and self._size != len(request):
                self.echoes = True
        elif request.startswith(self._held):
            return False
        self._echo_due = False
        return True

    def _take(self) -> bytes | None:
        """The answer, if it stands first; other whole frames before it are dropped."""
        while self._sound(0):
            size = answer_size(self._held)
            frame, self._held = self._held[:size], self._held[size:]
            if frame == self._request and not self._echoed and self.echoes is not False:
                self._echoed = True
            elif self._fits(frame):
                if self.echoes is None and not self._echoed and not self._wrong and self._clean:
                    self.echoes = False
                self._request = b""
                return frame[1:-2]
            elif frame[0] != self._owing:
                self._wrong = _difference(frame, self._request, self._size)
        return None

    def _sound(self, at: int) -> bool:
        """Whether a whole frame begins there."""
        size = answer_size(self._held, at)
        end = at + size
        return 0 < size <= len(self._held) - at and crc(self._held[at : end - 2]) == self._held[end - 2 : end]

    def _is_answer(self, at: int) -> bool:
        return self._fits(self._held[at : at + answer_size(self._held, at)])

    def _fits(self, frame: bytes) -> bool:
        request = self._request
        if frame[0] != request[0] or frame[1] & ~EXCEPTION != request[1]:
            return False
        return bool(frame[1] & EXCEPTION) or len(frame) == (self._size or len(frame))


def _difference(frame: bytes, request: bytes, size: int) -> str:
    if frame[0] != request[0]:
        return f"answer of unit {frame[0]}, asked {request[0]}"
    if frame[1] & ~EXCEPTION != request[1]:
        return f"answer of function {frame[1]}, asked {request[1]}"
    if request[1] in (*READ_BITS, *READ_REGISTERS):
        return f"answer of {len(frame) - 5} data bytes, {size - 5} expected"
    return f"answer of {len(frame)} bytes, {size} expected"


def _quoted(data: bytes) -> str:
    return data[:QUOTED_BYTES].hex(" ") + (" ..." if len(data) > QUOTED_BYTES else "")
