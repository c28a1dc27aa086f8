"""What a deployment says of parameter groups that the machine has to carry out."""

from __future__ import annotations

from typing import Any

import pytest
from deploying import Site, steps

from edge_agent.system.appliers import Held, NotApplied
from edge_agent.system.unsupported import UnsupportedGroup
from edge_contract.deployment import Document, GroupCondition, GroupState, Step

HOTSPOT = {"ssid": "site", "password": "12345678"}
NO_WIFI = GroupState(
    group="hotspot", condition=GroupCondition.NOT_SUPPORTED, reason="this machine has no WiFi interface"
)


class Hotspot:
    """A machine's hotspot. taken: what it was set to; refuses: that it does not keep."""

    group = "hotspot"

    def __init__(self, refuses: str = "") -> None:
        self.ssid = "before"
        self.refuses = refuses

    async def obstacle(self, wanted: Any) -> str:
        return ""

    def covers(self, held: Held, wanted: Any) -> bool:
        return True

    async def read(self, wanted: Any) -> Held:
        return {"ssid": self.ssid}

    async def apply(self, wanted: Any) -> None:
        self.ssid = wanted.ssid
        if wanted.ssid == self.refuses:
            raise NotApplied("the radio is off")

    async def restore(self, held: Held) -> None:
        self.ssid = held["ssid"]


def with_hotspot(site: Site, **change: str) -> Document:
    return site.document | {"hotspot": HOTSPOT | change}


@pytest.mark.clause("C-230")
async def test_what_is_not_supported_is_named_before_and_after_the_switch(site: Site) -> None:
    site.appliers = [UnsupportedGroup("hotspot", lambda: NO_WIFI.reason)]
    site.power_on()
    async with site.working():
        checked = await site.end(site.deploy(with_hotspot(site), "check-001", check_only=True))
        assert (checked[-1].step, checked[-1].parameters) == (Step.CHECKED, [NO_WIFI])
        receipts = await site.end(site.deploy(with_hotspot(site)))
    assert {one.step: one.parameters for one in receipts} == {
        Step.RECEIVED: [], Step.STAGED: [NO_WIFI], Step.SWITCHED: [], Step.CONFIRMED: [NO_WIFI],
    }  # fmt: skip


@pytest.mark.clause("C-230")
async def test_what_the_machine_took_is_in_the_last_receipt(site: Site) -> None:
    hotspot = Hotspot()
    site.appliers = [hotspot]
    site.power_on()
    async with site.working():
        receipts = await site.end(site.deploy(with_hotspot(site)))
        assert receipts[-1].parameters == [GroupState(group="hotspot", condition=GroupCondition.APPLIED)]
        assert hotspot.ssid == "site"
        without = {name: part for name, part in site.document.items() if name != "hotspot"}
        assert (await site.end(site.deploy(without, "deploy-02")))[-1].parameters == []
    assert hotspot.ssid == "before"


@pytest.mark.clause("C-230")
async def test_what_the_machine_does_not_take_ends_the_trial(site: Site) -> None:
    hotspot = Hotspot(refuses="other")
    site.appliers = [hotspot]
    site.power_on()
    async with site.working():
        await site.end(site.deploy(with_hotspot(site)))
        ran = site.state.running.hash
        receipts = await site.end(site.deploy(with_hotspot(site, ssid="other"), "deploy-02"))
    assert steps(receipts)[-1] is Step.REVERTED
    assert (receipts[-1].code, receipts[-1].detail) == ("error", "hotspot: the radio is off")
    assert (site.state.running.hash, hotspot.ssid) == (ran, "site")
