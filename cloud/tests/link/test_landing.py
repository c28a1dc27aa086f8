"""Batches through a real broker into durable rows, acknowledged, filed: on both brokers."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cloud.db import Database
from cloud.link import Link, LinkDown
from cloud.timeseries.base import SeriesColumn, TimeSeriesError
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.limits import CLOCK_AHEAD_MS
from edge_contract.model import Sample
from edge_contract.payloads import (
    Ack,
    Catalog,
    Command,
    CommandAction,
    CommandResult,
    Hello,
    PointEntry,
    Pulse,
    State,
    Welcome,
    decode,
    encode,
)
from edge_contract.topics import Message, gateway_filter, topic

from .conftest import (
    ADMIN,
    ADMIN_PASSWORD,
    CATALOG,
    SERVICE,
    SERVICE_PASSWORD,
    STREAM,
    T0,
    Device,
    Domain,
    Mosquitto,
    authenticator,
    batch,
    eventually,
)
from .system import Gateway, Settings

GW, SECRET = "gw-alpha", "secret-a"
LIVE = topic(GW, Message.LIVE)
BOOT = "00000000000000bb"


class Store(EmbeddedTimeSeries):
    """The real one, which can be away."""

    away = False

    async def write(self, columns: list[SeriesColumn]) -> None:  # type: ignore[override]
        if self.away:
            raise TimeSeriesError("away")
        await super().write(columns)


class Plant:
    """A link with its stores; restart() replaces the link and keeps the rest."""

    def __init__(self, home: Path, settings: Settings, database: Database, domain: Domain) -> None:
        self.home = home
        self.settings = settings
        self.database = database
        self.domain = domain
        self.store = Store(home / "ts.db")
        self.mosquitto: Mosquitto | None = None
        self.now_ms = T0 + 10_000_000
        self.link = self.make()

    def make(self) -> Link:
        check = authenticator({GW: SECRET})
        return Link(
            self.settings, self.database, self.domain.hooks(), check, self.store, now_ms=lambda: self.now_ms
        )

    async def start(self) -> None:
        await self.link.start()
        await eventually(self.link.healthy)
        self.settings.broker_port = self.link.port

    async def restart(self) -> None:
        await self.link.stop()
        self.link = self.make()
        await self.start()

    @property
    def port(self) -> int:
        return self.link.port

    async def device(self) -> Device:
        made = Device(self.port, GW, SECRET)
        assert await made.connect(), made.refused
        assert await made.subscribe(gateway_filter().format(gateway=GW))
        return made

    def rows(self) -> list[int]:
        """Sequence numbers that are committed, read from outside."""
        with sqlite3.connect(self.home / "cloud.db") as connection:
            return [row[0] for row in connection.execute("SELECT seq FROM link_batch ORDER BY id")]

    def quarantined(self) -> list[tuple[str, int]]:
        with sqlite3.connect(self.home / "cloud.db") as connection:
            return connection.execute("SELECT field, acknowledged FROM link_quarantine").fetchall()

    async def values(self, series: int = 1) -> list[float]:
        return [s.value for s in await self.store.samples(series, 0, T0 * 2, 10**6)]  # type: ignore[misc]


@pytest.fixture(params=["embedded", "mosquitto"])
async def plant(
    request: pytest.FixtureRequest, tmp_path: Path, database: Database, domain: Domain
) -> AsyncIterator[Plant]:
    settings = Settings("embedded")
    server: Mosquitto | None = None
    if request.param == "mosquitto":
        home = tmp_path / "mosquitto"
        home.mkdir()
        server = Mosquitto(home)
        server.init(request.getfixturevalue("dynsec_template"))
        server.start()
        for name, text in (("admin", ADMIN_PASSWORD), ("service", SERVICE_PASSWORD)):
            (tmp_path / name).write_text(text + "\n")
        settings = Settings(
            "mosquitto",
            broker_url=f"mqtt://127.0.0.1:{server.port}",
            broker_username=SERVICE,
            broker_password_file=tmp_path / "service",
            dynsec_username=ADMIN,
            dynsec_password_file=tmp_path / "admin",
        )
    domain.maps[(GW, CATALOG)] = {1: 1}
    made = Plant(tmp_path, settings, database, domain)
    made.mosquitto = server
    await made.store.start()
    await made.start()
    if server is not None:
        await made.link.put_gateway(GW, SECRET)
    yield made
    await made.link.stop()
    await made.store.close()
    if server is not None:
        server.kill()


def only(plant: Plant, kind: str) -> None:
    """Skip what does not depend on the broker on all brokers but one."""
    if plant.settings.broker != kind:
        pytest.skip(f"once is enough: on {kind}")


@pytest.mark.clause("C-020", "C-023", "C-025")
async def test_batches_are_durable_before_they_are_acknowledged(plant: Plant) -> None:
    device = await plant.device()
    seen_before_rows: list[int] = []
    for seq in range(1, 101):
        device.client.publish(LIVE, batch(seq), 1)
        if seq % 10 == 0:
            await asyncio.sleep(0.01)
            acknowledged = device.acknowledged()
            seen_before_rows += acknowledged - set(plant.rows())
    await eventually(lambda: device.acknowledged() == set(range(1, 101)))
    assert seen_before_rows == []
    assert sorted(plant.rows()) == list(range(1, 101))
    await eventually(lambda: sum(len(c.t_ms) for _, columns, _ in plant.domain.filed for c in columns) == 100)
    assert await plant.values() == [float(seq) for seq in range(1, 101)]
    assert await plant.link.filed_backlog() == 0
    await device.close()


@pytest.mark.clause("C-028")
async def test_duplicates_are_acknowledged_again_and_change_nothing(plant: Plant) -> None:
    device = await plant.device()
    for lane in (Message.LIVE, Message.HISTORY, Message.LIVE):
        before = len(device.acks())
        for seq in range(1, 21):
            device.client.publish(topic(GW, lane), batch(seq), 1)
        await eventually(lambda: _covered(device, before) == set(range(1, 21)))  # noqa: B023
    (state,) = await plant.link.streams(GW)
    assert (state.received, state.duplicates, state.max_seq, state.missing) == (20, 40, 20, [])
    assert sorted(plant.rows()) == list(range(1, 21))
    await device.close()


@pytest.mark.clause("C-036")
async def test_mosquitto_killed_in_mid_stream(plant: Plant) -> None:
    only(plant, "mosquitto")
    assert plant.mosquitto is not None
    gateway = Gateway(GW, SECRET, plant.port)
    delivery = asyncio.create_task(gateway.deliver(range(1, 601)))
    for share in (100, 350):
        await eventually(lambda: len(gateway.acknowledged) >= share or delivery.done(), 20)  # noqa: B023
        plant.mosquitto.kill()
        await asyncio.to_thread(plant.mosquitto.start)
    await delivery
    assert gateway.connections == 3
    assert sorted(plant.rows()) == list(range(1, 601))
    await eventually(lambda: sum(len(c.t_ms) for _, cs, _ in plant.domain.filed for c in cs) == 600)
    assert await plant.values() == [float(seq) for seq in range(1, 601)]


@pytest.mark.clause("C-023", "C-036")
async def test_a_link_restarted_between_landing_and_acknowledgement(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = await plant.device()
    monkeypatch.setattr(plant.link._client, "post", lambda *_: None)  # dies before it can say so
    for seq in range(1, 11):
        device.client.publish(LIVE, batch(seq), 1)
    await eventually(lambda: len(plant.rows()) == 10)
    assert device.acknowledged() == set()
    await device.close()
    await plant.restart()
    await Gateway(GW, SECRET, plant.port).deliver(range(1, 16))
    assert sorted(plant.rows()) == list(range(1, 16))
    await eventually(lambda: sum(len(c.t_ms) for _, cs, _ in plant.domain.filed for c in cs) >= 15)
    assert await plant.values() == [float(seq) for seq in range(1, 16)]


CHILD = """
import asyncio, sys, time
from pathlib import Path
from edge_contract.access import Principal, Role
from cloud.db import Database
from cloud.link import Link, LinkHooks
from cloud.timeseries.embedded import EmbeddedTimeSeries

