"""Reads and writes the meters of one port, whichever statute each of them obeys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer
from edge_agent.protocols.base import Raw, Seen
from edge_agent.protocols.dlt645.codec import BROADCAST, WILDCARD, Frame, bcd_to_int
from edge_agent.protocols.dlt645.config import Options, item_of, options_of, statute_of
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.dlt645.planner import MeterBlock
from edge_agent.protocols.dlt645.session import Session
from edge_agent.protocols.dlt645.statutes import Statute, printed, wire_di
from edge_agent.protocols.dlt645.values import value_bytes, value_of
from edge_agent.transports.base import Transport

TRIP, CLOSE = 0x1A, 0x1C  # N1 of a relay command

MAX_FOLLOW_UPS = 32  # 33 frames of 200 bytes; a meter that never says "last" must not hold the line
RELAY_VALID_FOR = timedelta(minutes=5)  # on the meter's own clock
RELAY_WAIT_S = 3.0  # acceptance comes before the contact moves; then the state is read back as it is
RELAY_LOOK_S = 0.3
KNOWN_TO_ALL = "EPF"  # every meter counts forward active energy


class Dlt645Driver:
    """Every meter of one port."""

    def __init__(self, port: Port, transport: Transport) -> None:
        self._session = Session(port, transport)
        self.gap_s = self._session.gap_s
        self._transport = transport

    @property
    def checksum_errors(self) -> int:
        return self._session.decoder.checksum_errors

    def watch(self, seen: Seen | None) -> None:
        self._transport.watch(seen)

    async def connect(self) -> None:
        await self._session.open()

    async def close(self) -> None:
        await self._transport.close()

    async def read(self, slave: Slave, block: MeterBlock) -> Sequence[Raw]:
        return block.decode(await self._read_data(slave, block.di))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        """Raises BadValue when the item can only be read or cannot hold the value; the other errors of
        Driver.write.
        """
        statute = statute_of(slave)
        item = item_of(point, statute)
        if not item.writable:
            raise BadValue(f"{item.di} can only be read")
        if item.kind == "relay":
            await self._switch(slave, statute, raw)
            return
        data = b"".join((wire_di(item.di), _identity(options_of(slave), statute), value_bytes(item, raw)))
        await self._command(slave, statute.codes["write"], data)

    async def identify(self, slave: Slave) -> str:
        """The whole address of the meter at an address that may be shortened or unknown."""
        if slave.address == WILDCARD:
            return await self.read_address(slave)
        statute = statute_of(slave)
        di = wire_di(items(statute.name)[KNOWN_TO_ALL].di)
        answer = await self._exchange(slave, Frame(slave.address, statute.codes["read"], di), _names(di))
        return _complete_address(answer.address)

    async def read_address(self, slave: Slave) -> str:
        """Address of the one meter on the line, 12 digits; of slave the options and the time-out count.

        The 2007 standard has a command for it. A meter of 1997 is read at the wildcard address and, where it
        keeps silent, at the broadcast address; its answer bears its own. NoAnswer; BadFrame when several
        meters answer at once.
        """
        statute = statute_of(slave)
        if "read_address" in statute.codes:
            request = Frame(WILDCARD, statute.codes["read_address"])
            answer = await self._ask(slave, request, lambda frame: len(frame.data) == 6)
            return _complete_address(printed(answer.data))
        code, di = statute.codes["read"], wire_di(items(statute.name)[KNOWN_TO_ALL].di)
        try:
            answer = await self._exchange(slave, Frame(WILDCARD, code, di), _names(di))
        except NoAnswer:
            answer = await self._exchange(slave, Frame(BROADCAST, code, di), _names(di))
        return _complete_address(answer.address)

    async def _switch(self, slave: Slave, statute: Statute, raw: Raw) -> None:
        if raw not in (0, 1):
            raise BadValue("a relay is opened with 0 and closed with 1")
        deadline = await self._meter_time(slave) + RELAY_VALID_FOR
        data = b"".join(
            (
                _identity(options_of(slave), statute),
                bytes((CLOSE if raw else TRIP, 0)),
                bytes.fromhex(deadline.strftime("%S%M%H%d%m%y")),
            )
        )
        await self._command(slave, statute.codes["relay"], data)
        await self._wait_for_relay(slave, int(raw))

    async def _wait_for_relay(self, slave: Slave, wanted: int) -> None:
        """Return when status word 3 shows the wanted state, at the latest after RELAY_WAIT_S."""
        relay = items()["ONOFF"]
        loop = asyncio.get_running_loop()
        until = loop.time() + RELAY_WAIT_S
        while True:
            try:
                if value_of(relay, await self._read_data(slave, wire_di(relay.di))) == wanted:
                    return
            except (NoAnswer, BadFrame):
                pass  # the contact's spark disturbs the line; asked again until the time is over
            if loop.time() >= until:
                return
            await asyncio.sleep(RELAY_LOOK_S)

    async def _meter_time(self, slave: Slave) -> datetime:
        """Clock of the meter, UTC standing for its unknown zone; BadFrame when it shows no date."""
        known = items(statute_of(slave).name)
        day = await self._read_data(slave, wire_di(known["DATE"].di))  # WW DD MM YY
        time = await self._read_data(slave, wire_di(known["TIME"].di))  # ss mm hh
        numbers = [bcd_to_int(bytes((byte,))) for byte in day[1:4] + time[:3]]
        if len(numbers) != 6 or None in numbers:
            raise BadFrame("the meter's clock shows no date")
        date, month, year, second, minute, hour = (number or 0 for number in numbers)
        try:
            return datetime(2000 + year, month, date, hour, minute, second, tzinfo=UTC)
        except ValueError as error:
            raise BadFrame(f"the meter's clock shows no date: {error}") from None

    async def _read_data(self, slave: Slave, di: bytes) -> bytes:
        """Value bytes of an identifier, those of its follow-up frames joined."""
        statute, size = statute_of(slave), len(di)
        answer = await self._ask(slave, Frame(slave.address, statute.codes["read"], di), _names(di))
        data = answer.data[size:]
        number = 0
        while answer.more_follows:
            number += 1
            if number > MAX_FOLLOW_UPS:
                raise BadFrame(f"more than {MAX_FOLLOW_UPS} follow-up frames")
            counter = bytes((number,)) if statute.counted else b""
            request = Frame(slave.address, statute.codes["read_more"], di + counter)
            answer = await self._ask(slave, request, _names(di, len(counter)))
            if not statute.counted:
                data += answer.data[size:]
                continue
            if answer.data[-1] != number:
                raise BadFrame(f"follow-up frame {answer.data[-1]}, asked {number}")
            data += answer.data[size:-1]
        return data

    async def _command(self, slave: Slave, code: int, data: bytes) -> None:
        await self._ask(slave, Frame(slave.address, code, data), lambda frame: True)

    async def _ask(self, slave: Slave, request: Frame, belongs: Callable[[Frame], bool]) -> Frame:
        """The meter's answer. DeviceRefused carries its error byte (0 when it sent none)."""
        answer = await self._exchange(slave, request, belongs)
        if answer.refused:
            code = answer.data[0] if answer.data else 0
            raise DeviceRefused(code, statute_of(slave).meaning(code))
        return answer

    async def _exchange(self, slave: Slave, request: Frame, belongs: Callable[[Frame], bool]) -> Frame:
        """The meter's answer, a refusal too."""
        return await self._session.ask(
            request, belongs, timeout_ms=slave.response_timeout_ms, wake_up=options_of(slave).wake_up
        )


def _names(di: bytes, more: int = 0) -> Callable[[Frame], bool]:
    """Whether an answer begins with the identifier and has so many bytes besides."""
    size = len(di)
    return lambda frame: frame.data[:size] == di and len(frame.data) >= size + more


def _identity(options: Options, statute: Statute) -> bytes:
    """Level, password and, where the statute asks for it, operator code of a write."""
    operator = bytes.fromhex(options.operator)[::-1] if statute.operator else b""
    return bytes((options.level,)) + bytes.fromhex(options.password)[::-1] + operator


def _complete_address(address: str) -> str:
    if len(address) != 12 or not address.isdecimal():
        raise BadFrame(f"the answer's address {address} is no number, or several meters answered at once")
    return address
