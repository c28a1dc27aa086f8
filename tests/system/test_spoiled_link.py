"""The link is slow, cut, half open or forgetful, the gateway's clock jumps: none is lost, none twice."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from evidence import awaited, held, served
from faults.chaos_proof import SampleVerdict, compare, drain, start_agent
from faults.chaos_site import BrokerKind, Site, site
from faults.forgetful_broker import Memory, forgetful
from faults.proxy import NONE, Fault, FaultProxy

from edge_contract import batch
from edge_contract.limits import CLOCK_AHEAD_MS

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

LIBRARY = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
HALF_OPEN_S = 90.0
"""Until the gateway takes a silent broker for gone: twice the keep-alive, on a busy machine."""
DAY_BACK, DAY_AHEAD, RIGHT = "-1d", "+1d", "+0"


@dataclass
class Spoiled:
    """A site whose agent and cloud reach the broker by proxies. clock: file that sets the agent's."""

    site: Site
    agent_way: FaultProxy
    cloud_way: FaultProxy
    memory: Memory
    clock: Path

    def ways(self) -> list[FaultProxy]:
        return [self.agent_way] if self.site.broker is None else [self.agent_way, self.cloud_way]

    def log(self) -> str:
        return self.site.stack.agent.log.read_text()

    def times(self, words: str) -> int:
        return self.log().count(words)


