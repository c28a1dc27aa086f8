"""Connects to devices where the gateway's rule allows it: a name is resolved once, its address checked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv4Address
from typing import TypeVar

from edge_agent.config.model import Port
from edge_agent.config.reach import OWN, Address, Allowed, literal, plain
from edge_agent.errors import PortDown

MAX_ADDRESSES = 8
"""Of one name that are tried."""
DISCARD_PORT = 9

P = TypeVar("P", bound=asyncio.BaseProtocol)


class NotAllowed(PortDown):
    """The gateway's own rule forbids the address."""

    code = "not_allowed"


_rule: Callable[[], Allowed] = Allowed


def use(rule: Callable[[], Allowed]) -> None:
    """The rule of this process from now on. Without one drivers reach private addresses, and tunnels none."""
    global _rule
    _rule = rule


def fault_of(port: Port) -> str | None:
    """Rule that the address of a NET port breaks, as far as it shows without asking a name server."""
    if port.type != "NET":
        return None
    try:
        addresses = socket.getaddrinfo(port.host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return None  # a name: checked when it is resolved
    return _fault_of(str(addresses[0][4][0]), tunnel=False)


def use_anything() -> None:
    """For the tools of the command line."""
    use(lambda: Allowed(anything=True))


async def addresses_of(host: str, port: int, *, tunnel: bool = False) -> list[str]:
    """Those that may be connected to, in the resolver's order; NotAllowed when there are none."""
    if literal(host) is not None:
        addresses = [host]
    else:
        loop = asyncio.get_running_loop()
        infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(info[4][0]) for info in infos))
    faults = {address: _fault_of(address, tunnel=tunnel) for address in addresses[:MAX_ADDRESSES]}
    allowed = [address for address, fault in faults.items() if fault is None]
    if not allowed:
        raise NotAllowed(f"{host}:{port}: host {next(iter(faults.values()), 'has no address')}")
    return allowed


async def connect(factory: Callable[[], P], host: str, port: int) -> tuple[asyncio.Transport, P]:
    """A driver's connection. NotAllowed, OSError."""
    error: OSError | None = None
    for address in await addresses_of(host, port):
        try:
            return await asyncio.get_running_loop().create_connection(factory, address, port)
        except OSError as failed:
            error = failed
    assert error is not None
    raise error


async def open_stream(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A tunnel's connection to a device. NotAllowed, OSError."""
    error: OSError | None = None
    for address in await addresses_of(host, port, tunnel=True):
        try:
            return await asyncio.open_connection(address, port)
        except OSError as failed:
            error = failed
    assert error is not None
    raise error


def is_own(address: Address) -> bool:
    """Is it an address of this machine? Connecting a datagram socket sends nothing and picks the way."""
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), DISCARD_PORT))
            return bool(probe.getsockname()[0].partition("%")[0] == str(address).partition("%")[0])
    except OSError:
        return False


async def own_address(host: str, port: int) -> str:
    """The address of this machine that a host leads to; NotAllowed for any other machine's."""
    infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for text in (str(info[4][0]) for info in infos):
        address = literal(text)
        if address is not None and (address.is_loopback or is_own(address)):
            return text
    raise NotAllowed(f"{host}:{port}: host must be {OWN}")


def _fault_of(text: str, *, tunnel: bool) -> str | None:
    address = literal(text)
    if address is None:
        return f"must be an address: {text}"
    address = plain(address)
    return _rule().fault(address, tunnel=tunnel, own=is_own(address))
