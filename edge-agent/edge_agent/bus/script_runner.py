"""Runs the scripts of a configuration in their sandbox, one after the other, and publishes their outputs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from edge_agent.bus.calculator import Scripted
from edge_agent.config.calculated import ScriptPlan
from edge_agent.model import Quality, Row, Value
from edge_agent.points import LiveTable, PointBlock
from edge_agent.points.calculation import newest_ms, worst_quality
from edge_agent.sandbox import ScriptHost
from edge_agent.sandbox.model import Outcome, SandboxScript
from edge_agent.system.clock import Clock
from edge_contract.freshness import HAS_VALUE

log = logging.getLogger(__name__)

Publish = Callable[[Row, PointBlock], None]


def sandbox_script(plan: ScriptPlan) -> SandboxScript:
    """The script of a plan as the sandbox takes it."""
    script = plan.script
    return SandboxScript(script.name, script.text, tuple(plan.inputs), tuple(plan.outputs), script.state)


class ScriptRunner:
    """want() asks for a run; a script that waits already runs once. Bounded by the number of scripts."""

    def __init__(self, host: ScriptHost, live: LiveTable, publish: Publish, clock: Clock) -> None:
        self._host = host
        self._live = live
        self._publish = publish
        self._clock = clock
        self._wanted: dict[Scripted, None] = {}
        self._wake = asyncio.Event()

    def want(self, one: Scripted) -> None:
        """Run this script once the ones before it have ended; wanted twice it runs once."""
        self._wanted[one] = None
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled; the sandbox's process ends with it."""
        async with self._host:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._wanted:
                    one = next(iter(self._wanted))
                    del self._wanted[one]
                    await self._run(one)

    async def _run(self, one: Scripted) -> None:
        """Nothing new among the operands is no reason to run: a script may add up what it sees."""
        samples = [self._live.get(number) for number in one.operands]
        seen = [(sample.t_ms, sample.quality) if sample else None for sample in samples]
        if one.operands and one.reported == seen:
            return
        one.reported = seen
        now_ms = self._clock.now_ms()
        worst = worst_quality(samples, one.limits_ms, now_ms)
        inputs = {
            name: sample.value if sample is not None and sample.quality in HAS_VALUE else None
            for name, sample in zip(one.plan.inputs, samples, strict=True)
        }
        script = one.plan.script
        outcome = await self._host.run(script.name, inputs, script.timeout_ms / 1000)
        self._note(one, outcome)
        self._publish(
            row_of(one.block, outcome, one.plan.outputs, worst, newest_ms(samples, now_ms)), one.block
        )

    def _note(self, one: Scripted, outcome: Outcome) -> None:
        """Said once, until it changes."""
        trouble = f"{outcome.trouble} in line {outcome.line}: {outcome.detail}" if outcome.trouble else ""
        if trouble and trouble != one.trouble:
            log.warning("script %s has no result: %s", one.plan.script.name, trouble)
        elif one.trouble and not trouble:
            log.info("script %s has results again", one.plan.script.name)
        one.trouble = trouble


def row_of(block: PointBlock, outcome: Outcome, outputs: Mapping[str, int], worst: Quality, t_ms: int) -> Row:
    """Outputs without a value say what was wrong with the inputs, else that there is none to represent."""
    without = Quality.OUT_OF_RANGE if worst in HAS_VALUE else worst
    if outcome.trouble is not None:
        return block.without_value(without, t_ms)
    values: list[Value] = [outcome.outputs.get(name) for name in outputs]
    row = block.row(values, t_ms)
    qualities = row.qualities or (Quality.GOOD,) * len(row)
    known = worst if worst in HAS_VALUE else Quality.GOOD
    qualities = [
        without if value is None else max(quality, known)
        for value, quality in zip(row.values, qualities, strict=True)
    ]
    return Row(row.points, t_ms, row.values, qualities if any(qualities) else None)
