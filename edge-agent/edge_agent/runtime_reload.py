"""Replaces the running parts by those of another configuration, in one process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

from edge_agent.config.model import Configuration
from edge_agent.errors import AgentError
from edge_agent.model import PointKey
from edge_agent.remote.running_health import RunningHealth

log = logging.getLogger(__name__)

P = TypeVar("P")


class SwitchFailed(AgentError):
    """The parts of a configuration could not be put together."""


class RuntimeReload(Generic[P]):
    """remote.trial.Plant: what runs, for who switches it.

    assemble: parts of a configuration; supervise: runs them until its event is set; health: of parts.
    """

    def __init__(
        self,
        assemble: Callable[[Configuration], AbstractAsyncContextManager[P]],
        supervise: Callable[[P, asyncio.Event], Awaitable[None]],
        health: Callable[[P], RunningHealth],
    ) -> None:
        self.failure = ""
        self._health_of = health
        self._health: RunningHealth | None = None
        self._configuration: Configuration | None = None
        self._assemble = assemble
        self._supervise = supervise
        self._leave = asyncio.Event()
        self._stopping = False
        self._next: tuple[Configuration, bool, asyncio.Future[None]] | None = None
        self._watched = False
        self._up: asyncio.Future[None] | None = None  # of who asked for what starts now
        self._answered: set[str] = set()  # slaves, before what runs now

    @property
    def configuration(self) -> Configuration:
        """What runs, or was to run. Raises LookupError before the first start."""
        if self._configuration is None:
            raise LookupError("nothing was started yet")
        return self._configuration

    def good(self) -> set[PointKey]:
        return set() if self._health is None else self._health.good()

    def answering(self) -> set[str]:
        return set() if self._health is None else self._health.answering()

    def answered(self) -> set[str]:
        return set(self._answered) if self._health is None else self._health.answered(self._answered)

    def linked(self) -> bool:
        return self._health is not None and self._health.linked()

    def reasons(self) -> dict[str, str]:
        return {} if self._health is None else self._health.reasons()

    def goodbye(self) -> str:
        """Why what runs ends: another configuration, or the program's end."""
        return "stopped" if self._stopping or self._next is None else "switched"

    def stop(self) -> None:
        """End what runs, and run() with it."""
        self._stopping = True
        self._leave.set()

    async def switch(self, configuration: Configuration, *, watched: bool) -> None:
        """Return when it runs. SwitchFailed when it cannot; what ran before does not come back by itself.

        watched: its failure is noted in failure and left to the caller; another one ends run().
        """
        self._answered = self.answered()
        up = asyncio.get_running_loop().create_future()
        self._next = configuration, watched, up
        self._leave.set()
        await up

    def end_watch(self) -> None:
        """What runs is watched no longer: it is as any other."""
        self._watched = False

    async def run(self, configuration: Configuration, *, watched: bool = False) -> None:
        """Until stop(), or until a generation fails that nobody watches."""
        self._watched = watched
        while True:
            await self._run_one(configuration)
            if self._stopping or self._next is None:
                return
            (configuration, self._watched, self._up), self._next = self._next, None
            self._leave.clear()

    async def _run_one(self, configuration: Configuration) -> None:
        self.failure, self._configuration = "", configuration
        try:
            async with self._assemble(configuration) as parts:
                self._health = self._health_of(parts)
                self._answer(None)
                await self._supervise(parts, self._leave)
        except Exception as error:  # supervisor: a configuration on trial must not take the agent with it
            if not self._watched:
                self._answer(SwitchFailed(str(error)))
                raise
            log.exception("the configuration on trial failed")
            self.failure = f"{type(error).__name__}: {first(error)}"
            self._answer(SwitchFailed(first(error)))
            self._health = None
            await self._leave.wait()
        finally:
            self._health = None

    def _answer(self, error: SwitchFailed | None) -> None:
        up, self._up = self._up, None
        if up is None or up.done():
            return
        if error is None:
            up.set_result(None)
        else:
            up.set_exception(error)


def first(error: BaseException) -> str:
    """Words of the first error in nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


@contextlib.asynccontextmanager
async def beside(work: Coroutine[Any, Any, None], stop: Callable[[], None]) -> AsyncIterator[None]:
    """Run work beside the block, which is ended if the work fails; then its error is raised."""
    task = asyncio.create_task(work)
    task.add_done_callback(lambda _: stop())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()
