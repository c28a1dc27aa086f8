"""Link and bus layer of presence: what hello, state and pulse say, and what silence says."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from cloud.db import Database
from cloud.domains.devices.models import Device
from cloud.domains.devices.repository import DeviceRepository
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.text import storable
from edge_contract.limits import OFFLINE_AFTER_S
from edge_contract.payloads import Hello, Pulse, Refusal, State, Welcome
from edge_contract.version import SPOKEN

log = logging.getLogger(__name__)

CHECK_S = 5.0
"""Interval of the search for silent gateways."""

Changed = Callable[[int], Awaitable[None]]
"""Told the device whose row has changed."""


class PresenceService:
    """Every change is written; what was heard since is remembered in memory."""

    def __init__(self, database: Database, changed: Changed, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._changed = changed
        self._clock = clock
        self._heard: dict[str, int] = {}
        self._started_ms = clock()

    def heard(self, gateway: str) -> int | None:
        """When the last message of a gateway came, since this process started."""
        return self._heard.get(gateway)

    def note(self, gateway: str) -> None:
        """The gateway sent something."""
        self._heard[gateway] = self._clock()

    async def hello(self, gateway: str, hello: Hello) -> Welcome:
        """Answer a connection: served, or refused with the reason that the portal shows."""
        self.note(gateway)
        low, high = SPOKEN
        async with self._database.session() as session:
            repository = DeviceRepository(session)
            device = await repository.by_gateway(gateway)
            refusal, detail = None, ""
            if device is None:
                refusal = Refusal.NOT_CLAIMED
            elif device.disabled:
                refusal = Refusal.DISABLED
            elif hello.version_min > high or hello.version_max < low:
                refusal, detail = Refusal.VERSION, f"the cloud speaks {low} to {high}"
            need_catalog = False
            if device is not None:
                device.agent_version = storable(hello.agent, 200)
                device.boot, device.stream = hello.boot, hello.stream
                device.refusal = refusal
                device.backlog_batches = _count(hello.next_seq - hello.first_seq)
                need_catalog = device.catalog != hello.catalog
                self._set(device, refusal is None, refusal.value if refusal else "ok")
                await session.commit()
        if device is not None:
            await self._changed(device.id)
        return Welcome(
            accepted=refusal is None,
            version=high,
            t_ms=self._clock(),
            need_catalog=need_catalog and refusal is None,
            refusal=refusal,
            detail=detail,
        )

    async def state(self, gateway: str, state: State) -> None:
        """Retained state or last will. Online waits for hello; a will of an earlier boot says nothing."""
        if state.online:
            self.note(gateway)
            return
        async with self._database.session() as session:
            device = await DeviceRepository(session).by_gateway(gateway)
            if device is None or device.boot != state.boot or not device.online:
                return
            self._set(device, False, storable(state.reason, 40) or "link_lost")
            await session.commit()
        await self._changed(device.id)

    async def pulse(self, gateway: str, pulse: Pulse) -> None:
        """Outbox and slaves of a gateway; a pulse is proof of life."""
        self.note(gateway)
        async with self._database.session() as session:
            repository = DeviceRepository(session)
            device = await repository.by_gateway(gateway)
            if device is None or device.disabled or device.refusal:
                return
            self._set(device, True, "ok")
            device.last_ms = self._clock()
            device.backlog_batches, device.hours_left = _count(pulse.outbox_batches), pulse.hours_left
            device.evicted_batches = _count(pulse.evicted_batches)
            health = {slave.name: slave for slave in pulse.slaves}
            for row in await repository.slaves(device.id):
                if slave := health.get(row.name):
                    row.online, row.reason = slave.online, storable(slave.reason, 200)
                    row.last_good_ms = slave.last_good_ms
            await session.commit()
        await self._changed(device.id)

    async def find_silent(self) -> None:
        """Periodic: who was silent for OFFLINE_AFTER_S is offline, whatever the broker says."""
        before = self._clock() - int(OFFLINE_AFTER_S * 1000)
        if self._started_ms > before:
            return  # gateways may not have found the way back yet
        async with self._database.session() as session:
            found = [
                device
                for device in await DeviceRepository(session).silent(before)
                if self._heard.get(device.gateway_id, 0) < before
            ]
            for device in found:
                self._set(device, False, "silent")
            await session.commit()
        for device in found:
            await self._changed(device.id)

    def _set(self, device: Device, online: bool, reason: str) -> None:
        if device.online != online:
            log.info("gateway %s is %s: %s", device.gateway_id, "online" if online else "offline", reason)
        if (device.online, device.reason) != (online, reason) or device.since_ms is None:
            if device.online != online or device.since_ms is None:
                device.since_ms = self._clock()
            device.online, device.reason = online, reason


def _count(number: int) -> int:
    """What a column holds of a number that the contract does not bound."""
    return min(max(number, 0), 2**31 - 1)
