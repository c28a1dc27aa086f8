"""Control messages, sending, and the connection itself: on every broker."""

from __future__ import annotations

import asyncio

import pytest

from cloud.link import LinkDown
from edge_contract.deployment import Receipt, Step
from edge_contract.payloads import (
    Ack,
    Command,
    CommandAction,
    CommandResult,
    Hello,
    Pulse,
    State,
    Welcome,
    decode,
    encode,
)
from edge_contract.topics import Message, topic

from .equipment import (
    CATALOG,
    STREAM,
    T0,
    batch,
    eventually,
)
from .system import GW, SECRET, Gateway, Plant, only

LIVE = topic(GW, Message.LIVE)
BOOT = "00000000000000bb"


@pytest.mark.clause("C-006")
async def test_what_was_retained_is_no_news(plant: Plant) -> None:
    """Only state may be retained; on a broker that cannot tell, the link ignores the rest."""
    device = await plant.device()
    await plant.link.stop()
    if plant.settings.broker == "embedded":  # its memory went with it
        await plant.restart()
        await device.close()
        device = await plant.device()
    await device.attempt(LIVE, batch(1), retain=True)
    if plant.settings.broker == "emqx":  # which ends the connection of who publishes what it may not
        await eventually(device.lost.is_set)
        await device.close()
        device = await plant.device()
    await device.publish(topic(GW, Message.STATE), _state(online=True), retain=True)
    if plant.settings.broker != "embedded":
        plant.link = plant.make()
        await plant.start()
        await eventually(lambda: plant.domain.kinds() == [State])
        await device.publish(LIVE, batch(2))
        await eventually(lambda: device.acknowledged() == {2})
        assert plant.rows() == [2]
    else:
        await eventually(lambda: plant.domain.kinds() == [State])
    await device.close()


@pytest.mark.clause("C-011", "C-012", "C-009", "C-075")
async def test_control_messages(plant: Plant, caplog: pytest.LogCaptureFixture) -> None:
    device = await plant.device()
    result = CommandResult(id="command-1", state="resp", t_ms=T0)
    pulse = Pulse(
        t_ms=T0, boot=BOOT, stream=STREAM, next_seq=1, outbox_batches=0, outbox_bytes=0,
        hours_left=None, evicted_batches=0, slaves=[],
    )  # fmt: skip
    for _ in range(3):
        await device.publish(topic(GW, Message.PULSE), b'{"t_ms": 1}')
    plant.domain.broken = True
    await device.publish(topic(GW, Message.RESULT), encode(result))
    await eventually(lambda: "up/result from gw-alpha failed" in caplog.text)
    assert device.acks() == []  # not taken, so the gateway repeats it
    plant.domain.broken = False
    for message, payload in (
        (Message.STATE, _state(online=True)),
        (Message.HELLO, encode(_hello())),
        (Message.PULSE, encode(pulse)),
        (Message.RESULT, encode(result)),
    ):
        await device.publish(topic(GW, message), payload)
    await eventually(lambda: plant.domain.kinds() == [State, Hello, Pulse, CommandResult])  # in order
    await eventually(lambda: [ack.commands for ack in device.acks()] == [["command-1"]])
    welcomes = [decode(Welcome, m.payload) for m in device.received if m.topic.endswith("/welcome")]
    assert [w.accepted for w in welcomes] == [True]
    complaints = [r.getMessage() for r in caplog.records if "field" in r.getMessage()]
    assert len(complaints) == 1
    assert complaints[0].startswith("up/pulse from gw-alpha: field boot:")
    await device.close()


