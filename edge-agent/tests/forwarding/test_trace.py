"""A trace over a real broker: asked for, sent, renewed, ended, and never when nobody asked."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.bus.trace import FrameTrace
from edge_agent.signals import Signal
from edge_contract.limits import TRACE_S
from edge_contract.payloads import Pulse, decode
from edge_contract.topics import Message
from edge_contract.trace import TraceEntry, TraceKind, TraceReport, TraceRequest

pytestmark = pytest.mark.timeout(90)


def reports(cloud: Any) -> list[TraceReport]:
    return [decode(TraceReport, one.payload) for one in cloud.arrived if one.kind is Message.TRACED]


def entries(cloud: Any) -> list[TraceEntry]:
    return [entry for report in reports(cloud) for entry in report.entries]


def happen(edge: Any, text: str) -> None:
    edge.trace.signal(Signal(TraceKind.DEVICE, "lost", "line", "boiler"), text)


@pytest.mark.clause("C-240", "C-241", "C-242")
async def test_a_trace_is_sent_while_somebody_watches(cloud: Any, edge: Any) -> None:
    edge.ports["line"] = FrameTrace(edge.clock.now_ms)
    await edge.start()
    await cloud.until(lambda: any(one.kind is Message.PULSE for one in cloud.arrived))
    (pulse, *_) = [decode(Pulse, one.payload) for one in cloud.arrived if one.kind is Message.PULSE]
    assert pulse.takes_trace
    happen(edge, "before anybody watched")
    cloud.say(Message.TRACE, TraceRequest(seconds=TRACE_S, by="ops"))
    await cloud.until(lambda: reports(cloud))
    assert (reports(cloud)[0].upto, reports(cloud)[0].entries) == (0, [])
    happen(edge, "boiler on line is offline")
    edge.ports["line"].seen("request", b"\x01")
    await cloud.until(lambda: len(entries(cloud)) == 2)
    assert [(one.seq, one.text or one.data) for one in entries(cloud)] == [
        (1, "boiler on line is offline"),
        (2, "01"),
    ]
    cloud.say(Message.TRACE, TraceRequest(seconds=0))
    await cloud.until(lambda: not edge.trace.is_active)
    happen(edge, "after it")
    await edge.clock.sleep(10)
    assert len(entries(cloud)) == 2
    assert edge.store.outbox.state().batches == 0


@pytest.mark.clause("C-240")
async def test_a_trace_ends_without_a_cloud_and_goes_on_over_a_lost_link(cloud: Any, edge: Any) -> None:
    await edge.start()
    await cloud.until(lambda: any(one.kind is Message.PULSE for one in cloud.arrived))
    cloud.say(Message.TRACE, TraceRequest(seconds=TRACE_S))
    await cloud.until(lambda: reports(cloud))
    await edge.forwarder.reconnect(60)
    happen(edge, "while the link was down")
    await cloud.until(lambda: entries(cloud))
    assert {report.since_ms for report in reports(cloud)} == {reports(cloud)[0].since_ms}
    await edge.clock.sleep(TRACE_S + 1)
    assert not edge.trace.is_active, "nobody asked again"