@pytest.fixture(scope="module", params=["mosquitto", "embedded"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spoiled]:
    folder, kind = tmp_path_factory.mktemp("spoiled"), request.param
    clock = folder / "clock"
    clock.write_text(RIGHT)
    faked = {
        "LD_PRELOAD": str(next(iter(LIBRARY), "")),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    yield from spoiled(folder, kind, clock, faked if LIBRARY else {})


def spoiled(folder: Path, kind: BrokerKind, clock: Path, env: dict[str, str]) -> Iterator[Spoiled]:
    memory = Memory(seed=5)
    with FaultProxy(rule=forgetful(memory)) as agent_way, FaultProxy() as cloud_way:
        ways = {"agent_way": agent_way, "cloud_way": cloud_way}
        with site(folder, kind, agent_env=env, counters=20, **ways) as made:
            made.stack.start_cloud()
            start_agent(made)
            yield Spoiled(made, agent_way, cloud_way, memory, clock)


@pytest.fixture
def plant(running: Spoiled) -> Iterator[Spoiled]:
    """The plant runs and its values arrive."""
    stack = running.site.stack
    start_plant(running)
    stack.api.login(*stack.sign_in())
    stack.wait(stack.first_value, "a first value", stack.cloud, stack.plant, stack.agent)
    yield running
    for way in running.ways():
        way.put(NONE)
    running.memory.share = 0.0
    running.clock.write_text(RIGHT)
    stack.plant.stop()


def start_plant(spoiled: Spoiled) -> None:
    """Return when the agent reads it again."""
    stack, served_log = spoiled.site.stack, spoiled.site.served_log
    before = served_log.stat().st_size if served_log.exists() else 0
    stack.start_plant()
    stack.wait(lambda: served_log.exists() and served_log.stat().st_size > before, "it is read", stack.agent)


def prove(spoiled: Spoiled) -> SampleVerdict:
    """Everything that was ever served has arrived, once; nothing was killed, so nothing may be missing."""
    drain(spoiled.site)
    verdict = compare(spoiled.site)
    assert verdict.faults == []
    assert (verdict.arrived, verdict.uncommitted) == (verdict.served, 0)
    assert verdict.served > 200
    return verdict


@pytest.mark.clause("C-027", "C-028", "C-036", "C-045")
def test_slow_cut_and_reset_connections(plant: Spoiled) -> None:
    for fault in (
        Fault(delay_s=0.3),
        Fault(dribble=7, delay_s=0.001),
        *(Fault(cut_after=bytes_left) for bytes_left in (150, 333, 777)),
    ):
        for way in plant.ways():
            way.put(fault)
        time.sleep(2.0)
    for way in plant.ways():
        way.put(NONE)
        way.reset()
    stack = plant.site.stack
    stack.wait(lambda: plant.times("no link to the cloud"), "the agent notices", stack.agent)
    prove(plant)


@pytest.mark.clause("C-024", "C-027", "C-036")
def test_a_broker_that_confirms_and_forgets(plant: Spoiled) -> None:
    """Part of what either side says is confirmed and dropped, then all of it, then none."""
    before = plant.memory.forgotten
    for share, seconds in ((0.4, 5.0), (1.0, 3.0), (0.2, 2.0)):
        plant.memory.share = share
        time.sleep(seconds)
    plant.site.stack.wait(lambda: plant.memory.forgotten - before > 10, "enough is forgotten")
    plant.memory.share = 0.0
    prove(plant)


@pytest.mark.clause("C-027", "C-036")
def test_half_open_connections_of_both_sides(plant: Spoiled) -> None:
    """Nothing passes and nothing is closed; each end has to find out by itself."""
    stack = plant.site.stack
    lost, back = plant.times("no link to the cloud"), plant.times("the cloud accepted gateway")
    began = time.monotonic()
    for way in plant.ways():
        way.put(Fault(silent=True))
    stack.wait(
        lambda: plant.times("no link to the cloud") > lost, "the agent notices", stack.agent,
        timeout_s=HALF_OPEN_S,
    )  # fmt: skip
    print(f"noticed after {time.monotonic() - began:.1f} s")
    for way in plant.ways():
        way.put(NONE)
    stack.wait(
        lambda: plant.times("the cloud accepted gateway") > back, "it is back", stack.agent,
        timeout_s=HALF_OPEN_S,
    )  # fmt: skip
    prove(plant)


@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
@pytest.mark.clause("C-036", "C-051", "C-052")
def test_the_clock_jumps_a_day_back_and_ahead(plant: Spoiled) -> None:
    """What has a time that cannot be is not stored, but set aside; the rest is stored, each value once."""
    assert os.environ.get("LD_PRELOAD", "") == ""
    for off in (DAY_BACK, RIGHT, DAY_BACK, RIGHT):
        plant.clock.write_text(off)
        time.sleep(1.5)
    prove(plant)
    stack = plant.site.stack
    start_plant(plant)
    for off in (RIGHT, DAY_AHEAD):
        plant.clock.write_text(off)
        time.sleep(1.5)
    stack.wait(lambda: sum(map(len, kept_as_evidence(plant.site).values())) > 40, "times of tomorrow land")
    for off in (RIGHT, DAY_BACK, RIGHT):
        plant.clock.write_text(off)
        time.sleep(1.5)
    drain(plant.site)
    stored, ahead = held(stack), kept_as_evidence(plant.site)
    for name, rows in served(plant.site.served_log).items():
        values = stored[name] + ahead[name]
        answered = [row.value for row in awaited(rows, values, plant.site.stops_ms)]
        assert sorted(values.elements()) == answered, name


def kept_as_evidence(where: Site) -> dict[str, Counter[int]]:
    """Good values that landed with a time ahead of the cloud's, by 'slave.point'."""
    with closing(sqlite3.connect(f"file:{where.outbox}?mode=ro", uri=True)) as connection:
        names = dict(connection.execute("SELECT number, slave || '.' || name FROM point"))
    counts: dict[str, Counter[int]] = {name: Counter() for name in names.values()}
    with closing(sqlite3.connect(f"file:{where.cloud_db}?mode=ro", uri=True)) as connection:
        landed = connection.execute("SELECT payload, received_ms FROM link_batch").fetchall()
    for payload, received_ms in landed:
        for column in batch.decode(payload)[1]:
            for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True):
                if quality == 0 and t_ms > received_ms + CLOCK_AHEAD_MS:
                    counts[names[column.point]][int(value)] += 1  # type: ignore[arg-type]
    return counts
