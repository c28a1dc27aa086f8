"""The rule by which the outcome of chaos is compared, value by value.

The truth is the served-values log: each counter's value is noted before the answer that carries it leaves,
and no value is given twice. What a life of the agent (from its start to its kill) has read, it commits in
order. A sample that was not committed when its agent was killed was never promised, so within one life

- the cloud holds, of every counter, the first n values that were served: no hole, each once, none unknown;
- n reaches at least the last value that the outbox on the medium holds after the kill;
- the rest was served within UNCOMMITTED_MS before the kill, and there is no rest where nothing was killed;
- and the cloud has received every batch number that the outbox ever gave, so that none went between the two.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from evidence import Served, awaited, drained, held, history, served, sources
from stack import GATEWAY, StackError

from edge_contract import batch
from faults.chaos_site import Life, Site

UNCOMMITTED_MS = 3000
"""Commit interval, one request and one commit, all on a machine that starts programs meanwhile."""
BEGINS = re.compile(r"^(\S+Z) INFO assembly: gateway ", re.MULTILINE)
"""In the agent's log, right before it asks for the first time."""
DRAIN_S = 120.0
LAST_S = 20.0
"""After the plant has stopped: its last answers are read, committed and sent. A busy machine takes its time,
and what left while it was stopped, or a killed agent had read last, may never come."""


@dataclass
class SampleVerdict:
    """Counts of samples; empty faults say that the proof holds."""

    served: int = 0
    arrived: int = 0
    lost: int = 0
    twice: int = 0
    unknown: int = 0
    uncommitted: int = 0
    uncommitted_ms: int = 0  # the longest before a kill
    promised: int = 0  # values proved by an outbox after a kill
    missing_batches: int = 0
    batches: int = 0
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        if len(self.faults) < 20:
            self.faults.append(text)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def note_beginnings(lives: list[Life], log: str) -> None:
    """A life begins with its first request: what a busy plant answers before, the killed one had asked."""
    begins_ms = [round(datetime.fromisoformat(t).timestamp() * 1000) for t in BEGINS.findall(log)]
    assert begins_ms, "the agent's log says nowhere that it begins"
    for life in lives:
        end = sys.maxsize if life.killed_ms is None else life.killed_ms
        life.started_ms = next((at for at in begins_ms if life.started_ms <= at <= end), life.killed_ms or 0)


def start_agent(site: Site) -> None:
    site.lives.append(Life(now_ms()))
    site.stack.start_agent()


def kill_agent(site: Site) -> None:
    """kill -9, then look what its outbox holds: that much is promised."""
    site.stack.agent.kill()
    site.lives[-1].killed_ms = now_ms()
    site.lives[-1].promised = committed(site.outbox)


def committed(outbox: Path) -> dict[str, int]:
    """Highest good value of each point by 'slave.point' in an outbox's batches; none before it is there."""
    if not outbox.exists():
        return {}
    with closing(sqlite3.connect(f"file:{outbox}?mode=ro", uri=True)) as connection:
        try:
            names = dict(connection.execute("SELECT number, slave || '.' || name FROM point"))
            payloads = [row[0] for row in connection.execute("SELECT payload FROM batch")]
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):  # killed while it made the file
                raise
            return {}
    highest: dict[str, int] = {}
    for payload in payloads:
        for column in batch.decode(payload)[1]:
            good = [
                int(value)
                for value, quality in zip(column.values, column.qualities, strict=True)
                if quality == 0 and isinstance(value, int | float)
            ]
            name = names[column.point]
            highest[name] = max([highest.get(name, 0), *good])
    return highest


def drain(site: Site) -> None:
    """Everything runs; stop the plant, then wait until the gateway holds nothing and the cloud has all.

    The agent goes on: what its end would bring, it might keep for its next start.
    """
    stack = site.stack
    site.stop_plant()
    stack.api.login(*stack.sign_in())
    deadline = time.monotonic() + LAST_S
    while not all_came(site) and time.monotonic() < deadline:
        time.sleep(0.5)
    stack.wait(lambda: drained(stack), "the outbox is empty", stack.cloud, stack.agent, timeout_s=DRAIN_S)


def all_came(site: Site) -> bool:
    """The cloud holds the last value of one counter of every device; an answer carries all of a device's."""
    of_device = {
        name.partition(".")[0]: (name, max(row.value for row in rows))
        for name, rows in served(site.served_log).items()
    }
    numbers = sources(site.stack, GATEWAY)
    return all(
        any(row["value"] == value for row in history(site.stack, numbers[name]))
        for name, value in of_device.values()
    )


