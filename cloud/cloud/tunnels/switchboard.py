"""Every open tunnel of this process: frames of gateways to their channels, and the ends of both sides."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from cloud.link import LinkDown
from cloud.tunnels.channel import Channel
from cloud.tunnels.metrics import OPEN, STRAYS
from edge_contract import tunnel
from edge_contract.errors import ContractError
from edge_contract.payloads import encode
from edge_contract.tunnel import Close, Frame, Kind, Open
from edge_contract.tunnel_stream import LAST_SEQ

log = logging.getLogger(__name__)

OPEN_TIMEOUT_S = 20.0
"""A gateway waits up to 10 s for its port; the rest is for two ways over a bad cellular link."""
MAX_UNREPORTED = 1000
STOP_S = 3.0

Send = Callable[[str, bytes], Awaitable[None]]


class Switchboard:
    """send: a frame to a gateway, raises LinkDown. linked: whether the broker is there.

    untold: ends that their gateways do not know of yet.
    """

    def __init__(
        self, send: Send, linked: Callable[[], bool], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.unreported: deque[tuple[str, str]] = deque(maxlen=MAX_UNREPORTED)
        self.monotonic = monotonic
        self._send = send
        self._linked = linked
        self._channels: dict[str, Channel] = {}
        self._senders: set[asyncio.Task[None]] = set()

    def take(self, gateway: str, payload: bytes) -> None:
        """A frame as it came. What cannot be read or belongs to no tunnel is counted."""
        try:
            frame = tunnel.decode(payload)
        except ContractError as error:
            STRAYS.labels("unreadable").inc()
            log.debug("frame of %s: %s", gateway, error)
            return
        channel = self._channels.get(frame.tunnel)
        if channel is None or channel.gateway != gateway:
            STRAYS.labels("no_tunnel").inc()
            log.debug("frame %s of %s for tunnel %s, which is not open", frame.kind, gateway, frame.tunnel)
            return
        channel.take(frame, self.monotonic())

    async def open(self, gateway: str, opening: Open, timeout_s: float = OPEN_TIMEOUT_S) -> Channel:
        """A tunnel that the gateway has opened; TunnelRefused."""
        channel = Channel(secrets.token_hex(8), gateway, opening, self.monotonic())
        self._channels[channel.name] = channel
        OPEN.set(len(self._channels))
        sender = asyncio.create_task(self._serve(channel), name=f"tunnel-{channel.name}")
        self._senders.add(sender)
        sender.add_done_callback(self._senders.discard)
        try:
            await channel.opened(timeout_s)
        except asyncio.CancelledError:
            channel.end(Close(code="done", detail="nobody waits any more"))
            raise
        return channel

    def gateway_gone(self, gateway: str, why: str) -> None:
        """The gateway's session has ended, and with it its ends of tunnels."""
        for channel in self._of(gateway):
            channel.end(Close(code="link", detail=why))

    def check(self) -> None:
        """Periodic: end what the gateway should have ended, and everything without a link."""
        if not self._linked():
            for channel in list(self._channels.values()):
                channel.end(Close(code="link", detail="the broker is away"))
        now = self.monotonic()
        for channel in list(self._channels.values()):
            if (close := channel.overdue(now)) is not None:
                channel.end(close)

    async def report_ends(self) -> None:
        """Periodic: tell gateways of ends that they could not be told of and still hold a port for."""
        for _ in range(len(self.unreported)):
            gateway, name = self.unreported[0]
            last = Frame(name, LAST_SEQ, Kind.CLOSE, encode(Close(code="lost", detail="the cloud ended it")))
            try:
                await self._send(gateway, tunnel.encode(last))
            except LinkDown:
                return
            self.unreported.popleft()

    async def stop(self) -> None:
        """End everything; each gateway is told while the link is still there."""
        for channel in list(self._channels.values()):
            channel.end(Close(code="stopped", detail="the cloud stops"))
        if self._senders:
            await asyncio.wait(self._senders, timeout=STOP_S)
        for sender in list(self._senders):
            sender.cancel()

    async def _serve(self, channel: Channel) -> None:
        try:
            await channel.send_all(partial(self._send, channel.gateway))
        except LinkDown as error:
            log.info("tunnel %s ends: %s", channel.name, error)
            self.unreported.append((channel.gateway, channel.name))
        finally:
            self._channels.pop(channel.name, None)
            OPEN.set(len(self._channels))

    def _of(self, gateway: str) -> list[Channel]:
        return [channel for channel in self._channels.values() if channel.gateway == gateway]
