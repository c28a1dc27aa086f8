"""Local history sent again fills what the cloud lost, doubles nothing, and replaces no newer last value."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence import drained, history, sources
from local_page import LocalPage
from stack import GATEWAY, Ports, Stack

from cloud.timeseries import tail
from cloud.timeseries.blocks import of_parts, write_packed

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]

CYCLES_TIMEOUT_S = 60.0
SLAVE_TABLE = "[[slaves]]\n"


@pytest.fixture
def storing_stack(tmp_path: Path) -> Iterator[Stack]:
    """A stack whose slaves have a storage cycle of ten seconds."""
    stack = Stack(tmp_path / "stack", Ports.free(), scenario="counter", commit_interval_s=0.2)
    stack.prepare()
    config = stack.data / "agent" / "gateway.toml"
    config.write_text(config.read_text().replace(SLAVE_TABLE, f"{SLAVE_TABLE}storage_cycle_s = 10\n"))
    try:
        stack.start_cloud()
        stack.start_plant()
        stack.start_agent()
        stack.api.login(*stack.sign_in())
        stack.wait(stack.first_value, "the first value arrived", stack.cloud, stack.plant, stack.agent)
        yield stack
    finally:
        stack.stop()


def signed_in(stack: Stack) -> LocalPage:
    page = LocalPage(stack.ports.local_page)
    password = (stack.data / "agent" / "local-admin.txt").read_text().strip()
    assert page.sign_in(password)[0] == 200
    return page


def ask(page: LocalPage, path: str, body: Any = None) -> Any:
    status, answer = page._ask(path, body)
    assert status in (200, 202), answer
    return answer


def stored_on(page: LocalPage) -> dict[str, list[tuple[int, float]]]:
    """Time and value of everything in the local history, by 'slave.point'."""
    points = ask(page, "/history/points")["points"]
    return {
        f"{p['slave']}.{p['point']}": [
            (t_ms, value)
            for t_ms, value, _ in ask(page, f"/history?point={p['slave']}.{p['point']}")["values"]
        ]
        for p in points
    }


def silent(stack: Stack) -> bool:
    """Whether no point can be read any more; its last good value stays readable."""
    numbers = sources(stack, GATEWAY).values()
    return all(stack.api.get(f"/device/lastdp?dsid={dsid}")["quality"] != 0 for dsid in numbers)


def lose(stack: Stack, times: set[int]) -> int:
    """As a restored backup would: the cloud has never heard of these samples."""
    lost = 0
    with closing(sqlite3.connect(stack.data / "cloud" / "timeseries.db", timeout=10)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for partition in tail.partitions(connection, -1, 1000):
            for head in tail.heads_of(connection, partition):
                block = tail.load(connection, partition, head.id)
                assert block is not None
                kept = [
                    (series, samples.pick(~np.isin(samples.t_ms, list(times))))
                    for series, samples in block.each()
                ]
                left = of_parts([(series, samples) for series, samples in kept if len(samples)])
                lost += len(block) - len(left)
                tail.remove(connection, [head.id])
                if len(left):
                    tail.put(connection, [(head.seq, write_packed(left))])
        connection.commit()
    return lost


def send_again(stack: Stack, page: LocalPage, from_ms: int, to_ms: int) -> int:
    samples = ask(page, "/history/resend", {"from_ms": from_ms, "to_ms": to_ms})["samples"]
    stack.wait(
        lambda: not ask(page, "/history/points")["state"]["resend"]["running"], "it is sent", stack.agent
    )
    stack.wait(lambda: drained(stack), "it is stored", stack.cloud, stack.agent)
    assert ask(page, "/history/points")["state"]["resend"]["sent"] == samples
    return int(samples)


@pytest.mark.clause("C-038")
def test_what_the_cloud_lost_comes_back_and_nothing_is_doubled(storing_stack: Stack) -> None:
    stack, page = storing_stack, signed_in(storing_stack)

    def two_cycles() -> bool:
        stored = stored_on(page)
        return bool(stored) and min(map(len, stored.values())) >= 2

    stack.wait(two_cycles, "two cycles are stored", stack.agent, timeout_s=CYCLES_TIMEOUT_S)
    stack.plant.stop()
    stack.wait(lambda: silent(stack), "the last samples say that nothing answers", stack.cloud, stack.agent)
    stack.wait(lambda: drained(stack), "everything is stored", stack.cloud, stack.agent)
    stored, numbers = stored_on(page), sources(stack, GATEWAY)
    good = {name: [one for one in rows if one[1] is not None] for name, rows in stored.items()}
    times = {t_ms for rows in good.values() for t_ms, _ in rows}
    before = {name: history(stack, dsid) for name, dsid in numbers.items()}
    latest = {name: stack.api.get(f"/device/lastdp?dsid={dsid}") for name, dsid in numbers.items()}
    for name, rows in good.items():
        assert {(row["t_ms"], row["value"]) for row in before[name]} >= set(rows), (
            "one sample, one time, one value"
        )
    assert lose(stack, times) >= len(times)
    assert {name: history(stack, dsid) for name, dsid in numbers.items()} != before
    for _ in range(2):
        samples = send_again(stack, page, 0, max(times))
        assert samples >= sum(map(len, good.values()))
        after = {name: history(stack, dsid) for name, dsid in numbers.items()}
        for name, rows in after.items():
            wanted = [row for row in before[name] if row["t_ms"] <= max(times)]
            assert [row for row in rows if row["t_ms"] <= max(times)] == wanted, name
        assert {n: stack.api.get(f"/device/lastdp?dsid={d}") for n, d in numbers.items()} == latest