class Settings:
    broker, broker_host, broker_port = "mosquitto", "", 0
    broker_url, broker_username = sys.argv[2], "edge-cloud"
    broker_password_file = Path(sys.argv[1]) / "service"
    broker_ca_file = dynsec_username = dynsec_password_file = None

async def nothing(*_): pass
async def series(*_): return {1: 1}

async def main():
    home = Path(sys.argv[1])
    store = EmbeddedTimeSeries(home / "ts.db")
    await store.start()
    hooks = LinkHooks(nothing, nothing, nothing, nothing, nothing, series, nothing)
    link = Link(Settings(), Database(f"sqlite+aiosqlite:///{home}/cloud.db"), hooks, nothing, store)
    await link.start()
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.clause("C-023", "C-036")
async def test_the_cloud_killed_in_mid_stream(plant: Plant) -> None:
    """kill -9 of the whole process: what was acknowledged is there, and the next one goes on."""
    only(plant, "mosquitto")
    await plant.link.stop()
    gateway = Gateway(GW, SECRET, plant.port)
    delivery = asyncio.create_task(gateway.deliver(range(1, 401)))
    command = [sys.executable, "-c", CHILD, str(plant.home), str(plant.settings.broker_url)]
    child = await asyncio.to_thread(subprocess.Popen, command)
    await eventually(lambda: len(gateway.acknowledged) >= 150, 20)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert gateway.acknowledged <= set(plant.rows())
    plant.link = plant.make()
    await plant.start()
    await delivery
    assert sorted(plant.rows()) == list(range(1, 401))
    for _ in range(200):
        if await plant.link.filed_backlog() == 0:
            break
        await asyncio.sleep(0.05)
    assert await plant.values() == [float(seq) for seq in range(1, 401)]


