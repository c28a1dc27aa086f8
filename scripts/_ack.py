"""The least of a cloud: welcomes a gateway, acknowledges its batches, counts samples. One JSON line a second.

A benchmark of the agent runs it beside a broker, as a process of its own, so that only the agent's CPU is the
agent's. Usage: _ack.py BROKER_PORT
"""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from edge_contract import batch
from edge_contract.payloads import Ack, Welcome, encode
from edge_contract.topics import CLOUD_FILTERS, Message, parse, topic

REPORT_S = 0.5


def main(port: int) -> None:
    told = {"samples": 0, "batches": 0, "bytes": 0}

    def connected(client: Client, *_: Any) -> None:
        for item in CLOUD_FILTERS:
            client.subscribe(item, qos=1)

    def take(client: Client, data: Any, message: MQTTMessage) -> None:
        gateway, kind = parse(message.topic)
        if kind is Message.HELLO:
            welcome = Welcome(accepted=True, version=1, t_ms=time.time_ns() // 1_000_000, need_catalog=False)
            client.publish(topic(gateway, Message.WELCOME), encode(welcome), qos=1)
        elif kind in (Message.LIVE, Message.HISTORY):
            header = batch.read_header(bytes(message.payload))
            told["samples"] += header.samples
            told["batches"] += 1
            told["bytes"] += len(message.payload)
            ack = Ack(stream=header.stream, ranges=[(header.seq, header.seq)])
            client.publish(topic(gateway, Message.ACK), encode(ack), qos=1)

    client = Client(CallbackAPIVersion.VERSION2, client_id="cloud")
    client.on_connect = connected
    client.on_message = take
    client.connect("127.0.0.1", port)
    client.loop_start()
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
    while not ended:
        time.sleep(REPORT_S)
        print(json.dumps({"at": time.monotonic(), **told}), flush=True)
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
