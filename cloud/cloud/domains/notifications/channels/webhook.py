"""JSON by POST to an address of a group.

Signed with its secret: X-Edge-Signature is "sha256=" and the hexadecimal HMAC-SHA256 of X-Edge-Timestamp (UTC
seconds), a full stop and the body. X-Edge-Delivery is the same for every attempt, so that a receiver can
leave out what he has already.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import httpx

from cloud.core.clock import NowMs, now_ms
from cloud.domains.notifications.channels.base import (
    TIMEOUT_S,
    Address,
    ChannelKind,
    Message,
    MessageChannel,
    MessageRefused,
    ProviderUnreachable,
    Receipt,
    answered,
    client,
)
from cloud.domains.notifications.states import DeliveryReason
from cloud.settings import Settings

Resolve = Callable[[str, int], Awaitable[list[str]]]

NAT64 = IPv6Network("64:ff9b::/96")
"""Stands for an IPv4 address where the network translates (RFC 6052)."""
UNICAST = IPv6Network("2000::/3")
TUNNELLED = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))
"""Teredo and 6to4: an IPv4 address lies in them, and a router of this network may lead there."""
ASSIGNMENTS = IPv4Network("192.0.0.0/24")
"""For protocols (RFC 6890); a provider of machines has his metadata there."""


async def resolved(host: str, port: int) -> list[str]:
    """Addresses of a host. Raises ProviderUnreachable when it has none, or none in TIMEOUT_S."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError) as error:
        raise ProviderUnreachable(DeliveryReason.UNREACHABLE, f"{host} has no address") from error
    return [str(entry[4][0]) for entry in addresses]


def is_public(address: str) -> bool:
    """Is it none of a private network, this machine, a link, a multicast group or a reserved range?"""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        elif parsed in NAT64:
            parsed = IPv4Address(parsed.packed[-4:])
        elif parsed not in UNICAST or any(parsed in network for network in TUNNELLED):
            return False
    return parsed.is_global and not parsed.is_multicast and parsed not in ASSIGNMENTS


@dataclass
class Webhook:
    """allow_private: addresses of private networks too. Every address of the host must be allowed, and the
    connection goes to one of those that were looked at, whatever the name says a moment later.
    """

    allow_private: bool = False
    clock: NowMs = now_ms
    resolve: Resolve = resolved
    _http: httpx.AsyncClient = field(default_factory=client)

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused for a status of 3xx or 4xx, ProviderUnreachable for 429 and 5xx."""
        try:
            url = httpx.URL(address.text)
        except httpx.InvalidURL as error:
            raise MessageRefused(DeliveryReason.BAD_ADDRESS, str(error)) from error
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await self.resolve(url.host, port)
        if not self.allow_private and not all(map(is_public, addresses)):
            raise MessageRefused(DeliveryReason.PRIVATE_ADDRESS, url.host)
        body = json.dumps(_body(message), ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "Host": urlsplit(address.text).netloc,
            "Content-Type": "application/json",
            "X-Edge-Delivery": message.reference,
        }
        if address.secret:
            timestamp = str(self.clock() // 1000)
            headers |= {
                "X-Edge-Timestamp": timestamp,
                "X-Edge-Signature": f"sha256={signature(address.secret, timestamp, body)}",
            }
        request = httpx.Request(
            "POST",
            url.copy_with(host=addresses[0]),
            headers=headers,
            content=body,
            extensions={"sni_hostname": url.host, "timeout": httpx.Timeout(TIMEOUT_S).as_dict()},
        )
        response = await answered(self._http, request)
        if response.status_code >= 300:
            raise MessageRefused(DeliveryReason.REFUSED, f"HTTP {response.status_code}")
        return Receipt(f"HTTP {response.status_code}")


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Hexadecimal HMAC-SHA256 of timestamp, full stop and body."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _body(message: Message) -> dict[str, object]:
    return {
        "id": message.reference,
        "subject": message.subject,
        "text": message.text,
        "count": message.count,
        "events": [alarm.event_id for alarm in message.alarms],
        "alarms": [asdict(alarm) for alarm in message.alarms],
        "link": message.link,
    }


def _make(settings: Settings) -> MessageChannel | None:
    return Webhook(settings.webhook_private)


WEBHOOK = ChannelKind("webhook", "group", 0, _make, at_once=32)
