"""A static IPv4 address, its gateway and name servers, set with iproute2 (ip-address(8), ip-route(8)).

They hold until the machine starts again; the agent sets them at each of its starts. An interface that another
program manages is left to it.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec

from edge_agent.system.appliers import Held, NotApplied
from edge_contract.parameters.network import Network

CAP_NET_ADMIN = 1 << 12
"""linux/capability.h."""
ANSWER_S = 10.0
"""The kernel answers in milliseconds."""
NETWORK_MANAGER = Path("/run/NetworkManager")
NETWORKD_LINKS = Path("/run/systemd/netif/links")
"""Of systemd-networkd: a file for each interface, by its number."""
STATUS = Path("/proc/self/status")


class IpNetwork:
    """Applier of the group network. ip: the program, in tests with the name of a network namespace."""

    group = "network"

    def __init__(self, ip: tuple[str, ...] = ("ip",)) -> None:
        self._ip = ip

    async def obstacle(self, wanted: Network) -> str:
        if wanted.mode == "dhcp":
            return "mode dhcp needs a network service of the machine; the agent sets static addresses alone"
        if shutil.which(self._ip[0]) is None:
            return "this machine has no program ip (iproute2)"
        if not _has_net_admin():
            return "the agent's user may not change the network (CAP_NET_ADMIN)"
        if _has_network_manager():
            return "NetworkManager manages the network of this machine"
        try:
            (link,) = await self._json("link", "show", "dev", wanted.interface)
        except NotApplied as error:
            return f"there is no interface {wanted.interface}: {error}"
        if _is_managed(link["ifindex"]):
            return f"systemd-networkd manages {wanted.interface}"
        if wanted.dns and shutil.which("resolvectl") is None:
            return "name servers need systemd-resolved, which this machine does not have"
        return ""

    def covers(self, held: Held, wanted: Network) -> bool:
        return held["interface"] == wanted.interface and (held["dns"] is not None or not wanted.dns)

    async def read(self, wanted: Network) -> Held:
        interface = wanted.interface
        return {
            "interface": interface,
            "addresses": await self._addresses(interface),
            "routes": await self._routes(interface),
            "dns": await self._dns(interface) if wanted.dns else None,
        }

    async def apply(self, wanted: Network) -> None:
        """Raises NotApplied when it is not so afterwards."""
        interface, address = wanted.interface, str(wanted.prefixed)
        routes = [{"gateway": wanted.gateway, "metric": 0}] if wanted.gateway else []
        await self._set(interface, [address], routes)
        if wanted.dns:
            await self._run("resolvectl", "dns", interface, *wanted.dns)
        now, ways = await self._addresses(interface), await self._routes(interface)
        if now != [address]:
            raise NotApplied(f"{interface} has {', '.join(now) or 'no address'} instead of {address}")
        if [way["gateway"] for way in ways] != [way["gateway"] for way in routes]:
            raise NotApplied(f"{interface} has not the gateway {wanted.gateway or 'none'}")

    async def restore(self, held: Held) -> None:
        await self._set(held["interface"], held["addresses"], held["routes"])
        if held["dns"] is not None:
            await self._run("resolvectl", "revert", held["interface"])
            if held["dns"]:
                await self._run("resolvectl", "dns", held["interface"], *held["dns"])

    async def _set(self, interface: str, addresses: list[str], routes: list[dict[str, Any]]) -> None:
        """New addresses before old ones go; what removing one took along is set again."""
        await self._run(*self._ip, "link", "set", "dev", interface, "up")
        await self._add(interface, addresses)
        for old in await self._addresses(interface):
            if old not in addresses:
                await self._run(*self._ip, "address", "del", old, "dev", interface)
        await self._add(interface, addresses)
        for way in await self._routes(interface):
            if way not in routes:
                words = ("via", way["gateway"]) if way["gateway"] else ()
                metric = ("metric", str(way["metric"]))
                await self._run(*self._ip, "-4", "route", "del", "default", *words, "dev", interface, *metric)
        for way in routes:
            words = ("via", way["gateway"]) if way["gateway"] else ()
            metric = ("metric", str(way["metric"]))
            await self._run(*self._ip, "-4", "route", "replace", "default", *words, "dev", interface, *metric)

    async def _add(self, interface: str, addresses: list[str]) -> None:
        for address in addresses:
            await self._run(*self._ip, "address", "replace", address, "broadcast", "+", "dev", interface)

    async def _addresses(self, interface: str) -> list[str]:
        """Address with prefix, in the kernel's order; link-local ones are not ours."""
        links = await self._json("-4", "address", "show", "dev", interface, "scope", "global")
        return [
            f"{each['local']}/{each['prefixlen']}" for link in links for each in link.get("addr_info", ())
        ]

    async def _routes(self, interface: str) -> list[dict[str, Any]]:
        """Default routes through the interface."""
        ways = await self._json("-4", "route", "show", "default", "dev", interface)
        return [{"gateway": way.get("gateway", ""), "metric": way.get("metric", 0)} for way in ways]

    async def _dns(self, interface: str) -> list[str]:
        said = (await self._run("resolvectl", "dns", interface)).partition(":")[2]
        return re.findall(r"\S+", said)

    async def _json(self, *words: str) -> list[dict[str, Any]]:
        said = await self._run(self._ip[0], "-j", *self._ip[1:], *words)
        try:
            return msgspec.json.decode(said or "[]", type=list[dict[str, Any]])
        except msgspec.DecodeError:
            raise NotApplied("the answer of ip cannot be read") from None

    async def _run(self, *words: str) -> str:
        """What a program prints. NotApplied: it failed, or did not answer in time."""
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise NotApplied(f"{words[0]}: {error.strerror}") from None
        try:
            async with asyncio.timeout(ANSWER_S):
                printed, said = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise NotApplied(f"{words[0]}: no answer within {ANSWER_S:.0f} s") from None
        if process.returncode:
            lines = said.decode(errors="replace").strip().splitlines()
            raise NotApplied(f"{words[0]}: {lines[-1] if lines else process.returncode}"[:200])
        return printed.decode(errors="replace")


def _has_network_manager() -> bool:
    return NETWORK_MANAGER.exists()


def _has_net_admin() -> bool:
    match = re.search(r"^CapEff:\s*([0-9a-f]+)$", STATUS.read_text(), re.MULTILINE)
    return match is not None and bool(int(match[1], 16) & CAP_NET_ADMIN)


def _is_managed(number: int) -> bool:
    """Does systemd-networkd look after the interface?"""
    try:
        said = (NETWORKD_LINKS / str(number)).read_text()
    except OSError:
        return False
    return re.search(r"^ADMIN_STATE=(?!unmanaged)", said, re.MULTILINE) is not None
