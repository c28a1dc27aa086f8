"""A cloud that is nothing but an MQTT client: it welcomes, acknowledges and deploys as a test wants."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from edge_contract import batch
from edge_contract.deployment import FINAL, Deploy, Document, Receipt, document_hash
from edge_contract.payloads import Ack, ControlMessage, Hello, Pulse, Welcome, decode, encode
from edge_contract.topics import CLOUD_FILTERS, Message, parse, topic

READY_S = 30.0


class CloudDouble:
    """port: of a broker that asks for no name."""

    def __init__(self, port: int) -> None:
        self.receipts: dict[str, list[tuple[float, Receipt]]] = {}
        self.hellos: list[tuple[str, Hello]] = []
        self.pulses: list[tuple[str, Pulse]] = []
        self.samples = 0
        self._ready = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id="cloud")
        self._client.on_connect = lambda client, *_: [client.subscribe(one, qos=1) for one in CLOUD_FILTERS]
        self._client.on_subscribe = lambda *_: self._ready.set()
        self._client.on_message = self._take
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        assert self._ready.wait(READY_S)

    def close(self) -> None:
        self._client.disconnect()
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            self._client.loop_stop()

    def deploy(self, gateway: str, document: Document, **settings: Any) -> str:
        """Send it; the deployment's id."""
        values = {
            "id": f"deploy-{time.time_ns()}",
            "hash": document_hash(document),
            "base": None,
            "expires_ms": time.time_ns() // 1_000_000 + 60_000,
            "confirm_s": 30,
            **settings,
        }
        made = Deploy(document=document, **values)
        self.say(gateway, Message.DEPLOY, made)
        return made.id

    def say(self, gateway: str, message: Message, payload: ControlMessage) -> None:
        self._client.publish(topic(gateway, message), encode(payload), qos=1)

    def steps(self, deployment: str) -> list[str]:
        """Steps in the order in which they came first."""
        steps = [receipt.step.value for _, receipt in list(self.receipts.get(deployment, []))]
        return list(dict.fromkeys(steps))

    def last(self, deployment: str) -> Receipt | None:
        """Its final receipt."""
        return next((one for _, one in list(self.receipts.get(deployment, [])) if one.step in FINAL), None)

    def wait(self, done: Callable[[], Any], timeout_s: float) -> Any:
        deadline = time.monotonic() + timeout_s
        while not (answer := done()):
            assert time.monotonic() < deadline, (self.receipts, self.hellos[-2:])
            time.sleep(0.02)
        return answer

    def _take(self, client: Client, data: Any, message: MQTTMessage) -> None:
        gateway, kind = parse(message.topic)
        match kind:
            case Message.HELLO:
                self.hellos.append((gateway, decode(Hello, message.payload)))
                welcome = Welcome(accepted=True, version=1, t_ms=time.time_ns() // 1_000_000)
                self.say(gateway, Message.WELCOME, welcome)
            case Message.PULSE:
                self.pulses.append((gateway, decode(Pulse, message.payload)))
            case Message.LIVE | Message.HISTORY:
                header = batch.read_header(message.payload)
                self.samples += header.samples
                self.say(gateway, Message.ACK, Ack(stream=header.stream, ranges=[(header.seq, header.seq)]))
            case Message.RECEIPT:
                receipt = decode(Receipt, message.payload)
                self.receipts.setdefault(receipt.id, []).append((time.monotonic(), receipt))
            case _:
                pass