@pytest.mark.clause("C-035")
async def test_with_the_time_series_away_landing_goes_on(plant: Plant) -> None:
    plant.store.away = True
    await Gateway(GW, SECRET, plant.port).deliver(range(1, 51))
    assert await plant.link.filed_backlog() == 50
    assert plant.domain.filed == []
    await plant.restart()  # what waits is found again in the table
    plant.store.away = False
    await eventually(lambda: sum(len(c.t_ms) for _, cs, _ in plant.domain.filed for c in cs) == 50)
    assert await plant.values() == [float(seq) for seq in range(1, 51)]
    assert await plant.link.filed_backlog() == 0


@pytest.mark.clause("C-033")
async def test_an_unknown_catalog_is_asked_for_and_its_batches_wait(plant: Plant) -> None:
    other = "00000000000000dd"
    device = await plant.device()
    await device.publish(LIVE, batch(1, catalog=other))
    await device.publish(LIVE, batch(2))
    await eventually(lambda: device.acknowledged() == {1, 2})
    await eventually(lambda: device.catalogs_asked() == [other])
    await eventually(lambda: len(plant.domain.filed) == 1)
    assert await plant.values() == [2.0]  # what is known is not held up
    point = PointEntry(id=1, slave="m1", name="p", title="P", kind="num", rw="readonly", data_type="float32")
    await device.publish(
        topic(GW, Message.CATALOG), encode(Catalog(hash=other, t_ms=T0, slaves=[], points=[point]))
    )
    await eventually(lambda: len(plant.domain.filed) == 2)
    assert await plant.values() == [1.0, 2.0]
    assert device.catalogs_asked() == [other]  # at most every ten seconds
    await device.close()


