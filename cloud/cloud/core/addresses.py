"""What of an address counts. Pure."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv6Address

PREFIX = 64
"""Bits of an IPv6 address that one site has: whoever has one of its addresses has them all."""


def network_of(address: str) -> str:
    """The key under which attempts of an address are counted: an IPv4 address, or the /64 of an IPv6 one.

    An IPv4 address inside an IPv6 one is the IPv4 address. What is no address stays as it is.
    """
    try:
        return str(IPv4Address(address))
    except AddressValueError:
        pass
    try:
        parsed = IPv6Address(address.partition("%")[0])
    except AddressValueError:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> (128 - PREFIX) << (128 - PREFIX))}/{PREFIX}"
