"""Talks to the meters of one line: one request at a time, answers matched by meter, function, identifier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, FieldbusError, NoAnswer
from edge_agent.protocols.base import Raw
from edge_agent.protocols.dlt645.codec import LONGEST, Decoder, Frame, bcd_to_int, encode, int_to_bcd
from edge_agent.protocols.dlt645.config import item_of, options_of
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.dlt645.planner import MeterBlock, di_bytes, value_of
from edge_agent.transports.base import Transport

READ, READ_MORE, RELAY = 0x11, 0x12, 0x1C
TRIP, CLOSE = 0x1A, 0x1C  # N1 of a relay command

INTER_BYTE_S = 0.5  # section 5.3: a longer pause ends a frame
MOST_FOLLOW_UPS = 32  # 33 frames of 200 bytes; a meter that never says "last" must not hold the line
QUIET_S = 0.05  # after a late answer's first bytes: it is over
RELAY_VALID_FOR = timedelta(minutes=5)  # on the meter's own clock
RELAY_SETTLE_S = 3.0  # acceptance comes before the contact moves; then the state is read back as it is
RELAY_LOOK_S = 0.3

ERROR_BITS = {
    0x01: "other error",
    0x02: "no such data",
    0x04: "wrong password or not authorised",
    0x08: "rate cannot be changed",
    0x10: "too many year zones",
    0x20: "too many day slots",
    0x40: "too many tariffs",
}


class Dlt645Driver:
    """Every meter of one port."""

    def __init__(self, port: Port, transport: Transport) -> None:
        self.gap_s = port.min_interval_ms / 1000
        self._quiet_from = 0.0
        self._transport = transport
        self._decoder = Decoder()
        self._longest_s = (LONGEST + 4) * 11 / port.baud
        self._late: tuple[str, float] | None = None  # meter that owes an answer, until when it may come

    @property
    def checksum_errors(self) -> int:
        return self._decoder.checksum_errors

    async def connect(self) -> None:
        await self._transport.open()
        self._decoder.reset()
        self._late = None

    async def close(self) -> None:
        await self._transport.close()

    async def read(self, slave: Slave, block: MeterBlock) -> Sequence[Raw]:
        return block.decode(await self._read_data(slave, block.di))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        if item_of(point).kind != "relay":
            raise BadValue("only the relay can be written over DL/T 645")
        if raw not in (0, 1):
            raise BadValue("a relay is opened with 0 and closed with 1")
        options = options_of(slave)
        deadline = await self._meter_time(slave) + RELAY_VALID_FOR
        data = b"".join(
            (
                bytes((options.level,)),
                bytes.fromhex(options.password)[::-1],
                bytes.fromhex(options.operator)[::-1],
                bytes((CLOSE if raw else TRIP, 0)),
                bytes.fromhex(deadline.strftime("%S%M%H%d%m%y")),
            )
        )
        await self._ask(slave, Frame(slave.address, RELAY, data), lambda frame: True)
        await self._settled(slave, int(raw))

    async def _settled(self, slave: Slave, wanted: int) -> None:
        """Return when status word 3 shows the wanted state, at the latest after RELAY_SETTLE_S."""
        relay = items()["ONOFF"]
        loop = asyncio.get_running_loop()
        until = loop.time() + RELAY_SETTLE_S
        while True:
            try:
                if value_of(relay, await self._read_data(slave, di_bytes(relay.di))) == wanted:
                    return
            except (NoAnswer, BadFrame):
                pass  # the contact's spark disturbs the line; asked again until the time is over
            if loop.time() >= until:
                return
            await asyncio.sleep(RELAY_LOOK_S)

    async def _meter_time(self, slave: Slave) -> datetime:
        """Clock of the meter, UTC standing for its unknown zone; BadFrame when it shows no date."""
        day = await self._read_data(slave, di_bytes("04000101"))  # WW DD MM YY
        time = await self._read_data(slave, di_bytes("04000102"))  # ss mm hh
        numbers = [bcd_to_int(bytes((byte,))) for byte in day[1:4] + time[:3]]
        if len(numbers) != 6 or None in numbers:
            raise BadFrame("the meter's clock shows no date")
        date, month, year, second, minute, hour = (number or 0 for number in numbers)
        try:
            return datetime(2000 + year, month, date, hour, minute, second, tzinfo=UTC)
        except ValueError as error:
            raise BadFrame(f"the meter's clock shows no date: {error}") from None

    async def _read_data(self, slave: Slave, di: bytes) -> bytes:
        """Value bytes of an identifier, follow-up frames joined."""
        answer = await self._ask(slave, Frame(slave.address, READ, di), lambda frame: frame.data[:4] == di)
        data = answer.data[4:]
        number = 0
        while answer.more_follows:
            number += 1
            if number > MOST_FOLLOW_UPS:
                raise BadFrame(f"more than {MOST_FOLLOW_UPS} follow-up frames")
            request = Frame(slave.address, READ_MORE, di + bytes((number,)))
            answer = await self._ask(
                slave, request, lambda frame: frame.data[:4] == di and len(frame.data) > 4
            )
            if answer.data[-1] != number:
                raise BadFrame(f"follow-up frame {answer.data[-1]}, asked {number}")
            data += answer.data[4:-1]
        return data

    async def _ask(self, slave: Slave, request: Frame, belongs: Callable[[Frame], bool]) -> Frame:
        """The meter's answer. DeviceRefused carries its error byte (0 when it sent none)."""
        await self._wait_for_late_answer(slave)
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._quiet_from + self.gap_s - loop.time()))
        self._transport.discard_input()
        self._decoder.reset()
        await self._transport.write(encode(request, options_of(slave).wake_up))
        try:
            answer = await self._receive(slave, request, belongs)
        except FieldbusError:
            self._late = (slave.address, loop.time() + slave.response_timeout_ms / 1000)
            raise
        finally:
            self._quiet_from = loop.time()
        if answer.refused:
            code = answer.data[0] if answer.data else 0
            meaning = ", ".join(text for bit, text in ERROR_BITS.items() if code & bit)
            raise DeviceRefused(code, meaning or "no reason given")
        return answer

    async def _receive(self, slave: Slave, request: Frame, belongs: Callable[[Frame], bool]) -> Frame:
        loop = asyncio.get_running_loop()
        silent_until = loop.time() + slave.response_timeout_ms / 1000
        last = silent_until + self._longest_s + INTER_BYTE_S
        bad_before, heard = self._decoder.checksum_errors, False
        while True:
            now = loop.time()
            data = (
                await self._transport.read_some(max(0.0, min(silent_until, last) - now))
                if now < last
                else b""
            )
            frames = self._decoder.feed(data) if data else self._decoder.give_up()
            for frame in frames:
                if _answers(frame, request) and (frame.refused or belongs(frame)):
                    return frame
            if not data:
                break
            heard = True
            silent_until = (
                max(silent_until, loop.time() + INTER_BYTE_S) if self._decoder.pending else silent_until
            )
        if self._decoder.checksum_errors > bad_before:
            raise BadFrame("answer with a wrong checksum")
        if heard:
            raise BadFrame("no whole answer to this request came")
        raise NoAnswer(f"no answer within {slave.response_timeout_ms} ms")

    async def _wait_for_late_answer(self, slave: Slave) -> None:
        """An error answer names no identifier: a late one must not meet the meter's next request."""
        if self._late is None:
            return
        address, until = self._late
        left = until - asyncio.get_running_loop().time()
        if left > 0 and address != slave.address:
            return
        self._late = None
        if left > 0:
            while await self._transport.read_some(left):
                left = QUIET_S


def _answers(frame: Frame, request: Frame) -> bool:
    """Whether a frame comes from the asked meter and answers the asked function."""
    if not frame.from_meter or frame.function != request.function:
        return False
    return all(asked in ("A", came) for asked, came in zip(request.address, frame.address, strict=True))


def clock_bytes(moment: datetime) -> tuple[bytes, bytes]:
    """A moment as a meter stores it: WW DD MM YY (0 is Sunday) and ss mm hh."""
    weekday = (moment.weekday() + 1) % 7
    day = b"".join(int_to_bcd(n, 1) for n in (weekday, moment.day, moment.month, moment.year % 100))
    return day, b"".join(int_to_bcd(n, 1) for n in (moment.second, moment.minute, moment.hour))
