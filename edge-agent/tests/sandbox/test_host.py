"""The sandbox process under attack: through the language, past the language, and from outside."""

from __future__ import annotations

import ast
import asyncio
import base64
import marshal
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import CodeType

import pytest
from fuzzing.engine import run
from fuzzing.script import Scripts

from edge_agent.errors import ConfigError
from edge_agent.sandbox import Outcome, SandboxScript, ScriptHost, Trouble
from edge_agent.sandbox import host as host_file

PUMP = SandboxScript(
    "pump",
    "# hysteresis, and how often\n"
    "if level > high:\n    on = True\nelif level < low:\n    on = False\n"
    "turns += 1\npump = on\ncount = turns",
    inputs=("level", "low", "high"),
    outputs=("pump", "count"),
    state={"on": False, "turns": 0},
)
ADD = SandboxScript("add", "x = a + 1", ("a",), ("x",))
LOOP = SandboxScript("loop", "while True:\n    x = 1", (), ("x",))
LONG = SandboxScript(
    "long", "for i in range(1000000):\n    for j in range(1000000):\n        x = i ** j", (), ("x",)
)


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.fixture
async def host() -> AsyncIterator[ScriptHost]:
    async with ScriptHost([PUMP, ADD, LOOP, LONG], grace_s=5) as host:
        yield host


async def test_it_starts_with_the_first_run_and_not_before(host: ScriptHost) -> None:
    assert host.pid is None
    assert await host.run("add", {"a": 41}) == Outcome({"x": 42})
    assert host.pid is not None
    assert host.counters.starts == 1


async def test_state_survives_the_end_of_the_process(host: ScriptHost) -> None:
    seen = []
    for level in (5, 9, 5, 1, 5):
        outcome = await host.run("pump", {"level": level, "low": 2, "high": 8})
        seen.append(outcome.outputs["pump"])
        await host.stop()
    assert seen == [False, True, True, False, False]
    assert host.state("pump") == {"on": False, "turns": 5}
    assert host.counters.starts == 5


async def test_a_fault_names_the_line_and_does_not_touch_the_state(host: ScriptHost) -> None:
    await host.run("pump", {"level": 9, "low": 2, "high": 8})
    outcome = await host.run("pump", {"level": None, "low": 2, "high": 8})
    assert (outcome.trouble, outcome.line, outcome.outputs) == (Trouble.FAULT, 2, {})
    assert "no value" in outcome.detail
    assert host.state("pump") == {"on": True, "turns": 1}


async def test_inputs_are_checked(host: ScriptHost) -> None:
    assert (await host.run("nowhere", {})).trouble is Trouble.UNKNOWN
    assert (await host.run("add", {})).trouble is Trouble.INPUT
    assert (await host.run("add", {"a": "x" * 1001})).trouble is Trouble.INPUT
    assert (await host.run("add", {"a": float("nan")})).trouble is Trouble.FAULT
    assert (await host.run("add", {"a": 10**400})).trouble is Trouble.FAULT
    assert (await host.run("add", {"a": "text"})).trouble is Trouble.FAULT


async def test_a_row_is_no_output() -> None:
    async with ScriptHost([SandboxScript("row", "x = (1, 2)", (), ("x",))], grace_s=5) as host:
        assert (await host.run("row", {})).trouble is Trouble.FAULT


@pytest.mark.parametrize("name", ["loop", "long"])
async def test_endless_loops_end_in_time_and_strike_out(host: ScriptHost, name: str) -> None:
    await host.run("add", {"a": 1})
    pid = host.pid
    started = time.perf_counter()
    for _ in range(3):
        outcome = await host.run(name, {})
        assert outcome.trouble is Trouble.TIME
        assert outcome.line > 0
    assert time.perf_counter() - started < 10
    assert (await host.run(name, {})).trouble is Trouble.DISABLED
    assert await host.run("add", {"a": 1}) == Outcome({"x": 2})
    assert host.pid == pid, "the process itself is never the victim"
    host.enable(name)
    assert (await host.run(name, {})).trouble is Trouble.TIME


async def test_time_may_be_up_between_two_lines() -> None:
    """The jump back from an if that is not taken belongs to no line."""
    text = "for i in range(1000000):\n    if a:\n        x = 1\n" * 9
    async with ScriptHost([SandboxScript("jumps", text, ("a",), ("x",))], grace_s=5) as host:
        for _ in range(40):
            assert (await host.run("jumps", {"a": False}, timeout_s=0.004)).trouble is Trouble.TIME
            host.enable("jumps")
        assert host.counters.kills == 0


async def test_a_success_clears_the_strikes() -> None:
    script = SandboxScript("maybe", "while a:\n    x = 1\nx = 2", ("a",), ("x",))
    async with ScriptHost([script], grace_s=5) as host:
        for _ in range(3):
            for _ in range(2):
                assert (await host.run("maybe", {"a": True}, timeout_s=0.01)).trouble is Trouble.TIME
            assert await host.run("maybe", {"a": False}) == Outcome({"x": 2})


async def test_the_queue_is_bounded() -> None:
    async with ScriptHost([LOOP, ADD], max_waiting=3, grace_s=5) as host:
        outcomes = await asyncio.gather(*(host.run("add", {"a": number}) for number in range(10)))
    assert [outcome.trouble for outcome in outcomes] == [None] * 3 + [Trouble.BUSY] * 7
    assert host.counters.dropped == 7


async def test_a_cancelled_run_leaves_its_answer_to_nobody(host: ScriptHost) -> None:
    await host.run("add", {"a": 1})
    task = asyncio.create_task(host.run("loop", {}, timeout_s=0.2))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await host.run("add", {"a": 2}) == Outcome({"x": 3})


