"""A meter of DL/T 645: reads, follow-up frames, address, clock, relay. Pure; the time is a function.

The relay command 1C comes from the supplement of 2007; 1997 knows none.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from edge_agent.protocols.dlt645.codec import BROADCAST, FROM_METER, MORE_FOLLOWS, REFUSED, Frame
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.dlt645.statutes import STATUTES, printed
from firmware_sim.devices.dlt645.description import MeterDevice
from firmware_sim.devices.dlt645.values import MeterValues, date_bytes, moment_of, time_bytes
from firmware_sim.process.process import Process

OTHER_ERROR, NO_SUCH_DATA, NOT_AUTHORISED = 0x01, 0x02, 0x04
TRIP, PERMIT_CLOSING, CLOSE = 0x1A, 0x1B, 0x1C
RELAY_OPEN, COMMAND_OPEN = 0x10, 0x40  # bits of status word 3
OPERATOR_BYTES = 4
LARGEST_CORRECTION = timedelta(minutes=5)


class Refusal(Exception):
    """The meter refuses with an error byte."""

    def __init__(self, error: int) -> None:
        super().__init__(error)
        self.error = error


class Dlt645Meter:
    """clock: the plant's moment, on which the meter's own clock runs with an offset."""

    def __init__(
        self, device: MeterDevice, process: Process, clock: Callable[[], datetime], *, seed: int = 0
    ) -> None:
        self.address = device.address
        self.wake_up = device.wake_up
        self.statute = STATUTES[device.statute]
        self._device = device
        self._process = process
        self._clock = clock
        self._offset = timedelta()
        self._last_set: datetime | None = None
        self._values = MeterValues(device, process, seed=seed)
        self._password = bytes((device.level,)) + bytes.fromhex(device.password)[::-1]
        self._rest: tuple[bytes, list[bytes]] = (b"", [])
        self._sent = 0  # follow-up frames of a meter that does not number them
        self._last: tuple[int, bytes] | None = None
        self._closed_without_load = 1.0
        self._ordered: tuple[datetime, float] | None = None
        handlers = {
            "read": self._read,
            "read_more": self._read_more if self.statute.counted else self._read_next,
            "read_again": self._read_again,
            "write": self._write,
            "relay": self._switch,
        }
        codes = self.statute.codes
        self._commands = {codes[name]: handler for name, handler in handlers.items() if name in codes}
        self._addressed_by_anyone = {
            codes[name] for name in ("read", "read_more", "read_again", "read_address") if name in codes
        }
        self._own = self._own_items()

    @property
    def now(self) -> datetime:
        """What the meter's clock shows."""
        return self._clock() + self._offset

    @property
    def closed(self) -> bool:
        """Where the relay's contact is."""
        relay = self._device.relay
        return bool(self._closed_without_load if relay is None else self._process.value(relay))

    def refresh(self) -> None:
        """Show the process of this moment; move the contact when its delay is over."""
        if self._ordered is not None and self._clock() >= self._ordered[0]:
            self._move(self._ordered[1])
            self._ordered = None
        self._values.refresh()

    def answer(self, request: Frame) -> Frame | None:
        """Answer to a frame on the line; None when the meter keeps silent."""
        if request.from_meter:
            return None
        if request.control == self.statute.codes["set_time"]:
            if request.address == BROADCAST:
                self._set_time(request.data)
            return None
        if not self._is_meant(request):
            return None
        try:
            control, data = self._answer(request)
        except Refusal as refusal:
            return Frame(self.address, request.control | FROM_METER | REFUSED, bytes((refusal.error,)))
        return Frame(self.address, request.control | FROM_METER | control, data)

    def _is_meant(self, request: Frame) -> bool:
        """A stands for any digit, but only reading may be addressed so.

        A meter of 1997 answers a read at the broadcast address too, and no command of another statute.
        """
        if self.statute.name == "1997" and request.function not in self.statute.commands:
            return False
        if request.control not in self._addressed_by_anyone:
            return request.address == self.address
        if request.address == BROADCAST:
            return self.statute.name == "1997"
        return all(asked in ("A", own) for asked, own in zip(request.address, self.address, strict=True))

    def _own_items(self) -> dict[str, Callable[[], bytes]]:
        """Clock, address and status by identifier, as far as the statute has them."""
        own: dict[str, Callable[[], bytes]] = {
            "DATE": lambda: date_bytes(self.now),
            "TIME": lambda: time_bytes(self.now),
            "ADR": lambda: bytes.fromhex(self.address)[::-1],
            "NUM": lambda: bytes.fromhex(self.address)[::-1],
            "ONOFF": self._status_3,
        }
        known = items(self.statute.name)
        return {known[name].di: value for name, value in own.items() if name in known}

    def _answer(self, request: Frame) -> tuple[int, bytes]:
        """Control bits beside the function, and data."""
        if request.control == self.statute.codes.get("read_address"):
            return 0, bytes.fromhex(self.address)[::-1]
        command = self._commands.get(request.control)
        if command is None:
            raise Refusal(OTHER_ERROR)
        return command(request.data)

    def _read(self, data: bytes) -> tuple[int, bytes]:
        self._rest, self._sent, self._last = (b"", []), 0, None
        if len(data) != self.statute.di_bytes:
            raise Refusal(OTHER_ERROR)
        value = self._value(printed(data))
        if value is None:
            raise Refusal(NO_SUCH_DATA)
        size = self._device.frame_bytes
        first, *rest = [value[at : at + size] for at in range(0, len(value), size)]
        self._rest = (data, rest)
        self._last = (MORE_FOLLOWS if rest else 0, data + first)
        return self._last

    def _read_more(self, data: bytes) -> tuple[int, bytes]:
        """The frame that a sequence number from 1 asks for; asked again, it comes again."""
        di, rest = self._rest
        if len(data) != len(di) + 1 or data[:-1] != di or not 1 <= data[-1] <= len(rest):
            raise Refusal(NO_SUCH_DATA)
        number = data[-1]
        return MORE_FOLLOWS if number < len(rest) else 0, di + rest[number - 1] + data[-1:]

    def _read_next(self, data: bytes) -> tuple[int, bytes]:
        """1997: the frame behind the one sent last, without a number; lost, it comes with a re-read."""
        di, rest = self._rest
        if not di or data != di or self._sent >= len(rest):
            raise Refusal(NO_SUCH_DATA)
        self._sent += 1
        self._last = (MORE_FOLLOWS if self._sent < len(rest) else 0, di + rest[self._sent - 1])
        return self._last

    def _read_again(self, data: bytes) -> tuple[int, bytes]:
        if data or self._last is None:
            raise Refusal(OTHER_ERROR)
        return self._last

    def _value(self, di: str) -> bytes | None:
        own = self._own.get(di)
        return self._values.get(di) if own is None else own()

    def _status_3(self) -> bytes:
        ordered_closed = self.closed if self._ordered is None else bool(self._ordered[1])
        word = (0 if self.closed else RELAY_OPEN) | (0 if ordered_closed else COMMAND_OPEN)
        return word.to_bytes(2, "little")

    def _write(self, data: bytes) -> tuple[int, bytes]:
        """The clock is what can be written. Data: identifier, level and password, operator (2007), value."""
        size = self.statute.di_bytes
        begin = size + len(self._password) + (OPERATOR_BYTES if self.statute.operator else 0)
        if len(data) < begin:
            raise Refusal(OTHER_ERROR)
        if data[size : size + len(self._password)] != self._password:
            raise Refusal(NOT_AUTHORISED)
        di, value = printed(data[:size]), data[begin:]
        known = items(self.statute.name)
        if di == known["DATE"].di and len(value) == 4:
            moment = moment_of(time_bytes(self.now) + value[1:])
        elif di == known["TIME"].di and len(value) == 3:
            moment = moment_of(value + date_bytes(self.now)[1:])
        else:
            raise Refusal(NO_SUCH_DATA if self._value(di) is None else OTHER_ERROR)
        if moment is None:
            raise Refusal(OTHER_ERROR)
        self._offset = moment - self._clock()
        return 0, b""

    def _switch(self, data: bytes) -> tuple[int, bytes]:
        """Level and password, operator, N1, N2, valid until. Accepted now, the contact moves later."""
        if len(data) != 16:
            raise Refusal(OTHER_ERROR)
        if data[:4] != self._password:
            raise Refusal(NOT_AUTHORISED)
        until = moment_of(data[10:16])
        if until is None or until < self.now or data[8] not in (TRIP, PERMIT_CLOSING, CLOSE):
            raise Refusal(OTHER_ERROR)
        if data[8] != PERMIT_CLOSING:  # then the customer's button closes it, and nobody presses here
            due = self._clock() + timedelta(seconds=self._device.relay_delay_s)
            self._ordered = (due, 1.0 if data[8] == CLOSE else 0.0)
        return 0, b""

    def _set_time(self, data: bytes) -> None:
        """Broadcast: taken once a day, when it differs by at most five minutes."""
        moment, now = moment_of(data) if len(data) == 6 else None, self.now
        if moment is None or abs(moment - now) > LARGEST_CORRECTION:
            return
        if self._last_set is not None and self._last_set.date() == now.date():
            return
        self._last_set = now
        self._offset = moment - self._clock()

    def _move(self, position: float) -> None:
        if self._device.relay is None:
            self._closed_without_load = position
        else:
            self._process.set(self._device.relay, position)
