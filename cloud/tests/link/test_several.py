"""Several processes of one cloud on one broker: who comes in by which name, and who ends whose connection."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cloud.link.brokers.emqx import allow
from cloud.link.link import service_authenticate
from edge_contract.access import Principal, Role

from .equipment import SERVICE_PASSWORD, Device, Mosquitto, administrator

GATEWAYS = {"cloud-7": "secret-7", "clouds": "secret-s"}
SERVICE, CLOSER = Role.SERVICE, Role.CLOSER


async def gateways(username: str, secret: str) -> Principal | None:
    return Principal(Role.GATEWAY, username) if GATEWAYS.get(username) == secret else None


@pytest.mark.parametrize(
    ("name", "password", "role"),
    [
        ("cloud", SERVICE_PASSWORD, SERVICE),
        ("cloud-push", SERVICE_PASSWORD, SERVICE),
        ("cloud-0a1b2c3d4e5f", SERVICE_PASSWORD, SERVICE),
        ("cloud-0a1b2c3d4e5f-push", SERVICE_PASSWORD, SERVICE),
        ("cloud", "wrong", None),
        ("cloud-push", "wrong", None),
        ("cloud-push", "", None),
        ("clouds", SERVICE_PASSWORD, CLOSER),
        ("other", SERVICE_PASSWORD, CLOSER),
        ("other", "wrong", None),
        ("cloud-7", "secret-7", Role.GATEWAY),
        ("clouds", "secret-s", Role.GATEWAY),
        ("cloud", "secret-7", None),
    ],
)
async def test_every_process_comes_in_by_a_name_of_its_own(
    name: str, password: str, role: Role | None
) -> None:
    check = service_authenticate("cloud", SERVICE_PASSWORD, gateways, several=True)
    assert await check(name, password) == (None if role is None else Principal(role, name))


async def test_all_processes_have_the_same_list() -> None:
    check = service_authenticate("cloud", SERVICE_PASSWORD, gateways, several=True)
    lists = [await check(name, SERVICE_PASSWORD) for name in ("cloud", "cloud-api-1")]
    first, second = (allow(principal)["acl"] for principal in lists if principal is not None)
    assert first == second


async def test_a_process_alone_knows_its_own_name_only() -> None:
    check = service_authenticate("cloud", SERVICE_PASSWORD, gateways)
    for name in ("cloud-push", "other"):
        assert await check(name, SERVICE_PASSWORD) is None


async def test_administrators_that_work_at_once_do_not_end_each_other(
    tmp_path: Path, dynsec_template: Path
) -> None:
    broker = Mosquitto(tmp_path)
    broker.init(dynsec_template)
    broker.start()
    try:
        names = [f"cloud-{number}" for number in range(6)]
        async with asyncio.timeout(60):
            await asyncio.gather(
                *(administrator(broker).ensure_service(name, SERVICE_PASSWORD) for name in names)
            )
        assert "already connected" not in (tmp_path / "mosquitto.log").read_text()
        for name in names:
            device = Device(broker.port, name, SERVICE_PASSWORD)
            assert await device.connect(), device.refused
            await device.close()
    finally:
        broker.kill()
