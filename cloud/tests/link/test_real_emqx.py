"""A real EMQX 5.8 with the committed configuration: its starts, its limits, what it asks."""

from __future__ import annotations

import asyncio
import base64
import json
import urllib.request
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from edge_contract.topics import CLOUD_FILTERS, Message, gateway_filter, topic

from .equipment import SERVICE, SERVICE_PASSWORD, BrokerUnderTest, Device, eventually
from .real_emqx import RealEmqx
from .test_emqx import HEADERS, body

A, B = "gw-alpha", "gw-beta"
WRONG = "a-wrong-password"
LIVE = topic(A, Message.LIVE)
COMMAND = topic(A, Message.COMMAND)
MESSAGES = 3000


@pytest.fixture
async def gateway(emqx_broker: BrokerUnderTest) -> AsyncIterator[Device]:
    await emqx_broker.put(A, "secret-a")
    made = emqx_broker.device(A)
    assert await made.connect()
    assert await made.subscribe(gateway_filter().format(gateway=A))
    yield made
    await made.close()


@pytest.fixture
def restarted(real_emqx: RealEmqx, emqx_broker: BrokerUnderTest) -> Iterator[None]:
    """EMQX that begins to start."""
    real_emqx.broker.kill()
    real_emqx.broker.begin()
    yield
    real_emqx.broker.wait_ready()


async def intrusions(port: int, name: str, ready: asyncio.Task[None]) -> list[Device]:
    """Connections in a name that the caller has not, which were let in while EMQX started."""
    let_in = []
    while not ready.done():
        device = Device(port, name, WRONG)
        try:
            if await device.connect():
                let_in.append(device)
        except OSError:
            await asyncio.sleep(0.01)
    return let_in


@pytest.mark.clause("C-085")
async def test_nobody_reads_or_sends_during_a_start(
    real_emqx: RealEmqx, emqx_broker: BrokerUnderTest, restarted: None
) -> None:
    """The listener opens before the authenticator is loaded: a connection of that moment may do nothing."""
    name = "cloud"  # which the access file trusted once
    emqx_broker.secrets[A] = "secret-a"
    ready = asyncio.create_task(asyncio.to_thread(real_emqx.broker.wait_ready))
    let_in = await intrusions(emqx_broker.service_port or 0, name, ready)
    await ready
    gateway = emqx_broker.device(A)
    assert await gateway.connect()
    assert await gateway.subscribe(COMMAND)
    for number, device in enumerate(let_in):
        if number % 2:
            await device.attempt(COMMAND, b"forged")
        elif not device.lost.is_set():
            assert not any([await device.subscribe(item) for item in CLOUD_FILTERS[:1]])
    await gateway.publish(LIVE, b"a sample")
    assert [message.payload for device in let_in for message in device.received] == []
    assert gateway.topics() == []
    assert not await Device(emqx_broker.port, name, WRONG).connect()
    for device in (gateway, *let_in):
        await device.close()


@pytest.mark.clause("C-085")
async def test_with_the_cloud_away_nobody_comes_in(
    real_emqx: RealEmqx, emqx_broker: BrokerUnderTest, gateway: Device
) -> None:
    real_emqx.is_answered = False
    for device in (emqx_broker.device(A), emqx_broker.service()):
        assert not await device.connect()
        await device.close()
    assert not gateway.lost.is_set(), "who is in stays"
    real_emqx.is_answered = True
    again = emqx_broker.device(A)
    assert await again.connect()
    await again.close()


async def test_the_cloud_hears_and_says_as_much_as_comes(
    emqx_broker: BrokerUnderTest, gateway: Device
) -> None:
    cloud = emqx_broker.service()
    assert await cloud.connect()
    assert await cloud.subscribe(CLOUD_FILTERS[0])
    for _ in range(MESSAGES):
        gateway.client.publish(LIVE, b"x", 1)
        cloud.client.publish(topic(A, Message.ACK), b"y", 1)
    await eventually(lambda: min(len(cloud.received), len(gateway.received)) == MESSAGES, 60)
    await cloud.close()


@pytest.mark.clause("C-026")
async def test_a_gateway_that_catches_up_meets_no_limit(
    emqx_broker: BrokerUnderTest, gateway: Device
) -> None:
    """A whole window of the largest batches at once."""
    cloud = emqx_broker.service()
    assert await cloud.connect()
    assert await cloud.subscribe(CLOUD_FILTERS[0])
    for _ in range(32):
        gateway.client.publish(topic(A, Message.HISTORY), b"z" * 256 * 1024, 1)
    await eventually(lambda: len(cloud.received) == 32, 60)
    await cloud.close()


async def test_what_is_promised_of_each_listener_is_so(
    real_emqx: RealEmqx, emqx_broker: BrokerUnderTest, gateway: Device
) -> None:
    cloud = emqx_broker.service()
    assert await cloud.connect()
    token = await asked(
        real_emqx, "POST", "login", {"username": "admin", "password": real_emqx.broker.api_password}
    )
    clients = await asked(real_emqx, "GET", "clients", token=token["token"])
    limits = {
        row["clientid"]: (row["listener"], row["inflight_max"], row["mqueue_max"]) for row in clients["data"]
    }
    assert limits == {A: ("ssl:default", 100, 10_000), SERVICE: ("ssl:cloud", 2000, 100_000)}
    rates = {
        listener: (in_effect.get("messages_rate"), in_effect.get("bytes_rate"))
        for listener in ("ssl:default", "ssl:cloud")
        for in_effect in [await asked(real_emqx, "GET", f"listeners/{listener}", token=token["token"])]
    }
    assert rates == {"ssl:default": ("4000/s", "16MB/s"), "ssl:cloud": (None, None)}
    await cloud.close()


async def asked(emqx: RealEmqx, method: str, path: str, content: Any = None, token: str = "") -> Any:
    """Answer of the management API."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{emqx.broker.api_port}/api/v5/{path}",
        method=method,
        data=None if content is None else json.dumps(content).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )

    def ask() -> Any:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)

    return await asyncio.to_thread(ask)


@pytest.mark.clause("C-006", "C-007")
async def test_retained_states_outlive_a_kill(
    real_emqx: RealEmqx, emqx_broker: BrokerUnderTest, gateway: Device
) -> None:
    await gateway.publish(topic(A, Message.STATE), b"here", retain=True)
    await asyncio.sleep(3.0)  # its tables are written two seconds behind
    real_emqx.broker.kill()
    await asyncio.to_thread(real_emqx.broker.start)
    cloud = emqx_broker.service()
    assert await cloud.connect()
    assert await cloud.subscribe(CLOUD_FILTERS[1])
    await eventually(lambda: [message.payload for message in cloud.received] == [b"here"])
    await cloud.close()


async def test_it_asks_as_it_is_replayed(
    real_emqx: RealEmqx, emqx_broker: BrokerUnderTest, gateway: Device
) -> None:
    """Headers and body of test_emqx.py are those that came."""
    anonymous = Device(emqx_broker.port, "", None, client_id=A)
    assert not await anonymous.connect()
    await anonymous.close()
    assert len(real_emqx.requests) == 2, "one for a connection; who has no name is refused unasked"
    headers, asked_for = real_emqx.requests[-1]
    sent_by_http = {"host", "content-length"}
    assert headers.keys() - sent_by_http == HEADERS.keys()
    assert headers["content-type"] == HEADERS["content-type"]
    assert headers["x-emqx-secret"] == real_emqx.broker.secret
    assert asked_for == body(peerhost="127.0.0.1")
    assert base64.b64encode(SERVICE_PASSWORD.encode()).decode() not in str(real_emqx.requests)