async def test_a_process_killed_between_runs_costs_nothing(host: ScriptHost) -> None:
    await host.run("add", {"a": 1})
    killed = host._process
    assert killed is not None
    os.kill(killed.pid, signal.SIGKILL)
    await asyncio.wait_for(killed.wait(), 20)
    assert await host.run("add", {"a": 1}) == Outcome({"x": 2})
    assert (host.counters.starts, host.counters.kills) == (2, 0)


async def test_a_process_that_does_not_answer_is_replaced() -> None:
    async with ScriptHost([ADD], grace_s=0.8) as host:
        await host.run("add", {"a": 1}, timeout_s=20)
        assert host.pid is not None
        stopped = host.pid
        os.kill(stopped, signal.SIGSTOP)
        started = time.perf_counter()
        outcome = await host.run("add", {"a": 1})
        assert outcome.trouble is Trouble.KILLED
        assert time.perf_counter() - started < 10
        assert not alive(stopped)
        assert host.pid is None
        assert host.counters.kills == 1
        await asyncio.sleep(0)
        assert (await host.run("add", {"a": 1}, timeout_s=20)) == Outcome({"x": 2})


async def test_the_process_ends_with_its_host(host: ScriptHost) -> None:
    await host.run("add", {"a": 1})
    pid = host.pid
    await host.stop()
    assert host.pid is None
    assert pid is not None and not alive(pid)


async def test_a_killed_process_that_ends_late_holds_up_nothing(
    host: ScriptHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    await host.run("add", {"a": 1})
    killed = host._process
    assert killed is not None
    with monkeypatch.context() as patch:
        patch.setattr(host_file, "STOP_S", 0.0)
        await host.stop()
    assert await host.run("add", {"a": 1}) == Outcome({"x": 2})
    assert (host.counters.starts, host.counters.kills) == (2, 0)
    assert await asyncio.wait_for(killed.wait(), 20) == -signal.SIGKILL


async def test_what_the_process_has(host: ScriptHost) -> None:
    await host.run("add", {"a": 1})
    has_little(Path(f"/proc/{host.pid}"))


def has_little(process: Path) -> None:
    """No environment, no open file but its pipes, little memory."""
    assert (process / "environ").read_bytes() == b""
    links = {str(entry.readlink()).split(":")[0] for entry in (process / "fd").iterdir()}
    assert links <= {"pipe", "socket", "/dev/null"}
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    assert int(status["VmRSS"].split()[0]) < 20_000
    if os.getuid() == 0:
        assert set(status["Uid"].split()) == {"65534"}
    limits = (process / "limits").read_text()
    assert [line.split()[3] for line in limits.splitlines() if line.startswith("Max open files")] == ["3"]


# Past the language: code that no script can become, to see that the process is a wall of its own.
REACH = "system = operation_row.__globals__['__builtins__']"
BEYOND = {
    "memory": "x = [0]\nwhile True:\n    x = x + x",
    "memory in one piece": f"{REACH}\nx = system['bytearray'](1 << 30)",
    "recursion": "def f():\n    return f()\nf()",
    "time": "while True:\n    pass",
    "a file": f"{REACH}\nx = system['open']('/etc/hostname').read()",
    "a file to write": f"{REACH}\nx = system['open']('/tmp/sandbox-was-here', 'w').write('x')",
    "a socket": f"{REACH}\nx = system['__import__']('socket').socket()",
    "a process": f"{REACH}\nx = system['__import__']('os').fork()",
    "more limits": f"{REACH}\nr = system['__import__']('resource')\n"
    "x = r.setrlimit(r.RLIMIT_NOFILE, (99, 99))",
    "huge output": f"{REACH}\nx = 'x' * 3000000",
    "exit": f"{REACH}\nsystem['__import__']('os')._exit(0)",
    "noise": f"{REACH}\nsystem['__import__']('os').write(1, b'noise\\n')",
    "strange result": "x = {}",
    "not a number": "x = 1e308 * 10 - 1e308 * 10",
}


def hostile(text: str) -> str:
    """Base64 of code that defines `script`, as the worker takes it."""
    tree = ast.parse("def script():\n    x = None\n    return (x,)\n")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body[1:1] = ast.parse(text).body
    code: CodeType = compile(ast.fix_missing_locations(tree), "<script>", "exec")
    return base64.b64encode(marshal.dumps(code)).decode()


@pytest.mark.parametrize("name", BEYOND)
async def test_past_the_language(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptHost([SandboxScript("bad", "x = 1", (), ("x",)), ADD], grace_s=5) as host:
        monkeypatch.setitem(host._codes, "bad", hostile(BEYOND[name]))
        outcome = await host.run("bad", {}, timeout_s=0.5)
        assert outcome.trouble in {Trouble.FAULT, Trouble.TIME, Trouble.MEMORY, Trouble.KILLED}, outcome
        assert name != "a file to write" or "Too many open files" in outcome.detail
        assert await host.run("add", {"a": 1}) == Outcome({"x": 2})


async def test_bad_scripts_are_refused_before_anything_runs() -> None:
    with pytest.raises(ConfigError, match=r"scripts\.bad: line 1, column 1"):
        ScriptHost([SandboxScript("bad", "import os")])
    with pytest.raises(ConfigError, match="unique"):
        ScriptHost([ADD, ADD])


def test_generated_scripts() -> None:
    """A bounded sample of scripts/fuzz."""
    scripts = Scripts()
    result = run(scripts, 300, seed=2, name="script")
    scripts.stop()
    assert not result.failure, result.failure
    assert {"values", "fault", "time", "refused"} <= result.counts.keys()