def compare(site: Site) -> SampleVerdict:
    """Compare the served-values log and the cloud by value; the plant has stopped, agent and cloud run."""
    site.stack.wait(site.stack.api.healthy, "the cloud answers", site.stack.cloud)
    site.stack.api.login(*site.stack.sign_in())
    verdict, cloud = SampleVerdict(), held(site.stack)
    plant = served(site.served_log)
    if not plant:
        raise StackError("the plant served nothing")
    note_beginnings(site.lives, site.stack.agent.log.read_text())
    for name, rows in plant.items():
        arrived = cloud.get(name, Counter())
        compare_point(verdict, name, awaited(rows, arrived, site.stops_ms), arrived, site.lives)
    compare_batches(verdict, site)
    return verdict


def compare_point(
    verdict: SampleVerdict, name: str, rows: list[Served], arrived: Counter[int], lives: list[Life]
) -> None:
    verdict.served += len(rows)
    verdict.arrived += len(arrived)
    for value, times in arrived.items():
        if times > 1:
            verdict.twice += times - 1
            verdict.fault(f"{name}: {value} stands {times} times")
    unknown = arrived.keys() - {row.value for row in rows}
    verdict.unknown += len(unknown)
    for value in sorted(unknown):
        verdict.fault(f"{name}: {value} was never served")
    starts = [life.started_ms for life in lives]
    of_life: dict[int, list[Served]] = {}
    for row in rows:
        of_life.setdefault(bisect_right(starts, row.t_ms) - 1, []).append(row)
    for number, read in of_life.items():
        compare_life(verdict, f"{name} in life {number}", name, read, arrived, lives[number])


def compare_life(
    verdict: SampleVerdict, where: str, name: str, read: list[Served], arrived: Counter[int], life: Life
) -> None:
    """One counter in one life of the agent: a prefix, as long as what was promised."""
    present = [row.value in arrived for row in read]
    prefix = max((at + 1 for at, there in enumerate(present) if there), default=0)
    promised = life.promised.get(name, 0)
    verdict.promised += sum(row.value <= promised for row in read)
    for at, row in enumerate(read):
        if present[at]:
            continue
        before_ms = -1 if life.killed_ms is None else max(life.killed_ms - row.t_ms, 0)
        if at >= prefix and row.value > promised and 0 <= before_ms <= UNCOMMITTED_MS:
            verdict.uncommitted += 1
            verdict.uncommitted_ms = max(verdict.uncommitted_ms, before_ms)
            continue
        verdict.lost += 1
        why = "below later ones" if at < prefix else "promised" if row.value <= promised else "too early"
        verdict.fault(f"{where}: {row.value} is missing ({why}, {before_ms} ms before the kill)")


def compare_batches(verdict: SampleVerdict, site: Site) -> None:
    """Every number that the outbox gave has been received.

    An agent that runs may have given one just now: that a device is away is sent when it notices.
    """
    compared = batches_of(site)
    deadline = time.monotonic() + LAST_S
    while compared.faults and site.stack.agent.alive() and time.monotonic() < deadline:
        time.sleep(0.2)
        compared = batches_of(site)
    verdict.batches, verdict.missing_batches = compared.batches, compared.missing_batches
    for fault in compared.faults:
        verdict.fault(fault)


def batches_of(site: Site) -> SampleVerdict:
    """What stands in the outbox and in the cloud now; only about batches."""
    verdict = SampleVerdict()
    with closing(sqlite3.connect(f"file:{site.outbox}?mode=ro", uri=True)) as connection:
        [(stream, next_seq, evicted)] = connection.execute("SELECT id, next_seq, evicted_batches FROM stream")
    with closing(sqlite3.connect(f"file:{site.cloud_db}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT contiguous_upto, above FROM link_stream WHERE stream = ?", (stream,)
        ).fetchall()
        landed = {
            row[0] for row in connection.execute("SELECT seq FROM link_batch WHERE stream = ?", (stream,))
        }
    upto = rows[0][0] if rows else 0
    verdict.batches = len(landed)
    verdict.missing_batches = len(set(range(1, next_seq)) - landed)
    if verdict.missing_batches or upto != next_seq - 1 or json.loads(rows[0][1]) or evicted:
        verdict.fault(
            f"stream {stream}: numbers to {next_seq - 1}, received to {upto} {rows[0][1] if rows else ''}, "
            f"{verdict.missing_batches} missing, {evicted} evicted"
        )
    return verdict


def table(facts: Iterable[tuple[str, object]]) -> str:
    return "\n".join(
        f"  {name:44} {value:,}" if isinstance(value, int) else f"  {name:44} {value}"
        for name, value in facts
    )
