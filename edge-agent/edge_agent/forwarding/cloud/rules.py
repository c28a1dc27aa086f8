"""Says which rules are evaluated here, and sends their events until the cloud has acknowledged them."""

from __future__ import annotations

import logging

from edge_agent.errors import StoreFull
from edge_agent.forwarding.services import RuleService
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract.edge_rules import Rules, RulesReport
from edge_contract.errors import PayloadError
from edge_contract.limits import MAX_RULES_BYTES, RESEND_AFTER_S
from edge_contract.payloads import decode, encode
from edge_contract.topics import Message, topic

log = logging.getLogger(__name__)


class RuleSender:
    """stream: of the store. The next events go out when those before are acknowledged."""

    def __init__(
        self, gateway: str, stream: str, rules: RuleService, client: MqttClient, clock: Clock
    ) -> None:
        self._report_topic = topic(gateway, Message.EVALUATION)
        self._events_topic = topic(gateway, Message.EVENTS)
        self._stream = stream
        self._rules = rules
        self._client = client
        self._clock = clock
        self._reported: RulesReport | None = None

    async def take(self, payload: bytes) -> None:
        """Other rules of the cloud. Raises ContractError (PayloadError), StoreFull and LinkDown."""
        if len(payload) > MAX_RULES_BYTES:
            raise PayloadError("Rules", f"at most {MAX_RULES_BYTES} bytes")
        await self._rules.take(decode(Rules, payload))
        await self.report()

    async def withdraw(self) -> None:
        """The cloud evaluates the rules itself."""
        try:
            await self._rules.withdraw()
        except StoreFull as error:
            log.warning("rules that the cloud evaluates itself go on here too for now: %s", error)

    async def report(self) -> None:
        """Say what is held. Raises LinkDown."""
        report = self._rules.report()
        await self._client.publish(self._report_topic, encode(report))
        self._reported = report

    async def idle(self) -> bool:
        """Nothing waits that the cloud takes."""
        return self._reported is None or await self._rules.waiting(self._stream) is None

    async def run(self) -> None:
        """Until cancelled; what is not acknowledged goes again. Raises LinkDown."""
        while True:
            if self._rules.report() != self._reported:
                await self.report()
            events = await self._rules.waiting(self._stream)
            if events is not None:
                await self._client.publish(self._events_topic, encode(events))
            await wait(self._clock, self._rules.changed, RESEND_AFTER_S)
