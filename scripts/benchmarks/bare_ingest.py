"""Bare loops from a broker to storage: what Python can do at most, without a model, a contract or a catalog.

Usage: python -m benchmarks.bare_ingest blob|influx|paho|send PORT NAME PASSWORD MESSAGES STORE

blob: own MQTT reading, one SQLite row a message, synchronous=FULL; influx: the same reading, one line of 50
fields a message by HTTP; paho: the paho client, nothing stored; send: publishes the messages. The first three
print a line when they listen, and then {"seconds": first message to durable, "cpu_s": of this process}.
"""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection
from urllib.parse import urlsplit

import uvloop
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from edge_contract import batch
from edge_contract.topics import CLOUD_FILTERS, Message, topic
from firmware_sim.gateways import packets
from firmware_sim.gateways.connection import Broker, Connection
from firmware_sim.gateways.signals import Signals
from firmware_sim.gateways.snapshot import Snapshots

POINTS = 50
GROUP_S = 0.02
MAX_UNANSWERED = 2000
STREAM, CATALOG = "00000000000000ab", "00000000000000cd"

Store = Callable[[list[bytes]], None]


def sqlite_store(path: str) -> Store:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for statement in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE batch (stream TEXT, seq INTEGER, payload BLOB, PRIMARY KEY (stream, seq))",
    ):
        connection.execute(statement)

    def keep(payloads: list[bytes]) -> None:
        rows = [
            (header.stream, header.seq, each) for each in payloads for header in [batch.read_header(each)]
        ]
        connection.execute("BEGIN")
        connection.executemany("INSERT OR IGNORE INTO batch VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")

    return keep


def influx_store(url: str) -> Store:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port)

    def post(path: str, body: bytes) -> None:
        connection.request("POST", path, body)
        reply = connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise RuntimeError(f"{reply.status} {text[:200]!r}")

    post("/query?q=CREATE%20DATABASE%20bare", b"")

    def keep(payloads: list[bytes]) -> None:
        lines = []
        for payload in payloads:
            header, columns = batch.decode(payload)
            fields = ",".join([f"p{column.point}={column.values[0]}" for column in columns])
            lines.append(f"bare,stream={header.stream} {fields} {header.seq}")
        post("/write?db=bare&precision=ms", "\n".join(lines).encode())

    return keep


class Taker:
    """Groups of what came while the last one was written, at least GROUP_S apart."""

    def __init__(self, store: Store, messages: int) -> None:
        self._store = store
        self._messages = messages
        self._queue: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.begun = 0.0

    def take(self, name: bytes, payload: bytes) -> None:
        if not self.begun:
            self.begun = time.perf_counter()
        self._queue.put(payload)

    def run(self) -> None:
        done = 0
        while done < self._messages:
            group, start = [self._queue.get()], time.perf_counter()
            while not self._queue.empty():
                group.append(self._queue.get())
            self._store(group)
            done += len(group)
            time.sleep(max(0.0, GROUP_S - (time.perf_counter() - start)))
        seconds = time.perf_counter() - self.begun
        print(json.dumps({"seconds": seconds, "cpu_s": time.process_time()}), flush=True)


async def connect(port: int, name: str, password: str, deliver: Callable[[bytes, bytes], None]) -> Connection:
    will = packets.Will(topic(name, Message.STATE), b"")
    hello = packets.connect(name, password, will, 60)
    topic_filter = CLOUD_FILTERS[0] if name == "cloud" else topic(name, Message.ACK)
    return await Broker(f"mqtt://127.0.0.1:{port}", None).connect(hello, topic_filter, deliver)


async def listen(port: int, name: str, password: str, taker: Taker) -> None:
    connection = await connect(port, name, password, taker.take)
    print("ready", flush=True)
    await asyncio.to_thread(taker.run)
    connection.close()


def listen_with_paho(port: int, name: str, password: str, messages: int) -> None:
    taker = Taker(lambda payloads: None, messages)
    client = Client(CallbackAPIVersion.VERSION2, client_id=name)
    client.username_pw_set(name, password)
    client.on_connect = lambda client, *_: client.subscribe(CLOUD_FILTERS[0], 1)
    client.on_subscribe = lambda *_: print("ready", flush=True)
    client.on_message = lambda client, data, message: taker.take(b"", bytes(message.payload))
    client.connect("127.0.0.1", port)
    client.loop_start()
    taker.run()
    client.disconnect()
    client.loop_stop()


async def send(port: int, name: str, password: str, messages: int) -> None:
    signals, snapshots = Signals(1, name, POINTS), Snapshots(STREAM, CATALOG, POINTS)
    now_ms = time.time_ns() // 1_000_000
    payloads = [snapshots.write(seq, now_ms, signals.raw(now_ms + seq)) for seq in range(1, messages + 1)]
    connection = await connect(port, name, password, lambda name, payload: None)
    where = topic(name, Message.LIVE).encode()
    for payload in payloads:
        await less_than(connection, MAX_UNANSWERED)
        connection.publish(where, payload)
    await less_than(connection, 1)
    connection.close()


async def less_than(connection: Connection, max_unanswered: int) -> None:
    while connection.unanswered >= max_unanswered:  # noqa: ASYNC110 - an event a PUBACK would cost what is measured
        await asyncio.sleep(0)


def main(kind: str, port: int, name: str, password: str, messages: int, store: str) -> None:
    if kind == "paho":
        listen_with_paho(port, name, password, messages)
    elif kind == "send":
        uvloop.run(send(port, name, password, messages))
    else:
        keep = sqlite_store(store) if kind == "blob" else influx_store(store)
        uvloop.run(listen(port, name, password, Taker(keep, messages)))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(words[0], int(words[1]), words[2], words[3], int(words[4]), words[5])
