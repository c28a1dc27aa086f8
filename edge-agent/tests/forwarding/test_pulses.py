"""What a gateway says of itself: every 30 s, and at once when a backlog has gone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from edge_agent.config.model import Configuration
from edge_agent.forwarding.base import Condition, ForwarderStatus
from edge_agent.forwarding.cloud import network, session
from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.running import Forwarders, _target
from edge_agent.forwarding.services import Services
from edge_contract.cellular import LinkBytes, ModemState
from edge_contract.fieldbus import FieldbusFigures, InternalSlaveFigures, LoopWriteFigures
from edge_contract.limits import PULSE_S
from edge_contract.payloads import Pulse, encode
from edge_contract.targets import TargetReject, TargetState
from edge_contract.topics import Message

from .file_gateway import gateway, until

pytestmark = pytest.mark.timeout(90)

SPEED = 50
"""Of the gateway's clock."""


@pytest.mark.clause("C-037", "C-061", "C-062")
async def test_pulses(cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert session.PULSE_S == PULSE_S == 30
    monkeypatch.setattr(session, "PULSE_S", 31.0)  # a time that nothing else waits for
    await edge.start()
    await cloud.until(lambda: len(cloud.all(Message.PULSE)) >= 3)
    first: Pulse = cloud.all(Message.PULSE)[0]
    [slave] = first.slaves
    assert (slave.name, slave.online, slave.last_good_ms, slave.reason) == ("boiler", False, 7, "no answer")
    assert first.memory_bytes and first.memory_bytes > 10_000_000, "of this process"
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


@pytest.mark.clause("C-155", "C-156")
async def test_a_target_that_goes_down_is_said_at_once(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "PULSE_S", 3600.0)
    up = TargetState(name="usb", kind="file", condition="up", delivered=3)
    edge.targets = [up]
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.PULSE))
    assert cloud.all(Message.PULSE)[0].targets == [up]
    refused = TargetReject(t_ms=5, record="batch 9", reason="wrong MN", given_up=True)
    down = TargetState(name="usb", kind="file", condition="down", reason="refused", rejects=[refused])
    edge.targets = [down]
    await cloud.until(lambda: len(cloud.all(Message.PULSE)) >= 2)
    assert cloud.all(Message.PULSE)[1].targets == [down]


@pytest.mark.clause("C-155")
def test_a_long_reason_ends_at_a_word() -> None:
    status = ForwarderStatus(
        name="bureau", kind="hj212", condition=Condition.DOWN, since_ms=5, reason="compare " * 90,
        next_try_ms=9, waiting_batches=3, waiting_bytes=40, waiting_records=7, lost_batches=0,
        deliveries=Deliveries(late=2).with_failed("2011", "no answer", 4).with_given_up("2051", "off", 5),
    )  # fmt: skip
    target = _target(status)
    assert target.reason == "compare " * 61 + "compare…"
    assert msgspec.json.decode(encode(target), type=TargetState) == target
    assert (target.waiting_records, target.late, target.failed, target.given_up) == (7, 2, 1, 1)
    assert target.next_try_ms == 9
    assert [(one.record, one.given_up) for one in target.rejects] == [("2011", False), ("2051", True)]


@pytest.mark.clause("C-222")
async def test_modem_and_links_come_seldom_and_another_card_with_the_next_pulse(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert network.REPORT_S == 600
    monkeypatch.setattr(session, "PULSE_S", 31.0)
    edge.modem = ModemState(imei="490154203237518", iccid="89860012345678901234", signal=17, read_ms=1)
    edge.links = [LinkBytes(interface="wwan0", cellular=True, since_ms=1, received=5, sent=6)]

    def pulses() -> list[Pulse]:
        return cast("list[Pulse]", cloud.all(Message.PULSE))

    await edge.start()
    await cloud.until(lambda: len(pulses()) >= 3)
    assert (pulses()[0].modem, pulses()[0].links) == (edge.modem, edge.links)
    assert [pulse.links for pulse in pulses()[1:3]] == [None, None]
    edge.modem = msgspec.structs.replace(edge.modem, iccid="")
    await cloud.until(lambda: any(pulse.modem == edge.modem for pulse in pulses()))
    await cloud.until(lambda: len([pulse for pulse in pulses() if pulse.links is not None]) >= 3)
    said = [pulse.t_ms for pulse in pulses() if pulse.links is not None]
    assert (said[2] - said[1]) / 1000 * SPEED >= 600


@pytest.mark.clause("C-190", "C-191")
async def test_a_pulse_says_what_came_of_the_internal_slave_and_loop_writes(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "PULSE_S", 31.0)
    edge.fieldbus = both = FieldbusFigures(
        internal_slave=InternalSlaveFigures(id=7, points=2, requests=12, exceptions=1),
        loop_writes=[LoopWriteFigures(name="clock", outcome="no_answer", failed=1)],
    )
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.PULSE))
    assert cloud.all(Message.PULSE)[0].fieldbus == both
    edge.fieldbus = FieldbusFigures()
    await cloud.until(lambda: cloud.all(Message.PULSE)[-1].fieldbus == FieldbusFigures())


@pytest.mark.clause("C-155")
async def test_what_the_cloud_is_told_of_a_file_target(tmp_path: Path) -> None:
    medium = tmp_path / "medium"
    medium.mkdir()
    entries = [
        {"name": name, "kind": "file", "enable": name == "usb", "options": {"folder": str(medium)}}
        for name in ("usb", "spare")
    ]
    configuration = msgspec.convert({"gateway": {"id": "gw1"}, "forwarders": entries}, Configuration)
    async with gateway(tmp_path / "data", "usb", "spare") as made:
        services = SimpleNamespace(store=made.store, clock=made.clock, folder=tmp_path / "data")
        forwarders = Forwarders(configuration, cast("Services", services))
        spare, usb = forwarders.targets()
        assert (spare.name, spare.kind, spare.condition, spare.delivered) == ("spare", "file", "off", 0)
        task = asyncio.ensure_future(forwarders.tasks()["forwarder usb"]())
        await made.put(3)
        await until(lambda: forwarders.targets()[1].delivered == 3)
        usb = forwarders.targets()[1]
        assert (usb.name, usb.condition, usb.lost_batches, usb.rejects) == ("usb", "up", 0, [])
        assert usb.last_ack_ms > 0 < usb.since_ms
        assert (usb.given_up, usb.failed, usb.late, usb.next_try_ms) == (0, 0, 0, 0)
        spare = forwarders.targets()[0]
        assert spare.waiting_records == spare.waiting_batches == 3, "batches are what it writes"
        medium.rename(tmp_path / "away")
        medium.write_text("no folder")
        await made.put(1)
        await until(lambda: forwarders.targets()[1].condition == "down")
        assert forwarders.targets()[1].waiting_records == 1
        await until(lambda: forwarders.targets()[1].next_try_ms > 0)
        task.cancel()
        await asyncio.wait([task])