@pytest.mark.clause("C-051", "C-031")
async def test_impossible_times_are_kept_and_not_filed(plant: Plant) -> None:
    only(plant, "embedded")
    limit = plant.now_ms + CLOCK_AHEAD_MS
    samples = [
        Sample(1, 1000, 1.0),
        Sample(1, T0, 2.0),
        Sample(1, limit, 3.0),
        Sample(1, limit + 1, 4.0),
        Sample(7, T0, 5.0),  # a point that the catalog does not name
    ]
    device = await plant.device()
    await device.publish(topic(GW, Message.HISTORY), batch(1, samples=samples))
    await eventually(lambda: plant.domain.filed)
    (gateway, columns, late), *_ = plant.domain.filed
    assert (gateway, late) == (GW, True)
    assert [(c.series, list(c.values)) for c in columns] == [(1, [2.0, 3.0])]
    assert plant.rows() == [1]
    await device.close()


@pytest.mark.clause("C-032", "C-014", "C-045")
async def test_a_broken_batch_is_put_aside_the_third_time(plant: Plant) -> None:
    only(plant, "embedded")
    device = await plant.device()
    broken = bytearray(batch(2))
    broken[-6] ^= 1
    nonsense = b"no batch at all"
    for seq in (1, 3):
        await device.publish(LIVE, batch(seq))
    for _ in range(2):
        await device.publish(LIVE, bytes(broken))
        await device.publish(LIVE, nonsense)
    await eventually(lambda: device.acknowledged() == {1, 3})
    assert plant.quarantined() == []
    await device.publish(LIVE, bytes(broken))
    await eventually(lambda: device.acknowledged() == {1, 2, 3})
    assert plant.quarantined() == [("checksum", 1)]
    await device.publish(LIVE, nonsense)  # nothing tells which one it is: kept, not acknowledged
    await eventually(lambda: plant.quarantined() == [("checksum", 1), ("batch", 0)])
    ahead = bytearray(batch(9))
    ahead[-6] ^= 1
    for _ in range(3):  # a whole batch 9 may still come: not acknowledged
        await device.publish(LIVE, bytes(ahead))
    await eventually(lambda: len(plant.quarantined()) == 3)
    assert plant.quarantined()[2] == ("checksum", 0)
    assert device.acknowledged() == {1, 2, 3}
    await device.publish(LIVE, batch(9))
    await eventually(lambda: 9 in device.acknowledged())
    await device.close()


@pytest.mark.clause("C-006")
async def test_what_was_retained_is_no_news(plant: Plant) -> None:
    """Only state may be retained; on a broker that cannot tell, the link ignores the rest."""
    device = await plant.device()
    await plant.link.stop()
    if plant.settings.broker == "embedded":  # its memory went with it
        await plant.restart()
        await device.close()
        device = await plant.device()
    for message, payload in ((Message.LIVE, batch(1)), (Message.STATE, _state(online=True))):
        await device.publish(topic(GW, message), payload, retain=True)
    if plant.settings.broker == "mosquitto":
        plant.link = plant.make()
        await plant.start()
        await eventually(lambda: plant.domain.kinds() == [State])
        await device.publish(LIVE, batch(2))
        await eventually(lambda: device.acknowledged() == {2})
        assert plant.rows() == [2]
    else:
        await eventually(lambda: plant.domain.kinds() == [State])
    await device.close()


