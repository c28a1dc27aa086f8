"""Commands of the cloud: at most once each, whatever is delivered twice and whenever the power fails."""

from __future__ import annotations

import asyncio
import logging
from collections import deque

from edge_agent.errors import StoreFull
from edge_agent.remote.execution import FAIL, Execution
from edge_agent.store.base import CommandJournal
from edge_contract.payloads import Command, CommandResult

log = logging.getLogger(__name__)

MOST_WAITING = 64
WORKERS = 4
"""Commands under way together; each port takes one at a time anyway."""
BUSY_REMEMBERED = 256


class CommandDesk:
    """take() never blocks. results is set when the journal holds a result that may be unsent."""

    def __init__(self, execution: Execution, journal: CommandJournal) -> None:
        self.results = asyncio.Event()
        self.refused = 0
        self.unrecorded = 0
        self._execution = execution
        self._journal = journal
        self._clock = execution.clock
        self._queue: asyncio.Queue[Command] = asyncio.Queue(MOST_WAITING)
        self._refusing: deque[Command] = deque(maxlen=BUSY_REMEMBERED)
        self._wake = asyncio.Semaphore(0)

    def take(self, command: Command) -> None:
        """Accept a command; with too many waiting it will be answered 'busy' instead of executed."""
        try:
            self._queue.put_nowait(command)
        except asyncio.QueueFull:
            self.refused += 1
            self._refusing.append(command)
        self._wake.release()

    async def run(self) -> None:
        """First answer what a crash interrupted, then work until cancelled."""
        await self.recover()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work())

    async def recover(self) -> None:
        """A command that was begun and has no result may or may not have reached the device: never again."""
        for command_id in await self._journal.unfinished():
            log.warning(
                "command %s was interrupted by a stop of the agent; it is not executed again", command_id
            )
            await self._finish(
                CommandResult(
                    id=command_id,
                    state=FAIL,
                    t_ms=self._clock.now_ms(),
                    code="interrupted",
                    detail="the gateway stopped while executing; the device may or may not have been written",
                )
            )

    async def _work(self) -> None:
        while True:
            await self._wake.acquire()
            busy = bool(self._refusing) and self._queue.empty()
            if not busy and self._queue.empty():
                continue
            command = self._refusing.popleft() if busy else self._queue.get_nowait()
            try:
                await self._handle(command, busy=busy)
            except StoreFull as error:
                self.unrecorded += 1
                log.error("command %s cannot be recorded and is not executed: %s", command.id, error)

    async def _handle(self, command: Command, *, busy: bool) -> None:
        if not await self._journal.begin(command, self._clock.now_ms()):
            await self._journal.reopen(command.id)
            self.results.set()
            return
        if busy:
            result = CommandResult(
                id=command.id,
                state=FAIL,
                t_ms=self._clock.now_ms(),
                code="busy",
                detail="too many commands wait",
            )
        else:
            result = await self._execution.execute(command, "cloud")
        await self._finish(result)

    async def _finish(self, result: CommandResult) -> None:
        await self._journal.finish(result)
        self.results.set()
