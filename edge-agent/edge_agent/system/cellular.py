"""The gateway's cellular modem, asked over its command port (3GPP TS 27.007)."""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

from edge_agent.config.model import Cellular, Port
from edge_agent.errors import BadFrame, FieldbusError, NoAnswer
from edge_agent.transports.base import Transport
from edge_agent.transports.serial import SerialTransport

UNKNOWN = 99
"""TS 27.007, 8.5: not known or not detectable."""
STRONGEST = 31

ATTEMPTS = 2
"""A modem that was asleep loses the first characters."""
ANSWER_S = 2.0
"""The command asks nothing of the network; a modem answers in milliseconds."""
MAX_BYTES = 4096

_FINAL = re.compile(r"^(OK|ERROR|\+CM[ES] ERROR: .*|NO CARRIER)\s*$", re.MULTILINE)
_CSQ = re.compile(r"^\+CSQ: *(\d{1,3}) *,", re.MULTILINE)


class ModemRefused(FieldbusError):
    """The modem answered with an error."""

    code = "device_error"


class Modem(Protocol):
    """What the agent asks of a modem."""

    async def signal(self) -> int:
        """Signal strength, 0 to 31, UNKNOWN. FieldbusError."""


def signal_of(reply: str) -> int | None:
    """Strength in what a modem said; None while it has not finished. ModemRefused or BadFrame."""
    lines = reply.replace("\r", "\n")
    end = _FINAL.search(lines)
    if end is None:
        return None
    if end[1] != "OK":
        raise ModemRefused(f"the modem answers {end[1]}")
    match = _CSQ.search(lines, 0, end.start())
    if match is None:
        raise BadFrame("the modem answers OK without +CSQ")
    value = int(match[1])
    return value if value <= STRONGEST else UNKNOWN


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
                for _ in range(ATTEMPTS):
                    value = await self._ask()
                    if value is not None:
                        return value
            finally:
                await self._transport.close()
        raise NoAnswer(f"the modem on {self._transport.where} does not answer")

    async def _ask(self) -> int | None:
        """None when no whole answer came in time."""
        self._transport.discard_input()
        await self._transport.write(b"AT+CSQ\r")
        reply = ""
        try:
            async with asyncio.timeout(ANSWER_S):
                while len(reply) < MAX_BYTES:
                    reply += (await self._transport.read_some(ANSWER_S)).decode("ascii", "replace")
                    value = signal_of(reply)
                    if value is not None:
                        return value
        except TimeoutError:
            pass
        return None
