"""The gateway's ends of tunnels: who may have what, for one session with the cloud at a time."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from edge_agent.config.model import Port
from edge_agent.errors import AgentError, BadValue, FieldbusError, PortDown
from edge_agent.model import Seen
from edge_agent.remote.tunnel import Send, Tunnel
from edge_agent.remote.tunnel_ends import PageDoor, TunnelEnd, end_of, with_line
from edge_agent.system.clock import Clock
from edge_contract import tunnel as contract
from edge_contract.errors import PayloadError
from edge_contract.payloads import decode
from edge_contract.tunnel import Close, Frame, Kind, Open, Target

log = logging.getLogger(__name__)

MAX_TUNNELS = 4
MAX_REFUSALS = 16
"""Refusals under way together; more are counted and not answered."""
MAX_ENDED = 64
"""Ended tunnels whose opening, if it came again, would open nothing."""
LOCK_WAIT_S = 10.0
"""A port is locked between two requests; the longest request of a slow device takes seconds."""
LET_GO_S = 5.0
"""The bus takes a port back so long after the tunnel should have ended by itself."""

EndOf = Callable[[Port, Seen], TunnelEnd]


class PortLocker(Protocol):
    """What lends ports (the bus)."""

    async def run_locked(
        self,
        port: str,
        work: Callable[[Port, Seen], Awaitable[Any]],
        max_s: float,
        wait_s: float,
        who: str,
    ) -> Any:
        """Run work with a port locked for max_s at most, within wait_s. Raises FieldbusError or BadValue."""


class GatewayTunnels:
    """take() never blocks; run() serves one session. strays: frames that belonged to no tunnel.

    page: None without a local page. enable: the site's own word on whether tunnels may be opened at all.
    """

    def __init__(
        self,
        locker: PortLocker,
        page: PageDoor | None,
        clock: Clock,
        *,
        enable: bool = True,
        ends: EndOf = end_of,
    ) -> None:
        self.strays = 0
        self._locker = locker
        self._page = page
        self._clock = clock
        self._enable = enable
        self._ends = ends
        self._open: dict[str, Tunnel] = {}
        self._ended: deque[str] = deque(maxlen=MAX_ENDED)
        self._refusals = 0
        self._group: asyncio.TaskGroup | None = None
        self._send: Send | None = None

    @property
    def has_open(self) -> bool:
        """Whether a tunnel is open."""
        return bool(self._open)

    def take(self, frame: bytes) -> None:
        """A frame from the cloud. PayloadError: it cannot be read."""
        read = contract.decode(frame)
        tunnel = self._open.get(read.tunnel)
        if tunnel is not None:
            tunnel.take(read)
        elif read.kind is Kind.OPEN and read.seq == 1 and read.tunnel not in self._ended and self._group:
            self._begin(self._group, read)
        else:
            self.strays += 1
            log.debug("frame %s of tunnel %s, which is not open", read.kind.name, read.tunnel)

    async def run(self, send: Send) -> None:
        """For one session. Cancelled when the link is lost: every tunnel ends."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group, self._send = group, send
                await asyncio.Event().wait()
        finally:
            self._group = self._send = None
            self._open.clear()

    def _begin(self, group: asyncio.TaskGroup, frame: Frame) -> None:
        try:
            opening = decode(Open, frame.payload)
            refusal = self._refusal(opening)
        except PayloadError as error:
            opening, refusal = Open(target=Target.PAGE), Close(code="refused", detail=str(error))
        tunnel = Tunnel(frame.tunnel, opening, self._clock)
        tunnel.take(frame)
        tunnel.stream.read()  # the opening itself, which is known
        if refusal is None:
            self._open[frame.tunnel] = tunnel
            group.create_task(self._serve(tunnel), name=f"tunnel {frame.tunnel}")
        elif self._refusals < MAX_REFUSALS:
            group.create_task(self._refuse(tunnel, refusal), name=f"refusal {frame.tunnel}")
        else:
            self.strays += 1

    def _refusal(self, opening: Open) -> Close | None:
        """Why it may not be opened, None when it may."""
        if not self._enable:
            return Close(code="refused", detail="tunnels are switched off on this gateway")
        if opening.target is Target.PAGE and self._page is None:
            return Close(code="refused", detail="the local page is switched off on this gateway")
        if opening.target is Target.PORT and opening.port is None:
            return Close(code="no_port", detail="port: must be given")
        holder = next(
            (one for one in self._open.values() if opening.port and one.opening.port == opening.port), None
        )
        if holder is not None:
            return Close(code="busy", detail=f"port {opening.port} is lent to {holder.opening.who}")
        if len(self._open) >= MAX_TUNNELS:
            return Close(code="refused", detail=f"at most {MAX_TUNNELS} tunnels at a time")
        return None

    async def _refuse(self, tunnel: Tunnel, refusal: Close) -> None:
        assert self._send is not None
        opening = tunnel.opening
        log.warning(
            "audit: tunnel to %s for %s refused: %s %s",
            tunnel.target, opening.who, refusal.code, refusal.detail,
        )  # fmt: skip
        self._refusals += 1
        try:
            tunnel.close(refusal)
            await tunnel.send_all(self._send)
        finally:
            self._refusals -= 1

    async def _serve(self, tunnel: Tunnel) -> None:
        """From the opening to the last frame. What send raises ends the session."""
        assert self._send is not None
        opening, name = tunnel.opening, tunnel.stream.tunnel
        log.info("audit: tunnel %s to %s opened by %s", name, tunnel.target, opening.who)
        close = Close(code="link", detail="the link was lost")
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(tunnel.send_all(self._send))
                close = await self._work(tunnel)
                self._forget(name)
                tunnel.close(close)
        finally:
            self._forget(name)
            log.info(
                "audit: tunnel %s to %s of %s ended after %.0f s: %s %s; %d bytes from the cloud, %d to it",
                name, tunnel.target, opening.who, self._clock.monotonic() - tunnel.started,
                close.code, close.detail, tunnel.stream.taken, tunnel.stream.sent,
            )  # fmt: skip

    def _forget(self, name: str) -> None:
        if self._open.pop(name, None) is not None:
            self._ended.append(name)

    async def _work(self, tunnel: Tunnel) -> Close:
        """Carry until it ends; why."""
        try:
            if tunnel.opening.target is Target.PORT:
                return await self._on_port(tunnel, tunnel.opening.port or "")
            assert self._page is not None
            return await tunnel.carry(self._page.end())
        except BadValue as error:
            return Close(code="no_port", detail=str(error))
        except PortDown as error:
            return Close(code=error.code, detail=str(error))
        except FieldbusError as error:  # the bus did not lock the port
            return Close(code="busy", detail=str(error))
        except AgentError as error:
            return Close(code="stopped", detail=str(error))
        except Exception:  # supervisor: a fault in one tunnel must end neither the session nor another tunnel
            log.exception("tunnel %s failed", tunnel.stream.tunnel)
            return Close(code="stopped", detail="a fault in the gateway; its log says which")

    async def _on_port(self, tunnel: Tunnel, port: str) -> Close:
        """Lock the port, which pauses polling on it. FieldbusError, BadValue: it was not locked."""
        begun = asyncio.Event()

        async def work(locked_port: Port, seen: Seen) -> Close:
            begun.set()
            return await tunnel.carry(self._ends(with_line(locked_port, tunnel.opening.line), seen))

        longest_s = tunnel.opening.longest_s + LET_GO_S
        who = tunnel.opening.who
        lock_task = asyncio.ensure_future(self._locker.run_locked(port, work, longest_s, LOCK_WAIT_S, who))
        beginning = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait(
                {lock_task, beginning}, timeout=LOCK_WAIT_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not lock_task.done() and not begun.is_set():
                return Close(code="busy", detail=f"port {port} did not get free in {LOCK_WAIT_S:.0f} s")
            close: Close = await lock_task
            return close
        finally:
            beginning.cancel()
            lock_task.cancel()
            await asyncio.wait({lock_task}, timeout=LET_GO_S)
