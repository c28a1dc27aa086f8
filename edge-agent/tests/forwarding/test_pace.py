"""Batches at the report interval, and a link that is closed between two reports."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from edge_agent.forwarding.cloud.pace import Pace
from edge_contract.payloads import Command, CommandAction
from edge_contract.topics import Message

pytestmark = pytest.mark.timeout(90)

INTERVAL_S = 300
"""Of the gateway's clock, six seconds of the machine's."""
HELD_S = 1.0


class StepClock:
    """Time that passes only in sleeps."""

    def __init__(self) -> None:
        self.at_s = 1000.0

    def now_ms(self) -> int:
        return round(self.at_s * 1000)

    def monotonic(self) -> float:
        return self.at_s

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.at_s += seconds


async def test_reports_are_an_interval_apart() -> None:
    clock = StepClock()
    pace = Pace(clock, 60)
    begins = []
    for _ in range(3):
        await pace.due()
        begins.append(clock.at_s)
    assert [round(at - begins[0]) for at in begins] == [0, 60, 120]


async def test_without_an_interval_nothing_waits() -> None:
    clock = StepClock()
    pace = Pace(clock)
    await pace.due()
    await pace.due()
    assert clock.at_s == 1000.0


async def test_a_store_that_is_half_full_is_not_held_back_and_who_asks_is_not_either() -> None:
    clock, held = StepClock(), [0]
    pace = Pace(clock, 3600, held_bytes=lambda: held[0], capacity_bytes=1000)
    pace.reported()
    pace.report_now()
    await pace.due()
    assert clock.at_s < 1010
    held[0] = 500
    await pace.due()
    assert clock.at_s < 1010
    assert pace.left_s > 3590


@pytest.mark.clause("C-145")
async def test_batches_wait_for_the_interval_and_the_link_stays(
    cloud: Any, make_edge: Any, broker: Any
) -> None:
    edge = make_edge(broker.url, report_interval_s=INTERVAL_S)
    await edge.commit(2)
    await edge.start()
    try:
        await cloud.until(lambda: len(cloud.held) == 2)
        assert cloud.all(Message.HELLO)[0].report_interval_s == INTERVAL_S
        await edge.commit(3)
        await asyncio.sleep(HELD_S)
        assert len(cloud.held) == 2, "what was committed since waits for its report"
        assert edge.forwarder.link.accepted
        cloud.say(Message.COMMAND, Command(id="c1234567", action=CommandAction.FORWARD, expires_ms=2**50))
        await cloud.until(lambda: edge.commands.taken)
        assert len(cloud.held) == 2
        await cloud.until(lambda: len(cloud.held) == 5)
        assert len(cloud.all(Message.HELLO)) == 1, "one connection carried both reports"
    finally:
        await edge.stop()


@pytest.mark.clause("C-147")
async def test_the_link_is_closed_between_reports_with_a_word_of_when(
    cloud: Any, make_edge: Any, broker: Any
) -> None:
    edge = make_edge(broker.url, report_interval_s=INTERVAL_S, saving=True)
    await edge.commit(2)
    await edge.start()
    try:
        await cloud.until(lambda: any(not state.online for state in cloud.all(Message.STATE)))
        assert len(cloud.held) == 2
        gone = cloud.all(Message.STATE)[-1]
        assert gone.reason == "asleep"
        assert 0 < gone.back_ms - gone.t_ms <= INTERVAL_S * 1000
        await cloud.until(lambda: not edge.forwarder.link.connected)
        await cloud.until(lambda: edge.forwarder.link.back_ms)
        await edge.commit(1)
        await asyncio.sleep(HELD_S)
        assert len(cloud.held) == 2
        await cloud.until(lambda: len(cloud.held) == 3)
        assert len(cloud.all(Message.HELLO)) == 2
    finally:
        await edge.stop()


@pytest.mark.clause("C-147")
async def test_who_saves_power_stays_while_something_is_not_reported(
    cloud: Any, make_edge: Any, broker: Any
) -> None:
    cloud.acks = False
    edge = make_edge(broker.url, report_interval_s=INTERVAL_S, saving=True)
    await edge.commit(1)
    await edge.start()
    try:
        await cloud.until(lambda: cloud.held)
        await asyncio.sleep(2 * HELD_S)
        assert edge.forwarder.link.accepted, "its batch is not acknowledged"
        edge.tunnels.has_open = True
        cloud.ack(1)
        await asyncio.sleep(HELD_S)
        assert edge.forwarder.link.accepted, "a tunnel is open"
        edge.tunnels.has_open = False
        await cloud.until(lambda: not edge.forwarder.link.connected)
    finally:
        await edge.stop()
