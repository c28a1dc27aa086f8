"""One set of parts after the other: switched, failed, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable

import pytest

from edge_agent.config.model import Configuration, Gateway
from edge_agent.forwarding.link import LinkState
from edge_agent.model import PointKey, Quality, Row
from edge_agent.points import LiveTable
from edge_agent.remote.running_health import RunningHealth
from edge_agent.runtime_reload import RuntimeReload, SwitchFailed

KEY = PointKey("boiler", "t")
COMES_S = 10.0


class Parts:
    """title "cannot": cannot be assembled; "fails": fails once breaks is set."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.goodbyes: list[str] = []
        self.goodbye: Callable[[], str] = str
        self.breaks = asyncio.Event()

    @contextlib.asynccontextmanager
    async def assemble(self, configuration: Configuration) -> AsyncIterator[Configuration]:
        title = configuration.gateway.title
        if title == "cannot":
            raise OSError("no such thing")
        self.events.append(f"+{title}")
        try:
            yield configuration
        finally:
            self.events.append(f"-{title}")
            self.goodbyes.append(self.goodbye())

    async def supervise(self, configuration: Configuration, leave: asyncio.Event) -> None:
        if configuration.gateway.title == "fails":
            async with asyncio.TaskGroup() as group:
                group.create_task(self.fail())
        await leave.wait()

    async def fail(self) -> None:
        await self.breaks.wait()
        raise RuntimeError("broken")

    def health(self, configuration: Configuration) -> RunningHealth:
        live = LiveTable()
        live.update(Row((7, 8), 1, (1.0, None), (Quality.GOOD, Quality.BAD_FRAME)))
        numbers = {KEY: 7, PointKey("boiler", "p"): 8, PointKey("boiler", "never"): 9}
        return RunningHealth(configuration, numbers, live, list, LinkState(accepted=True))


async def until(done: Callable[[], object]) -> None:
    async with asyncio.timeout(COMES_S):
        while not done():  # noqa: ASYNC110 (states announce nothing)
            await asyncio.sleep(0.005)


def named(title: str) -> Configuration:
    return Configuration(gateway=Gateway(id="gw-test-1", title=title))


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
def made(parts: Parts) -> RuntimeReload[Configuration]:
    runtime = RuntimeReload(parts.assemble, parts.supervise, parts.health)
    parts.goodbye = runtime.goodbye
    return runtime


async def test_one_ends_before_the_next_begins(parts: Parts, made: RuntimeReload[Configuration]) -> None:
    running = asyncio.create_task(made.run(named("a")))
    await until(made.linked)
    assert (made.good(), made.linked()) == ({KEY}, True)
    await made.switch(named("b"), watched=False)
    assert made.configuration.gateway.title == "b"
    made.stop()
    await running
    assert parts.events == ["+a", "-a", "+b", "-b"]
    assert parts.goodbyes == ["switched", "stopped"], "what the cloud is told"
    assert (made.good(), made.linked()) == (set(), False)


@pytest.mark.clause("C-094")
async def test_a_watched_one_may_fail_and_another_take_its_place(
    parts: Parts, made: RuntimeReload[Configuration]
) -> None:
    running = asyncio.create_task(made.run(named("a")))
    with pytest.raises(SwitchFailed, match="no such thing"):
        await made.switch(named("cannot"), watched=True)
    assert made.failure
    await made.switch(named("fails"), watched=True)
    assert not made.failure
    parts.breaks.set()
    await until(lambda: made.failure)
    assert made.failure == "ExceptionGroup: broken"
    await made.switch(named("a"), watched=False)
    assert not made.failure
    made.stop()
    await running
    assert parts.events == ["+a", "-a", "+fails", "-fails", "+a", "-a"]


async def test_a_failure_that_nobody_watches_ends_it(made: RuntimeReload[Configuration]) -> None:
    with pytest.raises(OSError, match="no such thing"):
        await made.run(named("cannot"))
    running = asyncio.create_task(made.run(named("a")))
    with pytest.raises(SwitchFailed):
        await made.switch(named("cannot"), watched=False)
    with pytest.raises(OSError, match="no such thing"):
        await running


async def test_after_its_trial_it_is_watched_no_longer(
    parts: Parts, made: RuntimeReload[Configuration]
) -> None:
    running = asyncio.create_task(made.run(named("a")))
    await made.switch(named("fails"), watched=True)
    made.end_watch()
    parts.breaks.set()
    with pytest.raises(ExceptionGroup, match="unhandled"):
        await running


async def test_a_stop_ends_a_failed_one_too(made: RuntimeReload[Configuration]) -> None:
    running = asyncio.create_task(made.run(named("cannot"), watched=True))
    await until(lambda: made.failure)
    made.stop()
    await running


@pytest.mark.clause("C-094")
def test_a_process_that_hangs_is_ended_by_the_system() -> None:
    """What a deployment arms before its configuration runs; the next start goes back."""
    lines = [
        "import signal",
        "from edge_agent.app import end_after",
        "end_after(60)",
        "armed = signal.getitimer(signal.ITIMER_REAL)[0]",
        "end_after(0)",
        "print(armed > 0, signal.getitimer(signal.ITIMER_REAL)[0], flush=True)",
        "end_after(0.2)",
        "while True: pass",
    ]
    words = [sys.executable, "-c", "\n".join(lines)]
    hung = subprocess.run(words, check=False, timeout=30, capture_output=True)
    assert (hung.returncode, hung.stdout) == (-signal.SIGALRM, b"True 0.0\n")
