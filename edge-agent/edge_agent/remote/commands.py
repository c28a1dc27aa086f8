"""Commands of the cloud or of a target: at most once each, whatever is delivered twice and whenever the power
fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from zlib import crc32

from edge_agent.errors import StoreFull
from edge_agent.remote.execution import FAIL, OF_POINTS, RESP, Execution
from edge_agent.remote.service import COMES_BACK
from edge_agent.remote.unknown_writes import Newest, UnknownWrites
from edge_agent.store.base import CommandJournal
from edge_contract.payloads import ONLY_LOOK, Command, CommandResult, Outcome

log = logging.getLogger(__name__)

MAX_WAITING = 256
"""Commands that wait for one queue: a whole batch of the cloud may be for one slave."""
POINT_QUEUES = 4
"""Slaves are spread over these; those of one queue take turns, so that writes to a slave keep their order."""
BUSY_REMEMBERED = 256


class DispatchQueue:
    """Commands that are carried out one after the other. refusing: those that came when it was full."""

    def __init__(self) -> None:
        self.queue: deque[Command] = deque()
        self.refusing: deque[Command] = deque(maxlen=BUSY_REMEMBERED)
        self._wake = asyncio.Event()

    def put(self, command: Command) -> bool:
        """False when it is to be answered 'busy'."""
        free = len(self.queue) < MAX_WAITING
        (self.queue if free else self.refusing).append(command)
        self._wake.set()
        return free

    async def take(self) -> tuple[Command, bool]:
        """The next command, and whether it is to be refused; refused ones do not wait for the others' end."""
        while not self.queue and not self.refusing:
            self._wake.clear()
            await self._wake.wait()
        if self.refusing:
            return self.refusing.popleft(), True
        return self.queue.popleft(), False


class CommandDispatcher:
    """take() never blocks. results is set when the journal holds a result that may be unsent.

    newest: what was last read of a point. source: who gives these commands, for the audit.
    """

    def __init__(
        self,
        execution: Execution,
        journal: CommandJournal,
        newest: Newest = lambda key: None,
        source: str = "cloud",
    ) -> None:
        self.results = asyncio.Event()
        self.refused = 0
        self.unrecorded = 0
        self._execution = execution
        self._journal = journal
        self._source = source
        self._clock = execution.clock
        self._queues = [DispatchQueue() for _ in range(POINT_QUEUES)]
        self._service = DispatchQueue()  # an action of the gateway may take minutes and delays no write
        self._unknown_writes = UnknownWrites(execution, journal, newest, self.results.set)

    def take(self, command: Command) -> None:
        """Accept a command; with too many waiting it will be answered 'busy' instead of executed."""
        if command.action in OF_POINTS:
            queue = self._queues[crc32((command.slave or "").encode()) % POINT_QUEUES]
        else:
            queue = self._service
        if not queue.put(command):
            self.refused += 1

    async def run(self) -> None:
        """First answer what a crash interrupted, then work until cancelled."""
        await self.recover()
        async with asyncio.TaskGroup() as group:
            for queue in (*self._queues, self._service):
                group.create_task(self._work(queue))
            group.create_task(self._unknown_writes.run())

    async def recover(self) -> None:
        """A command that was begun and has no result may or may not have reached the device: never again.

        One that was to start the gateway again is done: here it is.
        """
        for command in await self._journal.unfinished():
            if command.action in COMES_BACK:
                log.info("audit: command %s (%s): the gateway is back", command.id, command.action.value)
                done = CommandResult(
                    id=command.id, state=RESP, t_ms=self._clock.now_ms(), outcome=Outcome.DONE
                )
                await self._finish(command, done)
                continue
            log.warning(
                "command %s was interrupted by a stop of the agent; it is not executed again", command.id
            )
            acts = command.action not in ONLY_LOOK
            interrupted = CommandResult(
                id=command.id,
                state=FAIL,
                t_ms=self._clock.now_ms(),
                code="interrupted",
                detail="the gateway stopped while executing",
                outcome=Outcome.UNKNOWN if acts else Outcome.FAILED,
            )
            await self._finish(command, interrupted)

    async def _work(self, queue: DispatchQueue) -> None:
        while True:
            command, busy = await queue.take()
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
                outcome=Outcome.FAILED,
            )
        else:
            who = f"{self._source} ({command.by})" if command.by else self._source
            result = await self._execution.execute(command, who)
        await self._finish(command, result)

    async def _finish(self, command: Command, result: CommandResult) -> None:
        await self._journal.finish(result)
        self._unknown_writes.add(command, result)
        self.results.set()