@pytest.mark.clause("C-011", "C-012", "C-009", "C-075")
async def test_control_messages(plant: Plant, caplog: pytest.LogCaptureFixture) -> None:
    device = await plant.device()
    result = CommandResult(id="command-1", state="resp", t_ms=T0)
    pulse = Pulse(
        t_ms=T0, boot=BOOT, stream=STREAM, next_seq=1, outbox_batches=0, outbox_bytes=0,
        hours_left=None, evicted_batches=0, slaves=[],
    )  # fmt: skip
    for _ in range(3):
        await device.publish(topic(GW, Message.PULSE), b'{"t_ms": 1}')
    plant.domain.broken = True
    await device.publish(topic(GW, Message.RESULT), encode(result))
    await eventually(lambda: "up/result from gw-alpha failed" in caplog.text)
    assert device.acks() == []  # not taken, so the gateway repeats it
    plant.domain.broken = False
    for message, payload in (
        (Message.STATE, _state(online=True)),
        (Message.HELLO, encode(_hello())),
        (Message.PULSE, encode(pulse)),
        (Message.RESULT, encode(result)),
    ):
        await device.publish(topic(GW, message), payload)
    await eventually(lambda: plant.domain.kinds() == [State, Hello, Pulse, CommandResult])  # in order
    await eventually(lambda: [ack.commands for ack in device.acks()] == [["command-1"]])
    welcomes = [decode(Welcome, m.payload) for m in device.received if m.topic.endswith("/welcome")]
    assert [w.accepted for w in welcomes] == [True]
    complaints = [r.getMessage() for r in caplog.records if "field" in r.getMessage()]
    assert len(complaints) == 1
    assert complaints[0].startswith("up/pulse from gw-alpha: field boot:")
    await device.close()


@pytest.mark.clause("C-029")
async def test_holes_are_asked_for(plant: Plant) -> None:
    only(plant, "embedded")
    device = await plant.device()
    for seq in [*range(1, 11), *range(21, 121)]:
        device.client.publish(LIVE, batch(seq), 1)
    await eventually(lambda: len(device.acknowledged()) == 110)
    pulse = Pulse(
        t_ms=T0, boot=BOOT, stream=STREAM, next_seq=121, outbox_batches=10, outbox_bytes=1,
        hours_left=None, evicted_batches=0, slaves=[],
    )  # fmt: skip
    for _ in range(3):
        await device.publish(topic(GW, Message.PULSE), encode(pulse))
    await eventually(lambda: len(plant.domain.heard) == 3)
    asked = await eventually(lambda: [m for m in device.received if m.topic.endswith("/resend")])
    assert [m.payload for m in asked] == [b'{"stream":"00000000000000aa","ranges":[[11,20]]}']
    await device.close()


async def test_sending(plant: Plant) -> None:
    device = await plant.device()
    command = Command(id="command-1", slave="m1", point="p", action=CommandAction.READ, expires_ms=T0)
    await plant.link.send(GW, command)
    await eventually(lambda: [decode(Command, m.payload) for m in device.received] == [command])
    await device.close()
    await plant.link.stop()
    assert not plant.link.healthy()
    with pytest.raises(LinkDown):
        await plant.link.send(GW, Ack())


@pytest.mark.clause("C-083")
async def test_a_disabled_gateway_loses_its_connection(plant: Plant) -> None:
    device = await plant.device()
    await plant.link.disable_gateway(GW)
    await eventually(device.lost.is_set)
    await device.close()


async def test_the_link_comes_back_after_the_broker(plant: Plant) -> None:
    only(plant, "mosquitto")
    assert plant.mosquitto is not None
    plant.mosquitto.kill()
    await eventually(lambda: not plant.link.healthy())
    with pytest.raises(LinkDown):
        await plant.link.send(GW, Ack())
    plant.mosquitto.start()
    await eventually(plant.link.healthy)
    await Gateway(GW, SECRET, plant.port).deliver([1])


def _covered(device: Device, after: int) -> set[int]:
    """Numbers in the acknowledgements after the first so many."""
    ranges = [item for ack in device.acks()[after:] for item in ack.ranges]
    return {seq for first, last in ranges for seq in range(first, last + 1)}


def _state(*, online: bool) -> bytes:
    return encode(State(online=online, boot=BOOT, t_ms=T0))


def _hello() -> Hello:
    return Hello(
        version_min=1, version_max=1, agent="1", boot=BOOT, stream=STREAM, first_seq=1, next_seq=1,
        catalog=CATALOG, clock_set=True, t_ms=T0,
    )  # fmt: skip
