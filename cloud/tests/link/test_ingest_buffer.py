"""Batches through a real broker into durable rows, acknowledged, stored: on every broker."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from edge_contract.limits import CLOCK_AHEAD_MS
from edge_contract.model import Sample
from edge_contract.payloads import (
    Catalog,
    PointEntry,
    encode,
)
from edge_contract.topics import Message, topic

from .equipment import (
    T0,
    Device,
    batch,
    eventually,
)
from .system import GW, SECRET, Gateway, Plant, only

LIVE = topic(GW, Message.LIVE)
BOOT = "00000000000000bb"


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
    await eventually(
        lambda: sum(len(c.t_ms) for _, columns, _ in plant.domain.stored for c in columns) == 100
    )
    assert await plant.values() == [float(seq) for seq in range(1, 101)]
    assert await plant.link.backlog() == 0
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
async def test_a_broker_killed_in_mid_stream(plant: Plant) -> None:
    only(plant, "mosquitto", "emqx")
    assert plant.server is not None
    gateway = Gateway(GW, SECRET, plant.port)
    delivery = asyncio.create_task(gateway.deliver(range(1, 601), 120.0))  # two starts of EMQX are in it
    for share in (100, 350):
        await eventually(lambda: len(gateway.acknowledged) >= share or delivery.done(), 60)  # noqa: B023
        plant.server.kill()
        await asyncio.to_thread(plant.server.start)
    await delivery
    if plant.settings.broker == "emqx":  # it takes connections for a moment before it knows whom to ask
        assert gateway.connections >= 3
    else:
        assert gateway.connections == 3
    assert sorted(plant.rows()) == list(range(1, 601))
    await eventually(lambda: sum(len(c.t_ms) for _, cs, _ in plant.domain.stored for c in cs) == 600)
    assert await plant.values() == [float(seq) for seq in range(1, 601)]


@pytest.mark.clause("C-023", "C-036")
async def test_a_link_restarted_between_ingest_and_acknowledgement(
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
    await eventually(lambda: sum(len(c.t_ms) for _, cs, _ in plant.domain.stored for c in cs) >= 15)
    assert await plant.values() == [float(seq) for seq in range(1, 16)]


CHILD = """
import asyncio, sys, time
from dataclasses import fields
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
    known = {field.name: nothing for field in fields(LinkHooks)}
    hooks = LinkHooks(**known | {"series_of": series, "admits": lambda *_: True})
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
    await eventually(lambda: len(gateway.acknowledged) >= 150, 60)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert gateway.acknowledged <= set(plant.rows())
    plant.link = plant.make()
    await plant.start()
    await delivery
    assert sorted(plant.rows()) == list(range(1, 401))
    for _ in range(200):
        if await plant.link.backlog() == 0:
            break
        await asyncio.sleep(0.05)
    assert await plant.values() == [float(seq) for seq in range(1, 401)]


@pytest.mark.clause("C-035")
async def test_with_the_time_series_away_ingest_goes_on(plant: Plant) -> None:
    plant.store.away = True
    await Gateway(GW, SECRET, plant.port).deliver(range(1, 51))
    assert await plant.link.backlog() == 50
    assert plant.domain.stored == []
    await plant.restart()  # what waits is found again in the table
    plant.store.away = False
    await eventually(lambda: sum(len(c.t_ms) for _, cs, _ in plant.domain.stored for c in cs) == 50)
    assert await plant.values() == [float(seq) for seq in range(1, 51)]
    assert await plant.link.backlog() == 0


@pytest.mark.clause("C-033")
async def test_an_unknown_catalog_is_asked_for_and_its_batches_wait(plant: Plant) -> None:
    other = "00000000000000dd"
    device = await plant.device()
    await device.publish(LIVE, batch(1, catalog=other))
    await device.publish(LIVE, batch(2))
    await eventually(lambda: device.acknowledged() == {1, 2})
    await eventually(lambda: device.catalogs_asked() == [other])
    await eventually(lambda: len(plant.domain.stored) == 1)
    assert await plant.values() == [2.0]  # what is known is not held up
    point = PointEntry(id=1, slave="m1", name="p", title="P", kind="num", rw="readonly", data_type="float32")
    await device.publish(
        topic(GW, Message.CATALOG), encode(Catalog(hash=other, t_ms=T0, slaves=[], points=[point]))
    )
    await eventually(lambda: len(plant.domain.stored) == 2)
    assert await plant.values() == [1.0, 2.0]
    assert device.catalogs_asked() == [other]  # at most every ten seconds
    await device.close()


@pytest.mark.clause("C-051", "C-031")
async def test_impossible_times_are_kept_and_not_filed(plant: Plant) -> None:
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
    await eventually(lambda: plant.domain.stored)
    (gateway, columns, late), *_ = plant.domain.stored
    assert (gateway, late) == (GW, True)
    assert [(c.series, list(c.values)) for c in columns] == [(1, [2.0, 3.0])]
    assert plant.rows() == [1]
    await device.close()


@pytest.mark.clause("C-032", "C-014", "C-045")
async def test_a_broken_batch_is_put_aside_the_third_time(plant: Plant) -> None:
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


def _covered(device: Device, after: int) -> set[int]:
    """Numbers in the acknowledgements after the first so many."""
    ranges = [item for ack in device.acks()[after:] for item in ack.ranges]
    return {seq for first, last in ranges for seq in range(first, last + 1)}
