"""Hands on documents of work that runs here, and says what is held and what came of it, until the cloud has
acknowledged it: rules of data exchange, timed tasks.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Generic, TypeVar

from msgspec.structs import replace

from edge_agent.errors import StoreFull
from edge_agent.forwarding.services import HandedOver, R
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract.errors import PayloadError
from edge_contract.fields import ControlMessage
from edge_contract.limits import EXCHANGE_REPORT_S, MAX_RULES_BYTES, RESEND_AFTER_S
from edge_contract.payloads import decode, encode
from edge_contract.topics import Message, topic

log = logging.getLogger(__name__)

REPORT_ID_BYTES = 8
NO_ID = "0" * 16

D = TypeVar("D", bound=ControlMessage)


class HandedOverWork(Generic[D, R]):
    """One kind of it. One report at a time, at most one in EXCHANGE_REPORT_S. document: its type."""

    def __init__(
        self, gateway: str, message: Message, document: type[D], work: HandedOver[D, R], client: MqttClient,
        clock: Clock,
    ) -> None:  # fmt: skip
        self._topic = topic(gateway, message)
        self._document = document
        self._work: HandedOver[D, R] = work
        self._client = client
        self._clock = clock
        self._is_taken = False
        self._sent: R | None = None
        self._held: R | None = None
        self._answered = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Nothing waits that the cloud takes."""
        return not (self._is_taken and self._is_due())

    async def run(self) -> None:
        """With a cloud that takes reports, until cancelled, beginning with what is held; what is not
        acknowledged goes again. Raises LinkDown.
        """
        self._is_taken = True
        while True:
            if self._is_due():
                await self._report()
                await self._clock.sleep(EXCHANGE_REPORT_S)
            else:
                await wait(self._clock, self._work.changed, RESEND_AFTER_S)

    async def withdraw(self) -> None:
        """The cloud does not take reports: it does the work itself."""
        try:
            await self._work.withdraw()
        except StoreFull as error:
            log.warning("what the cloud does itself goes on here too for now: %s", error)

    async def take(self, payload: bytes) -> None:
        """A document of the cloud. Raises ContractError (PayloadError) and StoreFull."""
        if len(payload) > MAX_RULES_BYTES:
            raise PayloadError(self._document.__name__, f"at most {MAX_RULES_BYTES} bytes")
        await self._work.take(decode(self._document, payload))

    def acknowledged(self, report_id: str | None) -> None:
        """The cloud holds what this report says; of another one nothing is known."""
        if self._sent is not None and self._sent.id == report_id:
            self._held = self._sent
            self._work.acknowledged(self._sent)
            self._answered.set()

    def _is_due(self) -> bool:
        now = self._work.report(NO_ID)
        return bool(now.results) or self._held is None or replace(self._held, id=NO_ID, results=[]) != now

    async def _report(self) -> None:
        self._sent = self._work.report(secrets.token_hex(REPORT_ID_BYTES))
        self._answered.clear()
        await self._client.publish(self._topic, encode(self._sent))
        await wait(self._clock, self._answered, RESEND_AFTER_S)
