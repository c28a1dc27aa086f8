"""A day without the cloud, replayed in minutes: a backlog of 24 hours goes up while live values go on.

The backlog is written by the gateway's own committer into its own store, on a simulated clock: a batch each
second, as a gateway of 100 points would have made it. Then the gateway collects for real, comes back to the
cloud, and every value of both has to be there once. Point number i counts from i million upwards, so that a
value tells its point and its moment.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from evidence import awaited, count, drained, served, sources
from stack import GATEWAY, StackError

from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_agent.model import Row
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import FILE, open_sqlite
from faults.chaos_proof import SampleVerdict, compare_batches, drain, start_agent
from faults.chaos_site import SETPOINT, BrokerKind, Site, site
from faults.proxy import FaultProxy

COUNTERS = 50
DEVICES = 2
POINTS = DEVICES * COUNTERS
STEP = 1_000_000
STORE_BYTES = 256 << 20  # as the default of [storage]
AWAY_S = 4.0
BACK_S = 90.0
REFUSED_PORT = 1
PAGE_SAMPLES = 50_000
EVER_MS = 2**53
MEMORY_DISK = Path("/dev/shm")  # noqa: S108 (a new folder of its own is made there)
"""A day of commits is not made any truer by a real disk; the store is moved to one before it is used."""


@dataclass
class OutageOutcome:
    """first_live_s: from the connection to the first one stored. live_lag_s: made to stored: p50, p99.

    live_beside: live batches that reached the cloud before the last one of history.
    """

    rounds: int
    history_samples: int = 0
    live_samples: int = 0
    seconds: float = 0.0
    first_live_s: float = 0.0
    live_beside: int = 0
    live_lag_s: tuple[float, float] = (0.0, 0.0)
    per_s: float = 0.0
    arrived: int = 0
    batches: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Backlog:
    """Rounds of all points, one a second, the last one just now. names: of the points, by number."""

    rounds: int
    start_ms: int
    names: dict[int, str]

    def t_ms(self, number: int) -> int:
        return self.start_ms + 1000 * number


def run(
    folder: Path, kind: BrokerKind, rounds: int, *, drain_s: float = 3600.0, progress: bool = False
) -> OutageOutcome:
    """rounds: seconds of the outage, 86,400 for a day."""

    def say(text: str) -> None:
        if progress:
            print(f"  {text}", flush=True)

    with FaultProxy() as way, site(
        folder, kind, devices=DEVICES, counters=COUNTERS, cycle_ms=250, commit_s=0.25, agent_way=way
    ) as target:  # fmt: skip
        reachable, way.target_port = way.target_port, REFUSED_PORT
        backlog = prepared(target, rounds)
        say(
            f"{rounds * POINTS:,} samples of {rounds:,} s wait in {target.outbox.stat().st_size / 1e6:.0f} MB"
        )
        stack = target.stack
        stack.start_cloud()
        stack.api.login(*stack.sign_in())
        stack.start_plant()
        start_agent(target)
        stack.wait(lambda: live_rounds(target, backlog), "it collects", stack.agent, stack.plant)
        time.sleep(AWAY_S)
        way.target_port = reachable
        stack.wait(lambda: connected_ms(target), "it is back", stack.agent, timeout_s=BACK_S)
        say("connected; it sends")
        stack.wait(
            lambda: not holds_backlog(target, backlog), "the backlog has gone", stack.cloud, stack.agent,
            timeout_s=drain_s,
        )  # fmt: skip
        stack.wait(lambda: drained(stack), "all is stored", stack.cloud, stack.agent, timeout_s=drain_s)
        drain(target)
        outcome = measured(target, rounds)
        compare_values(outcome, target, backlog)
        batches = SampleVerdict()
        compare_batches(batches, target)
        outcome.faults += batches.faults
    return outcome


def prepared(target: Site, rounds: int) -> Backlog:
    """Let the agent make its store, fill it, and let the counters go on where the backlog ends."""
    stack = target.stack
    start_agent(target)
    stack.wait(
        lambda: target.outbox.exists() and has_catalog(target), "the agent has its catalog", stack.agent
    )
    stack.agent.stop()
    target.lives.clear()
    backlog = Backlog(rounds, time.time_ns() // 1_000_000 - 1000 * rounds, names_of(target))
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as fast:
        for file in target.outbox.parent.glob(f"{FILE}*"):
            shutil.move(file, Path(fast) / file.name)
        asyncio.run(fill(Path(fast), backlog))
        for file in Path(fast).glob(f"{FILE}*"):
            shutil.move(file, target.outbox.parent / file.name)
    with target.served_log.open("w") as served_log:
        for number, name in backlog.names.items():
            device, _, register = name.partition(".")
            row = {"t_ms": 0, "device": device, "register": register, "value": number * STEP + rounds}
            served_log.write(json.dumps(row) + "\n")
    return backlog


def has_catalog(target: Site) -> bool:
    try:
        return bool(count(target.outbox, "SELECT count(*) FROM catalog"))
    except sqlite3.OperationalError:
        return False


def names_of(target: Site) -> dict[int, str]:
    with closing(sqlite3.connect(f"file:{target.outbox}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT number, slave || '.' || name FROM point ORDER BY number").fetchall()
    return {number: name for number, name in rows if not name.endswith(f".{SETPOINT}")}


async def fill(folder: Path, backlog: Backlog) -> None:
    """One batch a second, by the agent's committer on a simulated clock."""
    now = backlog.start_ms
    with closing(sqlite3.connect(folder / FILE)) as connection:
        [(catalog,)] = connection.execute("SELECT hash FROM catalog LIMIT 1")
    numbers = list(backlog.names)
    by_device = [tuple(numbers[at : at + COUNTERS]) for at in range(0, POINTS, COUNTERS)]
    async with open_sqlite(folder, STORE_BYTES, lambda: now, lambda: now / 1000) as store:
        committer = Committer(store.outbox, catalog, 1.0, lambda: now)
        for number in range(1, backlog.rounds + 1):
            now = backlog.t_ms(number)
            for points in by_device:
                committer.put(Row(points, now, tuple(point * STEP + number for point in points)))
            await committer.flush()
        if store.outbox.state().evicted_batches:
            raise StackError("the backlog does not fit into the store")


