"""The least of a cloud: welcomes a gateway, acknowledges its batches, counts samples.

Usage: python -m benchmarks.ack BROKER_PORT
"""

from __future__ import annotations

import sys
import time

from paho.mqtt.client import Client, MQTTMessage

from benchmarks.subscriber import listen
from edge_contract import batch
from edge_contract.payloads import Ack, Welcome, encode
from edge_contract.topics import CLOUD_FILTERS, Message, parse, topic


def main(port: int) -> None:
    told = {"samples": 0, "batches": 0, "bytes": 0}

    def take(client: Client, message: MQTTMessage) -> None:
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

    listen(port, [(item, 1) for item in CLOUD_FILTERS], take, told)


if __name__ == "__main__":
    main(int(sys.argv[1]))
