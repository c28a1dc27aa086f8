"""What a gateway says of itself: every 30 s, and at once when a backlog has gone."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.forwarding.cloud import session
from edge_contract.limits import PULSE_S
from edge_contract.payloads import Pulse
from edge_contract.topics import Message

pytestmark = pytest.mark.timeout(90)

SPEED = 50
"""Of the gateway's clock."""


@pytest.mark.clause("C-061", "C-062")
async def test_pulses(cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert session.PULSE_S == PULSE_S == 30
    monkeypatch.setattr(session, "PULSE_S", 31.0)  # a time that nothing else waits for
    await edge.start()
    await cloud.until(lambda: len(cloud.all(Message.PULSE)) >= 3)
    first: Pulse = cloud.all(Message.PULSE)[0]
    [slave] = first.slaves
    assert (slave.name, slave.online, slave.last_good_ms, slave.reason) == ("boiler", False, 7, "no answer")
    times = [pulse.t_ms for pulse in cloud.all(Message.PULSE)]
    assert edge.clock.slept.count(31.0) >= 2, "on the gateway's clock"
    assert (times[2] - times[0]) / 1000 * SPEED > 2 * 30, "and not more often"


async def test_a_pulse_says_that_a_backlog_has_gone(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and not with the next one, which would come in an hour."""
    monkeypatch.setattr(session, "PULSE_S", 3600.0)
    cloud.acks = False
    await edge.commit(20)
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.PULSE) and cloud.held)
    assert cloud.all(Message.PULSE)[-1].outbox_batches == 20
    cloud.acks = True
    await cloud.until(lambda: cloud.all(Message.PULSE)[-1].outbox_batches == 0)
    assert len(cloud.all(Message.PULSE)) == 2
