"""The gateway's cellular modem, asked over its command port (3GPP TS 27.007)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from edge_agent.config.model import Cellular, Port
from edge_agent.errors import BadFrame, FieldbusError, NoAnswer
from edge_agent.system.clock import Clock
from edge_agent.transports.base import Transport
from edge_agent.transports.serial import SerialTransport
from edge_contract.cellular import MIN_ICCID, UNKNOWN_SIGNAL, ModemState

log = logging.getLogger(__name__)

STRONGEST = 31

ATTEMPTS = 2
"""A modem that was asleep loses the first characters."""
ANSWER_S = 2.0
"""The commands ask nothing of the network; a modem answers in milliseconds."""
MAX_BYTES = 4096

WATCH_S = 600.0
"""How often the modem is asked for what pulses say of it (C-220)."""

SIGNAL, SERIAL_NUMBER = "AT+CSQ", "AT+CGSN"
CARD_NUMBER = "AT+CRSM=176,12258,0,0,10"
"""READ BINARY of EF-ICCID, file 2FE2, all of its 10 bytes (27.007, 8.18; ETSI TS 102 221, 13.2)."""

_FINAL = re.compile(r"^(OK|ERROR|\+CM[ES] ERROR: .*|NO CARRIER)\s*$", re.MULTILINE)
_CSQ = re.compile(r"^\+CSQ: *(\d{1,3}) *,", re.MULTILINE)
_IMEI = re.compile(r'^(?:\+CGSN: *)?"?([0-9]{15})"?\s*$', re.MULTILINE)
_FILE = re.compile(
    r'^\+CRSM: *(\d{1,3}) *, *\d{1,3}(?: *, *"?([0-9A-F]{20})"?)?\s*$', re.MULTILINE | re.IGNORECASE
)
_READ = ("144", "145", "159")
"""First status bytes of a command that the card has carried out (ETSI TS 102 221, 10.2.1)."""

T = TypeVar("T")


class ModemRefused(FieldbusError):
    """The modem answered with an error."""

    code = "device_error"


class Modem(Protocol):
    """What the agent asks of a modem."""

    async def signal(self) -> int:
        """Signal strength, 0 to 31, UNKNOWN_SIGNAL. FieldbusError."""

    async def state(self, now_ms: int) -> ModemState:
        """What it tells of itself and its card; what it refuses is empty. FieldbusError without an answer."""


def answer_of(reply: str) -> str | None:
    """What a modem said before its OK; None while it has not finished. ModemRefused."""
    lines = reply.replace("\r", "\n")
    end = _FINAL.search(lines)
    if end is None:
        return None
    if end[1] != "OK":
        raise ModemRefused(f"the modem answers {end[1]}")
    return lines[: end.start()]


def signal_of(answer: str) -> int:
    """Strength in an answer to SIGNAL. BadFrame."""
    match = _CSQ.search(answer)
    if match is None:
        raise BadFrame("the modem answers OK without +CSQ")
    value = int(match[1])
    return value if value <= STRONGEST else UNKNOWN_SIGNAL


def imei_of(answer: str) -> str:
    """IMEI in an answer to SERIAL_NUMBER. BadFrame."""
    match = _IMEI.search(answer)
    if match is None:
        raise BadFrame("the modem answers OK without its IMEI")
    return match[1]


def iccid_of(answer: str) -> str:
    """ICCID in an answer to CARD_NUMBER, whose bytes have their digits swapped. BadFrame, ModemRefused."""
    match = _FILE.search(answer)
    if match is None:
        raise BadFrame("the modem answers OK without +CRSM")
    if match[1] not in _READ:
        raise ModemRefused(f"the card answers {match[1]}")
    if match[2] is None:
        raise BadFrame("the card gives no content of EF-ICCID")
    digits = match[2].upper()
    number = "".join(digits[at + 1] + digits[at] for at in range(0, len(digits), 2)).rstrip("F")
    if 0 < len(number) < MIN_ICCID:
        raise BadFrame(f"an ICCID has at least {MIN_ICCID} digits")
    return number


class AtModem:
    """A modem on a serial device that is the agent's alone while it is asked."""

    def __init__(self, settings: Cellular, transport: Transport | None = None) -> None:
        port = Port(name="cellular", type="COM", device=settings.device, baud=settings.baud)
        self._transport = transport or SerialTransport(port)
        self._asking = asyncio.Lock()

    async def signal(self) -> int:
        """Signal strength as AT+CSQ counts it (TS 27.007, clause 8.5). Raises NoAnswer when none comes."""
        async with self._asking:
            await self._transport.open()
            try:
                return await self._ask(SIGNAL, signal_of)
            finally:
                await self._transport.close()

    async def state(self, now_ms: int) -> ModemState:
        """Raises NoAnswer when none comes."""
        async with self._asking:
            await self._transport.open()
            try:
                signal = await self._unless_refused(SIGNAL, signal_of, UNKNOWN_SIGNAL)
                imei = await self._unless_refused(SERIAL_NUMBER, imei_of, "")
                iccid = await self._unless_refused(CARD_NUMBER, iccid_of, "")
            finally:
                await self._transport.close()
        return ModemState(imei=imei, iccid=iccid, signal=signal, read_ms=now_ms)

    async def _unless_refused(self, command: str, read: Callable[[str], T], otherwise: T) -> T:
        try:
            return await self._ask(command, read)
        except (ModemRefused, BadFrame) as error:
            log.debug("%s: %s", command, error)
            return otherwise

    async def _ask(self, command: str, read: Callable[[str], T]) -> T:
        for _ in range(ATTEMPTS):
            answer = await self._answer(command)
            if answer is not None:
                return read(answer)
        raise NoAnswer(f"the modem on {self._transport.where} does not answer")

    async def _answer(self, command: str) -> str | None:
        """None when no whole answer came in time."""
        self._transport.discard_input()
        await self._transport.write(f"{command}\r".encode("ascii"))
        reply = ""
        try:
            async with asyncio.timeout(ANSWER_S):
                while len(reply) < MAX_BYTES:
                    reply += (await self._transport.read_some(ANSWER_S)).decode("ascii", "replace")
                    answer = answer_of(reply)
                    if answer is not None:
                        return answer
        except TimeoutError:
            pass
        return None


class ModemWatch:
    """Asks the modem now and then; state is None while it does not answer."""

    def __init__(self, modem: Modem, clock: Clock) -> None:
        self._modem = modem
        self._clock = clock
        self.state: ModemState | None = None

    async def run(self) -> None:
        """Until cancelled. A modem that is away is logged once, and once when it is back."""
        is_away = False
        while True:
            try:
                self.state = await self._modem.state(self._clock.now_ms())
                if is_away:
                    log.info("the modem answers again")
                is_away = False
            except FieldbusError as error:
                self.state = None
                if not is_away:
                    log.warning("nothing is known of the modem: %s", error)
                is_away = True
            await self._clock.sleep(WATCH_S)
