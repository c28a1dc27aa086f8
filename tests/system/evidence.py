"""Compare what the plant served with what the cloud holds, value by value."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stack import GATEWAY, Stack

Stops = list[tuple[float, float]]
PAGE = 1000
DRAIN_TIMEOUT_S = 120.0
UNREAD_MS = 1000
"""What left the plant so shortly before the agent was to stop may lie unread, and is thrown away."""
LEAST_VALUES = 3
"""Fewer say nothing about their order. How long they take is the machine's affair."""


@dataclass(frozen=True)
class Served:
    """One answer of the plant: the counter's value and when it left."""

    t_ms: int
    value: int


def served(served_log: Path) -> dict[str, list[Served]]:
    """Values that the plant served, by 'device.register'; what it is writing has not left."""
    by_register: dict[str, list[Served]] = {}
    for line in served_log.read_text().rpartition("\n")[0].splitlines():
        row = json.loads(line)
        if row.get("written"):
            continue
        by_register.setdefault(f"{row['device']}.{row['register']}", []).append(
            Served(row["t_ms"], row["value"])
        )
    return by_register


def device_of(stack: Stack, gateway: str) -> dict[str, Any]:
    """The row of a gateway in the list of devices."""
    rows = stack.api.get("/device?page=1&limit=100")["rows"]
    return next(row for row in rows if row["gateway_id"] == gateway)


def sources(stack: Stack, gateway: str) -> dict[str, int]:
    """Number of each data point by 'slave.point'; empty before the catalog has arrived."""
    rows = stack.api.get(f"/device/dss?device_id={device_of(stack, gateway)['id']}")["rows"]
    return {f"{row['slave']}.{row['ds_name']}": row["dsid"] for row in rows}


def history(stack: Stack, dsid: int, start_ms: int = 0, end_ms: int = 2**53) -> list[dict[str, Any]]:
    """Samples of a point with start_ms <= t < end_ms, oldest first."""
    newest_first: list[dict[str, Any]] = []
    before = end_ms
    while True:
        query = f"dsid={dsid}&start_ms={start_ms}&end_ms={end_ms}&limit={PAGE}&before_ms={before}"
        rows = stack.api.get(f"/device/hisdata/rows?{query}")["rows"]
        newest_first += rows
        if len(rows) < PAGE:
            return newest_first[::-1]
        before = rows[-1]["t_ms"]


def held(stack: Stack) -> dict[str, Counter[int]]:
    """Good values that the cloud's history holds, by 'slave.point', with how often each stands there."""
    return {
        name: Counter(int(row["value"]) for row in history(stack, dsid) if row["quality"] == 0)
        for name, dsid in sources(stack, GATEWAY).items()
    }


def drained(stack: Stack, agent_data: Path | None = None, gateway: str = GATEWAY) -> bool:
    """True when an agent's store holds no batch and the cloud has stored all that it received of it."""
    outbox = count((agent_data or stack.data / "agent") / "outbox.sqlite", "SELECT count(*) FROM batch")
    return outbox == 0 and all_stored(stack, gateway)


def all_stored(stack: Stack, gateway: str) -> bool:
    """Whether the cloud has stored all that it received of a gateway."""
    unfiled = f"SELECT count(*) FROM link_batch WHERE filed_ms IS NULL AND gateway = '{gateway}'"
    return count(stack.data / "cloud" / "cloud.db", unfiled) == 0


def awaited(rows: list[Served], arrived: Collection[float], stops_ms: Stops) -> list[Served]:
    """Answers of one counter without what a stop of either end may have thrown away unread: what left during
    it and did not arrive, and the last answer before it, which a busy end leaves lying for any time.
    """
    last = {max((row.t_ms for row in rows if row.t_ms <= end), default=0) for _, end in stops_ms}
    return [
        row
        for row in rows
        if row.value in arrived
        or not (row.t_ms in last or any(begin <= row.t_ms <= end for begin, end in stops_ms))
    ]


def drain(
    stack: Stack, served_log: Path, stops_ms: Stops
) -> tuple[dict[str, list[Served]], dict[str, Counter[int]]]:
    """Stop the agent and the plant so that nothing new comes, let the agent send what it holds, compare.

    What was served: without what a stopping agent did not read any more, now or in the earlier stops.
    """
    begin_ms = time.time() * 1000 - UNREAD_MS
    stack.agent.stop()
    stack.plant.stop()
    stops_ms.append((begin_ms, time.time() * 1000))
    stack.start_agent()
    stack.wait(
        lambda: drained(stack), "the outbox is empty", stack.cloud, stack.agent, timeout_s=DRAIN_TIMEOUT_S
    )
    cloud = held(stack)
    plant = {name: awaited(rows, cloud[name], stops_ms) for name, rows in served(served_log).items()}
    return plant, cloud


@contextmanager
def all_arrives(stack: Stack, *points: str) -> Iterator[None]:
    """Fails unless every value that these counters showed meanwhile has arrived, each once and in order."""
    numbers = sources(stack, GATEWAY)
    begin_ms = time.time_ns() // 1_000_000
    yield
    end_ms = time.time_ns() // 1_000_000
    for point in points:
        dsid = numbers[point]
        rows: list[dict[str, Any]] = []

        def goes_on(dsid: int = dsid, rows: list[dict[str, Any]] = rows) -> bool:
            rows[:] = history(stack, dsid, begin_ms, time.time_ns() // 1_000_000)
            return len(rows) >= LEAST_VALUES and bool(rows[-1]["t_ms"] > end_ms) and not under_way(rows)

        stack.wait(goes_on, f"{point} goes on, without a hole", stack.cloud, stack.plant, stack.agent)
        values = [row["value"] for row in rows]
        assert {row["quality"] for row in rows} == {0}, point
        assert values == list(range(int(values[0]), int(values[0]) + len(values))), point


def under_way(rows: list[dict[str, Any]]) -> bool:
    """Whether values are missing between good ones: what waits is sent beside what is new."""
    if any(row["quality"] for row in rows):
        return False
    return bool(rows[-1]["value"] - rows[0]["value"] >= len(rows))


def count(path: Path, query: str) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return int(connection.execute(query).fetchone()[0])
