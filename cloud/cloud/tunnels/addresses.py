"""Where listeners of tunnels listen, and who may come. Pure."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def port_range(text: str) -> tuple[int, int]:
    """First and last port of "7000-7100", "7000" or "0" (any free one); ValueError names the rule."""
    match = RANGE.fullmatch(text)
    first = int(match[1]) if match else -1
    last = int(match[2]) if match and match[2] else first
    if not 0 <= first <= last <= 65535 or (first == 0 < last):
        raise ValueError("0 for any free port, or a port or range of ports such as 7000-7100")
    return first, last


def ports(text: str) -> Iterator[int]:
    """Ports to try, in order."""
    first, last = port_range(text)
    return iter(range(first, last + 1))


def is_loopback(host: str) -> bool:
    """True for an address or name that only this machine reaches."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def same_caller(one: str, other: str) -> bool:
    """Whether two addresses are of one machine: equal, whatever the notation, or both loopback."""
    first, second = _plain(one), _plain(other)
    if first is None or second is None:
        return False
    return first == second or (first.is_loopback and second.is_loopback)


def _plain(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
