"""Traces: begun for one user, renewed by his browser, each with its end on record (C-245)."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.devices.schemas import DeviceRow
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.signal_trace.models import SignalTrace
from cloud.domains.signal_trace.permission import may_trace
from cloud.domains.signal_trace.repository import SignalTraceRepository
from cloud.domains.signal_trace.running_traces import RunningTraces, TracedGateway, Watcher
from cloud.domains.signal_trace.schemas import GatewayState, TraceRow, TraceState
from cloud.errors import Conflict, NotFound
from cloud.link import LinkError
from edge_contract.fields import ControlMessage
from edge_contract.limits import MAX_USER, OFFLINE_AFTER_S, TRACE_S
from edge_contract.trace import TraceReport, TraceRequest

log = logging.getLogger(__name__)

CHECK_S = 1.0
"""Interval of check()."""

RENEW_S = 20
"""How often a browser is to renew."""

EXPIRES_S = 90
"""What is not renewed for so long ends: a page in the background gets a turn once a minute."""

AGAIN_S = 20.0
"""A gateway is asked again, and who watches is checked, so often."""

SILENT_S = 15.0
"""A gateway that has not answered for so long is silent; it is asked on."""

MAX_GATEWAYS = 50
MAX_OF_USER = 5
MAX_OF_GATEWAY = 10
"""Traces at a time."""

RETENTION_MS = 400 * 24 * 3600 * 1000
"""As the log of changes."""

Send = Callable[[str, ControlMessage], Awaitable[None]]
UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user as he is now; None when he may not sign in."""


class Pushes(Protocol):
    """The hub."""

    def push_user(self, user_id: int, message: dict[str, Any]) -> None: ...


