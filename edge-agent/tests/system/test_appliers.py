"""Parameter groups of the machine, on real interfaces in a network namespace of their own."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.system.appliers import HELD_FILE, MachineParameters, NotApplied
from edge_agent.system.ip_network import IpNetwork
from edge_agent.system.unsupported import UnsupportedGroup, hotspot_reason, mobile_reason
from edge_contract.deployment import GroupCondition
from edge_contract.parameters.network import Network

LINK = "eth9"


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=30).stdout


@pytest.fixture
def namespace() -> Iterator[str]:
    """With the interface eth9, which has an address and a default route."""
    name = f"t{secrets.token_hex(4)}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, timeout=30, check=False)
    if made.returncode:
        pytest.skip("needs the right to make network namespaces (root)")
    try:
        ip("-n", name, "link", "add", LINK, "type", "veth", "peer", "name", "eth8")
        for link in (LINK, "eth8"):
            ip("-n", name, "link", "set", link, "up")
        ip("-n", name, "address", "add", "10.9.0.5/24", "dev", LINK)
        ip("-n", name, "-4", "route", "add", "default", "via", "10.9.0.1", "dev", LINK, "metric", "5")
        yield name
    finally:
        ip("netns", "del", name)


def addresses(namespace: str) -> list[str]:
    lines = ip("-n", namespace, "-4", "-o", "address", "show", "dev", LINK).splitlines()
    return [line.split()[3] for line in lines]


def routes(namespace: str) -> list[str]:
    return [line.strip() for line in ip("-n", namespace, "-4", "route", "show", "default").splitlines()]


BEFORE = (["10.9.0.5/24"], [f"default via 10.9.0.1 dev {LINK} metric 5"])


def now(namespace: str) -> tuple[list[str], list[str]]:
    return addresses(namespace), routes(namespace)


def static(**change: Any) -> Network:
    fields = {"address": "10.8.0.2", "netmask": "255.255.0.0", "gateway": "10.8.0.1"} | change
    return Network(interface=LINK, mode="static", **fields)


def section(network: Network | None) -> Any:
    return lambda group: network if group == "network" else None


async def test_an_address_is_applied_read_back_and_undone(namespace: str, tmp_path: Path) -> None:
    machine = MachineParameters(tmp_path, [IpNetwork(("ip", "-n", namespace))])
    (state,) = await machine.apply(section(static()))
    assert (state.condition, state.reason) == (GroupCondition.APPLIED, "")
    assert now(namespace) == (["10.8.0.2/16"], [f"default via 10.8.0.1 dev {LINK}"])
    assert await machine.apply(section(static(address="10.8.0.3", gateway=""))) == [state]
    assert now(namespace) == (["10.8.0.3/16"], [])
    assert await machine.apply(section(None)) == []
    assert now(namespace) == BEFORE


async def test_another_address_of_the_same_network_keeps_the_route(namespace: str, tmp_path: Path) -> None:
    machine = MachineParameters(tmp_path, [IpNetwork(("ip", "-n", namespace))])
    wanted = static(address="10.9.0.6", netmask="255.255.255.0", gateway="10.9.0.1")
    await machine.apply(section(wanted))
    assert now(namespace) == (["10.9.0.6/24"], [f"default via 10.9.0.1 dev {LINK}"])
    await machine.apply(section(None))
    assert now(namespace) == BEFORE


async def test_what_was_before_comes_back_after_a_crash(namespace: str, tmp_path: Path) -> None:
    """The process that applied is gone; the next one runs a configuration without the group."""
    await MachineParameters(tmp_path, [IpNetwork(("ip", "-n", namespace))]).apply(section(static()))
    assert now(namespace) != BEFORE
    assert (tmp_path / HELD_FILE).exists()
    await MachineParameters(tmp_path, [IpNetwork(("ip", "-n", namespace))]).apply(section(None))
    assert now(namespace) == BEFORE


class Refusing(IpNetwork):
    """Sets it, and finds afterwards that it is not so."""

    async def apply(self, wanted: Network) -> None:
        await super().apply(wanted)
        raise NotApplied("it is not so")


async def test_what_the_machine_does_not_take_is_undone_at_once(namespace: str, tmp_path: Path) -> None:
    machine = MachineParameters(tmp_path, [Refusing(("ip", "-n", namespace))])
    (state,) = await machine.apply(section(static()))
    assert (state.condition, state.reason) == (GroupCondition.FAILED, "it is not so")
    assert now(namespace) == BEFORE


async def test_another_interface_gives_the_first_one_back(namespace: str, tmp_path: Path) -> None:
    machine = MachineParameters(tmp_path, [IpNetwork(("ip", "-n", namespace))])
    await machine.apply(section(static()))
    other = Network(interface="eth8", mode="static", address="10.7.0.2", netmask="255.255.255.0")
    (state,) = await machine.apply(section(other))
    assert state.condition is GroupCondition.APPLIED
    assert now(namespace) == BEFORE


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (Network(interface=LINK, mode="dhcp"), "mode dhcp needs a network service of the machine"),
        (
            Network(interface="eth7", mode="static", address="10.1.1.2", netmask="255.0.0.0"),
            "no interface eth7",
        ),
    ],
)
async def test_what_is_not_supported_has_a_reason_and_changes_nothing(
    namespace: str, tmp_path: Path, network: Network, reason: str
) -> None:
    machine = MachineParameters(tmp_path, [IpNetwork(("ip", "-n", namespace))])
    (forecast,) = await machine.forecast(section(network))
    (state,) = await machine.apply(section(network))
    assert forecast == state
    assert state.condition is GroupCondition.NOT_SUPPORTED
    assert reason in state.reason
    assert now(namespace) == BEFORE
    assert not (tmp_path / HELD_FILE).exists()


async def test_a_machine_without_the_program_says_so(tmp_path: Path) -> None:
    machine = MachineParameters(tmp_path, [IpNetwork(("no-such-program",))])
    (state,) = await machine.apply(section(static()))
    assert state.reason == "this machine has no program ip (iproute2)"


async def test_missing_hardware_is_named(tmp_path: Path) -> None:
    groups = [
        UnsupportedGroup("mobile", lambda: mobile_reason(tmp_path)),
        UnsupportedGroup("hotspot", lambda: hotspot_reason(tmp_path)),
    ]
    states = await MachineParameters(tmp_path, groups).apply(lambda group: group)
    assert [(state.group, state.condition, state.reason) for state in states] == [
        ("mobile", GroupCondition.NOT_SUPPORTED, "this machine has no cellular modem"),
        ("hotspot", GroupCondition.NOT_SUPPORTED, "this machine has no WiFi interface"),
    ]
    (tmp_path / "ttyUSB0").touch()
    assert mobile_reason(tmp_path) != "this machine has no cellular modem"
