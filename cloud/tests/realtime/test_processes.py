"""Two processes of the cloud on one mosquitto and one PostgreSQL: a browser at B sees what came in at A.

B's link has no client on the broker, so no gateway's message ever reaches it: what its browser gets came over
the push topic.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from cloud.db import Database
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.models import Device as Gateway
from cloud.domains.identity.service import IdentityService
from cloud.link.brokers.mosquitto import DynSec
from edge_contract.model import Sample
from edge_contract.payloads import State, encode
from edge_contract.push import PUSH_TOPIC
from edge_contract.topics import Message, gateway_filter, topic

from ..application import PASSWORD
from ..conftest import BOOT, catalog, hello
from ..databases import empty
from ..link.conftest import dynsec_template
from ..link.equipment import (
    SERVICE_PASSWORD,
    Device,
    Mosquitto,
    administrator,
    batch,
    eventually,
)
from .processes import Browser, Process, start

FIXTURES = (dynsec_template,)

GATEWAY, STREAM = "gw-push-1", "aa" * 8


@dataclass
class Site:
    """Broker, database and the two processes."""

    broker: Mosquitto
    a: Process
    b: Process
    secret: str


async def prepare(database_url: str, dynsec: DynSec) -> str:
    """A user, a gateway that tells when it goes, and the client of B's line; the gateway's secret."""
    database = Database(database_url)
    await IdentityService(database).add_user("admin", PASSWORD, 0)
    claims = ClaimService(database, dynsec.put_gateway, dynsec.disable_gateway)
    secret = await claims.claim(GATEWAY, "Pump house")
    async with database.session() as session:
        (await session.get_one(Gateway, 1)).offline_notify = True
        await session.commit()
    await database.close()
    await dynsec.ensure_service("cloud-b-push", SERVICE_PASSWORD)
    return secret


@pytest.fixture
async def site(tmp_path: Path, dynsec_template: Path, migrated_postgres: str) -> AsyncIterator[Site]:
    await empty(migrated_postgres)
    broker = Mosquitto(tmp_path)
    broker.init(dynsec_template)
    broker.start()
    processes: list[Process] = []
    try:
        secret = await prepare(migrated_postgres, administrator(broker))
        for name, administers in (("cloud-a", True), ("cloud-b", False)):
            processes.append(start(name, tmp_path, broker, migrated_postgres, administers=administers))
        await asyncio.gather(*(process.ready() for process in processes))
        yield Site(broker, *processes, secret)
        for process in processes:
            process.running.terminate()
        for process in processes:
            assert process.running.wait(20) in (0, -15), (process.home / "log").read_text()[-800:]
    finally:
        for process in processes:
            process.running.kill()
        broker.kill()


@pytest.mark.system
@pytest.mark.clause("C-110", "C-111", "C-112", "C-113")
async def test_a_browser_at_b_sees_what_came_in_at_a(site: Site) -> None:
    token = await site.a.sign_in()
    spy = Device(site.broker.port, "cloud-b", SERVICE_PASSWORD)
    assert not await spy.connect()  # B's link has no way in
    async with connect(f"ws://{site.b.url}/api/v1/ws") as socket:
        browser = Browser(socket)
        await browser.say(type="identify", token=token)
        await browser.see(type="identified")
        gateway = await gateway_at_a(site)
        rows = (await site.a.call("GET", "/device/dss?device_id=1", token))["rows"]
        dsid = rows[0]["dsid"]
        await browser.say(type="subscribe", devices=[1], dsids=[dsid])
        await asyncio.sleep(1.5)  # B's notice, and A's question when it connected

        sent = time.monotonic()
        await publish_value(gateway, 1, 42.5)
        message = await browser.see(type="dp", did=1)
        assert [(row[0], row[2]) for row in message["rows"]] == [(dsid, 42.5)]
        took_ms = (time.monotonic() - sent) * 1000
        print(f"value at A to browser at B: {took_ms:.0f} ms")

        await site.a.call("PUT", "/device/1", token, json={"device_title": "Pump house 2"})
        await browser.see(type="device", device_title="Pump house 2")
        await gateway.publish(
            topic(GATEWAY, Message.STATE), encode(State(online=False, boot=BOOT, t_ms=1)), retain=True
        )
        await browser.see(type="onoff", did=1, status=0)
        alarm = await browser.see(type="alarm", did=1, event="new", alarm_type=4)
        await site.a.call("PUT", f"/event/alarmlog/{alarm['id']}", token, json={"status": 1})
        await browser.see(type="alarm", event="changed", id=alarm["id"], status=1)
        await site.a.call("POST", "/event/read", token, json={"kind": "alarm"})
        assert (await browser.see(type="unread"))["alarm"] == 0
        # That the gateway came (status 1) B's browser learns only if A had heard of B by then.
        told = ({"type": "alarm"}, {"type": "onoff", "status": 0}, {"type": "unread"})
        assert [browser.count(**words) for words in told] == [2, 1, 1]

        await lose_the_broker(site, token, browser)
        await site.a.call("POST", "/login/logout", token)
        await asyncio.wait_for(asyncio.gather(browser.reading, return_exceptions=True), 10)
        assert socket.close_code == 4401
    await gateway.close()


async def lose_the_broker(site: Site, token: str, browser: Browser) -> None:
    """Without it A goes on pushing to its own; with it again B's browser gets what happens from then on."""
    async with connect(f"ws://{site.a.url}/api/v1/ws") as socket:
        here = Browser(socket)
        await here.say(type="identify", token=token)
        await here.see(type="identified")
        await here.say(type="subscribe", devices=[1], dsids=[])
        site.broker.kill()
        await site.a.call("PUT", "/device/1", token, json={"device_title": "Alone"})
        await here.see(type="device", device_title="Alone")
        site.broker.start()
        deadline = time.monotonic() + 20
        number = 0
        while not any(m.get("device_title", "").startswith("Together") for m in browser.got):
            assert time.monotonic() < deadline, "B was not told again"
            number += 1
            await site.a.call("PUT", "/device/1", token, json={"device_title": f"Together {number}"})
            await asyncio.sleep(0.5)
        assert not any(m.get("device_title") == "Alone" for m in browser.got)


async def gateway_at_a(site: Site) -> Device:
    """A gateway that was welcomed and whose catalog is known."""
    gateway = Device(site.broker.port, GATEWAY, site.secret)
    assert await gateway.connect(), gateway.refused
    assert await gateway.subscribe(gateway_filter().format(gateway=GATEWAY))
    points = catalog("pressure", "level")
    deadline = time.monotonic() + 20
    while not any(name.endswith("/down/welcome") for name in gateway.topics()):
        assert time.monotonic() < deadline, "no welcome"
        await gateway.publish(topic(GATEWAY, Message.HELLO), encode(hello(points.hash, stream=STREAM)))
        await asyncio.sleep(0.5)
    await gateway.publish(topic(GATEWAY, Message.CATALOG), encode(points))
    assert PUSH_TOPIC not in gateway.topics()
    assert not await gateway.subscribe(PUSH_TOPIC)
    await publish_value(gateway, 0, 1.0)
    await eventually(lambda: 1 in gateway.acknowledged(STREAM))
    return gateway


async def publish_value(gateway: Device, number: int, value: float) -> None:
    now = time.time_ns() // 1_000_000
    samples = [Sample(1, now, value)]
    name = catalog("pressure", "level").hash
    await gateway.publish(
        topic(GATEWAY, Message.LIVE), batch(number + 1, stream=STREAM, catalog=name, samples=samples)
    )
