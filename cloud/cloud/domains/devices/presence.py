"""Link and bus layer of presence: what hello, state and pulse say, and what silence says.

Silent after 75 s without a message, also after a restart of the cloud. A will of an earlier boot says
nothing. A goodbye with back_ms is sleep: online, values stay, link.online false; silent 75 s after back_ms.
An older agent says stopped where it switches: when it comes back as the same program (boot) the log says
switched. last_ms is of anything that came, data_ms (of the link) of samples. A reset to normal forgets
losses and refusals; a reset to offline lasts until the next message. What a gateway says is cut to its
column (length, range, no NUL), because PostgreSQL refuses what SQLite takes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.core.token_bucket import KIB, TokenBuckets, TokenRate
from cloud.db import Database
from cloud.domains.devices.clearing import Clearing, Notify
from cloud.domains.devices.outage_repository import Noted, OutageRepository, unnoticed
from cloud.domains.devices.outages import came_back, left
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.states import (
    ASLEEP,
    EXPECTED,
    NEVER_READ,
    PORT_LOCKED,
    RESET,
    STOPPED,
    SWITCHED,
    silent_since,
)
from cloud.domains.inventory.models import Device, SlaveDevice
from edge_contract.limits import EARLIEST_MS, OFFLINE_AFTER_S
from edge_contract.payloads import Hello, Pulse, Refusal, SlaveHealth, State, Welcome
from edge_contract.version import SPOKEN

log = logging.getLogger(__name__)

CHECK_S = 5.0
"""Interval of the search for silent gateways."""

PULSES_S = 0.5
"""Interval of the writing of pulses. With a transaction for each, landing waited for dozens a second."""

PULSES_AT_ONCE = 50
"""Gateways written in one transaction, so that landing waits for a few milliseconds."""

SLAVES_AT_ONCE = 100
"""Slaves written in one transaction: one that comes or goes costs several statements."""

LATE_BACK_MS = round(OFFLINE_AFTER_S * 1000)
"""What a gateway that is asleep may be late: it has to find its network first."""

SLAVES_SAID = TokenRate(4000, 100, per_kib=KIB)
"""Slaves of one gateway's pulses: each costs 1. What is above is written later, in its newest state."""

MAX_EVICTED = 100
"""Ranges of evicted batches that are stored for display, the newest; the gap store has them all."""

Changed = Callable[[int], Awaitable[None]]
"""Called with the number of a device whose row has changed."""


