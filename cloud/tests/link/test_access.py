"""One access suite for the embedded broker, for mosquitto with dynamic security and for a real EMQX."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import Any

import pytest
from amqtt.mqtt.protocol.handler import ProtocolHandler
from amqtt.session import Session

from cloud.link.brokers.amqtt_core import TopicPlugin
from cloud.link.brokers.embedded import SAID_EVERY_S, Undelivered
from edge_contract.topics import CLOUD_FILTERS, Message, gateway_filter, topic

from .equipment import BrokerUnderTest, Device, eventually

A, B = "gw-alpha", "gw-beta"


async def connected(*devices: Device) -> None:
    for device in devices:
        assert await device.connect(), device.refused


@pytest.mark.clause("C-080")
async def test_own_topics_pass_both_ways(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    gateway, cloud = broker.device(A), broker.service()
    await connected(gateway, cloud)
    assert [await cloud.subscribe(item) for item in CLOUD_FILTERS] == [True, True]
    assert await gateway.subscribe(gateway_filter().format(gateway=A))
    assert await gateway.subscribe(topic(A, Message.ACK))
    ups = [message for message in Message if message.from_gateway]
    for message in ups:
        await gateway.publish(topic(A, message), message.value.encode())
    await eventually(lambda: sorted(cloud.topics()) == sorted(topic(A, message) for message in ups))
    for message in Message:
        if not message.from_gateway:
            await cloud.publish(topic(A, message), b"x")
    wanted = {topic(A, message) for message in Message if not message.from_gateway}
    await eventually(lambda: set(gateway.topics()) == wanted)
    await gateway.close()
    await cloud.close()


@pytest.mark.clause("C-080")
async def test_foreign_publications_reach_nobody(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    await broker.put(B, "secret-b")
    attacker, victim, cloud = broker.device(A), broker.device(B), broker.service()
    await connected(attacker, victim, cloud)
    for item in CLOUD_FILTERS:
        await cloud.subscribe(item)
    await victim.subscribe(gateway_filter().format(gateway=B))
    await attacker.subscribe(gateway_filter().format(gateway=A))
    forbidden = [
        *(topic(B, message) for message in Message),
        *(topic(A, message) for message in Message if not message.from_gateway),
        f"v1/{A}/up/other",
        "v1/x/up/live",
    ]
    for name in forbidden:
        for retain in (False, True):
            if attacker.lost.is_set():  # mosquitto 2.0 also disconnects for some of these, EMQX for all
                await attacker.close()
                attacker = broker.device(A)
                await connected(attacker)
                await attacker.subscribe(gateway_filter().format(gateway=A))
            await attacker.attempt(name, b"forged", retain=retain)
    last = broker.device(A)
    await connected(last)
    await last.publish(topic(A, Message.LIVE), b"the end")
    await eventually(lambda: topic(A, Message.LIVE) in cloud.topics())
    assert cloud.topics() == [topic(A, Message.LIVE)]
    assert victim.topics() == []
    assert attacker.topics() == []
    for device in (attacker, last, victim, cloud):
        await device.close()


FOREIGN_FILTERS = [
    "#",
    "+/#",
    "v1/#",
    "v1/+/down/+",
    "v1/+/up/+",
    "v1/+/state",
    f"v1/{B}/down/+",
    f"v1/{B}/state",
    f"v1/{A}/#",
    f"v1/{A}/up/+",
    "$SYS/#",
    f"$share/g/v1/{B}/down/+",
    "$share/g/#",
    "$CONTROL/#",
]


@pytest.mark.clause("C-080")
async def test_foreign_filters_are_refused(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    gateway = broker.device(A)
    await connected(gateway)
    granted = []
    for item in FOREIGN_FILTERS:
        if gateway.lost.is_set():  # EMQX answers so
            await gateway.close()
            gateway = broker.device(A)
            await connected(gateway)
        if await gateway.subscribe(item):
            granted.append(item)
    await gateway.close()
    assert granted == []


@pytest.mark.clause("C-081", "C-084")
async def test_who_is_refused(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    await broker.put(B, "secret-b")
    refused = [
        broker.device(A, "wrong"),
        broker.device("gw-unknown", "secret-a"),
        broker.device(A, client_id=B),
        broker.device(A, client_id=f"{A}x"),
        broker.device("+", "secret-a"),
        broker.device("#", "secret-a"),
        Device(broker.port, A, None),
        Device(broker.port, "", None, client_id="anybody"),
    ]
    for device in refused:
        assert not await device.connect(), (device.name, device.client._client_id)
        await device.close()


@pytest.mark.clause("C-081")
async def test_nobody_takes_over_a_session(broker: BrokerUnderTest) -> None:
    """Neither another gateway nor a stranger, with a clean session or an old one, ends a connection."""
    await broker.put(A, "secret-a")
    await broker.put(B, "secret-b")
    victim, cloud = broker.device(A), broker.service()
    await connected(victim, cloud)
    await victim.subscribe(gateway_filter().format(gateway=A))
    for thief in (
        broker.device(B, client_id=A),
        broker.device(A, "wrong"),
        Device(broker.port, "", None, client_id=A),
    ):
        assert not await thief.connect()
        await thief.close()
    await cloud.publish(topic(A, Message.ACK), b"still there")
    await eventually(lambda: victim.topics() == [topic(A, Message.ACK)])
    assert not victim.lost.is_set()
    await victim.close()
    await cloud.close()


@pytest.mark.clause("C-084")
async def test_wrong_secrets_keep_nobody_out(broker: BrokerUnderTest) -> None:
    """Neither who is in nor who comes: not a gateway, and not the cloud."""
    await broker.put(A, "secret-a")
    gateway, cloud = broker.device(A), broker.service()
    await connected(gateway, cloud)
    for _ in range(20):
        for name in (A, cloud.name):
            intruder = Device(broker.port, name, "wrong")
            assert not await intruder.connect()
            await intruder.close()
    assert not gateway.lost.is_set()
    assert not cloud.lost.is_set()
    again, cloud_again = broker.device(A), broker.service()
    await connected(again, cloud_again)
    for device in (gateway, cloud, again, cloud_again):
        await device.close()


async def test_the_same_gateway_replaces_its_own_connection(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    first, second, cloud = broker.device(A), broker.device(A), broker.service()
    await connected(first, second, cloud)
    await eventually(first.lost.is_set)
    await second.subscribe(gateway_filter().format(gateway=A))
    await cloud.publish(topic(A, Message.ACK), b"x")
    await eventually(lambda: len(second.received) == 1)
    for device in (first, second, cloud):
        await device.close()


@pytest.mark.clause("C-007", "C-006")
async def test_state_is_retained_and_the_will_is_published(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    await broker.put(B, "secret-b")
    gateway = broker.device(A)
    gateway.client.will_set(topic(A, Message.STATE), b"gone", 1, retain=True)
    await connected(gateway)
    await gateway.publish(topic(A, Message.STATE), b"here", retain=True)
    early = broker.service()
    await connected(early)
    await early.subscribe(CLOUD_FILTERS[1])
    await eventually(lambda: [(m.payload, m.retain) for m in early.received] == [(b"here", True)])
    await gateway.cut()
    await eventually(lambda: [m.payload for m in early.received] == [b"here", b"gone"])
    await early.close()
    late, other = broker.service(), broker.device(B)
    await connected(late, other)
    await late.subscribe(CLOUD_FILTERS[1])
    await eventually(lambda: [(m.payload, m.retain) for m in late.received] == [(b"gone", True)])
    assert other.received == []  # what is retained is offered to its subscribers only
    await late.close()
    await other.close()


@pytest.mark.clause("C-006")
async def test_only_state_is_retained_on_the_embedded_broker(embedded: BrokerUnderTest) -> None:
    """mosquitto 2.0 cannot tell; the link ignores what reaches it as retained (test_buffer)."""
    await embedded.put(A, "secret-a")
    gateway, cloud = embedded.device(A), embedded.service()
    await connected(gateway)
    for message in Message:
        if message.from_gateway:
            await gateway.publish(topic(A, message), b"kept?", retain=True)
    await connected(cloud)
    for item in CLOUD_FILTERS:
        await cloud.subscribe(item)
    await eventually(lambda: cloud.received)
    await asyncio.sleep(0.2)
    assert cloud.topics() == [topic(A, Message.STATE)]
    await gateway.close()
    await cloud.close()


async def test_a_will_on_a_foreign_topic_reaches_nobody(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    await broker.put(B, "secret-b")
    cloud, gateway = broker.service(), broker.device(A)
    gateway.client.will_set(topic(B, Message.STATE), b"forged", 1, retain=True)
    await connected(cloud)
    await cloud.subscribe(CLOUD_FILTERS[1])
    if await gateway.connect():
        await gateway.cut()
    marker = broker.device(B)
    await connected(marker)
    await marker.publish(topic(B, Message.STATE), b"real")
    await eventually(lambda: cloud.received)
    await asyncio.sleep(0.2)
    assert [m.payload for m in cloud.received] == [b"real"]
    await marker.close()
    await cloud.close()


@pytest.mark.clause("C-083")
async def test_a_disabled_gateway_is_thrown_out_and_stays_out(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    gateway = broker.device(A)
    await connected(gateway)
    await broker.disable(A)
    await eventually(gateway.lost.is_set)
    again = broker.device(A, "secret-a")
    assert not await again.connect()
    await broker.put(A, "secret-new")  # claimed again
    with_old, with_new = broker.device(A, "secret-a"), broker.device(A, "secret-new")
    assert not await with_old.connect()
    assert await with_new.connect()
    for device in (gateway, again, with_old, with_new):
        await device.close()


@pytest.mark.clause("C-083")
async def test_a_rotated_secret_ends_the_connection_of_the_old_one(broker: BrokerUnderTest) -> None:
    await broker.put(A, "secret-a")
    gateway = broker.device(A)
    await connected(gateway)
    await broker.put(A, "secret-2")
    await eventually(gateway.lost.is_set)
    renewed = broker.device(A, "secret-2")
    assert await renewed.connect()
    await gateway.close()
    await renewed.close()


@pytest.mark.clause("C-004")
async def test_the_service_may_not_speak_as_a_gateway(broker: BrokerUnderTest) -> None:
    cloud, listener = broker.service(), broker.service()
    await connected(cloud)
    for item in CLOUD_FILTERS:
        await cloud.subscribe(item)
    assert not await cloud.subscribe("#")
    if cloud.lost.is_set():
        await cloud.close()
        cloud = broker.service()
        await connected(cloud)
    await cloud.attempt(topic(A, Message.STATE), b"forged", retain=True)
    await asyncio.sleep(0.2)
    assert cloud.received == []
    await cloud.close()
    await connected(listener)
    await listener.subscribe(CLOUD_FILTERS[1])
    await asyncio.sleep(0.2)
    assert listener.received == []
    await listener.close()


async def test_a_client_that_takes_nothing_does_not_fill_the_log(
    embedded: BrokerUnderTest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wait_for = asyncio.wait_for
    monkeypatch.setattr(  # amqtt waits 5 s for a PUBACK
        asyncio, "wait_for", lambda what, timeout: wait_for(what, 0.1 if timeout == 5 else timeout)
    )
    await embedded.put(A, "secret-a")
    gateway, cloud = embedded.device(A), embedded.service()
    gateway.client.manual_ack_set(True)
    await connected(gateway, cloud)
    await gateway.subscribe(topic(A, Message.ACK))
    for _ in range(2):
        for _ in range(20):
            await cloud.publish(topic(A, Message.ACK), b"x")
        await asyncio.sleep(0.3)
    await cloud.publish(topic(A, Message.ACK), b"amqtt looks at failures when the next message comes")
    await eventually(lambda: caplog.records)
    await gateway.close()
    await cloud.close()
    [record] = caplog.records
    assert record.getMessage().startswith(f"{A} did not take a message: Timeout waiting for PUBACK")
    assert (record.levelname, record.exc_info) == ("WARNING", None)


async def test_clients_that_come_and_go_cost_the_others_no_message(
    embedded: BrokerUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = TopicPlugin.topic_filtering

    async def slowly(self: TopicPlugin, **words: Any) -> bool | None:
        await asyncio.sleep(0.005)
        return await ask(self, **words)

    monkeypatch.setattr(TopicPlugin, "topic_filtering", slowly)
    await embedded.put(A, "secret-a")
    await embedded.put(B, "secret-b")
    gateway, cloud = embedded.device(A), embedded.service()
    await connected(gateway, cloud)
    await gateway.subscribe(gateway_filter().format(gateway=A))
    await gateway.subscribe(topic(A, Message.ACK))

    async def come_and_go() -> None:
        for _ in range(5):
            other = embedded.device(B)
            await connected(other)
            await other.subscribe(topic(B, Message.ACK))
            await other.close()

    coming = asyncio.create_task(come_and_go())
    said = 0
    while not coming.done():
        if 2 * said < len(gateway.received) + 40:  # a busy machine is not given more than it delivers in time
            await cloud.publish(topic(A, Message.ACK), b"x")
            said += 1
        else:
            await asyncio.sleep(0.01)
    await eventually(lambda: len(gateway.received) == 2 * said)  # by each filter
    assert said > 10
    await gateway.close()
    await cloud.close()


def test_what_a_client_did_not_take_is_said_again_after_a_while() -> None:
    now, lines = [0.0], []
    undelivered = Undelivered(lambda: now[0])
    handler = ProtocolHandler.__new__(ProtocolHandler)

    def fail(client: str | None) -> bool:
        handler.session = Session()
        handler.session.client_id = client
        record = logging.LogRecord("amqtt.broker", logging.ERROR, "", 1, "Task failed", (), _raised(handler))
        kept = undelivered.filter(record)
        lines.append((record.getMessage(), record.exc_info is None))
        return kept

    assert [fail("gw-1") for _ in range(1000)].count(True) == 1
    assert fail("gw-2")
    now[0] += SAID_EVERY_S
    assert fail("gw-1")
    assert lines[-1] == ("gw-1 did not take a message: late; 999 more since the last such line", True)
    assert fail(None)
    assert lines[-1] == ("Task failed", False), "what else fails keeps its traceback"


def _raised(handler: ProtocolHandler) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    def deliver(self: ProtocolHandler) -> None:
        raise TimeoutError("late")

    try:
        deliver(handler)
    except TimeoutError as error:
        return TimeoutError, error, error.__traceback__
    raise AssertionError
