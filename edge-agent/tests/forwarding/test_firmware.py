"""Upgrades on the link: only with a cloud that takes reports, until it acknowledges how they ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from edge_contract.payloads import Ack, Hello, Pulse
from edge_contract.topics import Message
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade, UpgradeStep

from .fakes import FakeFirmware

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from conftest import Broker, Edge, FakeCloud

STATE = FirmwareState(
    name="edge-agent", model="gw-200", version=6, version_text="1.2.0", security_version=1, upgrade_types=[1]
)
ORDER = Upgrade(
    id="upgrade-7", url="https://cloud.example/7", size=100, sha256="ab" * 32, version=7, expires_ms=2**40
)


@pytest.fixture
def firmware() -> FakeFirmware:
    return FakeFirmware(STATE)


@pytest.fixture
async def upgradable(broker: Broker, make_edge: type[Edge], firmware: FakeFirmware) -> AsyncIterator[Edge]:
    made = make_edge(broker.url, firmware=firmware)
    yield made
    await made.stop()


def report(step: UpgradeStep) -> FirmwareReport:
    return FirmwareReport(id="upgrade-7", step=step, t_ms=1, firmware=STATE)


def reports(cloud: FakeCloud) -> list[FirmwareReport]:
    return [one for one in cloud.all(Message.FIRMWARE) if isinstance(one, FirmwareReport)]


def hello_of(cloud: FakeCloud) -> Hello:
    hello = cloud.all(Message.HELLO)[-1]
    assert isinstance(hello, Hello)
    return hello


@pytest.mark.clause("C-203")
async def test_a_gateway_that_takes_no_firmware_says_none_and_counts_an_order(
    edge: Edge, cloud: FakeCloud
) -> None:
    cloud.takes_firmware = True
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.PULSE))
    assert hello_of(cloud).firmware is None
    cloud.say(Message.UPGRADE, ORDER)
    await cloud.until(lambda: edge.forwarder.link.bad_messages == 1)
    assert reports(cloud) == []


@pytest.mark.clause("C-203")
async def test_a_cloud_that_does_not_say_so_gets_no_report(
    upgradable: Edge, firmware: FakeFirmware, cloud: FakeCloud
) -> None:
    firmware.final = [report(UpgradeStep.REFUSED)]
    await upgradable.start()
    await cloud.until(lambda: len([one for one in cloud.all(Message.PULSE) if isinstance(one, Pulse)]) >= 2)
    assert hello_of(cloud).firmware == STATE
    assert reports(cloud) == []


@pytest.mark.clause("C-203", "C-205")
async def test_orders_come_in_and_the_end_is_said_until_it_is_acknowledged(
    upgradable: Edge, firmware: FakeFirmware, cloud: FakeCloud
) -> None:
    cloud.takes_firmware = True
    await upgradable.start()
    await cloud.until(lambda: cloud.all(Message.PULSE))
    cloud.say(Message.UPGRADE, ORDER)
    await cloud.until(lambda: firmware.taken == [ORDER])
    firmware.steps = [report(UpgradeStep.DOWNLOADING)]
    firmware.final = [report(UpgradeStep.CONFIRMED)]
    firmware.changed.set()
    await cloud.until(lambda: len(reports(cloud)) >= 3)
    assert [one.step for one in reports(cloud)[:3]] == ["downloading", "confirmed", "confirmed"]
    cloud.say(Message.ACK, Ack(upgrades=["upgrade-7"]))
    await cloud.until(lambda: not firmware.final)
