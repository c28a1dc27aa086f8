"""One TCP connection to a platform: sends packets, waits for their answers, hands requests on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from edge_agent.errors import AgentError
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.commands import DATA_ANSWER, NOTICE_ANSWER, READY, RESULT
from edge_agent.forwarding.hj212.crc import CrcVariant
from edge_agent.forwarding.hj212.frame import CRC
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.packets import qn_of
from edge_agent.forwarding.hj212.parameters import Parameters
from edge_agent.forwarding.hj212.profile import Profile
from edge_agent.system.clock import Clock, wait
from edge_contract.trace import TraceDirection

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 15.0
"""Three SYNs on a cellular link, and the name."""
SEND_TIMEOUT_S = 30.0
"""A platform that takes no data for so long is gone."""
TAIL_TIMEOUT_S = 2.0
"""What has begun and does not end is no packet."""
CHUNK = 4096
ANSWERS = frozenset({READY, RESULT, NOTICE_ANSWER, DATA_ANSWER})
DONE = "1"
REFUSALS = {
    "2": "refused",
    "3": "PW is wrong",
    "4": "MN is wrong",
    "5": "ST is wrong",
    "6": "Flag is wrong",
    "7": "QN is wrong",
    "8": "CN is wrong",
    "9": "CRC is wrong",
    "100": "unknown error",
}
"""QnRtn (HJ 212-2017, table 8)."""
WITHOUT_CAUSE = ("2", "100")
WRONG_CRC = 9


Notice = Callable[[TraceDirection, Packet], None]


class PlatformDown(AgentError):
    """The connection cannot be made or used; its text says why."""


class Unanswered(PlatformDown):
    """The platform does not answer an upload."""


class Refused(PlatformDown):
    """The platform answered an upload with a code. names_cause: it says what is wrong."""

    def __init__(self, words: str, *, names_cause: bool) -> None:
        super().__init__(words)
        self.names_cause = names_cause


@dataclass
class _Expected:
    """An answer that is waited for. refusal: in words. names_cause: as of Refused."""

    event: asyncio.Event = field(default_factory=asyncio.Event)
    refusal: str = ""
    names_cause: bool = False


class PlatformConnection:
    """requests: takes packets that are no answers, with WRONG_CRC when their check digits are wrong; never
    blocks. notice: gets every packet that is sent or was taken. complaint: what is wrong with
    what came. is_open: the connection was made.
    """

    def __init__(
        self,
        where: str,
        codec: PacketCodec,
        options: PacketOptions,
        parameters: Parameters,
        clock: Clock,
        requests: Callable[[Packet, int | None], None],
        notice: Notice = lambda direction, packet: None,
    ) -> None:
        self.complaint = ""
        self.is_open = False
        self._where = where
        self._codec = codec
        self._options = options
        self._parameters = parameters
        self._clock = clock
        self._requests = requests
        self._notice = notice
        self._expected: dict[str | None, _Expected] = {}
        self._sending = asyncio.Lock()
        self._exchanging = asyncio.Lock()

    async def open(self, host: str, port: int) -> None:
        """PlatformDown when there is no connection within CONNECT_TIMEOUT_S."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                self._reader, self._writer = await asyncio.open_connection(host, port)
        except TimeoutError:
            raise PlatformDown(f"{self._where}: no answer within {CONNECT_TIMEOUT_S:.0f} s") from None
        except (OSError, UnicodeError) as error:
            raise PlatformDown(f"{self._where}: {_words(error)}") from None

        self.is_open = True

    def take_codec(self, codec: PacketCodec, options: PacketOptions) -> None:
        """From the next packet in each direction."""
        self._codec, self._options = codec, options

    async def close(self) -> None:
        """Without a word."""
        self._writer.transport.abort()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def receive(self) -> None:
        """Until the connection ends; always raises PlatformDown."""
        codec, reader = self._codec, self._codec.reader()
        while True:
            try:
                async with asyncio.timeout(TAIL_TIMEOUT_S if reader.pending else None):
                    chunk = await self._reader.read(CHUNK)
            except TimeoutError:
                self._take_all(reader.give_up(), b"")
                continue
            except OSError as error:
                raise PlatformDown(f"{self._where}: {_words(error)}") from None
            if not chunk:
                raise PlatformDown(f"{self._where}: the platform closed the connection")
            if codec is not self._codec and not reader.pending:
                codec, reader = self._codec, self._codec.reader()
            self._take_all(reader.feed(chunk), chunk)

    async def send(self, packet: Packet) -> None:
        """PlatformDown when it does not leave."""
        await self._write(packet, self._codec.encode(packet))

    async def exchange(self, packet: Packet, repeated: Callable[[], None]) -> None:
        """Send until it is answered, as often as the parameters say: the same bytes with the same QN.

        Returns at once for a packet that wants no answer. Unanswered, Refused, PlatformDown.
        """
        async with self._exchanging:
            data = self._codec.encode(packet)
            if not packet.answer_wanted:
                await self._write(packet, data)
                return
            expected = self._expected[packet.qn] = _Expected()
            try:
                for turn in range(1 + self._parameters.retry_times):
                    if turn:
                        repeated()
                    await self._write(packet, data)
                    if await wait(self._clock, expected.event, self._parameters.timeout_s):
                        break
                else:
                    times, timeout_s = 1 + self._parameters.retry_times, self._parameters.timeout_s
                    raise Unanswered(f"no answer to CN={packet.cn}, sent {times} times, {timeout_s} s each")
            finally:
                del self._expected[packet.qn]
            if expected.refusal:
                words = f"the platform refused CN={packet.cn}: {expected.refusal}"
                raise Refused(words, names_cause=expected.names_cause)

    async def _write(self, packet: Packet, data: bytes) -> None:
        async with self._sending:
            self._notice(TraceDirection.SENT, packet)
            try:
                self._writer.write(data)
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await self._writer.drain()
            except TimeoutError:
                raise PlatformDown(f"{self._where}: the platform takes no data") from None
            except OSError as error:
                raise PlatformDown(f"{self._where}: {_words(error)}") from None

    def _take_all(self, packets: list[Packet | BadPacket], chunk: bytes) -> None:
        sound = {one.qn for one in packets if isinstance(one, Packet)}
        for one in packets:
            if isinstance(one, BadPacket):
                self._complain(one, chunk, sound)
                continue
            self._notice(TraceDirection.RECEIVED, one)
            if one.cn in ANSWERS:
                self._take_answer(one)
            else:
                self._requests(one, None)

    def _take_answer(self, answer: Packet) -> None:
        qn = qn_of(answer)
        expected = self._expected.get(qn)
        if expected is None and qn is None and self._expected:
            expected = next(iter(self._expected.values()))  # one upload at a time is on its way
        if expected is None:
            return
        code = answer.value("QnRtn" if answer.cn == READY else "ExeRtn")
        if answer.cn in (READY, RESULT):
            if code == DONE:
                return
            expected.names_cause = answer.cn == READY and code in REFUSALS and code not in WITHOUT_CAUSE
            expected.refusal = (
                f"{REFUSALS.get(code or '', 'unknown')} (QnRtn={code})"
                if answer.cn == READY
                else f"execution failed (ExeRtn={code})"
            )
        expected.event.set()

    def _complain(self, error: BadPacket, chunk: bytes, sound: Collection[str | None]) -> None:
        words = f"a packet of the platform cannot be read: {error}"
        if error.what == CRC:
            for packet in _others(self._codec.profile, self._options, CrcVariant.UNCHECKED, chunk):
                if packet.cn not in ANSWERS and packet.qn is not None and packet.qn not in sound:
                    self._requests(packet, WRONG_CRC)
            fits = next(
                (
                    variant
                    for variant in CrcVariant
                    if variant not in (self._options.crc, CrcVariant.UNCHECKED)
                    and _others(self._codec.profile, self._options, variant, chunk)
                ),
                None,
            )
            if fits is not None:
                words = f"the platform's check digits are those of crc = {fits}, not of {self._options.crc}"
        log.log(logging.DEBUG if self.complaint else logging.WARNING, "%s: %s", self._where, words)
        self.complaint = words


def _words(error: OSError | UnicodeError) -> str:
    number = getattr(error, "errno", None)
    return os.strerror(number) if isinstance(number, int) and number > 0 else str(error)


def _others(profile: Profile, options: PacketOptions, variant: CrcVariant, chunk: bytes) -> list[Packet]:
    """Packets in bytes that another variant of the check digits takes."""
    codec = PacketCodec(profile, replace(options, crc=variant))
    return [one for one in codec.reader().feed(chunk) if isinstance(one, Packet)]
