"""A meter of DL/T 645-2007: reads, follow-up frames, address, clock, relay. Pure; the time is a function.

Clauses are those of DL/T 645-2007; the relay command 1C comes from its supplement.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from edge_agent.protocols.dlt645.codec import BROADCAST, FROM_METER, MORE_FOLLOWS, REFUSED, Frame
from firmware_sim.devices.dlt645_values import (
    ADDRESS,
    DATE,
    STATUS_3,
    TIME,
    MeterValues,
    date_bytes,
    moment_of,
    time_bytes,
)
from firmware_sim.plant.description import MeterDevice
from firmware_sim.plant.process import Process

SET_TIME, READ, READ_MORE, READ_ADDRESS, WRITE, RELAY = 0x08, 0x11, 0x12, 0x13, 0x14, 0x1C
OTHER_ERROR, NO_SUCH_DATA, NOT_AUTHORISED = 0x01, 0x02, 0x04
TRIP, PERMIT_CLOSING, CLOSE = 0x1A, 0x1B, 0x1C
RELAY_OPEN, COMMAND_OPEN = 0x10, 0x40  # bits of status word 3
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
        self._device = device
        self._process = process
        self._clock = clock
        self._offset = timedelta()
        self._last_set: datetime | None = None
        self._values = MeterValues(device, process, seed=seed)
        self._password = bytes((device.level,)) + bytes.fromhex(device.password)[::-1]
        self._rest: tuple[bytes, list[bytes]] = (b"", [])
        self._closed_without_load = 1.0
        self._ordered: tuple[datetime, float] | None = None
        self._commands = {
            READ: self._read,
            READ_MORE: self._read_more,
            WRITE: self._write,
            RELAY: self._switch,
        }
        self._own: dict[str, Callable[[], bytes]] = {
            DATE: lambda: date_bytes(self.now),
            TIME: lambda: time_bytes(self.now),
            ADDRESS: lambda: bytes.fromhex(self.address)[::-1],
            STATUS_3: self._status_3,
        }

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
        if request.address == BROADCAST:
            if request.control == SET_TIME:
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
        """A stands for any digit, but only reading may be addressed so."""
        if request.control not in (READ, READ_MORE, READ_ADDRESS):
            return request.address == self.address
        return all(asked in ("A", own) for asked, own in zip(request.address, self.address, strict=True))

    def _answer(self, request: Frame) -> tuple[int, bytes]:
        """Control bits beside the function, and data."""
        if request.control == READ_ADDRESS:
            return 0, bytes.fromhex(self.address)[::-1]
        command = self._commands.get(request.control)
        if command is None:
            raise Refusal(OTHER_ERROR)
        return command(request.data)

    def _read(self, data: bytes) -> tuple[int, bytes]:
        self._rest = (b"", [])
        if len(data) != 4:
            raise Refusal(OTHER_ERROR)
        value = self._value(data[::-1].hex().upper())
        if value is None:
            raise Refusal(NO_SUCH_DATA)
        size = self._device.frame_bytes
        first, *rest = [value[at : at + size] for at in range(0, len(value), size)]
        self._rest = (data, rest)
        return MORE_FOLLOWS if rest else 0, data + first

    def _read_more(self, data: bytes) -> tuple[int, bytes]:
        """The frame that a sequence number from 1 asks for; asked again, it comes again."""
        di, rest = self._rest
        if len(data) != 5 or data[:4] != di or not 1 <= data[4] <= len(rest):
            raise Refusal(NO_SUCH_DATA)
        number = data[4]
        return MORE_FOLLOWS if number < len(rest) else 0, di + rest[number - 1] + data[4:]

    def _value(self, di: str) -> bytes | None:
        own = self._own.get(di)
        return self._values.get(di) if own is None else own()

    def _status_3(self) -> bytes:
        ordered_closed = self.closed if self._ordered is None else bool(self._ordered[1])
        word = (0 if self.closed else RELAY_OPEN) | (0 if ordered_closed else COMMAND_OPEN)
        return word.to_bytes(2, "little")

    def _write(self, data: bytes) -> tuple[int, bytes]:
        """The clock is what can be written. Data: identifier, level and password, operator, value."""
        if len(data) < 12:
            raise Refusal(OTHER_ERROR)
        if data[4:8] != self._password:
            raise Refusal(NOT_AUTHORISED)
        di, value = data[3::-1].hex().upper(), data[12:]
        if di == DATE and len(value) == 4:
            moment = moment_of(time_bytes(self.now) + value[1:])
        elif di == TIME and len(value) == 3:
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
