"""Starting the gateway again. What is run is fixed here: no configuration and no cloud can name a command."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import sys
from collections.abc import Callable
from typing import Protocol

from edge_agent.errors import AgentError
from edge_agent.firmware import launcher

log = logging.getLogger(__name__)

MACHINE = (("systemctl", "reboot"), ("reboot",))
"""What restarts a machine; the first one that is there."""

ANSWER_S = 10.0
"""A machine that shuts down lets its callers go within this time, or ends them."""


class RestartRefused(AgentError):
    """The machine does not restart for the agent's user."""

    code = "refused"


class Restart(Protocol):
    """One way of starting again."""

    async def begin(self) -> None:
        """Return when it is under way: the agent will be ended. RestartRefused when it is not."""


class AgentRestart:
    """The agent stops in order and begins anew in the same process, with or without a service manager."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self.requested = False
        self._stop = stop

    async def begin(self) -> None:
        self.requested = True
        self._stop()


class MachineRestart:
    """The operating system starts again."""

    def __init__(self, candidates: tuple[tuple[str, ...], ...] = MACHINE) -> None:
        self._candidates = candidates

    async def begin(self) -> None:
        """Restart the machine. Raises RestartRefused when it has no such command, or the command fails."""
        words = next((words for words in self._candidates if shutil.which(words[0])), None)
        if words is None:
            raise RestartRefused("this machine has no command to restart it")
        log.warning("restarting the machine")
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
            )
            async with asyncio.timeout(ANSWER_S):
                _, said = await process.communicate()
        except TimeoutError:
            return  # it is on its way and ends the agent
        except OSError as error:
            raise RestartRefused(f"{words[0]}: {error.strerror}") from None
        if process.returncode:
            lines = said.decode(errors="replace").strip().splitlines()
            raise RestartRefused(f"{words[0]}: {lines[-1] if lines else process.returncode}"[:200])


def start_again() -> None:
    """Replace this process by a new one with the words that it, or its launcher, had; returns never."""
    signal.setitimer(signal.ITIMER_REAL, 0)  # an alarm of this process would end the next one
    words, environment = launcher.start_again()
    os.execve(sys.executable, words, environment)  # noqa: S606 - its own program, without a shell
