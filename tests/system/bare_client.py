"""A gateway that is nothing but an MQTT client: it says what a test wants said."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

ANSWER_TIMEOUT_S = 30.0


class BareClient:
    """messages: topic and payload of what arrived. lost: the broker has ended the connection."""

    def __init__(self, port: int, name: str, secret: str) -> None:
        self.name = name
        self.messages: list[tuple[str, bytes]] = []
        self.lost = threading.Event()
        self.code = -1
        self.port = port
        self.secret = secret
        self._answered = threading.Event()
        self._granted = False
        self._paho = Client(CallbackAPIVersion.VERSION2, client_id=name, reconnect_on_failure=False)
        self._paho.username_pw_set(name, secret)
        self._paho.on_connect = self._connected
        self._paho.on_disconnect = lambda *_: self.lost.set()
        self._paho.on_subscribe = self._subscribed
        self._paho.on_message = self._arrived

    def connect(self) -> bool:
        """Whether the broker accepts this identity."""
        self._paho.connect("127.0.0.1", self.port)
        self._paho.loop_start()
        assert self._answered.wait(ANSWER_TIMEOUT_S), "no CONNACK"
        return self.code == 0

    def subscribe(self, topic_filter: str) -> bool:
        """Whether the broker grants it."""
        self._answered.clear()
        self._paho.subscribe(topic_filter, qos=1)
        assert self._answered.wait(ANSWER_TIMEOUT_S), "no SUBACK"
        return self._granted

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Return when the broker has confirmed it or has ended the connection."""
        sent = self._paho.publish(topic, payload, qos=1, retain=retain)
        while not self.lost.is_set() and not sent.is_published():
            sent.wait_for_publish(0.05)

    def close(self) -> None:
        self._paho.disconnect()
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            self._paho.loop_stop()

    def _connected(self, client: Client, data: Any, flags: Any, code: Any, properties: Any) -> None:
        self.code = code.value
        self._answered.set()

    def _subscribed(self, client: Client, data: Any, mid: int, codes: Any, properties: Any) -> None:
        self._granted = not any(code.is_failure for code in codes)
        self._answered.set()

    def _arrived(self, client: Client, data: Any, message: MQTTMessage) -> None:
        self.messages.append((message.topic, bytes(message.payload)))
