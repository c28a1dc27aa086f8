"""The whole application, a real broker and a gateway that answers: report, draft, deployment, receipts."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.live_endpoints import SOCKET
from cloud.domains.devices.service import DeviceService
from cloud.link import Link
from edge_contract.deployment import (
    ConfigurationReport,
    Deploy,
    Document,
    Origin,
    Receipt,
    Step,
    canonical,
    document_hash,
)
from edge_contract.payloads import Ack, Command, CommandResult, Running, decode, encode
from edge_contract.topics import Message, topic

from ...application import token
from ...conftest import hello
from ...link.equipment import Device, eventually
from .conftest import document
from .test_difference import large

GATEWAY = "gw-deploy"


class Gateway(Device):
    """Runs a document, reports it when asked, and carries every deployment out."""

    def __init__(self, port: int, secret: str, running: Document, name: str = GATEWAY) -> None:
        super().__init__(port, name, secret)
        self.running = running

    async def say(self, message: Message, payload: Any) -> None:
        await self.publish(topic(self.name, message), encode(payload))

    async def asked(self, message: Message, kind: type[Any], timeout_s: float = 20.0) -> Any:
        """The next message of a kind."""
        name = topic(self.name, message)
        found = await eventually(
            lambda: [each for each in list(self.received) if each.topic == name], timeout_s
        )
        self.received.remove(found[0])
        return decode(kind, found[0].payload)

    async def report(self) -> None:
        """Answer the question for the running configuration."""
        command: Command = await self.asked(Message.COMMAND, Command)
        assert command.action == "configuration"
        name = document_hash(self.running)
        await self.say(Message.RESULT, CommandResult(id=command.id, state="resp", t_ms=1))
        report = ConfigurationReport(hash=name, origin=Origin.FILE, t_ms=1, document=self.running)
        await self.say(Message.CONFIGURATION, report)

    async def obey(self) -> Deploy:
        """Carry out a deployment, with all its receipts."""
        order: Deploy = await self.asked(Message.DEPLOY, Deploy)
        before, after = document_hash(self.running), document_hash(order.document)
        assert after == order.hash
        for step, running in (
            (Step.RECEIVED, before),
            (Step.STAGED, before),
            (Step.SWITCHED, after),
            (Step.CONFIRMED, after),
        ):
            await self.say(Message.RECEIPT, Receipt(id=order.id, step=step, t_ms=2, running=running))
        self.running = order.document
        return order


@pytest.fixture
async def gateway(app: FastAPI, client: TestClient) -> AsyncIterator[Gateway]:
    claims = app.state.services[ClaimService]
    secret = client.portal.call(lambda: claims.claim(GATEWAY, "Deployed", rotate=True))  # type: ignore[union-attr]
    made = Gateway(app.state.services[Link].port, secret, document("Ua", gateway=GATEWAY))
    assert await made.connect()
    assert await made.subscribe(f"v1/{GATEWAY}/down/+")
    yield made
    await made.close()


@pytest.mark.clause("C-090")
@pytest.mark.clause("C-096")
async def test_from_hello_to_confirmed(app: FastAPI, client: TestClient, gateway: Gateway) -> None:
    headers = {"X-Token": token(client)}
    number = client.portal.call(app.state.services[DeviceService].id_of, GATEWAY)  # type: ignore[union-attr]
    path = f"/api/v1/device/{number}"

    def state() -> Any:
        return client.get(f"{path}/configuration", headers=headers).json()["data"]

    found = document_hash(gateway.running)
    await gateway.say(Message.HELLO, hello(configuration=Running(hash=found)))
    await gateway.report()
    await eventually(lambda: state()["newest"] == found)

    wanted = {**large(20_000), "gateway": {"id": GATEWAY}}
    name = document_hash(wanted)
    body = {"document": wanted, "base": found}
    assert client.put(f"{path}/configuration", headers=headers, json=body).json()["data"]["hash"] == name
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": headers["X-Token"]})
        assert socket.receive_json()["type"] == "identified"
        socket.send_json({"type": "subscribe", "devices": [number], "dsids": []})
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["type"] == "heartbeat"
        begin = time.monotonic()
        assert client.get(f"/api/v1/device/deploy/{number}", headers=headers).status_code == 200
        order = await gateway.obey()
        assert canonical(order.document) == canonical(wanted)
        assert order.base == found
        states = []
        while not states or states[-1] != "confirmed":
            message = socket.receive_json()
            if message["type"] == "deploy":
                states.append(message["state"])
        assert time.monotonic() - begin < 20
    assert states == ["created", "sent", "received", "staged", "switched", "confirmed"]
    ack: Ack = await gateway.asked(Message.ACK, Ack)
    while not ack.deployments:
        ack = await gateway.asked(Message.ACK, Ack)
    assert ack.deployments == [order.id]
    now = state()
    assert (now["running"]["hash"], now["accepted"], now["draft"]) == (name, name, None)
    await gateway.say(
        Message.RECEIPT, Receipt(id="unknown-deployment", step=Step.REVERTED, t_ms=1, running=name)
    )
    again: Ack = await gateway.asked(Message.ACK, Ack)
    assert again.deployments == ["unknown-deployment"]
