"""Keeps a session with the cloud up for as long as the agent runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from edge_agent.forwarding.cloud.backoff import Backoff
from edge_agent.forwarding.cloud.link import LinkState
from edge_agent.forwarding.cloud.session import Gateway, Session
from edge_agent.transports.mqtt import Endpoint, LinkDown, LinkRefused, MqttClient
from edge_contract.payloads import State, encode
from edge_contract.topics import Message, gateway_filter, topic

log = logging.getLogger(__name__)

RECONNECT_S = (1.0, 60.0)
REFUSED_S = (5.0, 300.0)
SECRET_PAUSE_S = 5.0
"""Pause before the secret's file is looked at again."""
GOODBYE_TIMEOUT_S = 3.0
DRAIN_STEP_S = 0.05


class CloudForwarder:
    """run() until cancelled. secret: reads the gateway's secret, None while there is none."""

    def __init__(
        self, gateway: Gateway, url: str, secret: Callable[[], str | None], ca_file: str | None = None
    ) -> None:
        self.link = LinkState()
        self._gateway = gateway
        self._url = url
        self._ca_file = ca_file
        self._secret = secret
        self._clock = gateway.clock
        self._said = ""

    async def run(self) -> None:
        lost, refused = Backoff(*RECONNECT_S), Backoff(*REFUSED_S)
        while True:
            secret = self._secret()
            if secret is None:
                self._down(
                    "there is no cloud secret yet: run 'edge-agent secret --set' with what "
                    "'edge-cloud gateway claim' showed"
                )
                await self._clock.sleep(SECRET_PAUSE_S)
                continue
            try:
                await self._connection(secret)
            except LinkRefused as error:
                pause_s = refused.next_s()
                self._down(str(error))
            except LinkDown as error:
                if self.link.accepted:
                    lost.reset()
                    refused.reset()
                pause_s = lost.next_s()
                self._down(str(error))
            await self._clock.sleep(pause_s)

    async def drain(self, timeout_s: float) -> None:
        """Wait until the cloud holds everything, at most so long, and only while there is a session."""
        deadline = self._clock.monotonic() + timeout_s
        while (
            self.link.accepted and self._gateway.outbox_state().batches and self._clock.monotonic() < deadline
        ):
            await self._clock.sleep(DRAIN_STEP_S)

    async def _connection(self, secret: str) -> None:
        """One connection from beginning to end; always raises."""
        gateway = self._gateway
        endpoint = Endpoint(self._url, gateway.id, secret, self._ca_file)
        will = State(online=False, boot=gateway.boot, t_ms=self._clock.now_ms(), reason="connection lost")
        client = MqttClient(endpoint, topic(gateway.id, Message.STATE), encode(will))
        session = Session(gateway, client, self.link)
        goodbye = "stopped"
        try:
            await client.connect(gateway_filter().format(gateway=gateway.id))
            self._up()
            await session.run()
        except LinkDown:
            goodbye = "connecting again"
            raise
        finally:
            if not client.disconnected.is_set() and self.link.connected:
                with contextlib.suppress(LinkDown, TimeoutError):
                    async with asyncio.timeout(GOODBYE_TIMEOUT_S):
                        await session.say_offline(goodbye)
            await client.close()
            self.link.connected = False

    def _up(self) -> None:
        log.info("connected to %s", self._url)
        self._said = ""
        self.link.connected, self.link.accepted = True, False
        self.link.since_ms = self._clock.now_ms()
        self.link.reason = self.link.refusal = ""

    def _down(self, reason: str) -> None:
        """Note why there is no link; logged once until it is up again."""
        if self.link.accepted or not self.link.since_ms:
            self.link.since_ms = self._clock.now_ms()
        self.link.accepted = False
        self.link.in_flight = 0
        self.link.reason = reason
        if reason != self._said and not (self._said and self._retrying(reason)):
            log.warning("no link to the cloud: %s; collecting and storing go on", reason)
        self._said = reason

    def _retrying(self, reason: str) -> bool:
        """Attempts of one outage fail in changing words; only a refusal among them is news."""
        return "refuses" not in reason and "secret" not in reason
