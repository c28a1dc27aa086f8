"""A store with a committer and MQTT targets, without field bus and cloud; and a platform that notes all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from edge_agent.config.model import Configuration, Gateway, Point
from edge_agent.errors import BadValue
from edge_agent.forwarding.mqtt import forwarder as module
from edge_agent.forwarding.mqtt.config import MqttOptions
from edge_agent.forwarding.mqtt.forwarder import MqttForwarder
from edge_agent.forwarding.services import Services
from edge_agent.model import PointKey, Quality, Row, Sample, Value
from edge_agent.points import raw_of, same_value
from edge_agent.remote.commands import CommandDispatcher
from edge_agent.remote.execution import Execution
from edge_agent.store.base import Bound, Store
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_agent.system.clock import SystemClock
from edge_agent.system.private_files import make_folder
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash, encode

GATEWAY = "gw-mqtt-1"
SLAVES = [SlaveEntry(name="boiler", title="Boiler", protocol="modbus_tcp", port="lan", address="1")]
POINTS = {
    PointKey("boiler", name): Point(slave="boiler", name=name, rw="readwrite", data_type="float", max=100)
    for name in ("t", "p")
}
CATALOG_POINTS = [
    PointEntry(
        id=number, slave="boiler", name=name, title=name, kind="num", rw="readwrite", data_type="float"
    )
    for number, name in ((1, "t"), (2, "p"))
]
CATALOG = Catalog(hash=catalog_hash(SLAVES, CATALOG_POINTS), t_ms=1, slaves=SLAVES, points=CATALOG_POINTS)
BEGIN_MS = 1_760_000_000_000
COMES_S = 40.0


class Field:
    """Devices that hold what was written. error: instead of the next writes; hold: set when they may end."""

    def __init__(self) -> None:
        self.hold = asyncio.Event()
        self.hold.set()
        self.written: list[tuple[str, Value]] = []
        self.error: Exception | None = None

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        raw_of(POINTS[key], value)
        self.written.append((key.point, value))
        await self.hold.wait()
        if self.error is not None:
            raise self.error
        return Sample(1, BEGIN_MS, value)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        raise BadValue("not read here")


class Site:
    """put() counts up from what the store has, a batch a number; its samples are one second apart."""

    def __init__(self, store: Store, data: Path) -> None:
        self.store = store
        self.field = Field()
        self.clock = SystemClock()
        self.committer = Committer(store.outbox, CATALOG.hash, 1.0, self.clock.now_ms)
        self.number = store.outbox.state().next_seq - 1
        self.packets: list[tuple[str, str, str]] = []  # target, direction and text, as a trace gets them
        execution = Execution(POINTS, self.field, same_value, self.clock)
        services = SimpleNamespace(
            store=store,
            clock=self.clock,
            folder=data,
            trace=SimpleNamespace(
                packet=lambda target, direction, text: self.packets.append((target, direction, text()))
            ),
            configuration=Configuration(gateway=Gateway(id=GATEWAY)),
            commands_of=lambda name: CommandDispatcher(
                execution, store.journal.of_source(name), lambda key: None, f"target {name}"
            ),
        )
        self._services = cast("Services", services)

    def target(self, name: str, port: int, **options: Any) -> MqttForwarder:
        given = {"tls": "none", "up_topic": "up", **options}
        made = MqttOptions(server="127.0.0.1", port=port, **given)
        return MqttForwarder(name, made, self._services, self.store.outbox.consumer(name))

    def passed(self, name: str) -> int:
        """The batch up to which a target has acknowledged everything."""
        return self.store.outbox.consumer(name).position().upto_seq

    async def put(self, count: int = 1, quality: Quality = Quality.GOOD) -> None:
        for _ in range(count):
            self.number += 1
            values = (self.number, -self.number) if quality is Quality.GOOD else (None, None)
            qualities = None if quality is Quality.GOOD else (quality, quality)
            self.committer.put(Row((1, 2), BEGIN_MS + self.number * 1000, values, qualities))
            await self.committer.flush()


@asynccontextmanager
async def site(data: Path, *names: str) -> AsyncIterator[Site]:
    """names: of consumers."""
    module.RECONNECT_S = (0.05, 0.2)
    make_folder(data)
    clock = SystemClock()
    async with open_sqlite(data, 64 << 20, clock.now_ms, time.monotonic) as store:
        await store.catalogs.keep(CATALOG.hash, encode(CATALOG))
        await store.outbox.attach([Bound(name, start="oldest") for name in names])
        yield Site(store, data)


@asynccontextmanager
async def running(*targets: MqttForwarder) -> AsyncIterator[None]:
    tasks = [asyncio.ensure_future(target.run()) for target in targets]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert all(task.cancelled() for task in tasks), [task for task in tasks if not task.cancelled()]


@dataclass
class Platform:
    """Subscribes to everything and notes it; QoS 0, so that what a killed broker had taken is delivered."""

    port: int
    messages: list[tuple[str, Any]] = field(default_factory=list)
    retained: int = 0
    ignore: str = ""  # a topic whose messages need not be JSON

    async def start(self, user: str = "", password: str = "") -> None:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id="platform")
        if user:
            self._client.username_pw_set(user, password)
        self._client.on_message = lambda client, data, message: self._take(message)
        self._client.on_connect = lambda client, *_: client.subscribe("#", 0)
        self._gone = asyncio.Event()
        self._client.on_disconnect = lambda *_: loop.call_soon_threadsafe(self._gone.set)
        self._client.on_subscribe = lambda *_: loop.call_soon_threadsafe(ready.set)
        self._client.connect("127.0.0.1", self.port)
        self._client.loop_start()
        await asyncio.wait_for(ready.wait(), COMES_S)

    async def outlive(self) -> None:
        """After the broker was killed: stop once everything that it had sent is read."""
        await asyncio.wait_for(self._gone.wait(), COMES_S)
        await self.stop()

    async def stop(self) -> None:
        self._client.disconnect()
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            await asyncio.to_thread(self._client.loop_stop)

    def _take(self, message: MQTTMessage) -> None:
        if message.topic == self.ignore:
            return
        self.retained += message.retain
        self.messages.append((message.topic, json.loads(message.payload)))

    def order(self, topic: str, payload: Any, *, retain: bool = False) -> None:
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self._client.publish(topic, body, qos=1, retain=retain).wait_for_publish(COMES_S)

    def at(self, topic: str) -> list[Any]:
        return [payload for where, payload in self.messages if where == topic]

    def values(self, name: str = "boiler.t", topic: str = "up") -> list[int]:
        """Of a point in NV, without what is marked as sent before and is there already."""
        return [item["v"] for item in distinct(self.at(topic)) if item["n"] == name]


@asynccontextmanager
async def subscribed(port: int) -> AsyncIterator[Platform]:
    """A platform on a broker without accounts."""
    made = Platform(port)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


def distinct(messages: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Items of NV messages; one that came before must have the mark, and is left out."""
    seen: set[tuple[str, int]] = set()
    items = []
    for item in (item for message in messages for item in message):
        key = item["n"], item["t"]
        assert key not in seen or item.get("r") is True, f"{key} came again without a mark"
        if key not in seen:
            items.append(item)
        seen.add(key)
    return items


async def until(condition: Any, seconds: float = COMES_S) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        await asyncio.sleep(0.01)


async def main(data: Path, port: int) -> None:
    """Until killed: number after number; prints each that was committed. Nobody listens for "down"."""
    async with site(data, "cloudy", "down") as made:
        targets = made.target("cloudy", port), made.target("down", 1)
        tasks = [asyncio.ensure_future(one.run()) for one in targets]
        while not any(task.done() for task in tasks):
            await made.put()
            print(made.number, flush=True)
            await asyncio.sleep(0.002)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
