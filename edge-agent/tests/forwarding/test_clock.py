"""What the cloud learns about the gateway's clock."""

from __future__ import annotations

import time
from typing import Any

import pytest

from edge_agent.system.clock import clock_set
from edge_contract.limits import EARLIEST_MS
from edge_contract.topics import Message

pytestmark = pytest.mark.timeout(90)


def clock_flags(cloud: Any) -> list[bool]:
    return [hello.clock_set for hello in cloud.all(Message.HELLO)]


@pytest.mark.clause("C-050")
async def test_hello_says_whether_the_clock_was_set(cloud: Any, edge: Any) -> None:
    """A clock without battery begins in 1970; the time service sets it later, within one connection."""
    cloud.welcomes = False
    edge.clock.behind_ms = time.time_ns() // 1_000_000
    await edge.start()
    await cloud.until(lambda: len(clock_flags(cloud)) >= 2)
    assert set(clock_flags(cloud)) == {False}
    assert all(hello.t_ms < EARLIEST_MS for hello in cloud.all(Message.HELLO))
    edge.clock.behind_ms, since_ms = 0, time.time_ns() // 1_000_000
    await cloud.until(lambda: clock_flags(cloud)[-1])
    hello = cloud.all(Message.HELLO)[-1]
    assert since_ms <= hello.t_ms <= time.time_ns() // 1_000_000
    assert len(cloud.all(Message.STATE)) == 1, "one connection saw both"


@pytest.mark.clause("C-050")
def test_set_means_from_2020_on() -> None:
    assert not clock_set(0)
    assert not clock_set(EARLIEST_MS - 1)
    assert clock_set(EARLIEST_MS)
