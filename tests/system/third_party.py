"""A third-party platform: a mosquitto with accounts and TLS, and a subscriber that notes what arrives."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

from authority import Certificate
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from stack import Program, free_run

SUBSCRIBED_S = 60.0
USER, PASSWORD = "plant-7", "third-party-5523"


class ThirdParty:
    """TLS for the gateway on tls_port, plain for the platform's own side. messages: topic and JSON."""

    def __init__(self, folder: Path, certificate: Certificate) -> None:
        self.port, self.tls_port = free_run(), free_run()
        self.messages: list[tuple[str, Any]] = []
        folder.mkdir(parents=True)
        accounts = folder / "accounts"
        accounts.touch(mode=0o600)
        for user, password in ((USER, PASSWORD), ("platform", PASSWORD)):
            subprocess.run(["mosquitto_passwd", "-b", str(accounts), user, password], check=True)
        (folder / "mosquitto.conf").write_text(
            f"allow_anonymous false\npassword_file {accounts}\nuser root\n"
            f"listener {self.port} 127.0.0.1\n"
            f"listener {self.tls_port} 127.0.0.1\ncertfile {certificate.file}\nkeyfile {certificate.key}\n"
        )
        words = ["mosquitto", "-v", "-c", str(folder / "mosquitto.conf")]
        self._broker = Program("third-party", words, dict(os.environ), folder)
        self._gone = threading.Event()
        self._client: Client | None = None

    def start(self) -> None:
        """The broker, and the subscription; QoS 0, so that what it had taken before a kill is delivered."""
        self._broker.start()
        subscribed = threading.Event()
        client = Client(CallbackAPIVersion.VERSION2, client_id="platform")
        client.username_pw_set("platform", PASSWORD)
        client.on_message = lambda client, data, message: self._take(message)
        client.on_connect = lambda client, *_: client.subscribe("#", 0)
        client.on_subscribe = lambda *_: subscribed.set()
        self._gone.clear()
        client.on_disconnect = lambda *_: self._gone.set()
        client.reconnect_delay_set(1, 1)
        client.connect_async("127.0.0.1", self.port)
        client.loop_start()
        self._client = client
        assert subscribed.wait(SUBSCRIBED_S), self._broker.log.read_text()

    def kill(self) -> None:
        """kill -9; the subscriber goes once it has read what the broker had sent."""
        self._broker.kill()
        assert self._gone.wait(SUBSCRIBED_S)
        self._end_client()

    def stop(self) -> None:
        self._end_client()
        self._broker.stop()

    def order(self, topic: str, payload: Any) -> None:
        assert self._client is not None
        self._client.publish(topic, json.dumps(payload), qos=1).wait_for_publish(SUBSCRIBED_S)

    def at(self, topic: str) -> list[Any]:
        return [payload for where, payload in list(self.messages) if where == topic]

    def _take(self, message: MQTTMessage) -> None:
        self.messages.append((message.topic, json.loads(message.payload)))

    def _end_client(self) -> None:
        if self._client is not None:
            self._client.disconnect()
            with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
                self._client.loop_stop()
            self._client = None
