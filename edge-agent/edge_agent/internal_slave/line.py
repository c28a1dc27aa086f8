"""A master on a serial line of the slave's own: RTU frames, other slaves beside.

Frames: MODBUS over Serial Line Specification V1.02, section 2.5.1.
"""

from __future__ import annotations

import logging

from edge_agent.config.model import InternalSlave, Port
from edge_agent.errors import PortDown
from edge_agent.internal_slave.answers import MasterAnswers
from edge_agent.internal_slave.requests import WRITE_AREAS, RtuRequests
from edge_agent.protocols.modbus.frames import rtu
from edge_agent.system.clock import Clock
from edge_agent.transports.serial import SerialTransport

log = logging.getLogger(__name__)

SILENCE_S = 0.05
"""After this nothing of a frame follows: adapters hand over what they got after 1 to 16 ms."""
IDLE_S = 60.0
ECHO_S = 0.1
"""An adapter that hears itself gives an answer back in this time, beyond what the line takes for it."""
CHARACTER_BITS = 11
SEND_TIMEOUT_S = 5.0
REOPEN_S = 5.0
BROADCAST = 0


class SerialMaster:
    """run() until cancelled; a line that cannot be opened is tried again."""

    def __init__(self, settings: InternalSlave, answers: MasterAnswers, clock: Clock) -> None:
        self.fault = "not open"
        self.requests = 0
        self._unit = settings.id
        self._answers = answers
        self._clock = clock
        self._port = Port(
            name="internal-slave",
            type="COM",
            device=settings.device,
            baud=settings.baud,
            parity=settings.parity,
            stop_bits=settings.stop_bits,
        )
        self._reader = RtuRequests(settings.id)
        self._echo = b""
        self._echo_until = 0.0

    @property
    def discarded_bytes(self) -> int:
        """Bytes that were no part of a sound frame."""
        return self._reader.discarded_bytes

    async def run(self) -> None:
        """Answer whatever comes."""
        while True:
            transport = SerialTransport(self._port)
            try:
                await transport.open()
                if self.fault:
                    log.info("internal slave %d listens on %s", self._unit, self._port.device)
                self.fault = ""
                while True:
                    await self._exchange(transport)
            except PortDown as error:
                if str(error) != self.fault:
                    log.error("internal slave: %s", error)
                self.fault = str(error)
            finally:
                await transport.close()
            await self._clock.sleep(REOPEN_S)

    async def _exchange(self, transport: SerialTransport) -> None:
        """What comes next, or silence. Raises PortDown."""
        data = await transport.read_some(SILENCE_S if self._reader.pending else IDLE_S)
        received = self._reader.feed(self._without_echo(data)) if data else self._reader.silence()
        if received is None:
            return
        unit, pdu = received
        if unit == BROADCAST and pdu[0] not in WRITE_AREAS:
            return
        self.requests += 1
        answer = await self._answers.answer(pdu, self._port.device)
        if unit == BROADCAST:
            return
        frame = rtu(unit, answer)
        transport.discard_input()  # a master that did not wait has asked again
        sending_s = len(frame) * CHARACTER_BITS / self._port.baud
        self._echo, self._echo_until = frame, self._clock.monotonic() + sending_s + ECHO_S
        await transport.write(frame)
        await transport.drained(SEND_TIMEOUT_S)

    def _without_echo(self, data: bytes) -> bytes:
        """The confirmation of a write equals its request: heard back, it must not be carried out again."""
        if not self._echo or self._clock.monotonic() > self._echo_until:
            self._echo = b""
            return data
        if self._echo.startswith(data):
            self._echo = self._echo[len(data) :]
            return b""
        without = data.removeprefix(self._echo)
        self._echo = b""
        return without
