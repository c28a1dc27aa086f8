"""What peers send to: counts the numbers of their JSON messages, and plays a ThingsBoard server's handshake.

Usage: python -m benchmarks.far_end BROKER_PORT TOPIC
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
from paho.mqtt.client import Client, MQTTMessage

from benchmarks.subscriber import listen

VALUES = "values"
REQUESTS = "v1/devices/me/+/request/+"
LIMITS = {"messages": "0:0,", "telemetryMessages": "0:0,", "telemetryDataPoints": "0:0,"}
NO_LIMITS = {
    "maxPayloadSize": 1_000_000,
    "maxInflightMessages": 10_000,
    "rateLimits": LIMITS,
    "gatewayRateLimits": LIMITS,
}
"""Answer to the request for session limits, without which thingsboard-gateway sends no telemetry."""


def numbers(message: Any) -> int:
    """Numbers in every object called "values", however deep; time stamps stand beside it."""
    if isinstance(message, list):
        return sum(map(numbers, message))
    if not isinstance(message, dict):
        return 0
    if isinstance(message.get(VALUES), dict):
        return sum(isinstance(value, (int, float)) for value in message[VALUES].values())
    return sum(map(numbers, message.values()))


def main(port: int, wanted: str) -> None:
    told = {"samples": 0, "messages": 0, "bytes": 0}

    def take(client: Client, message: MQTTMessage) -> None:
        if "/request/" in message.topic:
            limits = b"getSessionLimits" in message.payload
            answer = json.dumps(NO_LIMITS if limits else {})
            client.publish(message.topic.replace("/request/", "/response/"), answer)
            return
        told["samples"] += numbers(msgspec.json.decode(message.payload))
        told["messages"] += 1
        told["bytes"] += len(message.payload)

    listen(port, [(wanted, 0), (REQUESTS, 0)], take, told)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
