"""The internal slave: its masters over TCP and on a serial line, and its state for people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from edge_agent.config.model import Configuration, InternalSlave, Point
from edge_agent.internal_slave.answers import AnswerCounts, MasterAnswers
from edge_agent.internal_slave.mapping import RegisterMap, mapped_points
from edge_agent.internal_slave.masters import MasterListener
from edge_agent.model import PointKey, Sample
from edge_agent.remote.execution import Execution
from edge_agent.system.rate import Rate
from edge_contract.fieldbus import InternalSlaveFigures, MasterFigures
from edge_contract.limits import MAX_TEXT


@dataclass(frozen=True)
class MasterState:
    """One connection, for people."""

    peer: str
    since_ms: int
    requests: int


@dataclass(frozen=True)
class InternalSlaveState:
    """fault: why it does not listen, empty when it does.

    refused: connections; bad_frames: connections that ended by bytes that are no frame.
    """

    id: int
    points: int
    listens: str
    fault: str
    masters: tuple[MasterState, ...]
    counts: AnswerCounts
    refused: int
    bad_frames: int
    discarded_bytes: int


class ModbusInternalSlave:
    """run() until cancelled. newest, last: of a point by number (points.LiveTable)."""

    def __init__(
        self,
        settings: InternalSlave,
        configuration: Configuration,
        points: Mapping[PointKey, Point],
        numbers: Mapping[PointKey, int],
        newest: Callable[[int], Sample | None],
        last: Callable[[int], Sample | None],
        execution: Execution,
    ) -> None:
        self._settings = settings
        self._mapped = mapped_points(configuration.internal_slave_points, points, numbers)
        self._answers = MasterAnswers(
            registers=RegisterMap(self._mapped),
            newest=newest,
            last=last,
            execution=execution,
            bad_values=settings.bad_values,
            max_age_s=settings.max_age_s,
            rate=Rate(settings.max_writes_per_min / 60, settings.max_writes_per_min),
        )
        clock = execution.clock
        self.listener = MasterListener(settings, self._answers, clock) if settings.tcp else None
        self._line = None
        if settings.device:
            from edge_agent.internal_slave.line import (
                SerialMaster,  # the serial library only where it is used
            )

            self._line = SerialMaster(settings, self._answers, clock)

    async def run(self) -> None:
        """Both ways at once."""
        async with asyncio.TaskGroup() as group:
            for way in (self.listener, self._line):
                if way is not None:
                    group.create_task(way.run())

    def state(self) -> InternalSlaveState:
        """What the local page displays."""
        listener, line = self.listener, self._line
        listens = [f"{self._settings.host}:{self._settings.port}"] if listener else []
        faults = [way.fault for way in (listener, line) if way is not None and way.fault]
        return InternalSlaveState(
            id=self._settings.id,
            points=len(self._mapped),
            listens=", ".join([*listens, *([self._settings.device] if line else [])]),
            fault="; ".join(faults),
            masters=tuple(
                MasterState(one.peer, one.since_ms, one.requests)
                for one in (listener.masters if listener else ())
            ),
            counts=self._answers.counts,
            refused=listener.refused if listener else 0,
            bad_frames=listener.bad_frames if listener else 0,
            discarded_bytes=line.discarded_bytes if line else 0,
        )

    def figures(self) -> InternalSlaveFigures:
        """What the cloud is told."""
        state = self.state()
        counts = state.counts
        return InternalSlaveFigures(
            id=state.id,
            points=state.points,
            listens=state.listens[:MAX_TEXT],
            fault=state.fault[:MAX_TEXT],
            masters=[
                MasterFigures(peer=one.peer[:MAX_TEXT], since_ms=one.since_ms, requests=one.requests)
                for one in state.masters
            ],
            requests=counts.requests,
            exceptions=counts.exceptions,
            values_written=counts.values_written,
            refused=state.refused,
            bad_frames=state.bad_frames,
            discarded_bytes=state.discarded_bytes,
            last_error=counts.last_error[:MAX_TEXT],
            last_error_ms=counts.last_error_ms,
        )
