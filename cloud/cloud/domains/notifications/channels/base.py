"""What a channel is: it sends one message to one address, or says why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import httpx

from cloud.domains.notifications.states import DeliveryReason
from cloud.settings import Settings
from edge_contract.model import Value

TIMEOUT_S = 10.0
"""Of each request to a provider."""

MAX_REPLY = 16_384
"""Bytes of a provider's answer that are read."""


@dataclass(frozen=True)
class Address:
    """Where a message goes. text: mailbox, number, openid or URL; secret: by which it is signed."""

    text: str
    secret: str = ""


@dataclass(frozen=True)
class MessageAlarm:
    """An alarm that a message names, for programs that read it. change: raised, again or over; value: that
    fired, recovery_value: with which it ended; limit: in the recipient's language, empty without one;
    lasted_ms: from since_ms to the change; link: of the portal, empty without one.
    """

    event_id: int
    change: str
    title: str
    device: str
    slave: str
    point: str
    unit: str
    value: Value
    limit: str
    since_ms: int | None
    at_ms: int
    lasted_ms: int | None
    recovery_value: Value
    link: str


@dataclass(frozen=True)
class Message:
    """A rendered message. reference: the same for every attempt; title, facts, device, level, at: of the
    first event, for templates; facts: its value, limit and how long, empty when it has none; count: of
    events; alarms: those named; link: of the portal, empty without one.
    """

    reference: str
    subject: str
    text: str
    language: str
    title: str
    facts: str
    device: str
    level: str
    at: str
    count: int
    alarms: tuple[MessageAlarm, ...]
    link: str
    at_ms: int

    def headline(self, max_chars: int) -> str:
        """Title and facts in so many characters: the title gives way, value and limit stay."""
        if not self.facts:
            return self.title[:max_chars]
        left = max(max_chars - len(self.facts) - 1, 0)
        return f"{self.title[:left]} {self.facts}".strip()[:max_chars]


@dataclass(frozen=True)
class Receipt:
    """The provider has taken it. reference: what he calls it, empty when he gives no name."""

    reference: str = ""


class ChannelError(Exception):
    """Base. detail: the provider's own words, without secrets, for the log."""

    def __init__(self, reason: DeliveryReason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail[:200]


class MessageRefused(ChannelError):
    """Permanent: the same message to the same address is refused again."""


class ProviderUnreachable(ChannelError):
    """Temporary: it may go later."""


class MessageChannel(Protocol):
    """A configured channel."""

    async def send(self, message: Message, address: Address) -> Receipt:
        """Send once. Raises MessageRefused and ProviderUnreachable."""
        ...


@runtime_checkable
class ProbedChannel(Protocol):
    """A channel with one provider, whose return can be noticed without a message."""

    async def is_reachable(self) -> bool:
        """Does the provider take messages now? Within TIMEOUT_S."""
        ...


@dataclass(frozen=True)
class ChannelKind:
    """An entry of CHANNELS. of: contact or group, whose address it needs; units: what one message costs, 0
    for nothing; make: from the settings, None when they do not configure it; at_once: attempts at a time.
    """

    name: str
    of: str
    units: int
    make: Callable[[Settings], MessageChannel | None]
    at_once: int = 4


def client(base_url: str = "") -> httpx.AsyncClient:
    """Follows no redirect and uses no proxy of the environment; each request has TIMEOUT_S."""
    return httpx.AsyncClient(base_url=base_url, timeout=TIMEOUT_S, trust_env=False, follow_redirects=False)


async def answered(http: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """The answer with at most MAX_REPLY bytes of its body. Raises ProviderUnreachable when there is none, or
    429 or 5xx; MessageRefused for a longer body.
    """
    try:
        response = await http.send(request, stream=True)
        try:
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) > MAX_REPLY:
                    raise MessageRefused(DeliveryReason.REFUSED, "an answer longer than 16 KiB")
        finally:
            await response.aclose()
    except httpx.HTTPError as error:
        raise ProviderUnreachable(DeliveryReason.UNREACHABLE, type(error).__name__) from error
    if response.status_code == 429:
        raise ProviderUnreachable(DeliveryReason.LIMIT, "HTTP 429")
    if response.status_code >= 500:
        raise ProviderUnreachable(DeliveryReason.UNREACHABLE, f"HTTP {response.status_code}")
    return httpx.Response(response.status_code, content=body)


def json_of(response: httpx.Response) -> dict[str, object]:
    """The object that a provider answered. Raises MessageRefused for anything else."""
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise MessageRefused(DeliveryReason.REFUSED, f"HTTP {response.status_code} without a JSON object")
    return answer
