"""Many gateways in one process: connected, fed by the clock, and what became of their batches."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from edge_contract.limits import KEEPALIVE_S, PULSE_S
from edge_contract.topics import Message, gateway_filter, topic
from firmware_sim.errors import StartError
from firmware_sim.gateways import packets
from firmware_sim.gateways.connection import Broker, Connection, Refused
from firmware_sim.gateways.firmware import Boards
from firmware_sim.gateways.gateway import Gateway
from firmware_sim.gateways.signals import Signals

log = logging.getLogger(__name__)

TICK_S = 0.002
"""Batches that have become due are made this often; a tenth of what a sample takes to the cloud."""

CHORES_S = 1.0
"""A part of the gateways is looked after at each round: pulses, pings, repetitions."""

AT_ONCE = 50
"""Connections opened at the same time."""

BACKOFF_S = (0.5, 30.0)
"""First and longest pause before a new connection; each is drawn from half to the whole."""

WELCOME_S, WELCOME_EACH_S = 60.0, 0.15
"""Longest wait until every gateway is served, and for each more of it: all say hello at once."""

DRAIN_S = 60.0
FLOOD_S = 600.0
"""Longest wait for the last acknowledgements."""

LOOK_S = 0.02
"""How often what is waited for is looked at."""


@dataclass(frozen=True)
class Plan:
    """What a fleet does. interval_s: between two batches of one gateway; backlog: batches that each has from
    before the connection; flood: batches that each makes as fast as the window allows."""

    points: int
    interval_s: float
    duration_s: float
    seed: int = 1
    backlog: int = 0
    flood: int = 0


class Fleet:
    """secrets: gateway to its secret. boards: makes their firmware; None: they take none."""

    def __init__(
        self,
        plan: Plan,
        secrets: Mapping[str, str],
        broker: Broker,
        boards: Boards | None = None,
        *,
        clock_s: Callable[[], float] = time.monotonic,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._plan = plan
        self._secrets = secrets
        self._broker = broker
        self._boards = boards
        self._is_over = False
        self._clock_s = clock_s
        self._now_ms = now_ms
        self._period_ms = max(1, round(plan.interval_s * 1000))
        self._start_ms = now_ms()
        self._connections: dict[str, Connection] = {}
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._lost = 0
        self.gateways = [self._build(name) for name in secrets]
        if boards is not None:
            for gateway in self.gateways:
                boards.add(gateway)

    def _build(self, name: str) -> Gateway:
        chance = random.Random(f"{self._plan.seed}/{name}/{self._start_ms}")  # noqa: S311 - a name, no secret
        made = Gateway(
            name,
            Signals(self._plan.seed, name, self._plan.points),
            f"{chance.getrandbits(64):016x}",
            period_ms=self._period_ms,
            clock_s=self._clock_s,
            now_ms=self._now_ms,
        )
        for t_ms in self._past(self._plan.backlog):
            made.make(t_ms, self._clock_s())
        made.prepare(self._past(self._plan.flood))
        return made

    def _past(self, batches: int) -> range:
        """Times of so many batches that end where the run begins."""
        return range(self._start_ms - batches * self._period_ms, self._start_ms, self._period_ms)

    async def connect(self) -> None:
        """Connect all and return when the cloud has welcomed each; they stay connected until close()."""
        firmware = self._boards.all.values() if self._boards is not None else ()
        self._links = [asyncio.create_task(each.run()) for each in firmware]
        self._links += [asyncio.create_task(self._keep_connected(gateway)) for gateway in self.gateways]
        self._chores = asyncio.create_task(self._look_after())
        patience_s = WELCOME_S + WELCOME_EACH_S * len(self.gateways)
        await self._until(lambda gateway: gateway.served, patience_s)

    async def run(self) -> None:
        """Make batches as planned, then wait for the last acknowledgements."""
        self._begun_s = self._clock_s()
        if self._plan.flood:
            for gateway in self.gateways:
                gateway.flood()
            patience_s = FLOOD_S
        else:
            await self._pace()
            patience_s = DRAIN_S
        await self._until(lambda gateway: gateway.idle, patience_s)
        self._ended_s = self._clock_s()

    def finish(self) -> None:
        """Make no more batches, whatever the planned duration is."""
        self._is_over = True

    async def _until(self, done: Callable[[Gateway], bool], patience_s: float) -> None:
        """Return when it is so of every gateway. Raises StartError when that takes too long."""
        until, waiting = self._clock_s() + patience_s, self.gateways
        while waiting := [gateway for gateway in waiting if not done(gateway)]:
            if self._clock_s() > until:
                raise StartError(
                    f"{len(waiting)} gateways, {waiting[0].name} first, hear nothing of the cloud"
                )
            await asyncio.sleep(LOOK_S)

    async def close(self) -> None:
        """Disconnect all."""
        for task in (self._chores, *self._links):
            task.cancel()
        await asyncio.gather(self._chores, *self._links, return_exceptions=True)

    async def _pace(self) -> None:
        """One gateway after the other, evenly over the interval; latencies count from the due time."""
        each_s = self._plan.interval_s / len(self.gateways)
        total = round(self._plan.duration_s / each_s)
        offset_ms = self._now_ms() - 1000 * self._clock_s()
        turn = 0
        while turn < total and not self._is_over:
            due = min(total, int((self._clock_s() - self._begun_s) / each_s) + 1)
            while turn < due:
                due_s = self._begun_s + turn * each_s
                gateway = self.gateways[turn % len(self.gateways)]
                gateway.make(int(offset_ms + 1000 * due_s), due_s)
                gateway.push()
                turn += 1
            await asyncio.sleep(TICK_S)

    async def _keep_connected(self, gateway: Gateway) -> None:
        pause = BACKOFF_S[0]
        firmware = self._boards.all[gateway.name] if self._boards is not None else None
        while True:
            try:
                if firmware is not None:
                    await firmware.works.wait()
                async with self._gate:
                    connection = await self._open(gateway)
            except (Refused, OSError, TimeoutError) as error:
                log.warning("%s: %s", gateway.name, error)
            else:
                pause = BACKOFF_S[0]
                if firmware is not None:
                    firmware.gone = connection.abort
                    if not firmware.works.is_set():
                        connection.abort()
                try:
                    log.info("%s: connection lost: %s", gateway.name, await connection.lost)
                finally:
                    gateway.end()
                    self._connections.pop(gateway.name, None)
                    connection.close()
                self._lost += 1
            await asyncio.sleep(random.uniform(pause / 2, pause))  # noqa: S311 - spreads reconnects
            pause = min(pause * 2, BACKOFF_S[1])

    async def _open(self, gateway: Gateway) -> Connection:
        state = topic(gateway.name, Message.STATE)
        hello = packets.connect(
            gateway.name, self._secrets[gateway.name], packets.Will(state, gateway.will()), KEEPALIVE_S
        )
        connection = await self._broker.connect(
            hello, gateway_filter().format(gateway=gateway.name), gateway.take
        )
        self._connections[gateway.name] = connection
        connection.publish(state.encode(), gateway.online(self._now_ms()), retain=True)
        gateway.begin(connection.publish)
        return connection

    async def _look_after(self) -> None:
        """Pulses, pings and repetitions, spread so that no two gateways have their turn together."""
        rounds = max(1, round(PULSE_S / 2 / CHORES_S))
        turn = 0
        while True:
            await asyncio.sleep(CHORES_S)
            turn += 1
            for number, gateway in enumerate(self.gateways):
                if gateway.served:
                    gateway.repeat()
                if (number + turn) % rounds or not (connection := self._connections.get(gateway.name)):
                    continue
                connection.ping()
                if not gateway.served:
                    gateway.hello()
                elif (number + turn) // rounds % 2:
                    gateway.pulse()

    def acknowledged(self) -> Iterator[dict[str, Any]]:
        """What the cloud has acknowledged, a gateway each: every point at these times (signals.Signals)."""
        for gateway in self.gateways:
            yield {
                "gateway": gateway.name,
                "stream": gateway.stream,
                "seed": self._plan.seed,
                "points": self._plan.points,
                "t_ms": sorted(gateway.counts.acknowledged_ms),
            }

    def summary(self) -> dict[str, Any]:
        """Figures of the run."""
        counts = [gateway.counts for gateway in self.gateways]
        points, seconds = self._plan.points, self._ended_s - self._begun_s
        acknowledged = sum(len(count.acknowledged_ms) for count in counts)
        return {
            "gateways": len(self.gateways),
            "seed": self._plan.seed,
            "points": points,
            "seconds": seconds,
            "made": sum(count.made for count in counts),
            "sent": sum(count.sent for count in counts),
            "acknowledged": acknowledged,
            "repeated": sum(count.repeated for count in counts),
            "unreadable": sum(count.unreadable for count in counts),
            "connections_lost": self._lost,
            "samples_per_s": acknowledged * points / seconds,
            "live_ms": quantiles([late for count in counts for late in count.live_ms]),
            "history_ms": quantiles([late for count in counts for late in count.history_ms]),
            **({"firmware": self._boards.summary()} if self._boards is not None else {}),
        }


def quantiles(values: list[float]) -> dict[str, float]:
    """Nearest-rank p50, p99 and the worst; empty when there are none."""
    ordered = sorted(values)
    if not ordered:
        return {}
    last = len(ordered) - 1
    return {"p50": ordered[last // 2], "p99": ordered[int(last * 0.99)], "worst": ordered[last]}
