"""A process that listens at a broker for a benchmark and tells twice a second what it has counted.

A process of its own, so that what is measured does not pay for it.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

REPORT_S = 0.5

Take = Callable[[Client, MQTTMessage], None]


def listen(port: int, topics: Sequence[tuple[str, int]], take: Take, counts: dict[str, int]) -> None:
    """Until SIGTERM: hand every message to take; print counts, with a monotonic time, as a JSON line."""

    def connected(client: Client, *_: Any) -> None:
        client.subscribe(list(topics))

    client = Client(CallbackAPIVersion.VERSION2)
    client.on_connect = connected
    client.on_message = lambda connection, data, message: take(connection, message)
    client.connect("127.0.0.1", port)
    client.loop_start()
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
    while not ended:
        time.sleep(REPORT_S)
        print(json.dumps({"at": time.monotonic(), **counts}), flush=True)
    client.disconnect()
    client.loop_stop()
