"""Sends the trace of signals and frames while somebody watches; what is lost is not sent again (C-242)."""

from __future__ import annotations

from edge_agent.forwarding.services import TraceService
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract.limits import TRACE_INTERVAL_S, TRACE_S
from edge_contract.payloads import decode, encode
from edge_contract.topics import Message, topic
from edge_contract.trace import TraceRequest


class TraceSender:
    """For one session."""

    def __init__(self, gateway: str, trace: TraceService, client: MqttClient, clock: Clock) -> None:
        self._topic = topic(gateway, Message.TRACED)
        self._trace = trace
        self._client = client
        self._clock = clock

    @property
    def idle(self) -> bool:
        """Nobody watches."""
        return not self._trace.is_active

    def take(self, payload: bytes) -> None:
        """A request. Raises PayloadError."""
        self._trace.take(decode(TraceRequest, payload))

    async def run(self) -> None:
        """Until cancelled. Raises LinkDown."""
        while True:
            for report in self._trace.reports():
                await self._client.publish(self._topic, encode(report))
            if self._trace.is_active:
                await self._clock.sleep(TRACE_INTERVAL_S)
            else:
                await wait(self._clock, self._trace.changed, TRACE_S)
