"""Reads what the cloud knows of how gateways are: the gate compares it before and after an upgrade."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.firmware.gate import Evidence
from cloud.domains.firmware.gateway_repository import GatewayRepository
from cloud.domains.telemetry.schemas import LastValue

MAX_POINTS = 500
"""Of one gateway that are looked at, the first by number."""

GOOD = 0
"""Quality of a value that can be used."""

LastValues = Callable[[Scope, Sequence[int]], Awaitable[list[LastValue]]]


class EvidenceReader:
    """last_values: newest sample of each point that has one."""

    def __init__(self, database: Database, last_values: LastValues, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._last_values = last_values
        self._clock = clock

    async def read(self, device_ids: Collection[int], since_ms: int) -> dict[int, Evidence]:
        """Of those of these gateways that there are. since_ms: from when on outages count."""
        async with self._database.reading() as session:
            repository = GatewayRepository(session, Scope.system())
            devices = await repository.devices(device_ids)
            slaves = await repository.slaves(devices.keys())
            outages = await repository.outages(devices.keys(), since_ms)
            points = {number: await repository.points(number, MAX_POINTS) for number in devices}
        result = {}
        for number, device in devices.items():
            values = await self._last_values(Scope.system(), points[number]) if points[number] else []
            result[number] = Evidence(
                t_ms=self._clock(),
                online=device.online,
                slaves=sum(online for online, _ in slaves[number]),
                good=sum(value.quality == GOOD and not value.stale for value in values),
                outages=outages.get(number, 0),
                backlog=device.backlog_batches,
                latency_ms=latency_ms([requests for _, requests in slaves[number]]),
                memory_bytes=device.memory_bytes,
            )
        return result


def latency_ms(requests: Sequence[dict[str, Any] | None]) -> float | None:
    """Mean time until slaves answer, weighted by their answers; None when no pulse said any."""
    total = answers = 0.0
    for each in requests:
        mean = each.get("mean_ms") if each else None
        if each and isinstance(mean, int | float):
            count = max(0, int(each.get("requests", 0)) - int(each.get("failures", 0)))
            total, answers = total + mean * count, answers + count
    return total / answers if answers else None
