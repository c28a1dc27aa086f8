"""Ways of starting again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from edge_agent.system import restart
from edge_agent.system.restart import AgentRestart, MachineRestart, RestartRefused

AGAIN = """
import os, signal, sys
from edge_agent.system.restart import start_again
print(os.getpid(), sys.argv[1:], signal.getitimer(signal.ITIMER_REAL)[0], flush=True)
if "AGAIN" not in os.environ:
    os.environ["AGAIN"] = "1"
    signal.setitimer(signal.ITIMER_REAL, 30)
    start_again()
"""


async def test_the_agent_is_ordered_to_stop() -> None:
    stopped = []
    way = AgentRestart(lambda: stopped.append("now"))
    assert not way.requested
    await way.begin()
    assert (way.requested, stopped) == (True, ["now"])


def test_the_same_process_with_the_same_words_and_no_alarm() -> None:
    words = [sys.executable, "-c", AGAIN, "run", "--data", "a folder"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30)
    first, second = done.stdout.splitlines()
    assert first == second
    assert first.endswith("['run', '--data', 'a folder'] 0.0")


async def test_the_first_command_that_is_there() -> None:
    await MachineRestart((("no-such-command",), ("true",))).begin()


async def test_no_command_at_all() -> None:
    with pytest.raises(RestartRefused, match="no command to restart it"):
        await MachineRestart((("no-such-command",),)).begin()


async def test_a_machine_that_refuses_says_why() -> None:
    with pytest.raises(RestartRefused, match=r"^sh: not for you$"):
        await MachineRestart((("sh", "-c", "echo first >&2; echo not for you >&2; exit 1"),)).begin()


async def test_a_machine_that_is_on_its_way_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart, "ANSWER_S", 0.05)
    begun: list[asyncio.subprocess.Process] = []
    begin = asyncio.create_subprocess_exec

    async def noted(*words: str, **more: Any) -> asyncio.subprocess.Process:
        begun.append(await begin(*words, **more))
        return begun[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    await MachineRestart((("sleep", "30"),)).begin()
    [down] = begun
    assert down.returncode is None
    down.kill()
    await down.communicate()  # its pipe is closed before the loop is
