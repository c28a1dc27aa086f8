"""A full and an api process on one mosquitto, one PostgreSQL and one InfluxDB."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from cloud.db import Database
from cloud.domains.devices.claims import ClaimService
from cloud.domains.identity.service import IdentityService
from cloud.domains.inventory.models import Device as Gateway
from edge_contract.model import Sample
from edge_contract.payloads import Command, CommandResult, State, decode, encode
from edge_contract.push import NOTICE_S, PUSH_TOPIC, Push, PushKind
from edge_contract.topics import Message, gateway_filter, topic

from ..application import PASSWORD
from ..conftest import BOOT, catalog, hello
from ..databases import empty
from ..domains.files.pictures import png
from ..link.conftest import dynsec_template
from ..link.equipment import SERVICE_PASSWORD, Device, Mosquitto, administrator, batch, eventually
from ..timeseries.conftest import PASSWORD as INFLUX_PASSWORD
from ..timeseries.conftest import USER, Influxd, influxd
from .processes import START_S, Browser, Process, start

FIXTURES = (dynsec_template, influxd)

GATEWAY, STREAM, SERIES = "gw-role-1", "aa" * 8, "roles"
POINTS = catalog("pressure", "level")
WHOLE_S = 90.0
NOTICED_S = 30.0
VALUES = 6
PICTURE = png(64, 64)


@dataclass
class Site:
    """A full and an api process; settings of each, so that it can be started again."""

    home: Path
    broker: Mosquitto
    database: str
    secret: str
    series: dict[str, object]
    processes: list[Process] = field(default_factory=list)
    sent: int = 0

    @property
    def full(self) -> Process:
        return self.processes[0]

    @property
    def api(self) -> Process:
        return self.processes[1]

    def begin(self, name: str, **more: object) -> Process:
        words = self.series | more
        return start(name, self.home, self.broker, self.database, administers=True, **words)

    async def gateway(self) -> Device:
        """One that was welcomed and whose catalog is known."""
        device = Device(self.broker.port, GATEWAY, self.secret)
        assert await device.connect(), device.refused
        assert await device.subscribe(gateway_filter().format(gateway=GATEWAY))
        await self.welcomed(device)
        await device.publish(topic(GATEWAY, Message.CATALOG), encode(POINTS))
        assert not await device.subscribe(PUSH_TOPIC)
        return device

    async def welcomed(self, device: Device) -> None:
        device.received.clear()
        deadline = time.monotonic() + 30
        while not any(name.endswith("/down/welcome") for name in device.topics()):
            assert time.monotonic() < deadline, "no welcome"
            await device.publish(topic(GATEWAY, Message.HELLO), encode(hello(POINTS.hash, stream=STREAM)))
            await asyncio.sleep(0.2)

    async def value(self, device: Device, value: float, point: int = 1) -> None:
        """A batch of one sample."""
        self.sent += 1
        samples = [Sample(point, time.time_ns() // 1_000_000, value)]
        payload = batch(self.sent, stream=STREAM, catalog=POINTS.hash, samples=samples)
        await device.publish(topic(GATEWAY, Message.LIVE), payload)


@pytest.fixture
async def site(
    tmp_path: Path, dynsec_template: Path, migrated_postgres: str, influxd: Influxd
) -> AsyncIterator[Site]:
    await empty(migrated_postgres)
    influxd.administer(f"CREATE DATABASE {SERIES}")
    (tmp_path / "influx").write_text(INFLUX_PASSWORD)
    broker = Mosquitto(tmp_path)
    broker.init(dynsec_template)
    broker.start()
    series: dict[str, object] = {
        "TIMESERIES": "influx", "INFLUX_URL": influxd.url, "INFLUX_VERSION": 1, "INFLUX_DATABASE": SERIES,
        "INFLUX_USERNAME": USER, "INFLUX_PASSWORD_FILE": tmp_path / "influx",
    }  # fmt: skip
    made = Site(tmp_path, broker, migrated_postgres, await prepare(migrated_postgres, broker), series)
    try:
        made.processes.append(made.begin("cloud"))
        role: dict[str, object] = {"ROLE": "api", "FULL_URL": f"http://{made.full.url}"}
        made.processes.append(made.begin("cloud-api-1", **role, DATA_DIR=tmp_path / "none"))
        await asyncio.gather(*(process.ready() for process in made.processes))
        yield made
        for process in made.processes:
            process.running.terminate()
        for process in made.processes:
            assert process.running.wait(20) in (0, -15), (process.home / "log").read_text()[-800:]
    finally:
        for process in made.processes:
            process.running.kill()
        broker.kill()


async def prepare(database_url: str, broker: Mosquitto) -> str:
    """Users, a gateway that tells when it goes, a client that listens on the line; the gateway's secret."""
    database, dynsec = Database(database_url), administrator(broker)
    identity = IdentityService(database)
    await identity.add_user("admin", PASSWORD, 0)
    for name in ("li", "wang"):
        await identity.add_user(name, PASSWORD, 1, "admin")
    secret = await ClaimService(database, dynsec.put_gateway, dynsec.disable_gateway).claim(GATEWAY, "Pumps")
    async with database.session() as session:
        gateway = await session.get_one(Gateway, 1)
        gateway.offline_notify, gateway.offline_alarm_delay_s = True, 0
        await session.commit()
    await database.close()
    await dynsec.ensure_service("spy", SERVICE_PASSWORD)
    return secret