class PresenceService:
    """Every change is written; what was heard since is remembered in memory."""

    def __init__(
        self,
        database: Database,
        changed: Changed,
        cleared: Notify | None = None,
        *,
        noted: Noted = unnoticed,
        clock: NowMs = now_ms,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.clearing = Clearing(database, cleared)
        self._database = database
        self._changed = changed
        self._noted = noted
        self._clock = clock
        self._heard: dict[str, int] = {}
        self._before_ms: dict[str, int] = {}  # since when those were online that are away
        self._pulses: dict[str, Pulse] = {}
        self._slaves_said = TokenBuckets(SLAVES_SAID, monotonic)
        self._writing = asyncio.Lock()
        self._started_ms = clock()

    def heard(self, gateway: str) -> int | None:
        """When the last message of a gateway came, since this process started."""
        return self._heard.get(gateway)

    def now_ms(self) -> int:
        """The clock of presence, UTC milliseconds."""
        return self._clock()

    def note(self, gateway: str) -> None:
        """The gateway sent something."""
        self._heard[gateway] = self._clock()

    def forget(self, gateway: str) -> None:
        """A gateway is no more."""
        self.clearing.forget(gateway)
        self._heard.pop(gateway, None)
        self._before_ms.pop(gateway, None)
        self._pulses.pop(gateway, None)
        self._slaves_said.forget(gateway)

    async def hello(self, gateway: str, hello: Hello) -> Welcome:
        """Answer a connection: served, or refused with the reason that the portal shows."""
        self.note(gateway)
        self._pulses.pop(gateway, None)  # of before
        low, high = SPOKEN
        async with self._database.session() as session:
            repository = DeviceRepository(session, Scope.system())
            device = await repository.by_gateway(gateway, lock=True)
            refusal, detail = None, ""
            if device is None:
                refusal = Refusal.NOT_CLAIMED
            elif device.disabled:
                refusal = Refusal.DISABLED
            elif hello.version_min > high or hello.version_max < low:
                refusal, detail = Refusal.VERSION, f"the cloud speaks {low} to {high}"
            need_catalog = False
            if device is not None:
                if device.boot == hello.boot and device.reason == STOPPED:
                    device.reason = SWITCHED  # the same program is back: it only built itself anew
                device.agent_version = storable(hello.agent, 200)
                device.boot, device.stream = hello.boot, hello.stream
                device.reports_every_s, device.asleep_until_ms = hello.report_interval_s, None
                device.refusal = refusal
                device.backlog_batches = _count(hello.next_seq - hello.first_seq)
                need_catalog = device.catalog != hello.catalog
                await self._set(session, device, refusal is None, refusal.value if refusal else "ok")
                await session.commit()
        if device is not None:
            await self.changed(device)
        return Welcome(
            accepted=refusal is None,
            version=high,
            t_ms=self._clock(),
            need_catalog=need_catalog and refusal is None,
            collection=True,
            rules=True,
            exchange=True,
            tasks=True,
            firmware=True,
            refusal=refusal,
            detail=detail,
        )

    async def state(self, gateway: str, state: State) -> None:
        """Retained state or last will. Online waits for hello; a will of an earlier boot says nothing."""
        if state.online:
            self.note(gateway)
            return
        await self.write_pulses()  # what was said before it went
        async with self._database.session() as session:
            device = await DeviceRepository(session, Scope.system()).by_gateway(gateway, lock=True)
            if device is None or device.boot != state.boot or not device.online:
                return
            if (rests_ms := _rest_ms(device, state)) is not None:
                if device.asleep_until_ms is None:  # else the retained state came again
                    device.asleep_until_ms = self._clock() + rests_ms
                device.reason = ASLEEP
            else:
                await self._set(session, device, False, storable(state.reason, 40) or "link_lost")
            await session.commit()
        await self.changed(device)

    def pulse(self, gateway: str, pulse: Pulse) -> None:
        """Outbox and slaves of a gateway, written by the next write_pulses; a pulse is proof of life."""
        self.note(gateway)
        self._pulses[gateway] = pulse

    async def write_pulses(self) -> None:
        """Periodic: what gateways said since the last time, their newest word only."""
        async with self._writing:
            pulses = {
                name: pulse
                for name, pulse in sorted(self._pulses.items())
                if self._slaves_said.take(name, len(pulse.slaves))
            }
            for name in pulses:
                del self._pulses[name]
            together: dict[str, Pulse] = {}
            slaves = 0
            for name, pulse in pulses.items():
                together[name] = pulse
                slaves += len(pulse.slaves)
                if len(together) >= PULSES_AT_ONCE or slaves >= SLAVES_AT_ONCE:
                    await self._write(together)
                    together, slaves = {}, 0
            if together:
                await self._write(together)

    async def _write(self, pulses: dict[str, Pulse]) -> None:
        """In one transaction; what a power cut takes of it the next pulse says again."""
        alive: list[Device] = []
        async with self._database.asynchronous_commit() as session:
            repository = DeviceRepository(session, Scope.system())
            for device in await repository.locked(pulses):
                if not (device.disabled or device.refusal):
                    await self._set(session, device, True, "ok")
                    device.last_ms = self._clock()
                    self._outbox(device, pulses[device.gateway_id])
                    alive.append(device)
            few = [device for device in alive if len(pulses[device.gateway_id].slaves) <= SLAVES_AT_ONCE]
            rows = await repository.slaves_of([device.id for device in few])
            for device in few:
                await self._slaves(session, device, rows.get(device.id, []), pulses[device.gateway_id].slaves)
            await session.commit()
        for device in alive:
            if device not in few:
                await self._many_slaves(device, pulses[device.gateway_id].slaves)
        for device in alive:
            await self.changed(device)

    async def _many_slaves(self, device: Device, slaves: Sequence[SlaveHealth]) -> None:
        """In several transactions, between which others have their turn."""
        for start in range(0, len(slaves), SLAVES_AT_ONCE):
            some = slaves[start : start + SLAVES_AT_ONCE]
            async with self._database.asynchronous_commit() as session:
                repository = DeviceRepository(session, Scope.system())
                rows = await repository.slaves_named(device.id, {slave.name for slave in some})
                await self._slaves(session, device, rows, some)
                await session.commit()

    async def _slaves(
        self,
        session: AsyncSession,
        device: Device,
        rows: Sequence[SlaveDevice],
        slaves: Sequence[SlaveHealth],
    ) -> None:
        health = {slave.name: slave for slave in slaves}
        log_rows = OutageRepository(session, Scope.system(), self._noted)
        for row in rows:
            if slave := health.get(row.name):
                await self._slave(log_rows, row, slave, device.offline_alarm_delay_s)

    async def find_silent(self) -> None:
        """Periodic: who was silent for OFFLINE_AFTER_S is offline, whatever the broker says."""
        before = self._clock() - int(OFFLINE_AFTER_S * 1000)
        await self.clearing.refresh()  # another process may have disabled a gateway
        if self._started_ms > before:
            return  # gateways may not have reconnected yet
        async with self._database.session() as session:
            now = self._clock()
            devices = [
                device
                for device in await DeviceRepository(session, Scope.system()).silent(before)
                if self._heard.get(device.gateway_id, 0) < before
                and (device.asleep_until_ms is None or device.asleep_until_ms + LATE_BACK_MS < now)
            ]
            for device in devices:
                await self._set(session, device, False, "silent")
            await session.commit()
        for device in devices:
            await self.changed(device)

    async def _set(self, session: AsyncSession, device: Device, online: bool, reason: str) -> None:
        now, delay_s = self._clock(), device.offline_alarm_delay_s
        log_rows = OutageRepository(session, Scope.system(), self._noted)
        since_ms = device.since_ms
        if device.online != online:
            log.info("gateway %s is %s: %s", device.gateway_id, "online" if online else "offline", reason)
            since_ms = now
            if online:
                before_ms = self._before_ms.pop(device.gateway_id, now)
                is_logged = await came_back(log_rows, device, delay_s, now)
                if device.reason == SWITCHED and not is_logged:
                    since_ms = before_ms
            elif device.since_ms is not None:
                self._before_ms[device.gateway_id] = device.since_ms
        device.since_ms = now if since_ms is None else since_ms
        if online and device.first_online_ms is None:
            device.first_online_ms = now
        device.online, device.reason, device.asleep_until_ms = online, reason, None
        if not online:
            await left(log_rows, device, delay_s, now)

    async def reset(self, session: AsyncSession, device: Device, *, online: bool) -> None:
        """Forget what a gateway lost and why it was refused, or with online False take it for away until its
        next message. The caller commits and then calls `changed`.
        """
        if online:
            device.dropped_ms = device.evicted_ms = device.refusal = None
            return
        self._pulses.pop(device.gateway_id, None)  # of before
        await self._set(session, device, False, RESET)

    def _outbox(self, device: Device, pulse: Pulse) -> None:
        """What a pulse says of the gateway's store, and when it got worse."""
        now = self._clock()
        if _count(pulse.evicted_batches) > device.evicted_batches:
            device.evicted_ms = now
        if pulse.dropped_samples > device.dropped_samples:
            device.dropped_ms = now
        device.backlog_batches, device.hours_left = _count(pulse.outbox_batches), pulse.hours_left
        device.evicted_batches, device.dropped_samples = _count(pulse.evicted_batches), pulse.dropped_samples
        device.evicted = [list(pair) for pair in pulse.evicted[-MAX_EVICTED:]]
        device.written_bytes_day, device.memory_bytes = pulse.written_bytes_day, pulse.memory_bytes
        device.clock_set = pulse.clock_set

    async def _slave(
        self, log_rows: OutageRepository, row: SlaveDevice, slave: SlaveHealth, delay_s: int
    ) -> None:
        """Bus layer of one slave. One that was not polled yet since the agent's start is as it was before.

        An absence because of a port lock and one for another reason are two.
        """
        now = self._clock()
        was_absent = row.since_ms is not None and not row.online and row.reason not in EXPECTED
        row.last_good_ms = slave.last_good_ms
        row.requests = None if slave.bus is None else msgspec.to_builtins(slave.bus)
        if was_absent and slave.reason == NEVER_READ:
            return
        is_absent = not slave.online and slave.reason not in EXPECTED
        is_other = was_absent and is_absent and (row.reason == PORT_LOCKED) != (slave.reason == PORT_LOCKED)
        if was_absent and (is_other or not is_absent):
            await came_back(log_rows, row, delay_s, now)
        if is_absent and not was_absent:
            row.since_ms = silent_since(slave.last_good_ms, EARLIEST_MS, now)
        elif is_other or row.online != slave.online or row.since_ms is None:
            row.since_ms = now
        row.online, row.reason = slave.online, storable(slave.reason, 200)
        if is_absent:
            await left(log_rows, row, delay_s, now)

    async def announce(self, device_id: int) -> None:
        """Tell who watches a gateway that its row is another one."""
        await self._changed(device_id)

    async def changed(self, device: Device) -> None:
        """A gateway's state or settings have changed: push it to who watches it."""
        cleared = not device.online and device.offline_clear_data
        if cleared != (device.gateway_id in self.clearing):
            await self.clearing.refresh()
        await self._changed(device.id)


def _rest_ms(device: Device, state: State) -> int | None:
    """How long a gateway that saves power is away, by its own clock; None when it is not asleep, or when it
    says a time beyond its report interval.
    """
    if state.reason != ASLEEP or state.back_ms is None:
        return None
    rests_ms = state.back_ms - state.t_ms
    return rests_ms if 0 <= rests_ms <= device.reports_every_s * 1000 + LATE_BACK_MS else None


def _count(number: int) -> int:
    """What a column of 32 bits holds of a number that the contract lets count further."""
    return min(max(number, 0), 2**31 - 1)