@pytest.mark.clause("C-029")
async def test_holes_are_asked_for(plant: Plant) -> None:
    device = await plant.device()
    for seq in [*range(1, 11), *range(21, 121)]:
        device.client.publish(LIVE, batch(seq), 1)
    await eventually(lambda: len(device.acknowledged()) == 110)
    pulse = Pulse(
        t_ms=T0, boot=BOOT, stream=STREAM, next_seq=121, outbox_batches=10, outbox_bytes=1,
        hours_left=None, evicted_batches=0, slaves=[],
    )  # fmt: skip
    for _ in range(3):
        await device.publish(topic(GW, Message.PULSE), encode(pulse))
    await eventually(lambda: len(plant.domain.heard) == 3)
    asked = await eventually(lambda: [m for m in device.received if m.topic.endswith("/resend")])
    assert [m.payload for m in asked] == [b'{"stream":"00000000000000aa","ranges":[[11,20]]}']
    await device.close()


async def test_sending(plant: Plant) -> None:
    device = await plant.device()
    command = Command(id="command-1", slave="m1", point="p", action=CommandAction.READ, expires_ms=T0)
    await plant.link.send(GW, command)
    await eventually(lambda: [decode(Command, m.payload) for m in device.received] == [command])
    await device.close()
    await plant.link.stop()
    assert not plant.link.healthy()
    with pytest.raises(LinkDown):
        await plant.link.send(GW, Ack())


@pytest.mark.clause("C-083")
async def test_nothing_of_a_revoked_gateway_is_taken(plant: Plant) -> None:
    """Whatever the broker still lets through: neither stored nor acknowledged nor obeyed."""
    device = await plant.device()
    await device.publish(LIVE, batch(1))
    await eventually(lambda: device.acknowledged() == {1})
    plant.domain.barred.add(GW)
    await device.publish(LIVE, batch(2))
    await device.publish(topic(GW, Message.HISTORY), batch(3))
    result = CommandResult(id="command-1", state="resp", t_ms=T0)
    await device.publish(topic(GW, Message.RESULT), encode(result))
    await device.publish(
        topic(GW, Message.RECEIPT), encode(Receipt(id="d-1", step=Step.CONFIRMED, t_ms=T0, running="0" * 64))
    )
    for message in Message:
        if message.from_gateway and message not in (Message.HELLO, Message.STATE):
            await device.publish(topic(GW, message), b"tunnel frames are not read")
    await device.publish(topic(GW, Message.HELLO), encode(_hello()))
    await eventually(lambda: plant.domain.kinds() == [Hello])  # which says why, and comes after all of them
    assert plant.rows() == [1]
    assert plant.quarantined() == []
    await eventually(lambda: topic(GW, Message.WELCOME) in device.topics())
    assert device.acknowledged() == {1}
    assert [ack for ack in device.acks() if ack.commands or ack.deployments] == []
    plant.domain.barred.clear()
    await device.publish(LIVE, batch(2))
    await device.publish(topic(GW, Message.RESULT), encode(result))
    await eventually(lambda: device.acknowledged() == {1, 2})
    await eventually(lambda: ["command-1"] in [ack.commands for ack in device.acks()])
    await device.close()


@pytest.mark.clause("C-083")
async def test_a_disabled_gateway_loses_its_connection(plant: Plant) -> None:
    device = await plant.device()
    await plant.link.disable_gateway(GW)
    await eventually(device.lost.is_set)
    await device.close()


async def test_the_link_comes_back_after_the_broker(plant: Plant) -> None:
    only(plant, "mosquitto", "emqx")
    assert plant.server is not None
    plant.server.kill()
    await eventually(lambda: not plant.link.healthy())
    with pytest.raises(LinkDown):
        await plant.link.send(GW, Ack())
    await asyncio.to_thread(plant.server.start)
    await eventually(plant.link.healthy)
    await Gateway(GW, SECRET, plant.port).deliver([1])


def _state(*, online: bool) -> bytes:
    return encode(State(online=online, boot=BOOT, t_ms=T0))


def _hello() -> Hello:
    return Hello(
        version_min=1, version_max=1, agent="1", boot=BOOT, stream=STREAM, first_seq=1, next_seq=1,
        catalog=CATALOG, clock_set=True, t_ms=T0,
    )  # fmt: skip