@contextlib.asynccontextmanager
async def browser_at(process: Process, token: str) -> AsyncIterator[Browser]:
    async with connect(f"ws://{process.url}/api/v1/ws") as socket:
        browser = Browser(socket)
        await browser.say(type="identify", token=token)
        await browser.see(type="identified")
        yield browser


async def closed(browser: Browser) -> int | None:
    """With which code the cloud has closed the socket."""
    await asyncio.wait_for(asyncio.gather(browser.reading, return_exceptions=True), 30)
    return browser.socket.close_code


@pytest.mark.system
@pytest.mark.clause("C-110", "C-111", "C-112", "C-113")
async def test_an_api_process_beside_a_full_one(site: Site) -> None:
    token = await site.api.sign_in()
    spy = Device(site.broker.port, "spy", SERVICE_PASSWORD)
    assert await spy.connect() and await spy.subscribe(PUSH_TOPIC)
    async with browser_at(site.api, token) as browser:
        began = time.monotonic()
        async with asyncio.timeout(WHOLE_S):
            gateway = await site.gateway()
            rows = await eventually_rows(site.full, token)
            dsid = rows[0]["dsid"]
            await values(site, token, browser, gateway, dsid, rows[1]["dsid"])
            await commands(site, token, browser, gateway, dsid)
            await handed_over(site, token)
            await sessions(site, token)
        print(f"everything with both: {since_ms(began) / 1000:.1f} s")
        await without_the_full_one(site, token)
        asking = asyncio.create_task(asked_and_told(spy))
        site.processes[0] = site.begin("cloud", PORT=site.full.port)
        await site.full.ready()
        print(f"who watches was known {await asking * 1000:.0f} ms after asking")
        async with asyncio.timeout(WHOLE_S):
            await with_the_full_one_again(site, token, browser, gateway)
            await without_the_broker(site, token, browser)
    for device in (gateway, spy):
        await device.close()


async def eventually_rows(process: Process, token: str) -> list[dict[str, Any]]:
    """The gateway's points, once its catalog has been read."""
    deadline = time.monotonic() + 30
    while not (rows := (await process.call("GET", "/device/dss?device_id=1", token))["rows"]):
        assert time.monotonic() < deadline, "no points"
        await asyncio.sleep(0.05)
    return list(rows)


