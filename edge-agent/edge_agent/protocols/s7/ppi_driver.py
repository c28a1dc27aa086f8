"""PPI: a job goes out, the PLC acknowledges it, and is polled until it has the answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from edge_agent.config.model import Port, Slave
from edge_agent.errors import BadChecksum, BadFrame, DeviceRefused, NoAnswer
from edge_agent.protocols.s7.codec import BYTE, JOB, OK, Item, Message, decode, encode
from edge_agent.protocols.s7.config import habits_of, ppi_options_of
from edge_agent.protocols.s7.exchange import ItemDriver
from edge_agent.protocols.s7.ppi import ACKNOWLEDGE, LONGEST, POLLS, REQUEST, Decoder, Telegram
from edge_agent.protocols.s7.ppi import encode as telegram_bytes
from edge_agent.protocols.serial_driver import SerialDriver
from edge_agent.transports.base import Transport

BITS_OF_CHARACTER = 11  # 8E1
TURN_S = 0.01  # a PLC misses a poll that follows its acknowledgement sooner
INTER_BYTE_S = 0.05  # a longer silence within a telegram: its beginning was noise
CPU_CODE = Item(BYTE, 1, 0, 0x05, 6 * 8)  # SMB6
LEAST_GAP_S = 0.01  # between two exchanges


class PpiDriver(SerialDriver, ItemDriver):
    """Every PLC of one line; this gateway is its only master."""

    _decoder: Decoder

    def __init__(self, port: Port, transport: Transport) -> None:
        super().__init__(port)
        self.gap_s = max(self.gap_s, LEAST_GAP_S)
        self._transport = transport
        self._decoder = Decoder()
        self._character_s = BITS_OF_CHARACTER / port.baud
        self._waiting: deque[Telegram] = deque()
        self._heard = False

    async def identify(self, slave: Slave) -> str:
        """The CPU's code in its system memory."""
        try:
            (value,) = await self._read(slave, [CPU_CODE])
        except DeviceRefused:
            return ""
        return f"S7-200, SMB6 = {value.data[0]:02X}" if value.code == OK else ""

    async def _pdu_size(self, slave: Slave) -> int:
        return habits_of(slave).pdu

    async def _carry(self, slave: Slave, job: Message) -> Message:
        """Within the slave's response time, beside what the telegrams take on the line."""
        station, master = int(slave.address), ppi_options_of(slave).master
        request = telegram_bytes(Telegram(station, master, REQUEST, encode(job)))
        self._transport.discard_input()
        self._decoder.reset()
        self._waiting.clear()
        bad_before, self._heard = self._decoder.checksum_errors, False
        acknowledged_by = self._now() + slave.response_timeout_ms / 1000 + len(request) * self._character_s
        await self._transport.write(request)
        try:
            await self._telegram(acknowledged_by, lambda telegram: telegram == ACKNOWLEDGE)
            answered_by = acknowledged_by + LONGEST * self._character_s
            return await self._polled(station, master, job.reference, answered_by)
        except NoAnswer:
            if self._decoder.checksum_errors > bad_before:
                raise BadChecksum("answer with a wrong checksum") from None
            if self._heard:
                raise BadFrame("no whole answer to this request came") from None
            raise NoAnswer(f"no answer within {slave.response_timeout_ms} ms") from None

    async def _polled(self, station: int, master: int, reference: int, until: float) -> Message:
        """The answer. An acknowledgement in its place says that there is none yet."""

        def meant(telegram: Telegram) -> bool:
            own = (telegram.to, telegram.by) == (master, station) and bool(telegram.pdu)
            return telegram == ACKNOWLEDGE or own

        turn = 0
        while True:
            if self._now() >= until:
                raise NoAnswer("acknowledged, and no answer to any poll")
            await asyncio.sleep(TURN_S)
            self._waiting = deque(
                one for one in self._waiting if one != ACKNOWLEDGE
            )  # of no poll yet to come
            self._heard = False  # the PLC is there: silence from here on is silence, not a broken answer
            await self._transport.write(telegram_bytes(Telegram(station, master, POLLS[turn % 2])))
            turn += 1
            telegram = await self._telegram(until, meant)
            if telegram == ACKNOWLEDGE:
                continue
            answer = decode(telegram.pdu)
            if answer.reference == reference and answer.kind != JOB:
                return answer
            self.strays += 1

    async def _telegram(self, until: float, meant: Callable[[Telegram], bool]) -> Telegram:
        """The next telegram that is meant; others are passed over. NoAnswer when time is up."""
        while True:
            while self._waiting:
                telegram = self._waiting.popleft()
                if meant(telegram):
                    return telegram
            left = until - self._now()
            if left <= 0:
                raise NoAnswer("silence")
            data = await self._transport.read_some(min(left, INTER_BYTE_S) if self._decoder.pending else left)
            self._heard = self._heard or bool(data)
            self._waiting += self._decoder.feed(data) if data else self._decoder.give_up()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
