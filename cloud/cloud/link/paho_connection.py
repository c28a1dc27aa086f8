"""One connection to a broker, MQTT 3.1.1; the only file that imports paho."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from cloud.link.broker_connection import (
    CONNECT_TIMEOUT_S,
    KEEPALIVE_S,
    BrokerAddress,
    BrokerConnection,
    Incoming,
    InFlight,
)
from cloud.link.errors import LinkDown
from cloud.link.metrics import DROPPED

MAX_OUTSTANDING = 1000
"""Publishes that wait for their PUBACK."""


class PahoConnection(BrokerConnection):
    """One paho client with its thread, from connect to disconnect. Its callbacks only hand over."""

    def __init__(
        self,
        address: BrokerAddress,
        filters: tuple[str, ...],
        deliver: Callable[[Incoming], None],
        in_flight: InFlight,
    ) -> None:
        super().__init__(address, filters, deliver, in_flight)
        self._client = self._make()

    def _make(self) -> Client:
        address = self._address
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=address.client_id or address.username,
            clean_session=True,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        client.username_pw_set(address.username, address.password)
        if address.tls:
            client.tls_set_context(ssl.create_default_context(cafile=address.ca_file))
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.max_queued_messages_set(MAX_OUTSTANDING)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        client.on_message = self._on_message
        return client

    async def _connect(self) -> None:
        await asyncio.to_thread(self._client.connect, self._address.host, self._address.port, KEEPALIVE_S)
        self._client.loop_start()

    async def close(self) -> None:
        """Disconnect and end paho's thread. Safe to call in any state."""
        self._client.disconnect()
        await asyncio.shield(asyncio.to_thread(self._end_thread))
        self._ready.cancel()
        self._lost("closed")

    def _end_thread(self) -> None:
        # When the thread ends by itself paho forgets it between its own look and its join.
        with contextlib.suppress(AttributeError):
            self._client.loop_stop()

    async def publish(self, topic: str, payload: bytes) -> None:
        """Hand a message to the broker. Raises LinkDown when it does not take it."""
        info = self._client.publish(topic, payload, qos=1)
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS or self.closed.done():
            raise LinkDown(f"cannot publish: {MQTTErrorCode(info.rc).name}")
        acknowledged: asyncio.Future[None] = self._loop.create_future()
        self._pending[info.mid] = acknowledged  # the callback is queued behind this call, never before it
        try:
            await acknowledged
        finally:
            self._pending.pop(info.mid, None)

    def post(self, topic: str, payload: bytes) -> bool:
        return self._client.publish(topic, payload, qos=1).rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    def _hand_over(self, call: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(call, *arguments)

    def _on_connect(self, client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self._hand_over(self._lost, f"refused: {reason}")
        elif self._filters:
            client.subscribe([(item, 1) for item in self._filters])
        else:
            self._hand_over(self._opened)

    def _on_subscribe(
        self, _client: Client, _data: Any, _mid: int, reasons: list[Any], _properties: Any
    ) -> None:
        if any(reason.is_failure for reason in reasons):
            self._hand_over(self._lost, f"subscription refused: {self._filters}")
        else:
            self._hand_over(self._opened)

    def _on_disconnect(self, _client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        self._hand_over(self._lost, str(reason))

    def _on_publish(self, _client: Client, _data: Any, mid: int, _reason: Any, _properties: Any) -> None:
        self._hand_over(self._acknowledged, mid)

    def _on_message(self, client: Client, _data: Any, message: MQTTMessage) -> None:
        size = len(message.payload)
        if not self._in_flight.take(size):
            DROPPED.labels("overflow").inc()
            client.ack(message.mid, message.qos)
            return

        def acknowledge() -> None:
            self._in_flight.give_back(size)
            client.ack(message.mid, message.qos)

        incoming = Incoming(message.topic, bytes(message.payload), message.retain, acknowledge)
        self._hand_over(self._deliver, incoming)