async def values(site: Site, token: str, browser: Browser, gateway: Device, dsid: int, other: int) -> None:
    """Every value once: in the store, in the books, at the browser. The api process remembers no old one."""
    await browser.say(type="subscribe", devices=[1], dsids=[dsid, other])
    async with asyncio.timeout(NOTICED_S):
        while not seen(browser, other):  # the notice that names both
            await site.value(gateway, 0.0, 2)
            await asyncio.sleep(0.1)
    for number in range(1, VALUES + 1):
        await site.value(gateway, float(number))
        await eventually(lambda n=number: seen(browser, dsid)[-1:] == [float(n)])
    assert seen(browser, dsid) == [float(number) for number in range(1, VALUES + 1)]
    now = time.time_ns() // 1_000_000
    path = f"/device/hisdata/rows?dsid={dsid}&start_ms={now - 600_000}&end_ms={now + 60_000}"
    for process in (site.api, site.full):
        history = (await process.call("GET", path, token))["rows"]
        assert sorted(row["value"] for row in history) == [float(number) for number in range(1, VALUES + 1)]
    detail = await site.api.call("GET", "/device/1", token)
    assert (detail["received_batches"], detail["duplicate_batches"]) == (site.sent, 0)
    assert detail["link"]["online"]
    for value in (50.0, 51.0):
        await site.value(gateway, value)
        await eventually(lambda v=value: seen(browser, dsid)[-1] == v)
        last = (await site.api.call("GET", f"/device/lastdps?dsids={dsid}", token))["rows"]
        assert [row["value"] for row in last] == [value]


def seen(browser: Browser, dsid: int) -> list[float]:
    """Values that were pushed, in their order."""
    pushed = [message["rows"] for message in browser.got if message["type"] == "dp"]
    return [row[2] for rows in pushed for row in rows if row[0] == dsid]


async def commands(site: Site, token: str, browser: Browser, gateway: Device, dsid: int) -> None:
    """Sent by the api process, answered to the full one, told and shown by the api process."""
    asked = await site.api.call("POST", "/device/cmd", token, json={"dsid": dsid, "value": 7.5})
    found = await eventually(lambda: [m for m in gateway.received if m.topic.endswith("/down/command")])
    command = decode(Command, found[0].payload)
    assert (command.id, command.value, command.point) == (asked["id"], 7.5, "pressure")
    result = CommandResult(id=command.id, state="resp", t_ms=1, latency_ms=3, value=7.5)
    await gateway.publish(topic(GATEWAY, Message.RESULT), encode(result))
    await browser.see(type="cmd", id=command.id, status="resp")
    status = await site.api.call("GET", f"/device/cmdStatus?id={command.id}", token)
    assert (status["result_value"], status["user"]) == (7.5, "admin")
    await asyncio.sleep(1.2)  # a round of the full process' search for commands to send
    assert sum(m.topic.endswith("/down/command") for m in gateway.received) == 1
    assert sum(m["type"] == "cmd" and m["status"] == "resp" for m in browser.got) == 1


async def handed_over(site: Site, token: str) -> None:
    """What lives in the full process' memory or folder is asked of it."""
    state = await site.api.call("GET", "/device/rproxy/1?mode=status", token)
    assert not state["open"]
    form = {"files": {"file": ("logo.png", PICTURE, "image/png")}}
    file = await site.api.call("POST", "/file?kind=logo", token, **form)
    async with httpx.AsyncClient(timeout=20) as client:
        answers = [await client.get(f"http://{process.url}{file['url']}") for process in site.processes]
    assert [(answer.status_code, answer.content) for answer in answers] == [(200, PICTURE)] * 2
    kept = ("content-type", "etag", "cache-control", "content-security-policy", "content-length")
    assert [answers[1].headers[name] for name in kept] == [answers[0].headers[name] for name in kept]
    deadline = time.monotonic() + 30  # rows are written a moment after the answer
    operations: list[str] = []
    while "uploadFile" not in operations:
        assert time.monotonic() < deadline, operations
        log = await site.api.call("GET", "/audit?page=1&limit=50", token)
        operations = [row["operation"] for row in log["rows"]]
    await asyncio.sleep(0.5)  # time for a second row, were both to write one
    log = await site.api.call("GET", "/audit?page=1&limit=50", token)
    assert [row["operation"] for row in log["rows"]].count("uploadFile") == 1


async def sessions(site: Site, token: str) -> None:
    """A session that ends, and a user who is disabled, at one process lose their sockets at the other."""
    for here, there in ((site.full, site.api), (site.api, site.full)):
        li = await sign_in(here, "li")
        async with browser_at(there, li) as browser:
            await noticed(here, li, browser)
            await here.call("POST", "/login/logout", li)
            assert await closed(browser) == 4401
    users = {u["user_name"]: u["user_id"] for u in (await site.api.call("GET", "/auth/user", token))["rows"]}
    for name, here, there in (("li", site.api, site.full), ("wang", site.full, site.api)):
        own = await sign_in(here, name)
        async with browser_at(there, own) as browser:
            await noticed(here, own, browser)
            began = time.monotonic()
            await here.call("POST", f"/auth/user/{users[name]}/status", token, json={"status": 0})
            assert await closed(browser) == 4401
            print(f"{name} disabled at {here.name}, socket at {there.name} closed: {since_ms(began):.0f} ms")


