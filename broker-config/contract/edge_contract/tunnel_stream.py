"""One end of a tunnel as a pure state machine: numbering, window, credit and end. Both sides use it.

What is to be sent is queued with put(), write() and close() and fetched with next_frame(); what arrives goes
into receive() and comes out of read() in order. Data and control frames keep their order among each other.
"""

from __future__ import annotations

from collections import deque

from edge_contract.errors import PayloadError
from edge_contract.payloads import decode, encode
from edge_contract.tunnel import MAX_DATA, WINDOW, Close, Frame, Kind, credit, read_credit

BUFFER = 64 * 1024
"""Bytes of one direction that wait for their turn to be sent."""
MAX_CONTROLS = 64
"""Control frames that wait to be sent or read; a side that sends more than is read breaks the rules."""
CREDIT_EVERY = WINDOW // 4
"""Bytes taken after which the other side gets credit."""
LAST_SEQ = 2**32 - 1
"""Number of the frame that ends a tunnel of which nothing else is known: a hole for whoever still has it."""


class TunnelStream:
    """Bytes sent, received and taken are counted; ended says why, once no more is taken or sent."""

    def __init__(self, tunnel: str) -> None:
        self.tunnel = tunnel
        self.sent = 0
        self.received = 0
        self.taken = 0
        self.confirmed = 0
        self.ended: Close | None = None
        self._credited = 0  # bytes of which the other side knows that they were taken
        self._next_out = 1
        self._next_in = 1
        self._outgoing: deque[tuple[Kind, bytearray]] = deque()
        self._queued = 0
        self._incoming: deque[tuple[Kind, bytearray]] = deque()
        self._controls = 0

    @property
    def free(self) -> int:
        """Bytes that write() takes now; none while too much of anything waits."""
        crowded = self.ended is not None or len(self._outgoing) >= MAX_CONTROLS
        return 0 if crowded else BUFFER - self._queued

    @property
    def flushed(self) -> bool:
        """True when nothing waits to be sent."""
        return not self._outgoing

    @property
    def finished(self) -> bool:
        """True once the last frame was fetched, or the other side ended the tunnel."""
        return self.ended is not None and not self._outgoing

    def write(self, data: bytes) -> None:
        """Queue bytes. ValueError: more than free."""
        if len(data) > self.free:
            raise ValueError(f"at most {self.free} bytes now")
        if not data:
            return
        if self._outgoing and self._outgoing[-1][0] is Kind.DATA:
            self._outgoing[-1][1].extend(data)
        else:
            self._outgoing.append((Kind.DATA, bytearray(data)))
        self._queued += len(data)

    def put(self, kind: Kind, payload: bytes = b"") -> None:
        """Queue a control frame behind what was written."""
        if self.ended is None:
            self._outgoing.append((kind, bytearray(payload)))

    def close(self, close: Close) -> None:
        """End from this side, whatever waits; the first reason counts."""
        if self.ended is None:
            close = Close(code=close.code[:200], detail=close.detail[:200])
            self._end(close)
            self._outgoing.append((Kind.CLOSE, bytearray(encode(close))))

    def next_frame(self) -> Frame | None:
        """The next frame to send; None when there is none, or the window is full."""
        if self.ended is None and self.taken - self._credited >= CREDIT_EVERY:
            self._credited = self.taken
            return self._numbered(Kind.CREDIT, credit(self.taken))
        if not self._outgoing:
            return None
        kind, payload = self._outgoing[0]
        if kind is not Kind.DATA:
            self._outgoing.popleft()
            return self._numbered(kind, bytes(payload))
        size = min(len(payload), MAX_DATA, WINDOW - (self.sent - self.confirmed))
        if size == 0:
            return None
        part = bytes(payload[:size])
        del payload[:size]
        if not payload:
            self._outgoing.popleft()
        self._queued -= size
        self.sent += size
        return self._numbered(Kind.DATA, part)

    def receive(self, frame: Frame) -> None:
        """Take a frame. One that was seen is ignored; a hole or a broken rule ends the tunnel as lost."""
        if self.ended is not None or frame.seq < self._next_in:
            return
        if frame.seq > self._next_in:
            self._lost(f"frame {frame.seq} came where {self._next_in} was due")
            return
        self._next_in += 1
        try:
            self._take(frame)
        except PayloadError as error:
            self._lost(str(error))

    def read(self) -> tuple[Kind, bytes] | None:
        """What arrived next: a run of data, or a control frame's payload."""
        if not self._incoming:
            return None
        kind, payload = self._incoming.popleft()
        if kind is not Kind.DATA:
            self._controls -= 1
        return kind, bytes(payload)

    def drop(self) -> int:
        """Throw away data that was not read, keep the rest; the number of bytes."""
        count = sum(len(payload) for kind, payload in self._incoming if kind is Kind.DATA)
        self._incoming = deque(item for item in self._incoming if item[0] is not Kind.DATA)
        return count

    def took(self, count: int) -> None:
        """So many bytes of what was read have gone where they belong."""
        self.taken += count

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.DATA:
                self._take_data(frame.payload)
            case Kind.CREDIT:
                total = read_credit(frame.payload)
                if total > self.sent:
                    raise PayloadError("credit", f"at most the {self.sent} bytes that were sent")
                self.confirmed = max(self.confirmed, total)
            case Kind.CLOSE:
                close = decode(Close, frame.payload)
                self._incoming.append((Kind.CLOSE, bytearray(frame.payload)))
                self._controls += 1
                self._end(close)
            case _:
                if self._controls >= MAX_CONTROLS:
                    raise PayloadError("frame", f"at most {MAX_CONTROLS} that were not read")
                self._incoming.append((frame.kind, bytearray(frame.payload)))
                self._controls += 1

    def _take_data(self, data: bytes) -> None:
        self.received += len(data)
        if self.received - self._credited > WINDOW:
            raise PayloadError("payload", f"at most {WINDOW} bytes that were not confirmed")
        if self._incoming and self._incoming[-1][0] is Kind.DATA:
            self._incoming[-1][1].extend(data)
        else:
            self._incoming.append((Kind.DATA, bytearray(data)))

    def _lost(self, detail: str) -> None:
        """What was read in order stays readable; the other side gets a CLOSE frame."""
        self.close(Close(code="lost", detail=detail))

    def _end(self, close: Close) -> None:
        """Nothing that waits goes out any more."""
        self.ended = close
        self._outgoing.clear()
        self._queued = 0

    def _numbered(self, kind: Kind, payload: bytes) -> Frame:
        frame = Frame(self.tunnel, self._next_out, kind, payload)
        self._next_out += 1
        return frame
