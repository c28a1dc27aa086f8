"""Who may see one of the two logs counts and reads that one; pushes say the product."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.access.service import AccessService
from cloud.domains.alarms.event_publisher import alarm_event, on_offline_event
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.service import AlarmService
from cloud.domains.devices.live_endpoints import SOCKET
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.identity.service import IdentityService
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.product_models import Product
from cloud.domains.products.service import ProductService

from ...application import PASSWORD, token

KINDS = {"alarm": "Event", "onoffline": "DeviceMonitor_Online"}


async def member(app: FastAPI, permission: str) -> str:
    """A user who has a gateway with an alarm and this permission alone."""
    services = app.state.services
    name = f"only-{permission.lower()[:8].replace('_', '-')}"
    number = await services[IdentityService].add_user(name, PASSWORD, 3)
    async with services[AlarmService]._database.session() as session:
        group = AuthGroup(owner_id=number, title="g", user_type=3, permissions=[permission], created_ms=0)
        session.add(group)
        device = Device(gateway_id=f"gw-{name}", title=name, secret_hash="", created_ms=0, owner_id=number)
        session.add(device)
        await session.flush()
        (await session.get_one(User, number)).group_id = group.id
        at_ms = int(time.time() * 1000) + 1000
        event = AlarmEvent(at_ms=at_ms, noted_ms=at_ms, alarm_type=4, device_id=device.id, cause="link_lost")
        session.add(event)
        await session.commit()
    services[AccessService]._grants.forget()
    return name


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_counts_and_reads_its_own(app: FastAPI, client: TestClient, kind: str) -> None:
    name = client.portal.call(member, app, KINDS[kind])  # type: ignore[union-attr]
    headers = {"X-Token": token(client, name)}
    unread = client.get("/api/v1/event/unread", headers=headers).json()
    assert (unread["code"], unread["data"]["alarm"]) == (0, int(kind == "alarm"))
    for each in KINDS:
        reply = client.post("/api/v1/event/read", headers=headers, json={"kind": each})
        assert (reply.status_code, reply.json()["code"]) == ((200, 0) if each == kind else (403, 10001))


async def with_product(app: FastAPI) -> int:
    services = app.state.services
    async with services[AlarmService]._database.session() as session:
        product = Product(code="boiler-9", title="Boiler", key_hash="", created_ms=0)
        session.add(product)
        await session.flush()
        device = Device(
            gateway_id="gw-of-product", title="B", secret_hash="", created_ms=0, product_id=product.id
        )
        session.add(device)
        await session.commit()
        return device.id


def test_a_push_says_its_product(app: FastAPI, client: TestClient) -> None:
    device_id = client.portal.call(with_product, app)  # type: ignore[union-attr]
    publisher: Any = app.state.services[AlarmService]._publisher
    product_id = client.portal.call(app.state.services[ProductService].of_device, device_id)  # type: ignore[union-attr]
    assert product_id > 0
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        assert socket.receive_json()["type"] == "identified"
        for event, pid in (
            (alarm_event("new", device_id, 1), product_id),
            (on_offline_event(device_id, 2, None, 0, 5), product_id),
            (on_offline_event(1, 3, None, 0, 5), 0),
        ):
            client.portal.call(publisher.publish, event)  # type: ignore[union-attr]
            said = socket.receive_json()
            assert (said["type"], said["did"], said["pid"]) == (event.message["type"], event.device_id, pid)