async def noticed(here: Process, token: str, browser: Browser) -> None:
    """This process knows that somebody listens at the browser's: what it pushes to the user arrives."""
    async with asyncio.timeout(NOTICED_S):
        while not browser.count(type="unread"):
            await here.call("POST", "/event/read", token, json={"kind": "alarm"})
            await asyncio.sleep(0.05)


async def sign_in(process: Process, name: str) -> str:
    words = {"username": name, "password": PASSWORD}
    return str((await process.call("POST", "/login/login", json=words))["token"])


async def without_the_full_one(site: Site, token: str) -> None:
    """The api process serves on and says what does not go."""
    site.full.running.kill()
    site.full.running.wait()
    assert (await site.api.call("GET", "/device/1", token))["gateway_id"] == GATEWAY
    async with httpx.AsyncClient(timeout=20) as client:
        words = {"username": "admin", "password": PASSWORD}
        reply = await client.post(f"http://{site.api.url}/api/v1/login/login", json=words)
    assert (reply.status_code, reply.json()["data"]["reason"]) == (503, "process.full_away")


async def asked_and_told(spy: Device) -> float:
    """A process that starts asks who watches. Seconds until one says so, which is no repetition by chance."""
    spy.received.clear()
    asked: float | None = None
    async with asyncio.timeout(START_S):
        while True:
            kinds = [decode(Push, message.payload).kind for message in list(spy.received)]
            if asked is None and PushKind.ASK in kinds:
                asked = time.monotonic()
            if asked is not None and PushKind.NOTICE in kinds[kinds.index(PushKind.ASK) :]:
                took_s = time.monotonic() - asked
                assert took_s < NOTICE_S / 4
                return took_s
            await asyncio.sleep(0.01)


async def with_the_full_one_again(site: Site, token: str, browser: Browser, gateway: Device) -> None:
    """The browser's socket has lived on; what comes in now reaches it, once, and what becomes of it too."""
    await site.welcomed(gateway)
    await site.value(gateway, 99.0)
    await eventually(lambda: [r[2] for m in browser.got if m["type"] == "dp" for r in m["rows"]][-1] == 99.0)
    await gateway.publish(
        topic(GATEWAY, Message.STATE), encode(State(online=False, boot=BOOT, t_ms=1)), retain=True
    )
    await browser.see(type="onoff", did=1, status=0)
    alarm = await browser.see(type="alarm", did=1, event="new", alarm_type=4)
    await site.full.call("PUT", f"/event/alarmlog/{alarm['id']}", token, json={"status": 1})
    await browser.see(type="alarm", event="changed", id=alarm["id"], status=1)
    await site.full.call("POST", "/event/read", token, json={"kind": "alarm"})
    assert (await browser.see(type="unread"))["alarm"] == 0
    told = ({"type": "alarm"}, {"type": "onoff", "status": 0}, {"type": "unread"})
    assert [browser.count(**words) for words in told] == [2, 1, 1]


async def without_the_broker(site: Site, token: str, browser: Browser) -> None:
    """The full process goes on pushing to its own; with the broker again the other's browser is told too."""
    async with browser_at(site.full, token) as here:
        await here.say(type="subscribe", devices=[1], dsids=[])
        await here.say(type="heartbeat")
        await here.see(type="heartbeat")
        site.broker.kill()
        await rename(site, token, "SingleInstance")
        await here.see(type="device", device_title="SingleInstance")
        site.broker.start()
        number = 0
        while not any(m.get("device_title", "").startswith("Together") for m in browser.got):
            number += 1
            await rename(site, token, f"Together {number}")
            await asyncio.sleep(0.5)
        assert not browser.count(device_title="SingleInstance")


async def rename(site: Site, token: str, title: str) -> None:
    await site.full.call("PUT", "/device/1", token, json={"device_title": title})


def since_ms(began: float) -> float:
    return (time.monotonic() - began) * 1000
