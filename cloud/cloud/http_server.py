"""uvicorn's HTTP with what it lacks: a time for every head and body, and few connections that wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from cloud.core.addresses import network_of
from cloud.core.unauthenticated import ClientConnection, UnauthenticatedClients

BODY_TIMERS = ("stall", "body", "rate")


@dataclass(frozen=True)
class HttpLimits:
    """head_timeout_s: from the connection, or the last reply, to the end of the next head, however slowly it
    comes. body_stall_s: without a byte of a body that is not whole; body_timeout_s: of a whole one.
    body_rate: least bytes a second on an average, from body_grace_s after the head.

    max_waiting: connections without a whole request; of a proxy that is trusted no share is limited.
    """

    head_timeout_s: float = 10.0
    body_stall_s: float = 20.0
    body_timeout_s: float = 600.0
    body_grace_s: float = 10.0
    body_rate: float = 1024.0
    max_waiting: int = 1000
    max_waiting_of_address: int = 100
    trusted_proxies: str = ""


class BoundedHttp(HttpToolsProtocol):
    """One connection. limits, unauthenticated: of the server; see bounded_http."""

    limits: ClassVar[HttpLimits]
    unauthenticated: ClassVar[UnauthenticatedClients]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        own_share = f"{host} {id(self)}" if _is_among(host, self.limits.trusted_proxies) else network_of(host)
        self._connection = ClientConnection(own_share, transport.abort)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._came = 0.0
        self._part = 0
        self._waits()

    def connection_lost(self, exc: Exception | None) -> None:
        self._works()
        self._stop(*BODY_TIMERS)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._part = len(data)
        self._came += self._part
        super().data_received(data)
        if "stall" in self._timers:
            self._begin("stall", self.limits.body_stall_s, self._stalled)

    def on_headers_complete(self) -> None:
        """The connection has a place among those that wait until the body is whole."""
        self._stop("head")
        self.unauthenticated.leave(self._connection)
        self.unauthenticated.come(self._connection)
        self._came = self._part
        self._begin("stall", self.limits.body_stall_s, self._stalled)
        self._begin("body", self.limits.body_timeout_s, self.transport.abort)
        self._begin("rate", self.limits.body_grace_s, self._measured)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._works()
        self._stop(*BODY_TIMERS)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._stop(*BODY_TIMERS)  # what is left of a body counts as a part of the next head
        if not self.pipeline and not self.transport.is_closing():
            self._waits()

    def handle_websocket_upgrade(self) -> None:
        self._works()
        self._stop(*BODY_TIMERS)
        super().handle_websocket_upgrade()

    def _waits(self) -> None:
        self.unauthenticated.leave(self._connection)
        self.unauthenticated.come(self._connection)
        self._begin("head", self.limits.head_timeout_s, self.transport.abort)

    def _works(self) -> None:
        self.unauthenticated.leave(self._connection)
        self._stop("head")

    def _stalled(self) -> None:
        if self.flow is not None and self.flow.read_paused:  # the application has not taken what came
            self._begin("stall", self.limits.body_stall_s, self._stalled)
        else:
            self.transport.abort()

    def _measured(self) -> None:
        """Once a second after the grace: a body slower than the least rate ends."""
        if self.flow is None or not self.flow.read_paused:  # else the application has not taken what came
            if self._came < self.limits.body_rate:
                self.transport.abort()
                return
            max_bytes = self.limits.body_rate * self.limits.body_stall_s  # so a pause is ended by the stall
            self._came = min(self._came - self.limits.body_rate, max_bytes)
        self._begin("rate", 1.0, self._measured)

    def _begin(self, name: str, seconds: float, end: Callable[[], Any]) -> None:
        self._stop(name)
        self._timers[name] = self.loop.call_later(seconds, end)

    def _stop(self, *names: str) -> None:
        for name in names:
            timer = self._timers.pop(name, None)
            if timer is not None:
                timer.cancel()


def bounded_http(limits: HttpLimits) -> type[BoundedHttp]:
    """For uvicorn.Config(http=...): all connections of one server share its limits."""
    limits_of_server = limits
    clients = UnauthenticatedClients(limits.max_waiting, limits.max_waiting_of_address)

    class Bounded(BoundedHttp):
        limits = limits_of_server
        unauthenticated = clients

    return Bounded


def _is_among(host: str, networks: str) -> bool:
    try:
        address = ip_address(host)
        return any(address in ip_network(each.strip()) for each in networks.split(",") if each.strip())
    except ValueError:
        return False
