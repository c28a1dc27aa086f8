"""Leaving the broker and coming back, as the cloud may ask for."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import MQTTErrorCode

from edge_agent.transports.mqtt import Endpoint, LinkDown, MqttClient
from edge_contract.topics import Message

pytestmark = pytest.mark.timeout(90)

GATEWAY = "gw-test-1"
PATIENT_S = 1000.0
"""Of the gateway's clock; twenty of the machine's, which may be busy."""


@pytest.mark.clause("C-079")
async def test_goodbye_is_said_and_a_new_session_begins(cloud: Any, edge: Any) -> None:
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    assert await edge.forwarder.reconnect(PATIENT_S)
    assert edge.forwarder.link.accepted
    await cloud.until(lambda: len(cloud.all(Message.STATE)) >= 3)
    states = cloud.all(Message.STATE)
    assert [(state.online, state.reason) for state in states] == [
        (True, ""),
        (False, "connecting again"),
        (True, ""),
    ]
    await edge.commit()
    await cloud.until(lambda: len(cloud.held) == 1)
    await edge.stop()


async def test_a_cloud_that_does_not_welcome_again_is_reported(cloud: Any, edge: Any) -> None:
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    cloud.welcomes = False
    assert not await edge.forwarder.reconnect(20.0)
    assert not edge.forwarder.link.accepted
    cloud.welcomes = True
    cloud.welcome()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    await edge.stop()


async def test_without_a_connection_it_waits_for_one(cloud: Any, edge: Any) -> None:
    waiting = asyncio.ensure_future(edge.forwarder.reconnect(PATIENT_S))
    await edge.start()
    assert await waiting
    assert len(cloud.all(Message.STATE)) == 1, "a connection that was not there is not left"
    await edge.stop()


async def test_a_stop_in_the_middle_of_a_session_says_goodbye(cloud: Any, edge: Any) -> None:
    await edge.start()
    await cloud.until(lambda: edge.forwarder.link.accepted)
    await edge.stop()
    await cloud.until(lambda: len(cloud.all(Message.STATE)) == 2)
    assert cloud.all(Message.STATE)[-1].reason == "stopped"


@pytest.mark.parametrize(
    "url", ["mqtt://127.0.0.1:1", "mqtt://:1883", "mqtt://host:99999", "mqtts://127.0.0.1:1"]
)
async def test_unreachable_brokers_are_a_link_down(url: str) -> None:
    client = MqttClient(Endpoint(url, GATEWAY, "x"), "v1/x/state", b"")
    with pytest.raises(LinkDown):
        await client.connect("x")
    await client.close()


async def test_a_thread_that_ends_while_it_is_looked_for_ends_no_agent(broker: Any) -> None:
    client = MqttClient(Endpoint(broker.url, GATEWAY, "secret"), "v1/x/state", b"")
    await client.connect(f"v1/{GATEWAY}/down/+")
    client._paho.__class__ = Ending
    await client.close()
    assert client.disconnected.is_set()
    assert Ending.looks == 3


class Ending(Client):
    """paho's client whose network thread ends just before it is joined."""

    looks = 0

    def loop_stop(self) -> MQTTErrorCode:
        Ending.looks = 0
        return super().loop_stop()

    @property
    def _thread(self) -> threading.Thread | None:
        Ending.looks += 1
        return self.__dict__["_thread"] if Ending.looks < 3 else None

    @_thread.setter
    def _thread(self, thread: threading.Thread | None) -> None:
        """Its end is seen at the third look, not before."""
