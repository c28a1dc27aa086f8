"""Which addresses connections to devices may go to: a list set on the gateway, and what never. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from edge_agent.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_NETWORKS = 100
MAX_LINE = 50

LIST = "the gateway's list of networks (edge-agent network)"
OWN = "an address of this gateway itself"
SPECIAL: tuple[tuple[str, tuple[Network, ...]], ...] = (
    ("unspecified", (ip_network("0.0.0.0/8"), ip_network("::/128"))),
    ("loopback", (ip_network("127.0.0.0/8"), ip_network("::1/128"))),
    ("link-local", (ip_network("169.254.0.0/16"), ip_network("fe80::/10"))),
    ("multicast", (ip_network("224.0.0.0/4"), ip_network("ff00::/8"))),
    ("broadcast or reserved", (ip_network("240.0.0.0/4"),)),
)
"""What no tunnel reaches, and a driver only where the gateway's list names a part of it."""

PRIVATE: tuple[Network, ...] = (
    ip_network("10.0.0.0/8"),
    ip_network("172.16.0.0/12"),
    ip_network("192.168.0.0/16"),
    ip_network("100.64.0.0/10"),  # of a mobile operator's private network
    ip_network("fc00::/7"),
)
"""What drivers reach while there is no list, or one of special addresses alone."""

_NAT64 = ip_network("64:ff9b::/96")
_COMPATIBLE = ip_network("::/96")


@dataclass(frozen=True)
class Allowed:
    """networks: the gateway's list, None while there is none. hosts: addresses in gateway.toml.

    anything: for the tools of the command line; whoever runs them is on the gateway.
    """

    networks: tuple[Network, ...] | None = None
    hosts: frozenset[Address] = frozenset()
    anything: bool = False

    def fault(self, address: Address, *, tunnel: bool, own: bool) -> str | None:
        """Rule that an address breaks. own: it is one of this machine's."""
        if self.anything:
            return None
        address = plain(address)
        kind = special(address) or (OWN if own else "")
        if kind and tunnel:
            return f"must lead to another machine: {address} is {kind}"
        if not tunnel and address in self.hosts:
            return None
        if kind:
            if self.networks is not None and any(_names(each, address) for each in self.networks):
                return None
            return f"must be named by {LIST}: {address} is {kind}{_remedy(address, kind)}"
        if restricts(self.networks):
            return None if _within(address, self.networks or ()) else f"must be in {LIST}: {address}"
        if tunnel:
            return f"must be in {LIST}{'' if self.networks else ', which is not set'}: {address}"
        return None if _within(address, PRIVATE) else f"must be private, or in {LIST}: {address}"


def restricts(networks: tuple[Network, ...] | None) -> bool:
    """Does a list take the place of the private networks? One of special addresses alone only adds them."""
    return networks is not None and (not networks or not all(_is_special(each) for each in networks))


def added(networks: tuple[Network, ...] | None, lines: Iterable[str]) -> tuple[Network, ...]:
    """The list with more networks. ConfigError where that would shut out what is reached now."""
    more = networks_of(lines)
    if networks == ():
        raise ConfigError(
            "add", "must follow a list that can be read and allows something; set it with --allow"
        )
    if not restricts(networks) and restricts(more):
        rule = "must be loopback or link-local while there is no list"
        raise ConfigError("add", f"{rule}; set one with --allow, which names all networks")
    return networks_of(map(str, (*(networks or ()), *more)))


def plain(address: Address) -> Address:
    """The IPv4 address that an IPv6 one leads to, however wrapped; else the address without its zone."""
    if isinstance(address, IPv4Address):
        return address
    bare = IPv6Address(int(address))
    embedded = bare.ipv4_mapped or bare.sixtofour or (bare.teredo[1] if bare.teredo else None)
    if embedded is None and (bare in _NAT64 or (bare in _COMPATIBLE and int(bare) > 1)):
        embedded = IPv4Address(int(bare) & 0xFFFF_FFFF)
    return embedded or bare


def special(address: Address) -> str:
    """What is special of an address, empty for one like any other."""
    return next((kind for kind, networks in SPECIAL if _within(address, networks)), "")


def _remedy(address: Address, kind: str) -> str:
    """The end of the rule: what to do about it on the gateway."""
    if kind not in {"loopback", "link-local"}:
        return ""
    return f"; run edge-agent network --data DIR --add {address}/{address.max_prefixlen}"


def literal(host: str) -> Address | None:
    """A host that is an address; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def networks_of(lines: Iterable[str]) -> tuple[Network, ...]:
    """Networks, one a line; # begins a comment. ConfigError names the line."""
    networks: list[Network] = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            networks.append(ip_network(text[: MAX_LINE + 1]))
        except ValueError:
            rule = "must be an address or a network such as 192.168.1.0/24, written with its first address"
            raise ConfigError(f"networks[{number}]", rule) from None
    if len(networks) > MAX_NETWORKS:
        raise ConfigError("networks", f"must be at most {MAX_NETWORKS}")
    return tuple(dict.fromkeys(networks))


def hosts_of(document: object) -> Iterator[Address]:
    """Addresses of the NET ports of a configuration's document, as far as it has any."""
    ports = document.get("ports") if isinstance(document, dict) else None
    for port in ports if isinstance(ports, list) else ():
        host = port.get("host") if isinstance(port, dict) and port.get("type") == "NET" else None
        address = literal(host) if isinstance(host, str) else None
        if address is not None:
            yield plain(address)


def _within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == each.version and address in each for each in networks)


def _names(network: Network, address: Address) -> bool:
    """Does an entry of the list mean this special address, and not a wide network around it by accident?"""
    if not _within(address, [network]):
        return False
    return network.num_addresses == 1 or _is_special(network)


def _is_special(network: Network) -> bool:
    return any(
        part.version == network.version
        and part.prefixlen <= network.prefixlen
        and network.network_address in part
        for _, parts in SPECIAL
        for part in parts
    )
