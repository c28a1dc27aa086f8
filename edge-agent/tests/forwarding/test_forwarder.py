"""The forwarder against a real broker and a cloud that may be silent, refuse, restart or talk nonsense."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import StoreFull
from edge_agent.forwarding.cloud.forwarder import SECRET_PAUSE_S
from edge_agent.transports.mqtt import Endpoint, LinkDown, LinkRefused, MqttClient
from edge_contract.limits import WINDOW
from edge_contract.payloads import (
    Ack,
    Command,
    CommandAction,
    CommandResult,
    Refusal,
    Resend,
    State,
    Welcome,
    encode,
)
from edge_contract.topics import Message, topic

pytestmark = pytest.mark.timeout(90)

GATEWAY = "gw-test-1"
PATIENT_S = 1000.0
"""Of the gateway's clock; twenty of the machine's, which may be busy."""

COMES_S = 20.0
BOTH_BROKERS = pytest.mark.parametrize("broker_kind", ["mosquitto", "embedded"])


def kinds(cloud: Any) -> list[Message]:
    return [item.kind for item in cloud.arrived]


@pytest.mark.clause("C-005", "C-007", "C-017")
@BOTH_BROKERS
async def test_state_then_hello_and_nothing_else_until_welcome(cloud: Any, edge: Any) -> None:
    cloud.welcomes = False
    await edge.commit(3)
    await edge.start()
    await cloud.until(lambda: len(cloud.all(Message.HELLO)) >= 3)
    assert kinds(cloud)[:2] == [Message.STATE, Message.HELLO]
    assert set(kinds(cloud)) == {Message.STATE, Message.HELLO}, "hello is repeated, nothing else is said"
    hello = cloud.all(Message.HELLO)[0]
    assert (hello.first_seq, hello.next_seq, hello.clock_set) == (1, 4, True)
    assert hello.stream == edge.store.outbox.state().stream
    assert edge.forwarder.link.connected
    assert not edge.forwarder.link.accepted
    cloud.welcome()
    await cloud.until(lambda: len(cloud.held) == 3)
    assert {item.qos for item in cloud.arrived} == {1}
    await edge.stop()
    await cloud.until(lambda: len(cloud.all(Message.STATE)) == 2)
    states = cloud.all(Message.STATE)
    assert [(state.online, state.reason) for state in states] == [(True, ""), (False, "stopped")]


@pytest.mark.clause("C-007")
async def test_last_will(broker: Any, cloud: Any) -> None:
    will = encode(State(online=False, boot="0" * 16, t_ms=1, reason="link_lost"))
    endpoint = Endpoint(broker.url, GATEWAY, "secret")
    client = MqttClient(endpoint, topic(GATEWAY, Message.STATE), will)
    await client.connect(f"v1/{GATEWAY}/down/+")
    client._paho.socket().shutdown(socket.SHUT_RDWR)
    await cloud.until(lambda: cloud.all(Message.STATE))
    assert cloud.arrived[0].payload == will
    await asyncio.wait_for(client.disconnected.wait(), COMES_S)
    with pytest.raises(LinkDown):
        await client.publish("v1/x/up/hello", b"")
    await client.close()


async def test_no_will_after_a_close_in_the_middle_of_traffic(broker: Any, cloud: Any) -> None:
    for _ in range(5):
        client = MqttClient(Endpoint(broker.url, GATEWAY, "secret"), topic(GATEWAY, Message.STATE), b"{}")
        await client.connect(f"v1/{GATEWAY}/down/+")
        for number in range(100):
            cloud.say(Message.ACK, b"%d" % number)
        await client.messages.get()
        await client.close()
    await asyncio.sleep(0.1)
    assert cloud.arrived == []


@pytest.mark.clause("C-008")
async def test_session_is_clean_with_the_contracts_keep_alive(broker: Any, cloud: Any, edge: Any) -> None:
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.HELLO))
    assert f"as {GATEWAY} (p2, c1, k30, u'{GATEWAY}')" in broker.log.read_text()


@pytest.mark.clause("C-006")
async def test_only_state_is_retained(
    broker: Any, cloud: Any, edge: Any, request: pytest.FixtureRequest
) -> None:
    await edge.commit(2)
    await edge.start()
    await cloud.until(lambda: cloud.held.keys() == {1, 2} and cloud.all(Message.PULSE))
    await cloud.stop()  # of two with one name the broker keeps the newer
    later = type(cloud)(broker, welcomes=False, acks=False)
    await later.start()
    await later.until(lambda: any(item.kind is Message.PULSE and not item.retain for item in later.arrived))
    assert [(item.kind, item.retain) for item in later.arrived if item.retain] == [(Message.STATE, True)]
    await later.stop()


@pytest.mark.clause("C-024")
@BOTH_BROKERS
async def test_only_the_clouds_acknowledgement_forgets(cloud: Any, edge: Any) -> None:
    cloud.acks = False
    await edge.commit(5)
    await edge.start()
    await cloud.until(lambda: len(cloud.held) == 5)
    await asyncio.sleep(0.1)
    assert edge.store.outbox.state().batches == 5, "the broker confirmed all of them"
    cloud.say(Message.ACK, Ack(stream=edge.store.outbox.state().stream, ranges=[(2, 3)]))
    await cloud.until(lambda: edge.store.outbox.state().batches == 3)
    assert await edge.store.outbox.numbers(0, 9) == [1, 4, 5]


async def test_what_a_full_medium_does_not_let_go_is_deleted_later(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    forget, refusals = edge.store.outbox.forget, iter([True, True])

    async def stubborn(ranges: Any) -> int:
        if next(refusals, False):
            raise StoreFull("the medium is full")
        return await forget(ranges)

    monkeypatch.setattr(edge.store.outbox, "forget", stubborn)
    await edge.commit(3)
    await edge.start()
    await cloud.until(lambda: len(cloud.held) == 3 and edge.store.outbox.state().batches == 0)
    assert caplog.text.count("cannot be deleted yet: the medium is full") == 1
    assert edge.forwarder.link.acknowledged_batches == 3
    await edge.stop()


@pytest.mark.clause("C-025")
@BOTH_BROKERS
async def test_foreign_and_repeated_acknowledgements_are_ignored(cloud: Any, edge: Any) -> None:
    cloud.acks = False
    await edge.commit(3)
    await edge.start()
    await cloud.until(lambda: len(cloud.held) == 3)
    cloud.say(Message.ACK, Ack(stream="f" * 16, ranges=[(1, 3)]))
    cloud.say(Message.ACK, Ack(stream=edge.store.outbox.state().stream, ranges=[(4, 2**53)]))
    await cloud.until(lambda: edge.forwarder.link.ignored_acks == 1)
    for _ in range(2):
        cloud.ack(2)
    await cloud.until(lambda: edge.store.outbox.state().batches == 2)
    await edge.commit()
    await cloud.until(lambda: 4 in cloud.held)


@pytest.mark.clause("C-026", "C-027")
@BOTH_BROKERS
async def test_window_and_resending(cloud: Any, edge: Any) -> None:
    cloud.acks = False
    await edge.commit(10)
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    await edge.commit(50)
    await cloud.until(lambda: len(cloud.lanes()) >= 3 * WINDOW)
    assert len(cloud.held) <= WINDOW
    cloud.acks = True
    await cloud.until(lambda: edge.store.outbox.state().batches == 0)
    assert cloud.held.keys() == set(range(1, 61))


@pytest.mark.clause("C-030")
@BOTH_BROKERS
async def test_lanes(cloud: Any, edge: Any) -> None:
    cloud.welcomes = False
    await edge.commit(6)
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.HELLO))
    await edge.commit(4)
    cloud.welcome()
    await cloud.until(lambda: len(cloud.held) == 10)
    live = [(Message.LIVE, seq) for seq in (10, 9, 8, 7)]
    history = [(Message.HISTORY, seq) for seq in range(1, 7)]
    assert list(dict.fromkeys(cloud.lanes())) == live + history, "what is sent again was sent before"


@pytest.mark.clause("C-029")
@BOTH_BROKERS
async def test_the_cloud_asks_for_batches(cloud: Any, edge: Any) -> None:
    cloud.acks = False
    await edge.commit(100)
    await edge.start()
    await cloud.until(lambda: len(cloud.held) == WINDOW * 3 // 4)
    cloud.say(Message.RESEND, Resend(stream=edge.store.outbox.state().stream, ranges=[(70, 71), (500, 600)]))
    cloud.ack(1)
    cloud.ack(2)
    await cloud.until(lambda: {70, 71} <= cloud.held.keys())


@pytest.mark.clause("C-018")
@BOTH_BROKERS
async def test_catalogs_are_sent_when_requested(cloud: Any, edge: Any) -> None:
    cloud.need_catalog = True
    await edge.commit(1)
    await edge.store.catalogs.keep("ab" * 8, b'{"old":1}')
    await edge.start()
    await cloud.until(lambda: cloud.held)
    assert kinds(cloud).index(Message.CATALOG) < kinds(cloud).index(Message.HISTORY)
    assert cloud.all(Message.CATALOG)[0] == edge.catalog
    cloud.say(Message.RESEND, Resend(catalog="ab" * 8))
    cloud.say(Message.RESEND, Resend(catalog="cd" * 8))
    await cloud.until(lambda: any(item.payload == b'{"old":1}' for item in cloud.arrived))


@pytest.mark.clause("C-011", "C-013")
@BOTH_BROKERS
async def test_a_refused_gateway_keeps_its_data_and_asks_again(
    cloud: Any, edge: Any, caplog: pytest.LogCaptureFixture
) -> None:
    cloud.refusal = Refusal.NOT_CLAIMED
    await edge.commit(4)
    await edge.start()
    await cloud.until(lambda: len(cloud.all(Message.HELLO)) >= 3)
    assert not cloud.held
    assert edge.store.outbox.state().batches == 4
    assert edge.forwarder.link.refusal == "not_claimed"
    assert caplog.text.count("the cloud refuses this gateway") == 1
    cloud.refusal = None
    await cloud.until(lambda: len(cloud.held) == 4)
    cloud.say(Message.WELCOME, Welcome(accepted=False, version=1, t_ms=1, refusal=Refusal.DISABLED))
    await cloud.until(lambda: any(not state.online for state in cloud.all(Message.STATE)))


async def test_a_version_that_the_agent_does_not_speak_is_a_refusal(cloud: Any, edge: Any) -> None:
    cloud.welcomes = False
    await edge.commit(1)
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.HELLO))
    cloud.say(Message.WELCOME, Welcome(accepted=True, version=9, t_ms=1))
    await cloud.until(lambda: "version 9" in edge.forwarder.link.reason)
    assert not cloud.held


@pytest.mark.clause("C-036")
@BOTH_BROKERS
async def test_broker_killed(broker: Any, cloud: Any, edge: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    await edge.start()
    await edge.commit(3)
    await cloud.until(lambda: edge.store.outbox.state().batches == 0)
    broker.kill()
    await edge.commit(40)
    await cloud.until(lambda: not edge.forwarder.link.connected)
    await asyncio.sleep(0.3)
    broker.start()
    await cloud.until(lambda: len(cloud.held) == 43)
    await cloud.until(lambda: edge.store.outbox.state().batches == 0)
    assert caplog.text.count("no link to the cloud") == 1, "down is said once"
    assert caplog.text.count("the cloud accepted gateway") == 2


@pytest.mark.clause("C-027", "C-036")
@BOTH_BROKERS
async def test_cloud_killed(broker: Any, edge: Any, cloud: Any) -> None:
    await edge.start()
    await edge.commit(3)
    await cloud.until(lambda: edge.store.outbox.state().batches == 0)
    await cloud.stop()
    await edge.commit(50)
    await asyncio.sleep(0.2)
    later = type(cloud)(broker)
    await later.start()
    await later.until(lambda: edge.store.outbox.state().batches == 0)
    assert later.held.keys() == set(range(4, 54))
    await later.stop()


@pytest.mark.clause("C-009")
async def test_nonsense_is_counted_and_stops_nothing(
    cloud: Any, edge: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    nonsense = [b"", b"\xff\x00", b"[]", b'{"ranges": [[1]]}', b'"text"', b"9" * 100_000]
    downward = [message for message in Message if not message.from_gateway]
    for message in downward:
        for payload in nonsense:
            cloud.say(message, payload)
    cloud._client.publish(f"v1/{GATEWAY}/down/sing", b"{}", qos=1)
    expected = len(downward) * len(nonsense) + 1
    await cloud.until(lambda: edge.forwarder.link.bad_messages == expected)
    assert caplog.text.count("breaks the contract") < expected
    await edge.commit(2)
    await cloud.until(lambda: cloud.held.keys() == {1, 2})


async def test_a_retained_command_is_not_executed(cloud: Any, edge: Any) -> None:
    command = Command(id="command-1", slave="s", point="p", action=CommandAction.READ, expires_ms=2**50)
    kept = cloud.say(Message.COMMAND, command, retain=True)
    await asyncio.to_thread(kept.wait_for_publish, COMES_S)
    assert kept.is_published()
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.bad_messages == 1)
    cloud.say(Message.COMMAND, command)
    await cloud.until(lambda: edge.commands.taken == [command])


@pytest.mark.clause("C-075")
@BOTH_BROKERS
async def test_results_are_sent_until_acknowledged_also_by_another_session(cloud: Any, edge: Any) -> None:
    command = Command(id="command-1", slave="s", point="p", action=CommandAction.READ, expires_ms=2**50)
    result = CommandResult(id="command-1", state="resp", t_ms=1, value=3)
    await edge.start()
    await edge.store.journal.begin(command, 1)
    await edge.store.journal.finish(result)
    edge.commands.results.set()
    await cloud.until(lambda: len(cloud.all(Message.RESULT)) >= 3)
    assert cloud.all(Message.RESULT)[2] == result
    await edge.stop()
    await cloud.until(lambda: not cloud.all(Message.STATE)[-1].online)
    before = len(cloud.all(Message.RESULT))
    await edge.start()
    await cloud.until(lambda: len(cloud.all(Message.RESULT)) > before)
    cloud.say(Message.ACK, Ack(commands=["command-1"]))
    await cloud.until(lambda: edge.store.journal._entries["command-1"].acknowledged is not False)
    assert await edge.store.journal.unacknowledged(9) == []


async def test_drain_waits_for_the_cloud(cloud: Any, edge: Any) -> None:
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    await edge.commit(30)
    await edge.forwarder.drain(PATIENT_S)
    assert edge.store.outbox.state().batches == 0


async def test_without_a_secret_it_says_what_to_do_and_goes_on(
    broker: Any, cloud: Any, make_edge: Any, caplog: pytest.LogCaptureFixture
) -> None:
    edge = make_edge(broker.url, secret=None)
    await edge.commit(2)
    await edge.start()
    await cloud.until(lambda: edge.clock.slept.count(SECRET_PAUSE_S) >= 3)
    assert caplog.text.count("edge-agent secret --set") == 1
    edge.secret = "now"
    await cloud.until(lambda: len(cloud.held) == 2)
    await edge.stop()


def write_passwords(path: Path) -> None:
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(path), GATEWAY, "right"], check=True)


async def test_wrong_secret_is_a_refusal_said_once(
    make_broker: Callable[..., Any], make_edge: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    passwords = tmp_path / "passwords"
    write_passwords(passwords)
    broker = make_broker("allow_anonymous false", f"password_file {passwords}")
    client = MqttClient(Endpoint(broker.url, GATEWAY, "wrong"), "v1/x/state", b"")
    with pytest.raises(LinkRefused):
        await client.connect(f"v1/{GATEWAY}/down/+")
    await client.close()
    edge = make_edge(broker.url, secret="wrong")
    await edge.start()
    await until(lambda: len(edge.clock.slept) >= 3)  # it sleeps after each attempt
    assert caplog.text.count("the broker refuses the connection") == 1
    assert "wrong" not in caplog.text, "no secret in a log"
    edge.secret = "right"
    await until(lambda: edge.forwarder.link.connected)
    await edge.stop()


async def until(done: Callable[[], object]) -> None:
    async with asyncio.timeout(COMES_S):
        while not done():  # noqa: ASYNC110 - the link tells nobody
            await asyncio.sleep(0.02)