class SignalTraceService:
    """monotonic: seconds. clock: UTC milliseconds."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        pushes: Pushes,
        send: Send,
        *,
        user_now: UserNow,
        clock: NowMs = now_ms,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._devices = devices
        self._pushes = pushes
        self._send = send
        self._user_now = user_now
        self._clock = clock
        self._monotonic = monotonic
        self._running = RunningTraces()
        self._taking: dict[str, tuple[bool, float]] = {}  # gateway -> takes it, until when that is believed
        self._checking = asyncio.Lock()

    async def start(self) -> None:
        """End on record what an earlier process left."""
        async with self._database.session() as session:
            for row in await SignalTraceRepository(session, Scope.system()).not_ended():
                row.ended_ms, row.why = self._clock(), "restart"
            await session.commit()

    async def stop(self) -> None:
        """End every trace, with its row written."""
        for traced in self._running:
            for watcher in list(traced.watchers.values()):
                await self._end(traced, watcher, "stopped")

    async def begin(self, user: CurrentUser, device_id: int, caller: str) -> TraceState:
        """Raises Conflict for a gateway that is offline or cannot be traced, and when there are too many."""
        device = await self._devices.commandable(user, device_id)
        self._refuse(user, device)
        now = self._monotonic()
        watcher = Watcher(secrets.token_hex(8), user.id, user.name, now + EXPIRES_S, now)
        traced = self._running.add(device.gateway_id, device_id, watcher)
        try:
            await self._record(device_id, watcher, caller)
        except BaseException:
            self._running.remove(traced, watcher)
            raise
        log.info(
            "audit: trace %s of gateway %d begun by %s from %s", watcher.trace, device_id, user.name, caller
        )
        await self._ask(traced)
        return self._state(traced, watcher)

    async def _record(self, device_id: int, watcher: Watcher, caller: str) -> None:
        row = SignalTrace(
            id=watcher.trace,
            device_id=device_id,
            user_id=watcher.user_id,
            user_name=watcher.user_name,
            address=storable(caller, 64),
            started_ms=self._clock(),
        )
        async with self._database.session() as session:
            SignalTraceRepository(session, Scope.system()).add(row)
            await session.commit()

    async def renew(self, user: CurrentUser, device_id: int, trace: str) -> TraceState:
        """Go on for EXPIRES_S. Raises NotFound for one that has ended, NoPermission for one who may not."""
        traced, watcher = self._of(user, device_id, trace)
        await self._devices.changeable(user, device_id)
        watcher.until_s = self._monotonic() + EXPIRES_S
        return self._state(traced, watcher)

    async def end(self, user: CurrentUser, device_id: int, trace: str) -> TraceRow:
        """End it; one that has ended stays as it is. Raises NotFound when it never was."""
        known = self._running.watcher(trace)
        if known is not None and known[0].device_id == device_id and known[1].user_id == user.id:
            await self._end(*known, "done")
        async with self._database.reading() as session:
            found = await SignalTraceRepository(session, user.scope).with_device(trace)
        if found is None or found[1].id != device_id or found[0].user_id != user.id:
            raise NotFound("trace")
        return _row(*found)

    async def page(
        self, scope: Scope, page: int, limit: int, search: str, device_id: int | None
    ) -> Page[TraceRow]:
        """Who traced what, newest first."""
        async with self._database.reading() as session:
            rows, total = await SignalTraceRepository(session, scope).page(page, limit, search, device_id)
        return Page(rows=[_row(trace, device) for trace, device in rows], total=total)

    async def check(self) -> None:
        """Periodic: end what should have ended, and ask gateways again."""
        async with self._checking:
            now = self._monotonic()
            for traced in self._running:
                for watcher in list(traced.watchers.values()):
                    if why := await self._reason_to_end(watcher, now):
                        await self._end(traced, watcher, why)
                if traced.watchers:
                    await self._repeat(traced, now)
            for gateway in [name for name, (_, until_s) in self._taking.items() if until_s < now]:
                del self._taking[gateway]

    async def forget_old(self, now: int) -> None:
        """Periodic: rows older than RETENTION_MS go."""
        async with self._database.session() as session:
            await SignalTraceRepository(session, Scope.system()).forget(now - RETENTION_MS)
            await session.commit()

    def taken(self, gateway: str, takes: bool) -> None:
        """A pulse says whether the gateway can be traced."""
        self._taking[gateway] = takes, self._monotonic() + OFFLINE_AFTER_S
        if (traced := self._running.of(gateway)) is not None:
            if not takes:
                self._turn(traced, "not_supported")
            elif traced.state in ("offline", "not_supported"):
                traced.forget_request()
                self._turn(traced, "waiting")

    def gone(self, gateway: str) -> None:
        """It is offline, or has connected anew and may know nothing of the request."""
        self._taking.pop(gateway, None)
        if (traced := self._running.of(gateway)) is not None:
            traced.forget_request()
            self._turn(traced, "offline")

    def report(self, gateway: str, report: TraceReport) -> None:
        """Entries of a gateway: to who watches it, and nowhere else."""
        traced = self._running.of(gateway)
        if traced is None:
            return
        traced.since_s = None
        self._turn(traced, "running")
        message = {
            "type": "strace",
            "did": traced.device_id,
            "since_ms": report.since_ms,
            "upto": report.upto,
            "entries": msgspec.to_builtins(report.entries),
        }
        for user_id in traced.users:
            self._pushes.push_user(user_id, message)
        for watcher in traced.watchers.values():
            watcher.entries += len(report.entries)

    async def access_taken(self, device_id: int, user_id: int | None) -> None:
        """A user may not change the gateway any more, or with None nobody who did."""
        for traced in self._running:
            for watcher in list(traced.watchers.values()):
                if traced.device_id == device_id and user_id in (None, watcher.user_id):
                    await self._end(traced, watcher, "access")

    def deleted(self, gateway: str) -> None:
        """The gateway is no more, and its rows have gone with it."""
        self._taking.pop(gateway, None)
        if (traced := self._running.of(gateway)) is not None:
            for watcher in list(traced.watchers.values()):
                self._running.remove(traced, watcher)
                self._pushes.push_user(watcher.user_id, self._message(traced, watcher, "deleted"))

    def _refuse(self, user: CurrentUser, device: DeviceRow) -> None:
        gateway = device.gateway_id
        if not device.link.online:
            raise Conflict(
                f"gateway {gateway} is offline",
                field="device_id",
                rule="must be online",
                reason="trace.offline" if device.link.back_ms is None else "trace.asleep",
            )
        if not self._taking.get(gateway, (True, 0.0))[0]:
            raise Conflict(
                f"the agent of gateway {gateway} cannot be traced",
                field="device_id",
                rule="must have an agent that can be traced",
                reason="trace.not_supported",
            )
        traced = self._running.of(gateway)
        if traced is None and len(self._running) >= MAX_GATEWAYS:
            raise _too_many("gateways are traced", MAX_GATEWAYS)
        if traced is not None and len(traced.watchers) >= MAX_OF_GATEWAY:
            raise _too_many("traces of this gateway run", MAX_OF_GATEWAY)
        if self._running.count_of(user.id) >= MAX_OF_USER:
            raise _too_many("traces of this user run", MAX_OF_USER)

    def _of(self, user: CurrentUser, device_id: int, trace: str) -> tuple[TracedGateway, Watcher]:
        known = self._running.watcher(trace)
        if known is None or known[0].device_id != device_id or known[1].user_id != user.id:
            raise NotFound("trace")
        return known

    async def _reason_to_end(self, watcher: Watcher, now: float) -> str:
        if now >= watcher.until_s:
            return "expired"
        if now < watcher.checked_s + AGAIN_S:
            return ""
        watcher.checked_s = now
        user = await self._user_now(watcher.user_id)
        return "" if user is not None and may_trace(user) else "user"

    async def _repeat(self, traced: TracedGateway, now: float) -> None:
        if traced.since_s is not None and now >= traced.since_s + SILENT_S:
            self._turn(traced, "silent")
        if traced.requested_s is None or now >= traced.requested_s + AGAIN_S:
            await self._ask(traced)

    async def _ask(self, traced: TracedGateway) -> None:
        """Only one that says that it takes it (C-240). Without a broker the next check tries again."""
        if not self._taking.get(traced.gateway, (False, 0.0))[0]:
            return
        names = ", ".join(sorted(set(traced.users.values())))
        if await self._publish(traced.gateway, TraceRequest(seconds=TRACE_S, by=names[:MAX_USER])):
            traced.requested_s = self._monotonic()
            if traced.since_s is None:
                traced.since_s = traced.requested_s

    async def _end(self, traced: TracedGateway, watcher: Watcher, why: str) -> None:
        if watcher.trace not in traced.watchers:
            return
        if self._running.remove(traced, watcher):
            await self._publish(traced.gateway, TraceRequest(seconds=0))
        self._pushes.push_user(watcher.user_id, self._message(traced, watcher, why))
        log.info(
            "audit: trace %s of gateway %d by %s ended: %s; %d entries",
            watcher.trace, traced.device_id, watcher.user_name, why, watcher.entries,
        )  # fmt: skip
        async with self._database.session() as session:
            row = await SignalTraceRepository(session, Scope.system()).trace(watcher.trace)
            if row is not None:
                row.ended_ms, row.why, row.entries = self._clock(), why, watcher.entries
            await session.commit()

    def _turn(self, traced: TracedGateway, state: GatewayState) -> None:
        if state == traced.state:
            return
        traced.state = state
        for watcher in traced.watchers.values():
            self._pushes.push_user(watcher.user_id, self._message(traced, watcher, ""))

    @staticmethod
    def _message(traced: TracedGateway, watcher: Watcher, why: str) -> dict[str, Any]:
        """why: it has ended."""
        return {
            "type": "strace_state",
            "did": traced.device_id,
            "trace": watcher.trace,
            "state": traced.state,
            "why": why,
        }

    async def _publish(self, gateway: str, request: TraceRequest) -> bool:
        try:
            await self._send(gateway, request)
        except LinkError:
            return False
        return True

    @staticmethod
    def _state(traced: TracedGateway, watcher: Watcher) -> TraceState:
        return TraceState(trace=watcher.trace, state=traced.state, renew_s=RENEW_S, expires_s=EXPIRES_S)


def _too_many(what: str, count: int) -> Conflict:
    return Conflict(
        f"{count} {what} already",
        field="device_id",
        rule=f"at most {count} at a time",
        reason="trace.too_many",
        arguments={"count": count},
    )


def _row(trace: SignalTrace, device: Device) -> TraceRow:
    return TraceRow(
        trace=trace.id,
        device_id=trace.device_id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        user=trace.user_name,
        address=trace.address,
        started_ms=trace.started_ms,
        ended_ms=trace.ended_ms,
        why=trace.why,
        entries=trace.entries,
    )
