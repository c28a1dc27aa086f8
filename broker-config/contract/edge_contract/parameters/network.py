"""Network of the machine: section network. Without it the gateway leaves its network alone."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, NetmaskValueError
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, fault, label
from edge_contract.parameters.views import section

Ipv4 = Annotated[str, msgspec.Meta(max_length=15)]


class Network(Parameters, frozen=True, kw_only=True):
    """IPv4 of one interface. address, netmask, gateway, dns: of mode static."""

    interface: Annotated[
        str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$(?!\n)"), label("网络接口", "Interface")
    ] = "eth0"
    mode: Annotated[Literal["dhcp", "static"], label("地址获取方式", "Mode")] = "dhcp"
    address: Annotated[Ipv4, label("IP 地址", "Address")] = ""
    netmask: Annotated[Ipv4, label("子网掩码", "Netmask")] = ""
    gateway: Annotated[Ipv4, label("网关", "Gateway")] = ""
    dns: Annotated[list[Ipv4], msgspec.Meta(max_length=3), label("DNS 服务器", "DNS servers")] = []

    @property
    def prefixed(self) -> IPv4Interface:
        """Address with its network. ValueError when they are none."""
        return IPv4Interface(f"{self.address}/{self.netmask}")


def network_faults(network: Network) -> Iterator[Fault]:
    """Between its fields."""
    if network.mode == "dhcp":
        for name in ("address", "netmask", "gateway", "dns"):
            if getattr(network, name):
                yield fault(name, "must be left out for mode dhcp")
        return
    for name in ("address", "gateway"):
        text = getattr(network, name)
        if (text or name == "address") and not _is_address(text):
            yield fault(name, "must be an IPv4 address, such as 192.168.1.10")
    for at, text in enumerate(network.dns):
        if not _is_address(text):
            yield fault(f"dns[{at}]", "must be an IPv4 address")
    yield from _subnet_faults(network)


def _subnet_faults(network: Network) -> Iterator[Fault]:
    if not _is_netmask(network.netmask):
        yield fault("netmask", "must be a netmask from 128.0.0.0 to 255.255.255.252")
        return
    if not _is_address(network.address):
        return
    own = network.prefixed
    if own.ip in (own.network.network_address, own.network.broadcast_address) or not _is_host(own.ip):
        yield fault("address", "must be that of a host, not of a network, broadcast or loopback")
    if _is_address(network.gateway):
        gateway = IPv4Address(network.gateway)
        if gateway not in own.network or gateway == own.ip:
            yield fault("gateway", "must be another address in the network of address and netmask")


def _is_address(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _is_netmask(text: str) -> bool:
    try:
        return (
            _is_address(text)
            and 1 <= IPv4Interface(f"0.0.0.0/{text}").network.prefixlen <= 30
            and text[0] != "0"
        )
    except (NetmaskValueError, ValueError):
        return False


def _is_host(address: IPv4Address) -> bool:
    return not (address.is_loopback or address.is_multicast or address.is_unspecified or address.is_reserved)


_read, _write = section("network", Network.__struct_fields__)
GROUP = ParameterGroup("network", "网络", "Network", Network, _read, _write, dependencies=network_faults)