def live_rounds(target: Site, backlog: Backlog) -> bool:
    """Whether the gateway has committed a few batches of what it reads now."""
    return held_numbers(target)[1] > backlog.rounds + 10


def holds_backlog(target: Site, backlog: Backlog) -> bool:
    return 0 < held_numbers(target)[0] <= backlog.rounds


def held_numbers(target: Site) -> tuple[int, int]:
    """Lowest and highest number of the batches that the gateway holds; 0 when there is none."""
    with closing(sqlite3.connect(f"file:{target.outbox}?mode=ro", uri=True)) as connection:
        [(lowest, highest)] = connection.execute("SELECT min(seq), max(seq) FROM batch")
    return lowest or 0, highest or 0


def connected_ms(target: Site) -> int:
    """When the agent's log says that it is connected; 0 before."""
    connections = re.findall(
        r"^(\S+Z) .*connected to mqtt://", target.stack.agent.log.read_text(), re.MULTILINE
    )
    return round(datetime.fromisoformat(connections[-1]).timestamp() * 1000) if connections else 0


def measured(target: Site, rounds: int) -> OutageOutcome:
    """From the times that the cloud noted with each batch."""
    begun = connected_ms(target)
    with closing(sqlite3.connect(f"file:{target.cloud_db}?mode=ro", uri=True)) as connection:
        arrived = connection.execute("SELECT lane, t_ms, filed_ms, samples FROM link_batch ORDER BY id")
        rows = arrived.fetchall()
    history = [row for row in rows if row[0] == "history"]
    live = sorted((filed_ms, filed_ms - t_ms) for lane, t_ms, filed_ms, _ in rows if lane == "live")
    if not history or not live:
        raise StackError(f"{len(history)} history and {len(live)} live batches arrived")
    seconds = (max(filed_ms for _, _, filed_ms, _ in history) - begun) / 1000
    samples = sum(row[3] for row in history)
    beside = sorted(lag / 1000 for filed_ms, lag in live if filed_ms <= begun + 1000 * seconds) or [0.0]
    outcome = OutageOutcome(rounds, samples, sum(row[3] for row in rows) - samples, seconds)
    outcome.first_live_s = (live[0][0] - begun) / 1000
    lanes = [row[0] for row in rows]
    outcome.live_beside = lanes[: len(lanes) - lanes[::-1].index("history")].count("live")
    outcome.live_lag_s = (beside[len(beside) // 2], beside[len(beside) * 99 // 100])
    outcome.per_s = samples / seconds
    outcome.batches = len(rows)
    return outcome


def compare_values(outcome: OutageOutcome, target: Site, backlog: Backlog) -> None:
    """Of each point: all values without a hole, each once, up to the last one served, each at its time."""
    series, plant = sources(target.stack, GATEWAY), served(target.served_log)
    for name, rows in plant.items():
        wanted_rows = list(range(rows[0].value, rows[-1].value + 1))
        expect(outcome, [row.value for row in rows] == wanted_rows, name, rows)
    file = target.cloud_db.with_name("timeseries.db")
    for number, name in backlog.names.items():
        samples = asyncio.run(stored(file, series[name]))
        base, values = number * STEP, [value for _, value in samples]
        misplaced = sum(
            value - base <= backlog.rounds and t_ms != backlog.start_ms + 1000 * (value - base)
            for t_ms, value in samples
        )
        seen = (len(values), len(set(values)), min(values, default=0), max(values, default=0), misplaced)
        last = awaited(plant[name], set(values), target.stops_ms)[-1].value
        wanted = last - base
        outcome.arrived += len(samples)
        right = (wanted, wanted, base + 1, last, 0)
        expect(outcome, seen == right, name, (seen, right))


async def stored(file: Path, series: int) -> list[tuple[int, int]]:
    """Times and values of all good samples of a series."""
    store = EmbeddedTimeSeries(file)
    await store.start()
    samples: list[tuple[int, int]] = []
    at = 0
    while page := await store.samples(series, at, EVER_MS, PAGE_SAMPLES):
        samples += [(sample.t_ms, int(sample.value or 0)) for sample in page if sample.quality == 0]
        at = page[-1].t_ms + 1
    await store.close()
    return samples


def expect(outcome: OutageOutcome, holds: bool, name: str, seen: object) -> None:
    if not holds and len(outcome.faults) < 20:
        outcome.faults.append(f"{name}: {seen}"[:400])


def marks_missed(outcome: OutageOutcome, first_live_s: float, per_s: float) -> list[str]:
    """What is slower than it should be."""
    late = outcome.first_live_s > first_live_s
    slow = outcome.per_s < per_s
    return [f"first live sample after {outcome.first_live_s:.2f} s"] * late + [
        f"back-fill at {outcome.per_s:,.0f} samples/s"
    ] * slow
