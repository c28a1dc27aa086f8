"""Sends every loop-write task's message in its interval, and keeps what came of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from edge_agent.bus.commands import Ask, Work
from edge_agent.config.model import Configuration, LoopWrite, Port, Slave
from edge_agent.errors import AgentError, FieldbusError
from edge_agent.loop_write.exchange import exchange
from edge_agent.loop_write.faults import zone_of
from edge_agent.loop_write.message import custom_bytes, hex_bytes, register_bytes
from edge_agent.model import Seen
from edge_agent.system.clock import Clock, clock_set
from edge_agent.transports.opening import transport_of
from edge_contract.fieldbus import LoopWriteFigures
from edge_contract.limits import MAX_TEXT

log = logging.getLogger(__name__)

T = TypeVar("T")

WAIT_S = 10.0
"""How long a message waits for its turn on the port."""
HOLD_S = 5.0
"""How long opening, sending and closing may take beside the answer of a custom message."""
CLOCK_LOOK_S = 10.0
"""How often a task that sends the time looks whether the clock is set by now."""

DONE, WAITING, DISABLED, CLOCK_NOT_SET = "done", "waiting", "disabled", "clock_not_set"


class MessageBus(Protocol):
    """The bus, as far as loop writes need it."""

    async def ask(self, slave: str, ask: Ask[T], timeout_s: float) -> T:
        """Raises FieldbusError, and what ask raises."""

    async def run_locked(
        self, port: str, work: Work[T], max_s: float, wait_s: float, who: str = "", *, is_brief: bool = False
    ) -> T:
        """Raises FieldbusError, and what the work raises."""


@dataclass
class LoopWriteState:
    """outcome: done, or why not; reason in words. missed: intervals while a message was under way.

    last_error: reason of the newest message that failed, and when it was; it stays when later ones arrive.
    """

    name: str
    slave: str
    interval_s: int
    outcome: str = WAITING
    reason: str = ""
    last_ms: int = 0
    sent: int = 0
    failed: int = 0
    missed: int = 0
    last_error: str = ""
    last_error_ms: int = 0


class LoopWriter:
    """run() until cancelled. A task waits for its own message alone, and makes up for no missed one."""

    def __init__(self, configuration: Configuration, bus: MessageBus, clock: Clock) -> None:
        slaves = {slave.name: slave for slave in configuration.slaves}
        ports = {port.name: port for port in configuration.ports}
        self._bus = bus
        self._clock = clock
        self._tasks: list[tuple[LoopWrite, Slave, Port, LoopWriteState]] = []
        for task in configuration.loop_writes:
            slave = slaves[task.slave]
            port = ports[slave.port]
            state = LoopWriteState(task.name, task.slave, task.interval_s)
            if not (task.enable and slave.enable and port.enable):
                state.outcome = DISABLED
            self._tasks.append((task, slave, port, state))

    def states(self) -> Sequence[dict[str, Any]]:
        """Of every task, in the configuration's order."""
        return [asdict(state) for *_, state in self._tasks]

    def figures(self) -> list[LoopWriteFigures]:
        """What the cloud is told, in the same order."""
        return [
            LoopWriteFigures(
                name=state.name,
                outcome=state.outcome[:MAX_TEXT],
                last_ms=state.last_ms,
                sent=state.sent,
                failed=state.failed,
                missed=state.missed,
                last_error=state.last_error[:MAX_TEXT],
                last_error_ms=state.last_error_ms,
            )
            for *_, state in self._tasks
        ]

    async def run(self) -> None:
        """Every enabled task by itself."""
        async with asyncio.TaskGroup() as group:
            for task, slave, port, state in self._tasks:
                if state.outcome != DISABLED:
                    group.create_task(self._repeat(task, slave, port, state), name=f"loop write {task.name}")

    async def _repeat(self, task: LoopWrite, slave: Slave, port: Port, state: LoopWriteState) -> None:
        due = self._clock.monotonic()
        while True:
            if task.content == "real_time" and not clock_set(self._clock.now_ms()):
                state.outcome, state.reason = CLOCK_NOT_SET, "the clock is not set"
                due = self._clock.monotonic() + min(task.interval_s, CLOCK_LOOK_S)
            else:
                await self._send(task, slave, port, state)
                periods = int((self._clock.monotonic() - due) // task.interval_s) + 1
                state.missed += periods - 1
                due += periods * task.interval_s
            await self._clock.sleep(max(due - self._clock.monotonic(), 0))

    async def _send(self, task: LoopWrite, slave: Slave, port: Port, state: LoopWriteState) -> None:
        before = state.outcome
        try:
            await self._message(task, slave, port)
        except AgentError as error:
            code = error.code if isinstance(error, FieldbusError) else "bad_value"
            self._failed(state, code, str(error))
        except Exception:  # supervisor: a fault in one task may end neither the others nor the agent
            log.exception("loop write %s failed", task.name)
            self._failed(state, "internal", "the gateway's log says why")
        else:
            state.outcome, state.reason = DONE, ""
            state.sent += 1
            if before not in (WAITING, CLOCK_NOT_SET, DONE):
                log.info("loop write %s is carried out again", task.name)
        state.last_ms = self._clock.now_ms()

    def _failed(self, state: LoopWriteState, code: str, reason: str) -> None:
        if state.outcome != code:
            log.warning("loop write %s to %s is not carried out: %s", state.name, state.slave, reason)
        state.outcome, state.reason = code, reason
        state.last_error, state.last_error_ms = reason, self._clock.now_ms()
        state.failed += 1

    async def _message(self, task: LoopWrite, slave: Slave, port: Port) -> None:
        moment = self._local_time(task)
        if task.message == "modbus":
            data = register_bytes(task, moment)

            async def write(driver: Any, to: Slave) -> None:
                await driver.write_content(to, task.reg_type, task.offset, data)

            await self._bus.ask(slave.name, write, WAIT_S + slave.response_timeout_ms / 1000)
            return
        message, expect = custom_bytes(task, moment), hex_bytes(task.expect)
        timeout_s = task.answer_timeout_ms / 1000 if expect else 0.0

        async def work(locked: Port, seen: Seen) -> None:
            await exchange(transport_of(locked, seen), locked, message, expect, timeout_s)

        who = f"loop write {task.name}"
        await self._bus.run_locked(port.name, work, HOLD_S + timeout_s, WAIT_S, who, is_brief=True)

    def _local_time(self, task: LoopWrite) -> datetime:
        """Now, in the task's time zone or the gateway's own."""
        return datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).astimezone(zone_of(task.time_zone))
